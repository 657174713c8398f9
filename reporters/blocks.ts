/** Reports made of lines and tables, rendered for a terminal or as Markdown. */
import { escapeForTerminal, layOut, type Painter, wrap } from './terminal.ts'

/** A line of text, or a table. Texts are untrusted: they are escaped when they are rendered. */
export type Block =
  | { readonly text: string; readonly isHeading?: boolean }
  | { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

/** Below this width there is no layout; the terminal wraps longer lines. */
const NARROWEST = 40

/** The first column of a table is to the left, the others to the right. */
export function terminalLines(
  blocks: readonly Block[],
  room: { readonly width: number; readonly paint: Painter },
): readonly string[] {
  const width = Math.max(NARROWEST, room.width)
  return blocks.flatMap((block, at) => {
    const gap = at === 0 ? [] : ['']
    if ('text' in block) {
      const lines = wrap(escapeForTerminal(block.text), width)
      return block.isHeading === true
        ? [...gap, ...lines.map(line => room.paint('bold', line))]
        : [...('text' in (blocks[at - 1] ?? {}) ? [] : gap), ...lines]
    }
    const columns = block.head.map((title, column) => ({
      title,
      align: column === 0 ? ('left' as const) : ('right' as const),
      cell: (row: readonly string[]) => ({ text: escapeForTerminal(row[column] ?? '') }),
    }))
    const { title, lines } = layOut(block.rows, columns, { width, paint: room.paint })
    return [...gap, title, ...lines]
  })
}

/** Characters that mean something in Markdown or HTML, as they are written to mean themselves. */
const escapeForMarkdown = (text: string): string =>
  escapeForTerminal(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*_[\]|~#@]/g, character => `\\${character}`)

export function markdownLines(blocks: readonly Block[]): readonly string[] {
  const row = (cells: readonly string[]) => `| ${cells.map(escapeForMarkdown).join(' | ')} |`
  return blocks.flatMap(block => {
    if ('text' in block) return [`${block.isHeading === true ? '### ' : ''}${escapeForMarkdown(block.text)}`, '']
    const rule = block.head.map((_, column) => (column === 0 ? ':--' : '--:'))
    return [row(block.head), `| ${rule.join(' | ')} |`, ...block.rows.map(row), '']
  })
}
