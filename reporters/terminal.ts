/** Text for a terminal: untrusted text made harmless, columns by display width, wrapping, colours. */
import { styleText } from 'node:util'
import stringWidth from 'string-width'

/**
 * Control characters, and the invisible ones that reorder or hide text (bidirectional marks, zero-width characters, line
 * and paragraph separators, lone surrogates, tags): what a model or a file says must not move the cursor or fake a line.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is made visible
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text of a model or a file for one line of a terminal: characters that could control it are shown as escapes. */
export function escapeForTerminal(text: string): string {
  return text.replace(UNSAFE, character => {
    const code = character.codePointAt(0) ?? 0
    return NAMED[character] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`)
  })
}

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

/** Puts a style around text, or leaves it plain. */
export type Painter = (style: Style, text: string) => string

/** Colours only when asked for; the caller knows its stream. */
export function createPainter(color: boolean): Painter {
  return color ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text
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
export function timeInWords(seconds: number | null): string {
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
 * Lays rows out in columns, as lines: the title first. Where the terminal is too narrow, columns are dropped by their
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
