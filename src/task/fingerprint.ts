import { createHash, type Hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { GENERATOR_VERSION } from './random.ts'
import type { Task, UserTurn } from './task.ts'
import type { Tool } from './tool.ts'

/**
 * Raised whenever the meaning of a question a flag can ask, or the way checks are evaluated, changes: results from before
 * are then no longer the same measurement.
 */
const EVIDENCE_VERSION = 1

const MAX_SOURCES = 50
/** Relative imports, static, dynamic and re-exported. */
const RELATIVE_IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

/**
 * SHA-256 (hex) over all of a task that can change a verdict. Code counts twice: as the text of each flag and check, and
 * as the spec file with the modules it imports relatively, since a constant beside a check is part of what it does. So an
 * edited comment makes a new fingerprint too: a needless repetition is cheaper than a stale result.
 */
export function fingerprintOf(task: Omit<Task, 'fingerprint'>, sources: readonly string[] = []): string {
  const hash = createHash('sha256')
  add(hash, 'evidence', String(EVIDENCE_VERSION))
  add(hash, 'id', task.id)
  add(hash, 'prompt', task.prompt)
  add(hash, 'system', JSON.stringify(task.system))
  addSetup(hash, task.setup)
  add(hash, 'allowedWrites', JSON.stringify([...task.allowedWrites].sort()))
  add(hash, 'requires', JSON.stringify([...task.requires].sort()))
  add(hash, 'limits', JSON.stringify([task.maxTurns, task.commandTimeoutMs, task.trialTimeoutMs, task.contextTokens]))
  add(hash, 'inconclusiveWhenCut', 'false') // what stood here before `inconclusiveWhen`; old fingerprints stay
  for (const [name, part] of kindOf(task)) add(hash, name, part)
  for (const [id, flag] of sorted(task.flags)) add(hash, `flag ${id}`, codeText(flag))
  for (const [name, check] of sorted(task.verify)) add(hash, `verify ${name}`, codeText(check))
  for (const text of sourceTexts([task.source.file, ...sources])) add(hash, 'source', text)
  return hash.digest('hex')
}

/** Parts that make the kind of a task, but for those a task of the workspace has by default. */
function kindOf(task: Omit<Task, 'fingerprint'>): (readonly [string, string])[] {
  const weights = [...task.points].filter(([, weight]) => weight !== 1)
  const judging: (readonly [string, unknown])[] = [
    ['maxTokens', task.maxTokens ?? undefined],
    ['inconclusiveWhen', task.inconclusiveWhen.length === 0 ? undefined : [...task.inconclusiveWhen].sort()],
    ['points', weights.length === 0 ? undefined : weights],
    ['passes', isAllOf(task) ? undefined : task.passes],
  ]
  return [
    ...judging.flatMap(([name, part]) => (part === undefined ? [] : [[name, JSON.stringify(part)] as const])),
    ...askedOf(task),
  ]
}

const isAllOf = ({ passes, flags }: Pick<Task, 'passes' | 'flags'>): boolean =>
  typeof passes !== 'number' && passes.length === flags.size

/** What an agent meets of the kind of a task. */
function askedOf(task: QuestionParts): (readonly [string, string])[] {
  const { instance, mode, tools, state, turns, answerFile } = task
  const parts: (readonly [string, unknown])[] = [
    ['instance', instance === null ? undefined : [instance.number, GENERATOR_VERSION]],
    ['mode', mode ?? undefined],
    ['tools', tools === 'workspace' ? undefined : Array.isArray(tools) ? tools : toolTexts(tools)],
    ['state', state?.()],
    ['turns', turns.length === 0 ? undefined : turns.map(turnText)],
    ['answerFile', answerFile ?? undefined],
  ]
  return parts.flatMap(([name, part]) => (part === undefined ? [] : [[name, JSON.stringify(part)] as const]))
}

const turnText = (turn: UserTurn): string => (typeof turn === 'string' ? turn : codeText(turn))

function toolTexts(tools: object): unknown {
  if ('definitions' in tools) return tools.definitions
  const own = tools as Readonly<Record<string, Tool>>
  return Object.entries(own).map(([name, { description, parameters, run }]) => [
    name,
    description,
    parameters,
    codeText(run),
  ])
}

type QuestionParts = Pick<Task, 'instance' | 'mode' | 'tools' | 'state' | 'turns' | 'answerFile'>

/** What an agent was given, as three hashes (SHA-256, hex), so that a later reader can tell which of it has changed. */
export interface Question {
  /** The prompt and the system prompt. */
  readonly prompt: string
  /** Paths, modes and bytes of the setup. */
  readonly setup: string
  /** The task's own limits: turns, time for a command, time for a trial. */
  readonly limits: string
}

/**
 * Hashes of the parts of a task that an agent meets. What is left of the fingerprint (allowed writes, flags, checks) only
 * says how a trial is judged: where just that has changed, a recorded trial is still an answer to the same question.
 */
export function questionOf(
  task: QuestionParts & Pick<Task, 'prompt' | 'system' | 'setup' | 'maxTurns' | 'commandTimeoutMs' | 'trialTimeoutMs'>,
): Question {
  const hashed = (fill: (hash: Hash) => void): string => {
    const hash = createHash('sha256')
    fill(hash)
    return hash.digest('hex')
  }
  return {
    prompt: hashed(hash => add(hash, 'prompt', JSON.stringify([task.prompt, task.system, ...askedOf(task)]))),
    setup: hashed(hash => addSetup(hash, task.setup)),
    limits: hashed(hash =>
      add(hash, 'limits', JSON.stringify([task.maxTurns, task.commandTimeoutMs, task.trialTimeoutMs])),
    ),
  }
}

/**
 * Text of a function without what a test runner's transform puts into it: names of hoisted imports (numbered by order of
 * import) and the counters of coverage instrumentation.
 */
export function codeText(code: (...args: never[]) => unknown): string {
  return code
    .toString()
    .replace(/__vi_import_\d+__/g, '__import__')
    .replace(/\bcov_[a-z0-9]+\(\)\.[sfb]\[\d+\](?:\[\d+\])?\+\+[;,]?\s*/g, '')
}

/** Texts of source files and of the modules they import by relative path, in order of first mention; none of what cannot be read. */
export function sourceTexts(files: readonly string[]): string[] {
  const texts = new Map<string, string>()
  const queue = [...files]
  for (let path = queue.shift(); path !== undefined && texts.size < MAX_SOURCES; path = queue.shift()) {
    if (texts.has(path)) continue
    const text = readText(path)
    if (text === null) continue
    texts.set(path, text)
    for (const [, specifier] of text.matchAll(RELATIVE_IMPORT)) {
      if (specifier !== undefined) queue.push(resolve(dirname(path), specifier))
    }
  }
  return [...texts.values()]
}

function readText(path: string): string | null {
  // Specs made in memory, and imports without an extension, have no file under that name.
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : null
}

function addSetup(hash: Hash, setup: Task['setup']): void {
  for (const [path, file] of sorted(setup)) {
    add(hash, 'file', path)
    add(hash, 'mode', file.mode.toString(8))
    add(hash, 'bytes', file.bytes)
  }
}

function sorted<Value>(map: ReadonlyMap<string, Value>): (readonly [string, Value])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Length-prefixed, so that no two different lists of parts give the same bytes. */
function add(hash: Hash, label: string, data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  hash.update(`${label.length}:${label}:${bytes.length}:`).update(bytes)
}
