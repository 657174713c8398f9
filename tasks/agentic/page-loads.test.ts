import { describe, expect, test } from 'vitest'
import { documentOf } from './page-document.ts'
import { loadOf, loadOfStyle } from './page-loads.ts'

function load(html: string): string | null {
  const page = documentOf(html)
  if (page === null) throw new Error('the page was not looked at')
  return loadOf(page)
}

describe('a page that is all there is', () => {
  test.each([
    '<a href="https://a.example">there</a><form action="https://a.example"></form>',
    '<img src="data:image/gif;base64,R0=="><img src=" da\nta:image/gif;base64,R0==">',
    '<img srcset="data:image/gif;base64,R0== 1x, data:image/gif;base64,R1== 2x">',
    '<svg><use href="#a"/><use xlink:href="#a"/><path fill="url(#g)" d="M0 0"/></svg>',
    '<p style="background:url(data:image/gif;base64,R0==)">',
    '<meta http-equiv="content-type" content="text/html"><meta name="x" content="https://a.example">',
    '<link rel="shortcut icon" href="data:,">',
    '<!-- <script src="x.js"></script> -->',
    '<p>url(a.png) @import "x" onload=x <code>&lt;script></code></p>',
    '<p title="url(a.png)" data-on="x">',
  ])('%s', html => {
    expect(load(html)).toBe(null)
  })

  test.each([
    '@namespace svg url(http://www.w3.org/2000/svg); a{color:red}',
    '@namespace "http://www.w3.org/1999/xhtml";',
    '/* @import "x"; url(a.png) */ a{content:"url(a.png)"}',
    'a{background:url("#g"), url(data:image/png;base64,aa==), image-set("data:image/png;base64,aa==" type("image/png"))}',
    '@font-face{font-family:"a.woff";src:local("b.woff")}',
    '.u\\72l{color:red}',
  ])('styles: %s', css => {
    expect(loadOfStyle(css)).toBe(null)
  })
})

describe('a page that loads or runs something', () => {
  test.each([
    '<link rel=icon href=a.png>',
    '<link rel=stylesheet href="data:text/css,a{}">',
    '<link rel="icon preload" href="data:,">',
    '<link href="data:,">',
    '<script></script>',
    '<template><script></script></template>',
    '<iframe srcdoc="x"></iframe>',
    '<base href="/">',
    '<object data="a.svg"></object>',
    '<img src=a.png>',
    '<img src="">',
    '<img srcset="data:image/gif;base64,R0== 1x,b.png 2x">',
    '<img srcset="a.png">',
    '<picture><source srcset="#a, b.png 2x"></picture>',
    '<video poster=a.png></video>',
    '<audio><track src=a.vtt></audio>',
    '<body background=a.png>',
    '<a ping=/count href=#x>x</a>',
    '<a href="JavaScript:x()">x</a>',
    '<a href="&#1;java\tscript:x()">x</a>',
    '<p ONCLICK=x()>',
    '<svg><image href=a.png></svg>',
    '<svg><image xlink:href=a.png></svg>',
    '<svg><feImage href=a.png /></svg>',
    '<svg><animate attributeName="xlink:href" values="a.png;b.png"/></svg>',
    '<svg><rect filter="u\\72l(a.svg)"/></svg>',
    '<svg><style>@import "a";</style></svg>',
    '<p style="background:url(a.png)">',
    '<p style="background:\\75rl(a.png)">',
    '<meta http-equiv=" REFRESH " content="0;url=x">',
  ])('%s', html => {
    expect(load(html)).not.toBe(null)
  })

  test.each([
    '@import "a";',
    '@im\\70ort url(a);',
    '/**/@IMPORT/**/"a"',
    'a{b:url(a b)}',
    'a{b:url( "a" )}',
    'a{b:URL(a)}',
    'a{b:url(\\64 ata.png)}',
    'a{b:-webkit-image-set("a" 1x)}',
    'a{b:image-set(url(#a) 1x, "b" 2x)}',
    'a{b:cross-fade("a", "b")}',
    'a{--b:url(a)}',
    'a{b:url(a',
    '@namespace "x"; a{b:url(a)}',
    '}}} a{b:url(a)}',
    '<!-- a{b:url(a)} -->',
  ])('styles: %s', css => {
    expect(loadOfStyle(css)).not.toBe(null)
  })
})
