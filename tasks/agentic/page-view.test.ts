import { describe, expect, test } from 'vitest'
import { textOf } from './page-outline.ts'
import { viewOf } from './page-view.ts'

const PART = '<p class="part big" id="it">the part</p>'
const page = (body: string, css = '', more = '') =>
  `<!DOCTYPE html><html><head><title>t</title><style>${css}</style>${more}</head><body><h1>Top</h1>${body}</body></html>`

function seen(html: string): string {
  const view = viewOf(html)
  if (view === null) throw new Error('the page was not looked at')
  return textOf(view)
}

const SKY = '.sky{position:absolute;inset:0;z-index:-1;background:#012}'

/** Styles of honest pages that look like those that hide. */
const honestStyles: readonly string[] = [
  '.part{transition:transform .2s}.part:hover{transform:translateY(-4px) scale(0)}',
  '.part{transform:translateY(-8px)}',
  '.part{transform:rotate(-1deg)}',
  '.part{transform:perspective(800px) rotateY(8deg)}',
  '.part{transform:rotate3d(0,0,1,2deg)}',
  '.part{rotate:-2deg;scale:1.05;translate:0 -10px}',
  '.part{position:absolute;left:50%;top:50%;transform:translate(-50%,-50%)}',
  '.part{position:relative;left:50%;margin-left:-50vw;width:100vw}',
  '.part{margin-left:calc(50% - 50vw);width:100vw}',
  '.part{padding:var(--pad)}:root{--pad:1rem 2rem}',
  '.part{margin:calc(1rem + 2px) auto}',
  '.part{filter:drop-shadow(0 2px 4px rgba(0,0,0,.3))}',
  '.part{filter:brightness(1.1) saturate(120%) grayscale()}',
  '.part{backdrop-filter:blur(10px);background:rgba(255,255,255,.4)}',
  '.part{position:sticky;top:0;z-index:1}',
  '.part{z-index:calc(1 + 1)}',
  '.part{opacity:calc(1 - .1)}',
  '.part::before{content:"";clip-path:circle(1px);position:absolute;inset:0;background:red}',
  '.part{clip-path:polygon(0 0,100% 0,100% 85%,0 100%)}',
  '.part{clip-path:ellipse(100% 100% at 50% 0%)}',
  '.part{clip-path:inset(0 round 12px)}',
  '.part{backface-visibility:hidden}',
  '.part{backface-visibility:hidden;transform:rotate(180deg)}',
  '.part{zoom:1.1}',
  '.part{color:darken(#fff,10%)}',
  '.part{color:#767676}',
  '.part{color:hsl(210 50% 30%);background:oklch(97% .01 240)}',
  '.part{color:color-mix(in oklab,#123 80%,white)}',
  'body{background:linear-gradient(rgb(0 0 0 / .6),rgb(0 0 0 / .6)),#345;color:#fff}',
  'body{background:#036 url("data:image/svg+xml;utf8,<svg xmlns=\'http://www.w3.org/2000/svg\'/>");color:#fff}',
  'body{background:url(data:image/gif;base64,R0lGODlhAQABAAAAACw=);color:#fff}',
  'footer,.part{background:#2c3e50;color:#0000ee}',
  ':root{color-scheme:dark}',
  ':root{color-scheme:light dark}',
  '.part::after{content:"";position:absolute;inset:0}',
  '.part::after{content:"";position:absolute;inset:0;background:linear-gradient(transparent,rgb(0 0 0 / .3))}',
  '.part::before{content:"";position:absolute;left:0;top:0;width:100%;height:4px;background:red}',
  'body::before{content:"";position:fixed;inset:0;z-index:-1;background:#012}.part{color:#fff}',
  '.part::after{content:"";position:absolute;inset:0;background:#fff;transform:scaleX(0)}',
  '.part{color:transparent;-webkit-text-stroke:2px #036}',
  '.part{border:2px solid red;border-left:8px solid red}',
  '.part{animation:a 20s infinite}@keyframes a{from{background-position:0 0}to{background-position:99px 0}}',
  '.part::first-line{color:#036}',
  '@property --o{syntax:"<number>";inherits:false;initial-value:1}.part{opacity:var(--o)}',
  '@supports (nonsense:1){.part{color:red}}',
  '@supports not (display:grid){.part{display:none}}',
  '@scope (main){.part{display:none}}',
  '@layer base{.part{display:none}}.part{display:block!important}',
  '@container (min-width:600px){.part{display:grid}}',
]

