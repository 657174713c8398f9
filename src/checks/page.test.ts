import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { numRuns } from '../../test/property-runs.ts'
import { elementsIn, loadOf, outlineOf, readPage, tagged, textOf } from './index.ts'

const PART = '<footer><p>the part <a href="mailto:a@b.example">the link</a></p></footer>'
const page = (body: string, css = '') =>
  `<!DOCTYPE html><html lang="en"><head><title>t</title><style>body{color:#222;background:#fafafa}${css}</style></head><body><h1>Top</h1>${body}<p>End</p></body></html>`

/** What can be read of a page. */
function read(html: string): string {
  const seen = readPage(html)?.seen
  if (seen === undefined) throw new Error('the page was not read')
  return textOf(seen)
}
const ALL = 'Top the part the link End'
const REST = 'Top End'
/** Adds an attribute to the first tag. */
const withAttribute = (attribute: string) => PART.replace('<footer', `<footer ${attribute}`)

describe('text is joined as a browser joins it', () => {
  test.each([
    ['<h1>King<span>fisher</span></h1>', 'Kingfisher'],
    ['<p>King<wbr>fisher&nbsp;Canoes</p>', 'Kingfisher Canoes'],
    ['<p>King&shy;<b>fish</b>er <i>Canoes</i>\n</p>', 'Kingfisher Canoes'],
    ['<p>one <b>two</b> <!-- x --><i>three</i></p>', 'one two three'],
    ['<p>one<br>two<p>three<ul><li>four<li>five</ul>', 'one two three four five'],
    ['<table><tr><td>1<td>2</table>', '1 2'],
    ['<button>a</button><button>b</button>', 'a b'],
  ])('%s', (html, text) => {
    expect(read(html)).toBe(text)
  })

  test('where styles make inline elements lines', () => {
    expect(read(page('<p>one<span>two</span></p>', 'span{display:block}'))).toBe('Top one two End')
  })
})

/** Declarations that hide a part. */
const HIDING = [
  'display:none',
  'd\\69splay:n\\6fne',
  'DISPLAY : NONE !important;display:block',
  'visibility:hidden',
  'opacity:0',
  'opacity:.01',
  'opacity:0%',
  'opacity:calc(0)',
  'font-size:0',
  'font:0/0 serif',
  'content-visibility:hidden',
  'position:absolute;left:-9999px',
  'position:absolute;left:9999px',
  'position:absolute;left:calc(-1*9999px)',
  'text-indent:-9999px',
  'margin:-500rem 0 0',
  'transform:translateX(-500vw)',
  'transform:translateX(9999px)',
  'transform:scale(0)',
  'scale:1 0',
  'zoom:.001',
  'height:0;overflow:hidden',
  'max-height:0;overflow:hidden',
  'position:absolute;width:1px;overflow:hidden;clip:rect(0 0 0 0)',
  'clip-path:inset(50%)',
  'clip-path:inset(49.9%)',
  'clip-path:inset(9999px)',
  'filter:opacity(0)',
  'position:relative;z-index:-1',
  'color:transparent',
]

/** Markup, and rules of other kinds, that hide the part. */
const HIDDEN = {
  'the hidden attribute': page(withAttribute('hidden')),
  'a popover': page(withAttribute('popover')),
  'a style of its own': page(withAttribute('style="display:none"')),
  'a closed details': page(`<details>${PART}</details>`),
  'a closed dialog': page(`<dialog>${PART}</dialog>`),
  'a template': page(`<template>${PART}</template>`),
  noscript: page(`<noscript>${PART}</noscript>`),
  'a comment': page(`<!-- ${PART} -->`),
  'a canvas': page(`<canvas>${PART}</canvas>`),
  'a drawing of no size': page(`<svg width=0 height=0><foreignObject>${PART}</foreignObject></svg>`),
  'a rule for screens': page(PART, '@media screen and (min-width:1px){footer{display:none}}'),
  'a rule for browsers that can do something': page(PART, '@supports (display:grid){footer{display:none}}'),
  'a layer': page(PART, '@layer a{footer{display:none}}'),
  'its place': page(PART, 'body > :nth-child(2){display:none}'),
  'what is in it': page(PART, 'footer:has(a){display:none}'),
  'a weightier rule': page(PART, 'body footer{display:none}footer{display:block}'),
  'what is around it': page(`<section>${PART}</section>`, 'section{opacity:.3}footer{opacity:.3}'),
  'a style sheet in the body': page(`${PART}<style>footer{display:none}</style>`),
}
const PLANE = 'position:fixed;inset:0;background:#fff'

