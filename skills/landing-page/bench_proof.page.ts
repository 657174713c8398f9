/** What the landing page must be: parsed on the host and looked at as a visitor would, never searched for needles. */
import { ownTextOf, tagOf } from '../../tasks/agentic/page-document.ts'
import { loadOf } from '../../tasks/agentic/page-loads.ts'
import {
  collapseSpace,
  elementsIn,
  hasClass,
  isElement,
  type PageElement,
  type PagePart,
  rewrite,
  tagged,
  textOf,
} from '../../tasks/agentic/page-outline.ts'
import { lookAt, type PageLook } from '../../tasks/agentic/page-view.ts'

export const NAME = 'Kingfisher Canoes'
export const OFFERS = ['Morning paddle', 'Lock and weir tour', 'Family raft'] as const
export const ADDRESS = 'hello@kingfisher-canoes.example'
const MIN_WORDS = 8

/** true, or what is wrong. */
export type Judgement = true | string

function looked(html: string, judge: (page: PageLook) => Judgement): Judgement {
  const look = lookAt(html)
  return look === null ? 'the page is too long or intricate to be looked at' : judge(look)
}

const only = (elements: readonly PageElement[]): PageElement | null =>
  elements.length === 1 ? (elements[0] ?? null) : null
const same = (text: string, wanted: string) => collapseSpace(text).toLowerCase() === wanted.toLowerCase()

/** Words with letters in them. */
const wordsOf = (element: PageElement): readonly string[] =>
  textOf(element).match(/[\p{L}\p{M}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []
/** Says something: so many words, and not one word, or mere letters, again and again. */
const isSentence = (element: PageElement, least: number): boolean => {
  const words = wordsOf(element).map(word => word.toLowerCase())
  const real = words.filter(word => word.length > 1)
  return words.length >= least && new Set(real).size * 2 > least
}

/** Texts that stand where one is still to be written. */
const PLACEHOLDERS = [
  /lorem ipsum|dolor sit amet|\bplaceholder\b|\b(?:dummy|sample|filler) (?:text|copy|content)\b/i,
  /\b(?:TODO|TBD|FIXME)\b/,
  /\btodo:/i,
  /\bx{3,}\b/i,
  /\bat least (?:eight|8) words\b/i,
  /\b(?:text|description|copy|content|words) (?:goes|go|comes) here\b/i,
  // [Insert a description], <your text>, {{ description }}
  /[[<{]\s*(?:insert|your|add|enter|write|put|describe|description|text|content|name|offer)\b[^\]>}]*[\]>}]/i,
  /^\W*(?:insert|add|enter|write|put|provide) (?:(?:a|an|the|your|some|more|short|brief) )*(?:text|description|sentence|copy|words)\b/i,
] as const
const isPlaceholder = (element: PageElement) =>
  [element, ...elementsIn(element, tagged('p'))].some(part => PLACEHOLDERS.some(pattern => pattern.test(textOf(part))))

/** The text of a heading without what is only for decoration: pictures of characters, above all those that are not read out. */
function headingOf(heading: PageElement, isStrict: boolean): string {
  const isDecoration = (part: PagePart) =>
    isElement(part) && part.attributes['aria-hidden'] === 'true' && !/[\p{L}\p{N}]/u.test(textOf(part))
  const text = textOf(rewrite(heading, part => (isDecoration(part) ? null : part)))
  return isStrict ? text : text.replaceAll(/\p{Extended_Pictographic}|\u200d|\ufe0f/gu, '')
}

/** Places of elements in the order of the page. */
function placesOf(root: PageElement, fits: (element: PageElement) => boolean): readonly number[] {
  return elementsIn(root, () => true).flatMap((element, index) => (fits(element) ? [index] : []))
}
const isCard = hasClass('card')

