/** The configuration of an executor, and the command that starts it. A driver decides; the executor assumes nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { InfraError } from '../errors.ts'
import { MAX_FRAME_BYTES } from './frames.ts'

/** Who runs commands in a room, and how. */
interface RoomUser {
  readonly uid: number
  readonly gid: number
  /** False where the sandbox has one user only: then what runs is seen as `uid` inside its own namespaces. */
  readonly setUser: boolean
  /**
   * Which namespaces every command has for itself: none, that of shared memory and message queues, or all it needs to
   * be kept from the executor by them alone.
   */
  readonly namespaces: 'none' | 'ipc' | 'own'
}

/** A directory that commands can write to. Reset empties it and gives it back mode and owner. */
interface WritablePlace {
  readonly path: string
  readonly mode: number
  /** Rooms in which it belongs to the room's user; otherwise to root. */
  readonly ownedIn: readonly ('agent' | 'verify')[]
}

export interface ExecutorConfig {
  readonly workspace: string
  readonly home: string
  readonly shell: string
  readonly python: string
  readonly node: string
  readonly rooms: { readonly agent: RoomUser; readonly verify: RoomUser }
  /** Every directory that commands can write to; a writable mount that is not named here is reported, not ignored. */
  readonly writable: readonly WritablePlace[]
  /** Path of the witness socket, in a directory that only the executor can write to. */
  readonly witness: string
  readonly environment: Readonly<Record<string, string>>
  /** Names of setrlimit(2) without `RLIMIT_`, in its units. */
  readonly resourceLimits: Readonly<Record<string, number>>
  readonly bounds: ExecutorBounds
}

interface ExecutorBounds {
  readonly frameBytes: number
  /** Content of collected files in one reply. */
  readonly replyBytes: number
  /** A command that prints more on one stream is stopped. */
  readonly outputBytes: number
  /** A larger answer of the evaluator is refused. */
  readonly resultBytes: number
  readonly depth: number
  readonly entries: number
  /** Content read by one snapshot. */
  readonly snapshotBytes: number
  /** Entries and paths in the difference of two snapshots; beyond, it is said to be truncated. */
  readonly deltaBytes: number
  /** Length of all paths of one snapshot. */
  readonly pathBytes: number
  readonly textFileBytes: number
  readonly textTrialBytes: number
}

const MEBIBYTE = 1024 * 1024

const DEFAULT_BOUNDS: ExecutorBounds = {
  frameBytes: MAX_FRAME_BYTES,
  replyBytes: 8 * MEBIBYTE,
  outputBytes: 256 * MEBIBYTE,
  resultBytes: MEBIBYTE,
  depth: 128,
  entries: 50_000,
  snapshotBytes: 512 * MEBIBYTE,
  deltaBytes: 10 * MEBIBYTE,
  pathBytes: 6 * MEBIBYTE,
  textFileBytes: 64 * 1024,
  textTrialBytes: MEBIBYTE,
}

const AGENT_UID = 1000
const VERIFY_UID = 1001
const WORKSPACE = '/workspace'
const HOME = '/home/agent'
const WITNESS = '/run/bench/witness'
const STICKY = 0o1777

/** The names every sandbox has: workspace, HOME, users, environment. A driver changes what it does differently. */
export const DEFAULT_EXECUTOR_CONFIG: ExecutorConfig = {
  workspace: WORKSPACE,
  home: HOME,
  shell: '/bin/bash',
  python: 'python3',
  node: 'node',
  rooms: {
    agent: { uid: AGENT_UID, gid: AGENT_UID, setUser: true, namespaces: 'none' },
    verify: { uid: VERIFY_UID, gid: VERIFY_UID, setUser: true, namespaces: 'none' },
  },
  writable: [
    { path: WORKSPACE, mode: 0o755, ownedIn: ['agent'] },
    { path: HOME, mode: 0o755, ownedIn: ['agent', 'verify'] },
    { path: '/tmp', mode: STICKY, ownedIn: [] },
    { path: '/var/tmp', mode: STICKY, ownedIn: [] },
    { path: '/dev/shm', mode: STICKY, ownedIn: [] },
    { path: '/dev/mqueue', mode: STICKY, ownedIn: [] },
  ],
  witness: WITNESS,
  environment: {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    PAGER: 'cat',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTEST_PLUGINS: 'bench_witness',
    // Where the documents of skills look for their own files. Where a task has no skill, nothing is there.
    CLAUDE_SKILL_DIR: '/workspace/skill',
    CLAUDE_PLUGIN_ROOT: '/workspace/skill',
  },
  resourceLimits: { CORE: 0 },
  bounds: DEFAULT_BOUNDS,
}

const IMAGE_FOLDER = new URL('./image/', import.meta.url)
/** Linux takes at most 128 KiB in one argument (MAX_ARG_STRLEN), the NUL at its end included. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1

/** The argument list that starts an executor as process 1: `python` is how the interpreter is called there. */
export function executorCommand(config: ExecutorConfig, python: string = config.python): string[] {
  const [evaluator, javascriptEvaluator] = ['evaluate.py', 'evaluate.cjs'].map(name =>
    readFileSync(new URL(name, IMAGE_FOLDER), 'utf8'),
  )
  const given = JSON.stringify({ ...config, evaluator, javascriptEvaluator })
  const command = [python, '-I', '-S', '-c', executorSource(), given]
  const longest = Math.max(...command.map(argument => Buffer.byteLength(argument)))
  if (longest > MAX_ARGUMENT_BYTES) {
    throw new InfraError(`an argument of the executor has ${longest} bytes, Linux takes ${MAX_ARGUMENT_BYTES}`, {
      code: 'executor_too_long',
      remedy: 'This is a fault of agent-bench: please report it.',
    })
  }
  return command
}

/** The files of image/executor, joined in the order of their names. */
export function executorSource(): string {
  const folder = new URL('executor/', IMAGE_FOLDER)
  const names = readdirSync(folder).filter(name => name.endsWith('.py'))
  return names
    .sort()
    .map(name => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n\n')
}