describe('a part is not read', () => {
  test.each(HIDING)('with %s, in a rule and around it', css => {
    expect(read(page(PART, `footer,footer a{${css}}`))).toBe(REST)
    expect(read(page(`<section>${PART}</section>`, `section,footer a{${css}}`))).toBe(REST)
  })

  test.each(Object.entries(HIDDEN))('in %s', (_name, html) => {
    expect(read(html).replace(/^Top +End$/, REST)).toBe(REST)
  })

  test('below a plane over the whole viewport', () => {
    expect(read(page(`${PART}<i></i>`, `i{${PLANE};z-index:9}`))).toBe('')
    expect(read(page(`${PART}<i></i>`, `i{${PLANE};inset:auto;left:0;top:0;width:100vw;height:100vh;z-index:9}`))).toBe(
      '',
    )
  })

  test('what is not visible is there for what is visible inside of it only', () => {
    const seen = readPage(
      page('<section><input></section><div><b>x</b></div>', 'section,div{visibility:hidden}b{visibility:visible}'),
    )?.seen
    expect(seen && elementsIn(seen, tagged('section', 'input', 'div', 'b')).map(({ tag }) => tag)).toEqual(['div', 'b'])
  })
})

/** Styles of honest pages that look like those that hide. */
const HONEST = [
  '@media print{footer{display:none}}',
  '@media (max-width:40rem){footer{display:none}}@media (width < 600px){footer{display:none}}',
  '@media (prefers-color-scheme:dark){footer{color:#fafafa}}',
  '@container (max-width:400px){footer{display:none}}',
  'footer:hover,footer:focus-within{display:none}',
  'footer{display:none}footer{display:block}',
  'footer{display:block!important}body footer{display:none}',
  'footer + footer,footer footer,.footer,#footer{display:none}',
  'footer{opacity:0;animation:show 1s forwards}@keyframes show{to{opacity:1}}',
  'footer{transition:transform .2s;transform:translateY(-12px) rotate(-1deg)}footer:hover{transform:scale(0)}',
  'footer{position:absolute;left:50%;top:50%;transform:translate(-50%,-50%) scale(1.05)}',
  'footer{position:relative;left:50%;margin-left:-50vw;width:100vw}',
  'footer{margin-top:100vh;padding:9999px;border-radius:9999px}',
  'footer{transform:perspective(800px) rotateY(8deg);filter:drop-shadow(0 2px 4px rgba(0,0,0,.3)) blur(0)}',
  'footer{clip-path:polygon(0 0,100% 0,100% 90%,0 100%)}',
  'footer{clip-path:inset(0 round 12px);opacity:calc(1 - .1);zoom:1.1}',
  'footer{background:linear-gradient(#123,#345);color:#fafafa}footer a{color:inherit}',
  ':root{--dark:#123}body{background:var(--dark);color:#fff}',
  'footer{position:relative;color:#fafafa}footer::before{content:"";position:absolute;inset:0;z-index:-1;background:#123}',
  'body::before{content:"";position:fixed;inset:0;z-index:-1;background:#012}',
  'body::before{content:"";position:fixed;inset:0;background:rgb(0 0 0 / 20%)}',
  'i{position:absolute;inset:0;z-index:-1;background:#012}footer{color:#fafafa}',
  'footer,footer a{background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent}',
  'footer{position:sticky;top:0;z-index:2;backdrop-filter:blur(10px);background:rgba(255,255,255,.4)}',
  'footer{width:0;flex:1;overflow:hidden}',
  'footer{font:.9rem/1.5 serif;font-size:0.85em;letter-spacing:-.5px}',
  'nav,footer:not(footer){display:none}::slotted(p),footer:nonsense(2){display:none}',
  'footer{display:grid;height:auto;min-height:0;max-height:none;overflow:auto}',
]

