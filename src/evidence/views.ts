/** The ways a text can be shown: as it is, with escapes, or as a dump of bytes. */
import { normaliseText } from './lines.ts'

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: ' ', '"': '"', "'": "'", '\\': '\\' }

/** Text with `\n`, `\t`, `\"`… of a printed string, and the tabs and line ends of `cat -A`, put back. */
function withoutEscapes(text: string): string {
  return text
    .replace(/\\([nrt"'\\])/g, (whole, letter: string) => ESCAPES[letter] ?? whole)
    .replaceAll('^I', ' ')
    .replace(/\$$/gm, '')
}

const pairs = (hex: string): number[] => (hex.match(/[0-9a-f]{2}/gi) ?? []).map(pair => Number.parseInt(pair, 16))

const OD_ESCAPES: Readonly<Record<string, number>> = {
  '\\0': 0,
  '\\a': 7,
  '\\b': 8,
  '\\t': 9,
  '\\n': 10,
  '\\v': 11,
  '\\f': 12,
  '\\r': 13,
}

/** Bytes of one line of a dump, or null when the line is none. */
function bytesOfDumpLine(line: string): number[] | null {
  const xxd = /^[0-9a-f]{7,16}: ([0-9a-f]{2,8}(?: [0-9a-f]{2,8})*)(?: {2}|$)/i.exec(line)
  if (xxd?.[1] !== undefined) return pairs(xxd[1])
  const single = /^[0-9a-f]{6,8} {1,2}([0-9a-f]{2}(?: {1,2}[0-9a-f]{2})*)(?: +[|>].*)?$/i.exec(line)
  if (single?.[1] !== undefined) return pairs(single[1])
  if (/^[0-7]{7}(?: [0-7]{6})+$/.test(line)) {
    return line
      .split(' ')
      .slice(1)
      .flatMap(word => [Number.parseInt(word, 8) & 0xff, Number.parseInt(word, 8) >> 8])
  }
  if (/^[0-7]{7}(?: {3}.| {2}\\[0abtnvfr]| [0-7]{3})+$/.test(line)) {
    const cells = line.slice(7).match(/.{4}/g) ?? []
    return cells.map(cell => {
      const shown = cell.slice(1)
      if (/^[0-7]{3}$/.test(shown)) return Number.parseInt(shown, 8)
      return OD_ESCAPES[shown.trim()] ?? shown.charCodeAt(2)
    })
  }
  const plain = /^(?:[0-9a-f]{2}){8,}$/i.exec(line)
  return plain === null ? null : pairs(plain[0])
}

/** Text that xxd, hexdump -C or od (octal, -c, -t x1) printed as bytes; null when there is no such dump. */
function decodeDump(text: string): string | null {
  const bytes: number[] = []
  for (const line of text.split('\n')) {
    for (const byte of bytesOfDumpLine(line) ?? []) bytes.push(byte)
  }
  return bytes.length === 0 ? null : new TextDecoder().decode(Uint8Array.from(bytes))
}

/** The normalised readings of a text that was typed or printed: itself and, where there are escapes, without them. */
export function viewsOfTyped(text: string): string[] {
  const views = [normaliseText(text)]
  if (/\\|\^I|\$$/m.test(text)) views.push(normaliseText(withoutEscapes(text)))
  return views
}

/** The normalised readings of a tool result; as {@link viewsOfTyped}, and decoded where it holds a dump of bytes. */
export function viewsOfDelivered(text: string): string[] {
  const dump = decodeDump(text)
  return dump === null ? viewsOfTyped(text) : [...viewsOfTyped(text), normaliseText(dump)]
}
