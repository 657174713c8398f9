/**
 * Was a file read in circles? Counts how often the same passage of a file was put before the model although nothing had been
 * changed since: what decides is what was shown, by whatever command, and not how many commands named the file.
 *
 * A passage is so many neighbouring lines of the file (lines of fewer than five letters or digits are passed over). It is
 * shown when its lines stand in a result in their order and no further apart than in the file, whoever else has typed
 * them; each time it stands there counts, so five `cat` in one command are five. Only passages that no other file of the
 * setup holds are counted. A result counts by one of its views (as it is, without escapes, a dump or base64 decoded).
 *
 * Counting begins anew when a file of the setup changes in more than empty lines and space at the ends of lines; a call
 * that makes such a change stands by itself, as nobody knows what in it came first.
 *
 * Not counted: source lines in a traceback of pytest (whoever runs failing tests has not asked for the test), and text that
 * was compressed, reversed or otherwise disguised. Not told apart: a change made only to look again.
 */
import { createKeyIndex, normaliseText, prefixOf, tellingLines } from './lines.ts'
import type { LoggedCall, TrialLog } from './log.ts'
import { viewsOfDelivered } from './views.ts'
import { statesOf, type WorkspaceState } from './workspace.ts'

/** The passage that was shown most often while nothing changed. */
export interface Repeats {
  readonly times: number
  /** The calls that showed it. */
  readonly calls: readonly LoggedCall[]
}

/** Neighbouring lines of a text by what they are found by, and how far each is from the one before. */
interface Passage {
  readonly id: string
  readonly keys: readonly string[]
  readonly gaps: readonly number[]
}

const keyOf = (line: string): string => prefixOf(line) ?? line

/** The passages of a text, in order; the same one may come twice. */
function passagesOf(text: string, length: number): readonly Passage[] {
  const lines = normaliseText(text).split('\n')
  const telling = lines.flatMap((line, row) => (tellingLines(line).length > 0 ? [{ key: keyOf(line), row }] : []))
  return telling.flatMap((_, at) => {
    const part = telling.slice(at, at + length)
    if (part.length < length) return []
    const keys = part.map(({ key }) => key)
    const gaps = part.map(({ row }, index) => row - (part[index - 1]?.row ?? row))
    return [{ id: keys.join('\n'), keys, gaps }]
  })
}

/** Passages of a file that stand there once, and in none of the others. */
function ownPassages(path: string, texts: ReadonlyMap<string, string>, length: number): readonly Passage[] {
  const text = texts.get(path)
  if (text === undefined) return []
  const passages = passagesOf(text, length)
  const times = new Map<string, number>()
  for (const { id } of passages) times.set(id, (times.get(id) ?? 0) + 1)
  for (const [other, otherText] of texts) {
    if (other === path) continue
    for (const { id } of passagesOf(otherText, length)) times.set(id, 2)
  }
  return passages.filter(({ id }) => times.get(id) === 1)
}

/** A block of a traceback as pytest prints it: source lines moved to the right, `>` and `E` before what went wrong. */
const TRACEBACK_LINE = /^(?: {4}|> {3}|E {3}|\s*$|(?:_ )+|[\w./-]+:\d+: )/

/** The text without blocks of tracebacks. */
function withoutTracebacks(text: string): string {
  const kept: string[] = []
  let block: string[] = []
  const close = () => {
    if (!block.some(line => line.startsWith('E   '))) kept.push(...block)
    block = []
  }
  for (const line of text.replaceAll('\r', '').split('\n')) {
    if (TRACEBACK_LINE.test(line)) {
      block.push(line)
      continue
    }
    close()
    kept.push(line)
  }
  close()
  return kept.join('\n')
}

/** A line of base64 long enough to be looked into. */
const BASE64 = /^[A-Za-z0-9+/]{20,}={0,2}$/