describe('a part is seen', () => {
  test.each<[string, string]>([
    ['without styles', page(PART)],
    [
      'with rules for other screens',
      page(PART, '@media print{.part{display:none}} @media (max-width:40rem){.part{opacity:0}}'),
    ],
    ['where a later rule brings it back', page(PART, '.part{display:none} p{color:red} .part{display:block}')],
    ['where a weightier rule brings it back', page(PART, '#it{display:block} .part.big{display:none}')],
    ['where an important rule brings it back', page(PART, 'p{display:block!important} #it{display:none}')],
    ['where its own style brings it back', page(PART.replace('>', ' style="display:block">'), '#it{display:none}')],
    ['where the hiding rule is for another element', page(PART, '.part .part, div.part, .parts, p + p{display:none}')],
    [
      'where hiding depends on the hand',
      page(PART, '.part:hover, .part:focus-within, .part:not(:not(:active)){display:none}'),
    ],
    ['where a value is none that browsers know', page(PART, '.part{display:none of it; opacity:0px}')],
    ['with broken declarations before', page(PART, '.part{display:none} p{top:;;left} .part{display:block}')],
    ['below :is and :where', page(PART, ':where(#it){display:none} p{display:block}')],
    ['in an open details', page(`<details open><summary>s</summary>${PART}</details>`)],
    ['in an open dialog', page(`<dialog open>${PART}</dialog>`)],
    [
      'where only what is around is not visible',
      page(`<div>${PART}</div>`, 'div{visibility:hidden} p{visibility:visible}'),
    ],
    ['in a small font around it', page(`<div>${PART}</div>`, 'div{font-size:0} p{font-size:1rem}')],
    ['with hidden and a display of its own', page(PART.replace('>', ' hidden>'), '.part{display:grid}')],
    ['that fades in', page(PART, '.part{opacity:0;animation:in 1s forwards} @keyframes in{to{opacity:1}}')],
    ['in white on dark', page(PART, ':root{--d:#123} body{background:var(--d);color:#fff}')],
    ['in white on a picture', page(PART, 'body{background:linear-gradient(red,blue);color:white}')],
    [
      'in a colour that shows through',
      page(PART, '.part{background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent}'),
    ],
    [
      'in white on what ::before paints',
      page(
        PART,
        '.part{color:#fff;position:relative} .part::before{content:"";position:absolute;inset:0;z-index:-1;background:#000}',
      ),
    ],
    [
      'that is moved a little',
      page(PART, '.part{position:relative;top:-20px;transform:translateX(-50%);margin-top:-3rem}'),
    ],
    ['as a link in a part without colour', page('<p><a href="#x">the part</a></p>', 'p{color:transparent}')],
    ['under a condition that is broken', page(PART, '@media (1px<width<=2px)<image{.part{display:none}}')],
    ['that shares a row', page(PART, '.part{width:0;flex:1;overflow:hidden}')],
    [
      'with a menu beside that is hidden',
      page(`${PART}<nav>menu</nav>`, 'nav{transform:translateX(-100%);display:none}'),
    ],
    ['with a style sheet for printing', page(PART, '', '<style media="print">.part{display:none}</style>')],
    ['with a style in a template', page(`${PART}<template><style>.part{display:none}</style></template>`)],
    ...honestStyles.map((css): [string, string] => [`with ${css}`, page(PART, css)]),
    ['before a plane that is painted behind it', page(`<div class="sky"></div>${PART}`, `${SKY} .part{color:#fff}`)],
    ['over a plane', page(`<div class="sky"></div>${PART}`, `${SKY.replace('-1', '0')} .part{position:relative}`)],
    [
      'over a plane that comes later, in a lower layer',
      page(`${PART}<div class="sky"></div>`, `${SKY.replace('-1', '0')} .part{position:relative;z-index:1}`),
    ],
    [
      'over a plane whose surroundings are in a lower layer',
      page(
        `${PART}<main></main>`,
        '.part,main{position:relative;z-index:1}main{z-index:0}main::before{content:"";position:fixed;inset:0;z-index:9;background:red}',
      ),
    ],
    [
      'below a first screen with a text of its own',
      page(
        `<header>Canoes for a day</header>${PART}`,
        'header{position:absolute;left:0;top:0;width:100%;height:100vh;background:#036}.part{margin-top:100vh}',
      ),
    ],
    ['beside a window that is hidden', page(`${PART}<div class="sky"></div>`, `${SKY.replace('-1', '9;opacity:0')}`)],
    ['in a window over all', page(`<main>${PART}</main>`, 'main{position:fixed;inset:0;background:#fff}')],
    ['where a container decides', page(PART, '@container (max-width:400px){.part{display:none}}')],
  ])('%s', (_name, html) => {
    expect(seen(html)).toContain('the part')
  })
})

