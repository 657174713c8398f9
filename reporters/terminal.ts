/** Text for a terminal: untrusted text made harmless, columns by display width, wrapping, colours. */
import stringWidth from 'string-width'

/**
 * Control characters, and the invisible ones that reorder or hide text (bidirectional marks, zero-width characters, line
 * and paragraph separators, lone surrogates, tags): what a model or a file says must not move the cursor or fake a line.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is made visible
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** `##[error]`, `##vso[`, `##teamcity[`: commands of build servers, which look for them anywhere in a line. */
const BUILD_COMMAND = /##(?=\w*\[)/g

/**
 * Text of a model or a file as a part of one line of a terminal or a log: characters that could control it are shown as
 * escapes, line breaks too.
 */
export function escapeForTerminal(text: string): string {
  return text
    .replace(UNSAFE, character => {
      const code = character.codePointAt(0) ?? 0
      const shown = code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
      return NAMED[character] ?? shown
    })
    .replace(BUILD_COMMAND, '#\\x23')
}

/** What {@link createPainter} writes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const OWN_STYLES = /(\u001b\[(?:[12]|22|3[123]|39)m)/

/**
 * A whole line as it is written to a terminal or a log. The last gate of what is printed: whatever a line is made of, it
 * stays one line, controls nothing, and is not a command to a build server (`::error::` at the begin of a line).
 * @param isStyled keeps our own colours
 */
export function printableLine(line: string, { isStyled }: { readonly isStyled: boolean }): string {
  const parts = isStyled ? line.split(OWN_STYLES) : [line]
  const shown = parts.map((part, at) => (at % 2 === 1 ? part : escapeForTerminal(part))).join('')
  return shown.replace(/^(\s*):(?=:)/, '$1\\x3a')
}

/** The same for text of several lines. */
export function printable(text: string, options = { isStyled: false }): string {
  return text
    .split('\n')
    .map(line => printableLine(line, options))
    .join('\n')
}

/** A value as JSON text that can be printed: what {@link printable} would change is written as an escape of JSON. */
export function printableJson(value: unknown): string {
  const asUnits = (character: string) =>
    character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map(line => line.replace(UNSAFE, asUnits).replace(BUILD_COMMAND, '#\\u0023'))
    .join('\n')
}

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

/** Puts a style around text, or leaves it plain. */
export type Painter = (style: Style, text: string) => string

/** Codes that switch a style on and off again (ECMA-48). */
const STYLE_CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
}

/** Colours only when asked for; the caller knows its stream. */
export function createPainter(color: boolean): Painter {
  if (!color) return (_style, text) => text
  return (style, text) => `\u001b[${STYLE_CODES[style][0]}m${text}\u001b[${STYLE_CODES[style][1]}m`
}

/** `text` filled up with spaces to `width` columns. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'left' ? text + space : space + text
}

/** At most `width` columns of `text`; what is cut ends in `…`. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return width <= 0 ? '' : `${kept}…`
}

/** Breaks text at spaces into lines of at most `width` columns; words that are longer than a line are cut into pieces. */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(10, width)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap(piece => pieces(piece, room))) {
    if (line === '') line = word
    else if (stringWidth(line) + 1 + stringWidth(word) <= room) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

function pieces(word: string, room: number): readonly string[] {
  if (stringWidth(word) <= room) return [word]
  const found: string[] = []
  let piece = ''
  for (const character of word) {
    if (stringWidth(piece + character) > room) {
      found.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...found, piece]
}

/** `0.42 s`, `12.3 s`, `4.1 min`. */
export function formatTime(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 10) return `${seconds.toFixed(2)} s`
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} min`
}

export interface Cell {
  readonly text: string
  readonly style?: Style
}

export interface Column<Row> {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Columns of higher rank go first when the terminal is narrow; without a rank a column stays. */
  readonly dropRank?: number
  readonly cell: (row: Row) => Cell
}

const GAP = '  '
const NARROWEST_COLUMN = 6

/**
 * Formats rows as lines of columns: the title first. Where the terminal is too narrow, columns are dropped by their
 * rank, and at last the widest columns that are left are cut.
 */
export function layOut<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, paint }: { readonly width: number; readonly paint: Painter },
): { readonly title: string; readonly lines: readonly string[] } {
  let shown = columns.map(column => {
    const cells = rows.map(column.cell)
    return { column, cells, width: Math.max(stringWidth(column.title), ...cells.map(cell => stringWidth(cell.text))) }
  })
  const total = () => shown.reduce((sum, one) => sum + one.width + GAP.length, -GAP.length)
  while (total() > width) {
    const [first] = shown.filter(one => one.column.dropRank !== undefined).sort(byRank)
    if (first === undefined) break
    shown = shown.filter(one => one !== first)
  }
  for (let excess = total() - width; excess > 0; excess = total() - width) {
    const widest = shown.toSorted((a, b) => b.width - a.width)[0]
    if (widest === undefined || widest.width <= NARROWEST_COLUMN) break
    const narrower = { ...widest, width: Math.max(NARROWEST_COLUMN, widest.width - excess) }
    shown = shown.map(one => (one === widest ? narrower : one))
  }
  const line = (cellOf: (index: number) => Cell) =>
    shown
      .map((one, index) => {
        const { text, style } = cellOf(index)
        const padded = pad(cutTo(text, one.width), one.width, one.column.align)
        return style === undefined ? padded : paint(style, padded)
      })
      .join(GAP)
      .trimEnd()
  return {
    title: line(index => ({ text: shown[index]?.column.title ?? '', style: 'dim' })),
    lines: rows.map((_row, row) => line(index => shown[index]?.cells[row] ?? { text: '' })),
  }
}

function byRank<Row>(a: { column: Column<Row> }, b: { column: Column<Row> }): number {
  return (b.column.dropRank ?? 0) - (a.column.dropRank ?? 0)
}
