/** What the landing page must be: parsed on the host, never searched for needles. */
import {
  collapseSpace,
  elementsIn,
  hasClass,
  isElement,
  outlineOf,
  type PageElement,
  type PagePart,
  tagged,
  textOf,
} from '../../tasks/agentic/page-outline.ts'

export const NAME = 'Kingfisher Canoes'
export const OFFERS = ['Morning paddle', 'Lock and weir tour', 'Family raft'] as const
export const ADDRESS = 'hello@kingfisher-canoes.example'
const MIN_WORDS = 8

/** true, or what is wrong. */
export type Judgement = true | string

function isHidden(element: PageElement): boolean {
  const style = (element.attributes.style ?? '').replaceAll(/\s/g, '').toLowerCase()
  return (
    'hidden' in element.attributes ||
    /display:none|visibility:hidden|opacity:0(?![.\d])/.test(style) ||
    ['template', 'noscript', 'head'].includes(element.tag)
  )
}

/** The page without what a visitor does not see. */
function visible(element: PageElement): PageElement {
  const children = element.children.flatMap((part): PagePart[] => {
    if (!isElement(part)) return typeof part === 'string' ? [part] : []
    return isHidden(part) ? [] : [visible(part)]
  })
  return { ...element, children }
}

const only = (elements: readonly PageElement[]): PageElement | null =>
  elements.length === 1 ? (elements[0] ?? null) : null
const same = (text: string, wanted: string) => collapseSpace(text).toLowerCase() === wanted.toLowerCase()

export function judgeHero(html: string): Judgement {
  const page = outlineOf(html)
  if (page === null) return 'the page is too long to be parsed'
  const seen = visible(page)
  const heading = only(elementsIn(seen, tagged('h1')))
  if (heading === null) return 'there is not exactly one visible <h1>'
  if (!same(textOf(heading), NAME)) return 'the <h1> is not the name of the business'
  const header = elementsIn(seen, tagged('header')).find(one => elementsIn(one, tagged('h1')).length === 1)
  if (header === undefined) return 'the <h1> is not in a <header>'
  const isTold = elementsIn(header, tagged('p')).some(paragraph => textOf(paragraph).split(' ').length >= 3)
  return isTold || 'the <header> has no sentence in a <p>'
}

export function judgeCards(html: string): Judgement {
  const page = outlineOf(html)
  if (page === null) return 'the page is too long to be parsed'
  const all = elementsIn(page, hasClass('card'))
  const seen = elementsIn(visible(page), hasClass('card'))
  if (all.length !== OFFERS.length || seen.length !== OFFERS.length)
    return `there are ${all.length} cards, ${seen.length} visible`
  const main = only(elementsIn(visible(page), tagged('main')))
  if (main === null || elementsIn(main, hasClass('card')).length !== OFFERS.length)
    return 'the cards are not in one <main>'
  for (const [index, card] of seen.entries()) {
    if (elementsIn(card, hasClass('card')).length > 0) return 'a card lies in another'
    const heading = only(elementsIn(card, tagged('h2')))
    if (heading === null || !same(textOf(heading), OFFERS[index] ?? ''))
      return `card ${index + 1} has not the heading of its offer`
    const words = elementsIn(card, tagged('p')).map(paragraph => textOf(paragraph).split(' ').length)
    if (Math.max(0, ...words) < MIN_WORDS) return `card ${index + 1} has no <p> of ${MIN_WORDS} words`
    if (/lorem ipsum/i.test(textOf(card))) return `card ${index + 1} holds a placeholder`
  }
  const texts = seen.map(card => elementsIn(card, tagged('p')).map(textOf).join(' '))
  return new Set(texts).size === texts.length || 'two cards say the same'
}

export function judgeFooter(html: string): Judgement {
  const page = outlineOf(html)
  if (page === null) return 'the page is too long to be parsed'
  const footers = elementsIn(visible(page), tagged('footer'))
  const links = footers.flatMap(footer => elementsIn(footer, tagged('a')))
  const link = links.find(({ attributes }) => attributes.href === `mailto:${ADDRESS}`)
  if (link === undefined) return 'no <footer> has a mailto link to the contact address'
  return same(textOf(link), ADDRESS) || 'the text of the link is not the address'
}

/** Elements that load or run something, whatever their attributes say. */
const LOADING = ['link', 'script', 'iframe', 'object', 'embed', 'frame', 'base']
const SOURCES = ['src', 'srcset', 'data', 'poster', 'background', 'xlink:href']

export function judgeSelfContained(html: string): Judgement {
  const page = outlineOf(html)
  if (page === null) return 'the page is too long to be parsed'
  const all = elementsIn(page, () => true)
  const loading = all.find(tagged(...LOADING))
  if (loading !== undefined) return `there is a <${loading.tag}>`
  const source = all.find(({ attributes }) =>
    SOURCES.some(name => name in attributes && !/^(?:data:|#)/.test(attributes[name] ?? '')),
  )
  if (source !== undefined) return `a <${source.tag}> loads something`
  if (all.some(({ attributes }) => Object.keys(attributes).some(name => /^on[a-z]/.test(name))))
    return 'a handler runs code'
  const styles = [...all.filter(tagged('style')).map(textOf), ...all.map(({ attributes }) => attributes.style ?? '')]
  if (styles.some(style => /@import|url\((?!\s*['"]?\s*(?:data:|#))/i.test(style))) return 'a style loads something'
  if (all.filter(tagged('style')).every(style => textOf(style).trim() === '')) return 'there is no style'
  return true
}

export function judgeDocument(html: string): Judgement {
  const page = outlineOf(html)
  if (page === null) return 'the page is too long to be parsed'
  const root = elementsIn(page, tagged('html'))[0]
  if ((root?.attributes.lang ?? '').trim() === '') return '<html> has no lang'
  const title = elementsIn(page, tagged('title'))[0]
  if (title === undefined || !textOf(title).toLowerCase().includes(NAME.toLowerCase()))
    return 'the title lacks the name'
  const viewport = elementsIn(page, tagged('meta')).some(
    ({ attributes }) => attributes.name?.toLowerCase() === 'viewport',
  )
  return viewport || 'there is no viewport'
}