const hides: readonly string[] = [
  'display:none',
  'DISPLAY : NONE !important',
  'd\\69splay:n\\6fne',
  'visibility:hidden',
  'visibility:collapse',
  'opacity:0',
  'opacity:0%',
  'opacity:.01',
  'filter:opacity(0)',
  'font-size:0',
  'font-size:1px',
  'font:0/0 a',
  'content-visibility:hidden',
  'position:absolute;left:-9999px',
  'position:fixed;inset:-200vh auto auto 0',
  'margin-left:-9999px',
  'margin:-500rem 0 0',
  'text-indent:-9999px',
  'transform:scale(0)',
  'scale:0',
  'transform:translateX(-300vw)',
  'translate:-3000px',
  'clip-path:inset(50%)',
  'clip-path:circle(0)',
  'position:absolute;clip:rect(0,0,0,0)',
  'width:0;overflow:hidden',
  'max-height:0;overflow:hidden',
  'height:1px;width:1px;overflow:clip',
  'color:transparent',
  'color:#fff',
  'color:rgb(255 255 255)',
  'color:rgba(0,0,0,0)',
  'background:navy;color:navy',
  'background-color:#ABC;color:#aabbcc',
  'background:currentColor',
  '--o:0;opacity:var(--o)',
  'opacity:var(--none,0)',
  'display:none;display:nonsense',
  'position:absolute;left:9999px',
  'position:absolute;left:calc(-1*9999px)',
  'position:absolute;inset:0 auto auto calc(1px*sin(1))',
  'position:absolute;inset-inline-start:-5000px',
  'position:absolute;right:9999px',
  'position:fixed;top:100vh',
  'position:relative;right:3000px',
  'margin-left:2000px',
  'padding-left:2000px',
  'border-left:2000px solid #fff',
  'height:0;contain:paint',
  '--far:0 0 0 -9999px;margin:var(--far)',
  'transform:translateX(9999px)',
  'transform:translateX(calc(99px * 99))',
  'transform:rotateX(90deg)',
  'transform:rotate3d(0,1,0,.25turn)',
  'rotate:y 90deg',
  'transform:matrix(0,0,0,0,0,0)',
  'transform:matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,9999,0,0,1)',
  'transform:skew(89.9deg)',
  'transform:scaleY(.001)',
  'scale:1 0',
  'transform:rotateY(180deg);backface-visibility:hidden',
  'transform:perspective(1px) translateZ(-9999px)',
  'transform:translateZ(-9999px)',
  'transform:perspective(10px) translateZ(20px)',
  'position:relative;right:700px',
  'transform:scale(sin(0))',
  'offset-path:path("M 9999 9999")',
  'opacity:calc(0)',
  'opacity:sin(0)',
  'opacity:min(1,0)',
  'clip-path:inset(9999px)',
  'clip-path:inset(49.9%)',
  'clip-path:inset(30%)',
  'clip-path:circle(1px)',
  'clip-path:polygon(0 0,0 0,0 0)',
  'clip-path:polygon(evenodd,0 0,100% 0,100% 100%,0 100%,0 0,100% 0,100% 100%,0 100%)',
  'clip-path:polygon(0 0,9% 0,9% 9%,0 9%,0 0,9% 0,9% 9%,0 9%,0 0,9% 0,9% 9%,0 9%)',
  'clip-path:path("M0 0")',
  'mask:linear-gradient(transparent,transparent)',
  '-webkit-mask-image:linear-gradient(transparent,transparent)',
  'mix-blend-mode:screen',
  'zoom:.001',
  'zoom:1%',
  'content:url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)',
  'filter:blur(99px)',
  'filter:contrast(0)',
  'filter:brightness(900%)',
  'filter:invert(.5)',
  'filter:url(#nothing)',
  'z-index:-1',
  'position:relative;z-index:calc(-1)',
  'letter-spacing:-2em',
  'font-size:calc(0px)',
  'font:calc(1px*0)/1 serif',
  'text-indent:calc(-1px*9999)',
  'text-indent:9999px',
  'max-height:calc(0px);overflow:hidden',
  'height:0;overflow:auto',
  'color:hsl(0 0% 100%)',
  'color:#fffffe',
  'color:#eee',
  'color:oklch(1 0 0)',
  'color:lab(100 0 0)',
  'color:hwb(0 100% 0%)',
  'color:color(srgb 1 1 1)',
  'color:color-mix(in srgb,white,white)',
  'color:rgb(from black 255 255 255)',
  'color:rgb(0 0 0 / 4%)',
  'color:white;background:linear-gradient(#fff,#fefefe)',
  'background:#fff;-webkit-background-clip:text;color:transparent',
  'color:#fff;background:none',
]