/** Texts that a result holds as base64, one after the other; null when there is none. */
function decodeBase64(text: string): string | null {
  const parts: string[] = []
  let block = ''
  const close = () => {
    const decoded = block === '' ? '' : Buffer.from(block, 'base64').toString('utf8')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that are no text show that it was no base64 of one
    if (decoded !== '' && !/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(decoded)) parts.push(decoded)
    block = ''
  }
  for (const line of text.split(/\r?\n/)) {
    // The last line of a block may be short.
    if (BASE64.test(line) || (block !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(line))) block += line
    else close()
    if (block.endsWith('=')) close()
  }
  close()
  return parts.length === 0 ? null : parts.join('\n')
}

/** How often each passage stands in a view. */
function countIn(view: string, passages: readonly Passage[], index: ReturnType<typeof createKeyIndex>) {
  const rowsOf = new Map<string, Set<number>>()
  const starts = [0]
  for (let at = view.indexOf('\n'); at !== -1; at = view.indexOf('\n', at + 1)) starts.push(at + 1)
  let row = 0
  index.scan(view, (key, position) => {
    while ((starts[row + 1] ?? Number.POSITIVE_INFINITY) <= position) row++
    const rows = rowsOf.get(key)
    if (rows === undefined) rowsOf.set(key, new Set([row]))
    else rows.add(row)
  })
  return passages.map(({ keys, gaps }) => {
    let times = 0
    for (const first of rowsOf.get(keys[0] ?? '') ?? []) {
      let at: number | undefined = first
      for (let next = 1; next < keys.length && at !== undefined; next++) {
        const from: number = at
        const rows: ReadonlySet<number> = rowsOf.get(keys[next] ?? '') ?? new Set()
        at = Array.from({ length: gaps[next] ?? 1 }, (_, step) => from + step + 1).find(one => rows.has(one))
      }
      if (at !== undefined) times++
    }
    return times
  })
}

const withoutEmptyLines = (text: string | undefined) =>
  text
    ?.replace(/[^\S\n]+$/gm, '')
    .replace(/\n+/g, '\n')
    .trim()

/** How often passages were shown since the last change. */
interface Tally {
  readonly passages: readonly Passage[]
  readonly index: ReturnType<typeof createKeyIndex>
  readonly shown: Map<string, { times: number; readonly calls: LoggedCall[] }>
}

/**
 * The passage of a file that was shown most often while nothing changed. Pure over the log.
 * @param length Neighbouring lines of a passage, from 1.
 */
export function mostRepeated(log: TrialLog, path: string, length: number): Repeats {
  const ofSetup = ({ texts }: WorkspaceState) => new Map([...texts].filter(([one]) => log.baseline.entries.has(one)))
  const begin = (texts: ReadonlyMap<string, string>): Tally => {
    const passages = ownPassages(path, texts, length)
    return { passages, index: createKeyIndex(passages.flatMap(({ keys }) => keys)), shown: new Map() }
  }
  let best: Repeats = { times: 0, calls: [] }
  const add = ({ passages, index, shown }: Tally, call: LoggedCall) => {
    const text = withoutTracebacks(call.delivered)
    const base64 = decodeBase64(text)
    const views = [...viewsOfDelivered(text), ...(base64 === null ? [] : [normaliseText(base64)])]
    const counts = views.map(view => countIn(view, passages, index))
    for (const [at, { id }] of passages.entries()) {
      const times = Math.max(...counts.map(count => count[at] ?? 0))
      if (times === 0) continue
      const entry = shown.get(id) ?? { times: 0, calls: [] }
      entry.times += times
      entry.calls.push(call)
      shown.set(id, entry)
      if (entry.times > best.times) best = { times: entry.times, calls: [...entry.calls] }
    }
  }

  let tally = begin(log.setupText)
  for (const { call, before, after } of statesOf(log)) {
    const [old, now] = [ofSetup(before), ofSetup(after)]
    const hasChanged = [...old.keys(), ...now.keys()].some(
      one => withoutEmptyLines(old.get(one)) !== withoutEmptyLines(now.get(one)),
    )
    if (!hasChanged) {
      add(tally, call)
      continue
    }
    add({ ...tally, shown: new Map() }, call)
    tally = begin(now)
    add(begin(now), call)
  }
  return best
}
