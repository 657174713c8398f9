/**
 * Read evidence: did content of a file reach the model?
 *
 * A call shows a file when the text delivered to the model holds a *distinctive line* of the file as it was before the
 * call. A line is distinctive when it has at least five letters or digits and is not in the prompt, in an argument the
 * model has sent up to this call, in the name of a file (listings show names), or in another file. A line of more than
 * 24 characters also counts by its first 24, under the same conditions. A line that files share counts where the path
 * comes before it in the output line, as grep prints it, or where the call is `read_file` of this very path.
 *
 * Known limits: base64 and compressed output are not decoded; a traceback through a file shows its lines, and counts;
 * a model that types the exact line it greps for gets no credit for that line.
 */
import { posix } from 'node:path'
import { createKeyIndex, type KeyIndex, normaliseText, prefixOf, tellingLines } from './lines.ts'
import type { LoggedCall, TrialLog } from './log.ts'
import { viewsOfDelivered, viewsOfTyped } from './views.ts'
import { statesOf, WORKSPACE } from './workspace.ts'

/** A line of a file that a call showed. */
interface ShownLine {
  /** The whole line of the file, normalised. */
  readonly line: string
  /** The part of it that was in the result. */
  readonly visible: string
}

/** A call that showed a file, with the distinctive lines it showed. */
interface Showing {
  readonly call: LoggedCall
  readonly lines: readonly ShownLine[]
}

/** Everything known about how one file reached the model. */
export interface ReadingHistory {
  readonly showings: readonly Showing[]
  /** Was text of the file on record at any time? False for binary, too large and missing files. */
  readonly hadText: boolean
}

/** Gives the reading history of a path; each is worked out once. */
export type Reader = (path: string) => ReadingHistory

