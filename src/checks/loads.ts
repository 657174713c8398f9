/**
 * What a page loads, or runs: everything that makes it more than the one file it is. Styles are looked at token by token,
 * so that an escape (`@\69mport`), a comment or a broken rule hides nothing.
 */
import { ident, string, tokenize, tokenTypes, url } from 'css-tree'
import { elementsIn, type PageElement } from './page-outline.ts'

/** Elements that load or run something, or change where to, whatever their attributes say. */
const LOADING = ['script', 'iframe', 'object', 'embed', 'frame', 'applet', 'portal', 'base']
/** Attributes whose value is an address that is fetched (`ping` and `manifest` too). */
const ADDRESSES = ['src', 'data', 'poster', 'background', 'lowsrc', 'dynsrc', 'ping', 'manifest']
/** Functions of CSS whose strings are addresses. */
const ADDRESS_FUNCTIONS = /^(?:url|src|(?:-webkit-)?(?:image-set|cross-fade)|image)$/
/** The attributes whose value is styles; those after the first are SVG's. */
const STYLES = 'style fill stroke filter mask clip-path cursor marker-start marker-mid marker-end'.split(' ')

/**
 * The first thing that an outlined page loads or runs, as text; null when the page is all there is.
 * @example
 * loadOf(page) // 'a <img> loads something'
 */
export function loadOf(page: PageElement): string | null {
  for (const { tag, attributes, children } of elementsIn(page)) {
    const { rel = '', href = '' } = attributes
    // `<link rel="icon" href="data:…">` keeps browsers from asking for an icon.
    const isIcon = /^\s*(?:(?:icon|shortcut)\s*)+$/i.test(rel) && isInside(href)
    if (LOADING.includes(tag) || (tag === 'link' && !isIcon)) return `there is a <${tag}>`
    if (tag === 'meta' && /^\s*refresh\s*$/i.test(attributes['http-equiv'] ?? '')) return 'a <meta> leads elsewhere'
    if (tag === 'style' && loadsByStyle(children.join(''))) return 'a style loads something'
    // `<set attributeName="href" to="…">` of SVG
    const isAnimated = /href$/i.test(attributes.attributename ?? '')
    for (const [name, value] of Object.entries(attributes)) {
      if (/^on[a-z]/.test(name) || /^javascript:/.test(addressIn(value))) return `a <${tag}> runs code`
      // The `href` of a link is where a visitor may go.
      const isAddress = ADDRESSES.includes(name) || (name === 'href' && tag !== 'a' && tag !== 'area')
      const isSet = isAnimated && ['to', 'from', 'by', 'values'].includes(name)
      const isForeign = name.endsWith('srcset') && !isListInside(value)
      if (isSet || isForeign || (isAddress && !isInside(value))) return `a <${tag}> loads something`
      if (STYLES.includes(name) && loadsByStyle(value)) return 'a style loads something'
    }
  }
  return null
}

/** An address as browsers take it: without white space and control characters at the ends, and without line ends. */
function addressIn(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URLs are stripped of them (WHATWG URL, basic URL parser)
  return value.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$|[\t\n\r]/g, '').toLowerCase()
}

/** Is what an address names inside of the page? */
const isInside = (value: string) => /^(?:data:|#)/.test(addressIn(value))

/** A `srcset` in which nothing is left when `data:` addresses, descriptors (`2x`) and fragments are taken out. */
function isListInside(list: string): boolean {
  const words = list.replaceAll(/(?<![^\s,])data:\S*/gi, ' ').split(/[\s,]+/)
  return words.every(word => /^(?:[\d.]+[wxh]|#.*)?$/.test(word))
}

/** Does a style sheet, or the value of a `style` attribute, load something? */
function loadsByStyle(css: string): boolean {
  /** Names of the functions that are open, innermost last; '' for a mere parenthesis. */
  const open: string[] = []
  let [isNamespace, isFound] = [false, false]
  tokenize(css, (type, start, end) => {
    const token = css.slice(start, end)
    const name = ident.decode(token.replace(/\($/, '')).toLowerCase()
    // The address of a namespace is only a name.
    if (type === tokenTypes.AtKeyword) isNamespace = name === '@namespace'
    if (type === tokenTypes.Semicolon || type === tokenTypes.LeftCurlyBracket) isNamespace = false
    if (type === tokenTypes.Function || type === tokenTypes.LeftParenthesis) open.push(name)
    if (type === tokenTypes.RightParenthesis) open.pop()
    const isAddress = open.some(one => ADDRESS_FUNCTIONS.test(one)) && open.at(-1) !== 'type'
    const text = type === tokenTypes.String && isAddress ? string.decode(token) : null
    const address = type === tokenTypes.Url ? url.decode(token) : text
    // css-tree takes an escaped `u\72l(` for any function; browsers take it for an address.
    const isEscaped = type === tokenTypes.Function && name === 'url' && token.includes('\\')
    const isImport = type === tokenTypes.AtKeyword && name === '@import'
    const isOutside = address !== null && !isNamespace && !isInside(address)
    if (isEscaped || isImport || isOutside || type === tokenTypes.BadUrl) isFound = true
  })
  return isFound
}
