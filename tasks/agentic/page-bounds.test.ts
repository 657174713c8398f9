import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { documentOf } from './page-document.ts'
import { loadOf } from './page-loads.ts'
import { PART, page, seen } from './page-view.fixture.ts'
import { viewOf } from './page-view.ts'

describe('looking at any page comes to an end', () => {
  const many = (text: string, times: number) => text.repeat(times)
  test.each<[string, string]>([
    ['too long', page(many('x', 100_001))],
    ['too deep', page(many('<div>', 3_000))],
    ['of too many elements', page(many('<b></b>', 10_000))],
    ['with too many rules', page(many('<i></i>', 4_000), many('i{top:0}', 5_000))],
    ['with rules that look at too much', page(many('<i></i>', 4_000), 'i~i~i{top:0}')],
    ['with styles in styles', page('', many('a{', 5_000))],
    ['with brackets in brackets', page('', `a{top:${many('(', 20_000)}`)],
    ['with brackets in a style', page(`<p style="top:${many('(', 20_000)}">`)],
    ['with brackets in a selector', page('', `${many(':is(', 10_000)}{top:0}`)],
  ])('%s: it is not looked at', (_name, html) => {
    expect(viewOf(html)).toBe(null)
  })

  test.each<[string, string]>([
    [
      'values that name each other',
      page(PART, ':root{--a:var(--b) var(--b);--b:var(--a) var(--a)} .part{top:var(--a)}'),
    ],
    ['many siblings of siblings', page(PART, '* ~ * ~ * ~ * ~ *{display:none}')],
    ['selectors that nobody knows', page(PART, '.part:nonsense(2), ::slotted(p), .part%{display:none}')],
    ['many descendants', page(PART, `${many('* ', 50)}{display:none}`)],
  ])('%s: it is looked at', (_name, html) => {
    expect(seen(html)).toContain('the part')
  })
})

test('no page, however broken, makes looking at it fail', () => {
  const pieces = [
    ...[
      'a',
      '.b',
      '#c',
      '*',
      '&',
      ':is(',
      ':not(',
      ':has(',
      ':nth-child(2n+1 of ',
      '[d="',
      '::before',
      ' > ',
      ' ~ ',
      ',',
    ],
    ...[
      '{',
      '}',
      '(',
      ')',
      ']',
      ';',
      ':',
      '"',
      "'",
      '\\',
      '\\0',
      '/*',
      '*/',
      '<!--',
      '-->',
      '!important',
      '\n',
      '\0',
      '\ud800',
    ],
    ...[
      '@media ',
      '@media (1px<width<=2px)',
      '@media not all and (',
      '@supports not (',
      '@layer x',
      '@keyframes x',
      '@import ',
      'to',
      '100%',
    ],
    ...[
      'display:none',
      'font:0/0 a',
      'opacity:calc(',
      '--a:var(--a',
      'color:rgb(',
      'clip:rect(0 0 0 0)',
      'scale:',
      'url(',
      'inset:',
    ],
    ...[
      '</style>',
      '<style>',
      '<p style="',
      '<svg>',
      '<image href=',
      '<template>',
      '<details>',
      '<img srcset="',
      ' 1x,',
      '>',
    ],
  ]
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 60 })
  fc.assert(
    fc.property(text, fc.boolean(), (parts, isStyle) => {
      const html = isStyle ? page(PART, parts.join('')) : page(parts.join(''))
      const document = documentOf(html)
      return document === null || [loadOf(document), viewOf(html)].length === 2
    }),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 300) },
  )
})