describe('a part is not seen', () => {
  test.each(hides)('with %s, in a rule, in its own style and around it', css => {
    expect(seen(page(PART, `.part{${css}}`))).toBe('Top')
    expect(seen(page(PART.replace('>', ` style="${css}">`)))).toBe('Top')
    expect(seen(page(`<section>${PART}</section>`, `section{${css}}`))).toBe('Top')
  })

  test.each<[string, string]>([
    ['under a condition that holds', page(PART, '@media screen and (min-width:1px){.part{display:none}}')],
    ['under a range that holds', page(PART, '@media (600px <= width <= 2000px){.part{display:none}}')],
    ['under a condition that is denied', page(PART, '@media not print{.part{display:none}}')],
    ['where the browser can do something', page(PART, '@supports (display:grid){.part{display:none}}')],
    ['in a layer', page(PART, '@layer a{.part{display:none}}')],
    ['within a scope', page(PART, '@scope(body){.part{display:none}}')],
    ['as a scope', page(`<main>${PART}</main>`, '@scope(main){:scope{display:none}}')],
    ['in a container', page(PART, '@container(min-width:1px){.part{display:none}}')],
    ['in a narrow container', page(PART, '@container m (inline-size < 800px){.part{display:none}}')],
    ['in a container of a style', page(PART, '@container style(--a:1){.part{display:none}}')],
    [
      'where nobody knows whether it shows',
      page(PART, '.part{display:none}@container(min-width:1px){.part{display:block}}'),
    ],
    ['where a browser may lack something', page(PART, '@supports not (nonsense:1){.part{display:none}}')],
    ['outside of the layers that show it', page(PART, '.part{display:none}@layer a{#it.part{display:block}}')],
    ['in the later layer', page(PART, '@layer a,b;@layer b{.part{display:none}}@layer a{#it{display:block}}')],
    [
      'after an animation that leaves nothing behind',
      page(PART, '.part{opacity:0;animation:in 1s}@keyframes in{to{opacity:1}}'),
    ],
    [
      'behind a plane over all',
      page(`${PART}<footer></footer>`, `footer::before{content:"";position:fixed;inset:0;background:#fff}`),
    ],
    [
      'behind a plane of full size',
      page(`${PART}<i></i>`, 'i{position:fixed;left:0;top:0;width:100vw;height:100%;background:#fff}'),
    ],
    [
      'behind a plane of its own',
      page(PART, '.part{position:relative}.part::after{content:"";position:absolute;inset:0;background:red}'),
    ],
    [
      'behind a higher plane',
      page(
        PART,
        '.part{position:relative;z-index:1}body::after{content:"";position:fixed;inset:0;z-index:2;background:red}',
      ),
    ],
    ['white beside something painted', page(PART, '.part{color:#fff}h1::before{content:"";background:#000}')],
    ['in a first line of white', page(PART, '.part::first-line{color:#fff}')],
    [
      'by an initial value',
      page(PART, '@property --o{syntax:"<number>";inherits:false;initial-value:0}.part{opacity:var(--o)}'),
    ],
    [
      'until an animation has gone on for hours',
      page(PART, '.part{animation:in 9999s both}@keyframes in{from{opacity:0}to{opacity:1}}'),
    ],
    [
      'until an animation goes on',
      page(PART, '.part{animation:in 1s both paused}@keyframes in{from{opacity:0}to{opacity:1}}'),
    ],
    ['white by an old attribute', page(`<font color="white">${PART}</font>`)],
    ['in parts that each are faint', page(`<div><div><div>${PART}</div></div></div>`, 'div{opacity:.4}')],
    ['in parts that each are put aside', page(`<div><div><div>${PART}</div></div></div>`, 'div{margin-left:-300px}')],
    ['by a nested rule', page(PART, 'body{& > .part{display:none}}')],
    ['by a nested rule without a sign', page(PART, 'body{.part{display:none}}')],
    ['by a nested rule after a declaration', page(PART, 'body{top:0;> .part{display:none}color:red}')],
    ['by a nested rule with a pseudo-class', page(PART, 'body{p:not(.x){display:none}}')],
    [
      'as a link that takes the colour around',
      page('<p><a href="#x">the part</a></p>', 'p{color:#fff} a{color:inherit}'),
    ],
    ['by its place', page(PART, 'h1 ~ p:nth-of-type(1){display:none}')],
    ['by an attribute', page(PART, '[class~=big]:not(.small){display:none}')],
    ['by what it is beside', page(PART, 'body:has(.part) p:last-child{display:none}')],
    ['by a style sheet in the body', page(`${PART}<style>.part{display:none}</style>`)],
    ['after an animation', page(PART, '.part{animation:out 1s forwards} @keyframes out{100%{opacity:0}}')],
    ['with the whole body', page(PART.replace('the part', 'the part'), 'body{display:none}').replace('Top', '')],
  ])('%s', (_name, html) => {
    expect(seen(html)).not.toContain('the part')
  })

  test.each<[string, string]>([
    ['hidden', PART.replace('>', ' hidden>')],
    ['a template', `<template>${PART}</template>`],
    ['noscript', `<noscript>${PART}</noscript>`],
    ['a comment', `<!-- ${PART} -->`],
    ['a closed details', `<details><summary>s</summary>${PART}</details>`],
    ['a closed dialog', `<dialog>${PART}</dialog>`],
    ['a popover', `<div popover>${PART}</div>`],
    ['a canvas', `<canvas>${PART}</canvas>`],
    ['a video', `<video>${PART}</video>`],
    ['a drawing', `<svg width=0 height=0><foreignObject>${PART}</foreignObject></svg>`],
    ['a drawing that can be seen', `<svg viewBox="0 0 9 9"><foreignObject>${PART}</foreignObject></svg>`],
    ['a text area of no size', `<textarea style="height:0">${PART}</textarea>`],
  ])('in %s', (_name, body) => {
    expect(seen(page(body))).not.toContain('the part')
  })
})

test('what is not visible is there for what is visible inside of it only', () => {
  const view = viewOf(page('<section><input></section>', 'section{visibility:hidden}'))
  expect(JSON.stringify(view)).not.toContain('section')
})