describe('a part is read', () => {
  test.each(HONEST)('with %s', css => {
    expect(read(page(`<i></i>${PART}`, css))).toBe(ALL)
  })

  test.each([
    ['an open details', `<details open><summary></summary>${PART}</details>`],
    ['an open dialog', `<dialog open>${PART}</dialog>`],
    ['hidden, with a display of its own', withAttribute('hidden style="display:grid"')],
    ['beside a style sheet for printing', `${PART}<style media="print">footer{display:none}</style>`],
    ['beside a style in a template', `${PART}<template><style>footer{display:none}</style></template>`],
  ])('in %s', (_name, body) => {
    expect(read(page(body))).toBe(ALL)
  })
})

test.each([
  'color:#fafafa',
  'display:var(--none,none)',
  'transform:rotateX(90deg)',
  'clip-path:circle(0)',
  'mask:linear-gradient(transparent,transparent)',
  'filter:contrast(0)',
  '}footer::before{content:"";position:fixed;inset:0;background:#fff;z-index:9',
])('what docs/checks.md lists as not noticed is read: %s', css => {
  expect(read(page(PART, `footer,footer a{${css}}`))).toBe(ALL)
})

test('custom properties are those in force on <html>', () => {
  const css = ':root{--a:1;--b:2}html:root{--b:3}body{--c:4}@media print{:root{--d:5}}/* :root{--e:6} */'
  expect([...(readPage(page('', css))?.customProperties ?? [])]).toEqual(
    expect.arrayContaining([
      ['--a', '1'],
      ['--b', '3'],
    ]),
  )
  expect(readPage(page('', css))?.customProperties.size).toBe(2)
})

describe('reading any page comes to an end', () => {
  test.each([
    ['too long', page('x'.repeat(100_001))],
    ['too deep', page('<div>'.repeat(3_000))],
    ['of too many elements', page('<b></b>'.repeat(10_000))],
    ['with too many rules', page('<i></i>'.repeat(4_000), 'i{top:0}'.repeat(5_000))],
    ['with rules that look at too much', page('<i></i>'.repeat(4_000), 'i~i~i{top:0}')],
    ['with a chain of descendants', page('<b>'.repeat(90), `i ${'b '.repeat(30)}{top:0}`)],
    [
      'with too many values',
      page('<i></i>'.repeat(4_000), `i{${Array.from({ length: 3_000 }, (_, i) => `p${i}:0`).join(';')}}`),
    ],
  ])('%s: it is not read', (_name, html) => {
    expect(readPage(html)).toBe(null)
  })

  test('no page, however broken, makes reading it fail', () => {
    const pieces =
      `a .b #c * & :is( :not( :has( :nth-child(2n+1_of [d=" ::before > ~ , { } ( ) ] ; : " ' \\ \\0 /* */ <!-- -->
      !important @media @layer_x @keyframes_x display:none font:0/0_a opacity:calc( --a:var(--a color:rgb( scale: url( inset:
      </style> <style> <p_style=" <svg> <template> <details> <img_srcset=" >`.split(/\s+/)
    const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 60 })
    fc.assert(
      fc.property(text, fc.boolean(), (parts, isStyle) => {
        const broken = parts.join('').replaceAll('_', ' ')
        const html = isStyle ? page(PART, broken) : page(broken)
        const outline = outlineOf(html)
        return [readPage(html), outline && loadOf(outline)].length === 2
      }),
      { numRuns },
    )
  })
})