export const judgeHero = (html: string): Judgement =>
  looked(html, ({ seen }) => {
    const heading = only(elementsIn(seen, tagged('h1')))
    if (heading === null) return 'there is not exactly one visible <h1>'
    if (!same(headingOf(heading, true), NAME)) return 'the <h1> is not the name of the business'
    const hasHeading = (element: PageElement) => elementsIn(element, tagged('h1')).length === 1
    const header = elementsIn(seen, tagged('header')).find(hasHeading)
    if (header === undefined) return 'the <h1> is not in a <header>'
    const [place = 0] = placesOf(seen, element => element === heading)
    if (placesOf(seen, isCard).some(card => card < place)) return 'the <header> does not come before the cards'
    if (isPlaceholder(header)) return 'the <header> holds a placeholder instead of a text'
    const isTold = elementsIn(header, tagged('p')).some(paragraph => isSentence(paragraph, 3))
    return isTold || 'the <header> has no sentence in a <p>'
  })

export const judgeCards = (html: string): Judgement =>
  looked(html, ({ all, seen }) => {
    const held = elementsIn(all, isCard).length
    const cards = elementsIn(seen, isCard)
    if (held !== OFFERS.length || cards.length !== OFFERS.length)
      return `there are ${held} cards, ${cards.length} visible`
    const main = only(elementsIn(seen, tagged('main')))
    if (main === null || elementsIn(main, isCard).length !== OFFERS.length) return 'the cards are not in one <main>'
    for (const [index, card] of cards.entries()) {
      if (elementsIn(card, isCard).length > 0) return 'a card lies in another'
      const heading = only(elementsIn(card, tagged('h2')))
      if (heading === null || !same(headingOf(heading, false), OFFERS[index] ?? ''))
        return `card ${index + 1} has not the heading of its offer`
      const isTold = elementsIn(card, tagged('p')).some(paragraph => isSentence(paragraph, MIN_WORDS))
      if (!isTold) return `card ${index + 1} has no <p> of ${MIN_WORDS} words`
      if (isPlaceholder(card)) return `card ${index + 1} holds a placeholder instead of a text`
    }
    const texts = cards.map(card => elementsIn(card, tagged('p')).map(textOf).join(' '))
    return new Set(texts).size === texts.length || 'two cards say the same'
  })

export const judgeFooter = (html: string): Judgement =>
  looked(html, ({ seen }) => {
    const footers = elementsIn(seen, tagged('footer'))
    const links = footers.flatMap(footer => elementsIn(footer, tagged('a')))
    const link = links.find(({ attributes }) => isMailTo(attributes.href ?? ''))
    if (link === undefined) return 'no visible <footer> has a mailto link to the contact address'
    if (!same(textOf(link), ADDRESS)) return 'the text of the link is not the address'
    const [place = 0] = placesOf(seen, element => element === link)
    const isLast = placesOf(seen, element => isCard(element) || tagged('h1')(element)).every(other => other < place)
    return isLast || 'the <footer> does not come after the other parts'
  })

/** Addresses of the scheme `mailto` in any case, with or without a subject. */
const isMailTo = (href: string) => href.trim().toLowerCase().split('?')[0] === `mailto:${ADDRESS}`

export const judgeSelfContained = (html: string): Judgement =>
  looked(html, ({ document }) => {
    const load = loadOf(document)
    if (load !== null) return load
    if (document.elements.some(element => tagOf(element) === 'link')) return 'there is a <link>'
    const styles = document.elements.filter(element => tagOf(element) === 'style')
    return styles.some(style => ownTextOf(style).trim() !== '') || 'there is no style'
  })

export const judgeDocument = (html: string): Judgement =>
  looked(html, ({ all }) => {
    const root = elementsIn(all, tagged('html'))[0]
    if ((root?.attributes.lang ?? '').trim() === '') return '<html> has no lang'
    const head = elementsIn(all, tagged('head')).flatMap(element => element.children.filter(isElement))
    const title = head.find(tagged('title'))
    if (title === undefined || !textOf(title).toLowerCase().includes(NAME.toLowerCase()))
      return 'the title lacks the name'
    const viewport = elementsIn(all, tagged('meta')).some(
      ({ attributes }) =>
        attributes.name?.trim().toLowerCase() === 'viewport' && (attributes.content ?? '').trim() !== '',
    )
    return viewport || 'there is no viewport'
  })
