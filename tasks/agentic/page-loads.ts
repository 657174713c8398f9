/**
 * What a page loads, or runs: everything that makes it more than the one file it is. Styles are looked at token by token,
 * so that an escape (`@\69mport`), a comment or a broken rule hides nothing.
 */
import { ident, string, tokenize, tokenTypes, url } from 'css-tree'
import { attributeOf, type DocumentElement, ownTextOf, type PageDocument, tagOf } from './page-document.ts'

/** Elements that load or run something, or change where to, whatever their attributes say. */
const LOADING = ['script', 'iframe', 'object', 'embed', 'frame', 'applet', 'portal', 'base']
/** Attributes whose value is an address that is fetched (`ping` and `manifest` too). */
const ADDRESSES = ['src', 'data', 'poster', 'background', 'lowsrc', 'dynsrc', 'ping', 'manifest']
/** Attributes with a list of addresses. */
const LISTS = ['srcset', 'imagesrcset']
/** Elements whose `href` is where a visitor may go, not what is fetched. */
const LINKS = ['a', 'area']
/** Functions of CSS whose strings are addresses. */
const ADDRESS_FUNCTIONS = ['url', 'src', 'image-set', '-webkit-image-set', 'image', 'cross-fade', '-webkit-cross-fade']

/** The first thing a page loads or runs, in words; null when it is all there is. */
export function loadOf({ elements }: PageDocument): string | null {
  for (const element of elements) {
    const tag = tagOf(element)
    if (LOADING.includes(tag)) return `there is a <${tag}>`
    if (tag === 'link' && !isIconInside(element)) return 'there is a <link>'
    if (tag === 'meta' && attributeOf(element, 'http-equiv')?.trim().toLowerCase() === 'refresh')
      return 'a <meta> leads elsewhere'
    const found = loadOfAttributes(element, tag) ?? (tag === 'style' ? loadOfStyle(ownTextOf(element)) : null)
    if (found !== null) return found
  }
  return null
}

/** `<link rel="icon" href="data:…">`, which keeps browsers from asking for an icon. */
function isIconInside(link: DocumentElement): boolean {
  const kinds = (attributeOf(link, 'rel') ?? '').trim().toLowerCase().split(/\s+/)
  return kinds.every(kind => kind === 'icon' || kind === 'shortcut') && isInside(attributeOf(link, 'href') ?? '')
}

function loadOfAttributes(element: DocumentElement, tag: string): string | null {
  for (const { name: given, value } of element.attrs) {
    const name = given.toLowerCase()
    if (/^on[a-z]/.test(name)) return `a handler of a <${tag}> runs code`
    if (/^javascript:/.test(addressIn(value))) return `a <${tag}> runs code`
    const isFetched = ADDRESSES.includes(name) || (name === 'href' && !LINKS.includes(tag))
    if (isFetched && !isInside(value)) return `a <${tag}> loads something`
    if (LISTS.includes(name) && !addressesIn(value).every(isInside)) return `a <${tag}> loads something`
    // `<set attributeName="href" to="…">` of SVG
    const isAnimated = attributeOf(element, 'attributename')?.toLowerCase().endsWith('href') === true
    if (isAnimated && ['to', 'from', 'by', 'values'].includes(name)) return `a <${tag}> loads something`
    // `style`, and the attributes of SVG that are properties of CSS (`fill`, `filter`, `mask`).
    const found = /[(\\]/.test(value) && isStyle(element, name) ? loadOfStyle(value) : null
    if (found !== null) return found
  }
  return null
}

const SVG = 'http://www.w3.org/2000/svg'
const isStyle = (element: DocumentElement, name: string) =>
  name === 'style' || (element.namespaceURI === SVG && name !== 'd')

/** An address as browsers take it: without white space and control characters at the ends, and without line ends. */
function addressIn(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URLs are stripped of them (WHATWG URL, basic URL parser)
  return value.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$|[\t\n\r]/g, '').toLowerCase()
}

/** Is what an address names inside of the page? */
const isInside = (value: string) => /^(?:data:|#)/.test(addressIn(value))

/** The addresses of a `srcset`; they hold commas themselves (`data:`), so a comma ends one only where white space follows. */
function addressesIn(list: string): string[] {
  const addresses: string[] = []
  let rest = list.replace(/^[\s,]+/, '')
  while (rest !== '') {
    const [run = ''] = rest.match(/^\S+/) ?? []
    const address = run.replace(/,+$/, '')
    addresses.push(address)
    // Without a comma at its end, a descriptor (`2x`) follows.
    const after = rest.slice(run.length)
    rest = (address === run ? after.replace(/^[^,]*/, '') : after).replace(/^[\s,]+/, '')
  }
  return addresses
}

/** The first thing a style sheet, or the value of a `style` attribute, loads; null when there is none. */
export function loadOfStyle(css: string): string | null {
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
