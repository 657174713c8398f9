import { expect, test } from 'vitest'
import { loadOf, outlineOf } from './index.ts'

const load = (html: string) => {
  const page = outlineOf(html)
  if (page === null) throw new Error('the page was not read')
  return loadOf(page)
}

test.each(
  String.raw`<a href="https://a.example">there</a><form action="https://a.example"></form>
<img src=" da&#10;ta:image/gif;base64,R0=="><img srcset="data:image/gif;base64,R0== 1x, data:image/gif;base64,R1== 2x">
<svg><use href="#a"/><use xlink:href="#a"/><path fill="url(#g)" d="M0 0"/></svg>
<meta http-equiv="content-type" content="text/html"><link rel="shortcut icon" href="data:,">
<!-- <script src="x.js"></script> --><p title="url(a.png)" data-on="x">url(a.png) @import "x" onload=x</p>
<style>@namespace svg url(http://www.w3.org/2000/svg); .u\72l{color:red} /* @import "x" */</style>
<style>a{content:"url(a.png)";background:url("#g"),image-set("data:image/png;base64,aa==" type("image/png"))}</style>`.split(
    '\n',
  ),
)('a page that is all there is: %s', html => {
  expect(load(html)).toBe(null)
})

test.each(
  String.raw`<link rel=icon href=a.png>
<link rel="icon preload" href="data:,">
<template><script></script></template>
<iframe srcdoc="x"></iframe>
<base href="/">
<img src=a.png>
<img srcset="data:image/gif;base64,R0== 1x,b.png 2x">
<body background=a.png>
<a ping=/count href=#x>x</a>
<a href="&#1;java&#9;script:x()">x</a>
<p ONCLICK=x()>
<svg><image xlink:href=a.png></svg>
<svg><animate attributeName="xlink:href" values="a.png;b.png"/></svg>
<svg><rect filter="u\72l(a.svg)"/></svg>
<p style="background:\75rl(a.png)">
<meta http-equiv=" REFRESH " content="0;url=x">
<style>@im\70ort "a";</style>
<style>a{b:url(a b)}</style>
<style>a{b:url(\64 ata.png)}</style>
<style>a{b:image-set(url(#a) 1x, "b" 2x)}</style>
<style>a{--b:url(a)}</style>
<style>}}} a{b:url(a</style>
<style>@font-face{src:url("//fonts.example/a.woff2")}</style>`.split('\n'),
)('a page that loads or runs something: %s', html => {
  expect(load(html)).not.toBe(null)
})