/** All strings in the arguments of a call, at most eight levels deep. */
export function stringsIn(value: unknown, depth = 8): string[] {
  if (typeof value === 'string') return [value]
  if (depth === 0 || typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(part => stringsIn(part, depth - 1))
}

/** One version of the file's text: what to look for, and what of it is known from elsewhere. */
interface Version {
  readonly index: KeyIndex
  /** The lines that begin with a prefix; a whole line stands for itself. */
  readonly linesByKey: ReadonlyMap<string, readonly string[]>
  readonly typed: Set<string>
  typedPieces: number
  readonly holders: Map<string, Set<string>>
  readonly scannedOthers: Map<string, string>
}

function createVersion(text: string): Version {
  const linesByKey = new Map<string, string[]>()
  for (const line of tellingLines(normaliseText(text))) {
    for (const key of [line, prefixOf(line)]) {
      if (key === null) continue
      const lines = linesByKey.get(key)
      if (lines === undefined) linesByKey.set(key, [line])
      else lines.push(line)
    }
  }
  return {
    index: createKeyIndex(linesByKey.keys()),
    linesByKey,
    typed: new Set(),
    typedPieces: 0,
    holders: new Map(),
    scannedOthers: new Map(),
  }
}

/** Brings a version's knowledge of other files up to date; only files that changed since are looked at again. */
function scanOthers(
  version: Version,
  path: string,
  files: ReadonlyMap<string, string>,
  isCopy: (other: string, text: string) => boolean,
  normalised: (text: string) => string,
) {
  for (const [other, text] of files) {
    if (other === path || version.scannedOthers.get(other) === text) continue
    for (const holders of version.holders.values()) holders.delete(other)
    version.scannedOthers.set(other, text)
    if (isCopy(other, text)) continue
    version.index.scan(normalised(text), key => {
      const holders = version.holders.get(key)
      if (holders === undefined) version.holders.set(key, new Set([other]))
      else holders.add(other)
    })
  }
  for (const other of version.scannedOthers.keys()) {
    if (files.has(other)) continue
    version.scannedOthers.delete(other)
    for (const holders of version.holders.values()) holders.delete(other)
  }
}

/** Does the text before a match name the file and none of the rivals that hold the same line? */
function carriesPath(before: string, path: string, rivals: ReadonlySet<string>): boolean {
  const segments = path.split('/')
  for (let from = 0; from < segments.length; from++) {
    const name = segments.slice(from).join('/')
    if ([...rivals].some(rival => rival === name || rival.endsWith(`/${name}`))) return false
    for (let at = before.indexOf(name); at !== -1; at = before.indexOf(name, at + 1)) {
      const left = before.slice(0, at)
      const isWhole = from === 0 && /(^|[^\w.-])\.\/$|(^|[^\w./-])\/workspace\/$/.test(left)
      if ((isWhole || !/[\w./-]$/.test(left)) && /^[^\w./]/.test(before.slice(at + name.length))) return true
    }
  }
  return false
}

/** Is the call `read_file` of this path? */
function readsDirectly(call: LoggedCall, path: string): boolean {
  const asked = call.args.path
  return (
    call.tool === 'read_file' &&
    typeof asked === 'string' &&
    posix.relative(WORKSPACE, posix.resolve(WORKSPACE, asked)) === path
  )
}

function longestShown(lines: readonly string[], view: string, at: number): ShownLine | null {
  let best: ShownLine | null = null
  for (const line of lines) {
    let length = 0
    while (length < line.length && line[length] === view[at + length]) length++
    if (best === null || length > best.visible.length) best = { line, visible: line.slice(0, length) }
  }
  return best
}

/**
 * Makes the reader of a trial. Pure over the log.
 * Cost: a pass over all results, files and arguments for the first file asked, and a faster one for each further file.
 */
export function createReader(log: TrialLog): Reader {
  const histories = new Map<string, ReadingHistory>()
  const views = new Map<LoggedCall, readonly string[]>()
  const normalisedTexts = new Map<string, string>()

  const normalised = (text: string) => {
    const known = normalisedTexts.get(text)
    if (known !== undefined) return known
    const made = normaliseText(text)
    normalisedTexts.set(text, made)
    return made
  }
  const viewsOf = (call: LoggedCall) => {
    const known = views.get(call)
    if (known !== undefined) return known
    const made = viewsOfDelivered(call.delivered)
    views.set(call, made)
    return made
  }

  /** What the model knows without reading, in the order it came to know it; `call` is the first call it counts for. */
  const pieces: { readonly call: number; readonly views: readonly string[] }[] = [
    { call: 0, views: [...viewsOfTyped(log.prompt), normaliseText([...log.baseline.entries.keys()].join('\n'))] },
  ]
  for (const call of log.calls) {
    pieces.push({
      call: call.call,
      views: [
        ...stringsIn(call.args).flatMap(viewsOfTyped),
        ...[...(call.delta?.changed.keys() ?? [])].map(normaliseText),
      ],
    })
  }

  const scanTyped = (version: Version, call: number) => {
    for (
      let next = pieces[version.typedPieces];
      next !== undefined && next.call <= call;
      next = pieces[version.typedPieces]
    ) {
      for (const view of next.views) version.index.scan(view, key => version.typed.add(key))
      version.typedPieces++
    }
  }

  function showingOf(call: LoggedCall, path: string, version: Version, prepare: () => void): readonly ShownLine[] {
    const shown = new Map<string, ShownLine>()
    const direct = readsDirectly(call, path)
    let isPrepared = false
    for (const view of viewsOf(call)) {
      version.index.scan(view, (key, at) => {
        if (!isPrepared) prepare()
        isPrepared = true
        if (version.typed.has(key)) return
        const rivals = version.holders.get(key)
        if (rivals !== undefined && rivals.size > 0 && !direct) {
          if (!carriesPath(view.slice(view.lastIndexOf('\n', at - 1) + 1, at), path, rivals)) return
        }
        const found = longestShown(version.linesByKey.get(key) ?? [], view, at)
        if (found === null || (shown.get(found.line)?.visible.length ?? -1) >= found.visible.length) return
        shown.set(found.line, found)
      })
    }
    return [...shown.values()]
  }

  function work(path: string): ReadingHistory {
    const pastTexts = new Set<string>()
    const showings: Showing[] = []
    let text: string | undefined
    let version: Version | null = null
    // A copy the agent made (`cp main.py main.py.bak`) does not make the lines of the original less distinctive.
    const isCopy = (other: string, otherText: string) => !log.baseline.entries.has(other) && pastTexts.has(otherText)

    for (const { call, before } of statesOf(log)) {
      const now = before.texts.get(path)
      if (now !== text || version === null) {
        text = now
        version = now === undefined ? null : createVersion(now)
        if (now !== undefined) pastTexts.add(now)
      }
      if (version !== null) {
        const current = version
        const lines = showingOf(call, path, current, () => {
          scanTyped(current, call.call)
          scanOthers(current, path, before.texts, isCopy, normalised)
        })
        if (lines.length > 0) showings.push({ call, lines })
      }
    }
    return { showings, hadText: pastTexts.size > 0 }
  }

  return path => {
    const known = histories.get(path)
    if (known !== undefined) return known
    const made = work(path)
    histories.set(path, made)
    return made
  }
}

/** The distinctive lines of every file of a setup, before the agent has sent anything. */
function distinctiveByFile(setupText: ReadonlyMap<string, string>, prompt: string): Map<string, string[]> {
  const normalised = new Map([...setupText].map(([path, text]) => [path, normaliseText(text)]))
  const lines = new Map([...normalised].map(([path, text]) => [path, tellingLines(text)]))
  const keys = [...lines.values()].flat().flatMap(line => [line, prefixOf(line) ?? line])
  const index = createKeyIndex(keys)
  const known = new Set<string>()
  const holder = new Map<string, string>()
  for (const view of [...viewsOfTyped(prompt), [...setupText.keys()].join('\n')])
    index.scan(view, key => known.add(key))
  for (const [path, text] of normalised) {
    index.scan(text, key => {
      if (holder.has(key) && holder.get(key) !== path) known.add(key)
      holder.set(key, path)
    })
  }
  const isDistinctive = (line: string) => !known.has(line) || !known.has(prefixOf(line) ?? line)
  return new Map([...lines].map(([path, own]) => [path, own.filter(isDistinctive)]))
}

/**
 * Files of a setup that have no distinctive line, sorted: no reading of them could be recognised, so a task whose flag
 * asks for it must be refused when it is collected.
 */
export function unreadableFiles(setupText: ReadonlyMap<string, string>, prompt: string): string[] {
  return [...distinctiveByFile(setupText, prompt)]
    .filter(([, lines]) => lines.length === 0)
    .map(([path]) => path)
    .sort()
}
