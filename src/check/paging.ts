/** Can a file be read whole with `read_file`, although a result is cut? */
import type { Hands } from '../task/task.ts'

const NOTE = /^\[(.*)\]$/
const LINES = /these are lines (\d+) to (\d+) of (\d+)/
const EMPTY = /^\[.* is empty\]$/

/** A file longer than this many pages is not a file to be read. */
const MAX_PAGES = 2_000

/**
 * Reads a file page by page, as the notes under the pages say, and compares the pages with its content.
 * @returns what is wrong, or null
 */
export async function pagingProblem(hands: Hands, path: string, content: string): Promise<string | null> {
  let joined = ''
  let offset = 1
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const delivered = await hands.read(path, { offset })
    if (page === 1 && content === '' && EMPTY.test(delivered)) return null
    const { text, note } = splitNote(delivered)
    if (note?.includes('is longer than')) return `${path}: ${note.split(';')[0]}`
    joined += text
    const [, first, last, total] = LINES.exec(note ?? '') ?? []
    if (note === null || Number(last) >= Number(total)) return isSame(joined, content) ? null : differs(path)
    if (Number(first) !== offset || Number(last) < offset) return differs(path)
    offset = Number(last) + 1
  }
  return `${path}: it takes more than ${MAX_PAGES} calls of read_file to see all of it`
}

const differs = (path: string) => `${path}: the pages that read_file shows do not add up to the file`

/** A page is whole lines, so a missing line end at the very end is not seen. */
const isSame = (joined: string, content: string) => joined === content || joined === `${content}\n`

/** A page without the note under it. A last line in square brackets is a note only when it says so. */
function splitNote(delivered: string): { readonly text: string; readonly note: string | null } {
  const start = delivered.lastIndexOf('\n') + 1
  const [, note] = NOTE.exec(delivered.slice(start)) ?? []
  if (note === undefined || !(LINES.test(note) || note.includes('is longer than'))) {
    return { text: delivered, note: null }
  }
  return { text: delivered.slice(0, start), note }
}
