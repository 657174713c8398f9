import { describe, expect, it } from 'vitest'
import { escapeForXml } from './xml.ts'

describe('escapeForXml', () => {
  it.each([
    ['markup', '</text><script>', '&lt;/text&gt;&lt;script&gt;'],
    ['an ampersand, also of an entity', 'a & b &lt;', 'a &amp; b &amp;lt;'],
    ['quotes', `"a" 'b'`, '&quot;a&quot; &#39;b&#39;'],
    ['a NUL, which no XML may hold', 'a\u0000b', 'a\\x00b'],
    ['a noncharacter', 'a\uffffb\u{1fffe}', 'a\\u{ffff}b\\u{1fffe}'],
    ['a lone surrogate', 'a\ud800', 'a\\u{d800}'],
    ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
    ['ordinary text of any script', 'naïve 模型 😀', 'naïve 模型 😀'],
  ])('shows %s', (_title, text, shown) => {
    expect(escapeForXml(text)).toBe(shown)
  })
})
