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
const ADDRESS_FUNCTIONS = ['url', 'src', 'image-set', '-webkit-image-set', 'image', 'cross-fade', '-webkit-cross-fade']

/** The attributes whose value is styles; those after the first are SVG's. */
const STYLES = 'style fill stroke filter mask clip-path cursor marker-start marker-mid marker-end'.split(' ')

/**
 * The first thing that an outlined page loads or runs, as text; null when the page is all there is.
 * @example
 * loadOf(page) // 'a <img> loads something'
 */
export function loadOf(page: PageElement): string | null {
  for (const { tag, attributes, children } of elementsIn(page)) {
    if (LOADING.includes(tag)) return `there is a <${tag}>`
    if (tag === 'link' && !isIconInside(attributes)) return 'there is a <link>'
    if (tag === 'meta' && attributes['http-equiv']?.trim().toLowerCase() === 'refresh')
      return 'a <meta> leads elsewhere'
    const css = tag === 'style' ? children.filter(part => typeof part === 'string').join('') : ''
    const found = loadOfAttributes(tag, attributes) ?? loadOfStyle(css)
    if (found !== null) return found
  }
  return null
}

type Attributes = PageElement['attributes']

/** `<link rel="icon" href="data:…">`, which keeps browsers from asking for an icon. */
function isIconInside({ rel = '', href = '' }: Attributes): boolean {
  const kinds = rel.trim().toLowerCase().split(/\s+/)
  return kinds.every(kind => kind === 'icon' || kind === 'shortcut') && isInside(href)
}

function loadOfAttributes(tag: string, attributes: Attributes): string | null {
  // `<set attributeName="href" to="…">` of SVG
  const isAnimated = attributes.attributename?.toLowerCase().endsWith('href') === true
  for (const [name, value] of Object.entries(attributes)) {
    if (/^on[a-z]/.test(name)) return `a handler of a <${tag}> runs code`
    if (/^javascript:/.test(addressIn(value))) return `a <${tag}> runs code`
    // The `href` of a link is where a visitor may go.
    const isAddress = ADDRESSES.includes(name) || (name === 'href' && tag !== 'a' && tag !== 'area')
    const isSet = isAnimated && ['to', 'from', 'by', 'values'].includes(name)
    const isForeign = name.endsWith('srcset') && !isListInside(value)
    if (isSet || isForeign || (isAddress && !isInside(value))) return `a <${tag}> loads something`
    const found = STYLES.includes(name) ? loadOfStyle(value) : null
    if (found !== null) return found
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

/** The first thing a style sheet, or the value of a `style` attribute, loads; null when there is none. */
function loadOfStyle(css: string): string | null {
  /** Names of the functions that are open, innermost last; '' for a mere parenthesis. */
  const open: string[] = []
  let isNamespace = false
  let found: string | null = null
  tokenize(css, (type, start, end) => {
    const token = css.slice(start, end)
    if (found !== null) return
    switch (type) {
      case tokenTypes.AtKeyword: {
        const name = ident.decode(token).toLowerCase()
        // The address of a namespace is only a name.
        isNamespace = name === '@namespace'
        if (name === '@import') found = 'a style imports another'
        break
      }
      case tokenTypes.Semicolon:
      case tokenTypes.LeftCurlyBracket:
        isNamespace = false
        break
      case tokenTypes.Url:
        if (!isNamespace && !isInside(url.decode(token))) found = 'a style loads something'
        break
      case tokenTypes.BadUrl:
        found = 'a style loads something'
        break
      case tokenTypes.Function: {
        const name = ident.decode(token.slice(0, -1)).toLowerCase()
        // css-tree takes an escaped `u\72l(` for any function; browsers take it for an address.
        if (name === 'url' && token.includes('\\')) found = 'a style loads something'
        open.push(name)
        break
      }
      case tokenTypes.LeftParenthesis:
        open.push('')
        break
      case tokenTypes.RightParenthesis:
        open.pop()
        break
      case tokenTypes.String: {
        const isAddress = open.some(name => ADDRESS_FUNCTIONS.includes(name)) && open.at(-1) !== 'type'
        if (!isNamespace && isAddress && !isInside(string.decode(token))) found = 'a style loads something'
        break
      }
    }
  })
  return found
}
