import { expect, test } from 'vitest'
import { elementsIn, firstDifference, outlineOf, type PageElement, rewrite, textOf } from './page-outline.ts'

const PAGE = '<!DOCTYPE html><html><body><p id="a" class="x">one <b>two</b></p><!-- note --></body></html>'

function outline(html: string): PageElement {
  const page = outlineOf(html)
  if (page === null) throw new Error('the page is too long')
  return page
}
const differs = (other: string) => firstDifference(outline(PAGE), outline(other))

test.each([
  ['white space', PAGE.replaceAll('<', '\n  <').replace('\n  </b>', '</b>')],
  ['order of attributes and quotes', PAGE.replace('id="a" class="x"', "class=x  id='a'")],
  ['character references', PAGE.replace('one', '&#111;ne')],
  ['tags a browser puts in by itself', PAGE.replace('<html>', '<html><head></head>').replace('</body></html>', '')],
  ['case of tags', PAGE.replaceAll('<p', '<P').replace('</p>', '</P>')],
])('pages that differ only in %s are the same', (_name, other) => {
  expect(differs(other)).toBe(null)
})

test.each([
  ['a word', PAGE.replace('two', 'three')],
  ['a no-break space', PAGE.replace('one ', 'one&nbsp;')],
  ['an attribute', PAGE.replace(' class="x"', '')],
  ['a comment', PAGE.replace('<!-- note -->', '')],
  ['a script', PAGE.replace('</body>', '<script>1</script></body>')],
  ['a tag', PAGE.replaceAll('b>', 'i>')],
  ['the doctype', PAGE.replace('<!DOCTYPE html>', '')],
  ['the doctype, now a comment', PAGE.replace('<!DOCTYPE html>', '<!--html-->')],
  ['an element', PAGE.replace('<b>two</b>', 'two')],
])('pages that differ in %s are not the same', (_name, other) => {
  expect(differs(other)).not.toBe(null)
})

test('elements are found in templates too, and texts leave comments out', () => {
  const page = outline('<template><i>a</i></template><p>b<!-- c --> <i>d</i></p>')
  expect(elementsIn(page, element => element.tag === 'i').map(textOf)).toEqual(['a', 'd'])
  expect(elementsIn(page, element => element.tag === 'p').map(textOf)).toEqual(['b d'])
})

test('a rewrite replaces and removes parts and leaves the page alone', () => {
  const page = outline(PAGE)
  const changed = rewrite(page, part => (typeof part === 'string' ? 'X' : 'comment' in part ? null : part))
  expect(elementsIn(changed, element => element.tag === 'p').map(textOf)).toEqual(['X X'])
  expect(JSON.stringify(changed)).not.toContain('comment')
  expect(page).toEqual(outline(PAGE))
})

test.each([
  ['nested bold text', '<b>'.repeat(33_000)],
  ['nested blocks', '<div>'.repeat(19_000)],
  ['tables in tables', '<table><tr><td>'.repeat(6_600)],
  ['paragraphs in links', '<p><b>'.repeat(16_000)],
])('a page of %s neither exhausts the stack nor takes long', (_name, html) => {
  const start = performance.now()
  expect(firstDifference(outline(html), outline(PAGE))).not.toBe(null)
  expect(performance.now() - start).toBeLessThan(5_000)
})

test('a page of more than 100,000 characters is not parsed', () => {
  expect(outlineOf('x'.repeat(100_001))).toBe(null)
})
