/** A sandbox over any channel that reaches an executor. Knows neither containers nor namespaces. */
import { InfraError } from '../errors.ts'
import { parseEvaluation } from './evaluation.ts'
import type { Exchange, ExecutorConnection, Reply } from './executor-connection.ts'
import { entriesOfFiles, rootOf } from './manifest.ts'
import {
  type CollectedPart,
  numberField,
  objectField,
  readCollected,
  readDelta,
  readExecResult,
  readReadResult,
  readSnapshot,
} from './replies.ts'
import {
  type Evaluation,
  type ExecResult,
  FileRefusedError,
  type FunctionCall,
  type ReadResult,
  type ResetProof,
  type Sandbox,
  type SandboxInfo,
} from './sandbox.ts'
import { partsOf, verifyMode } from './setup-parts.ts'
import type { FileContent, FileMap, Snapshot, SnapshotDelta } from './snapshot.ts'

/** Beyond a command's own timeout: killing (5 s at most), a snapshot of a full workspace, and a loaded machine. */
const GRACE_MS = 30_000
const FILE_DEADLINE_MS = 30_000
const RESET_DEADLINE_MS = 60_000
/** First and last bytes kept of each stream of a command. */
const KEEP_BYTES = 32 * 1024
/** Content that fits into one frame with room for its header. */
const MAX_CONTENT_BYTES = 8 * 1024 * 1024

type Room = 'agent' | 'verify'

export class ExecutorSandbox implements Sandbox {
  readonly info: SandboxInfo
  readonly #connection: ExecutorConnection
  readonly #users: Readonly<Record<Room, { readonly uid: number }>>
  #room: Room = 'agent'
  #lastRoot = rootOf(new Map())

  constructor(
    connection: ExecutorConnection,
    info: SandboxInfo,
    users: Readonly<Record<Room, { readonly uid: number }>>,
  ) {
    this.#connection = connection
    this.info = info
    this.#users = users
  }

  async reset(
    files: FileMap,
    { room, signal }: { readonly room: Room; readonly signal?: AbortSignal },
  ): Promise<{ readonly proof: ResetProof; readonly baseline: Snapshot }> {
    const begin = performance.now()
    const laid = room === 'verify' ? withVerifyModes(files) : files
    const expectedRoot = rootOf(entriesOfFiles(laid))
    const { proof, baseline } = await this.#operate(signal, async exchange => {
      let reply: Reply | null = null
      for (const { part, body, isFirst, isLast } of partsOf(laid)) {
        const request = { operation: isFirst ? 'reset' : 'lay', room, files: part, isLast }
        reply = await exchange(request, body, { deadlineMs: RESET_DEADLINE_MS, signal })
      }
      if (reply === null) throw new TypeError('a reset without a part')
      this.#room = room
      return {
        proof: objectField(reply.header, 'proof'),
        baseline: readSnapshot(objectField(reply.header, 'snapshot'), reply.body),
      }
    })
    this.#lastRoot = baseline.root
    const result: ResetProof = {
      processesLeft: numberField(proof, 'processesLeft'),
      leftovers: numberField(proof, 'leftovers'),
      root: baseline.root,
      expectedRoot,
      durationMs: performance.now() - begin,
    }
    checkProof(result, baseline)
    return { proof: result, baseline }
  }

  async exec(
    command: string,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly snapshot?: boolean },
  ): Promise<ExecResult> {
    const { timeoutMs, signal, snapshot = false } = options
    const request = { operation: 'exec', timeoutMs, snapshot, keepBytes: KEEP_BYTES }
    return this.#operate(signal, async exchange => {
      const { header, body } = await exchange(request, Buffer.from(command), {
        deadlineMs: timeoutMs + GRACE_MS,
        signal,
        isCommandOfAgent: this.#room === 'agent',
      })
      this.#expectNothingRuns(header)
      const result = readExecResult(header, body, this.#users[this.#room].uid, this.#lastRoot)
      this.#lastRoot = result.delta.root
      return result
    })
  }

  async readLines(
    path: string,
    options: {
      readonly offset?: number
      readonly limit?: number
      readonly maxBytes: number
      readonly signal?: AbortSignal
    },
  ): Promise<ReadResult> {
    const { offset = 1, limit, signal } = options
    const request = {
      operation: 'read_lines',
      path,
      offset: Math.max(1, Math.floor(offset)),
      limit: limit === undefined ? null : Math.max(0, Math.floor(limit)),
      maxBytes: Math.min(options.maxBytes, MAX_CONTENT_BYTES),
    }
    return this.#operate(signal, async exchange => {
      const reply = accepted(await exchange(request, undefined, { deadlineMs: FILE_DEADLINE_MS, signal }), path)
      return readReadResult(reply.header, reply.body)
    })
  }

  async writeFile(
    path: string,
    bytes: Uint8Array,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<SnapshotDelta> {
    if (bytes.length > MAX_CONTENT_BYTES) {
      throw new FileRefusedError(
        `${path}: ${bytes.length} bytes are too many at once; the bound is ${MAX_CONTENT_BYTES}`,
      )
    }
    const { signal } = options
    return this.#operate(signal, async exchange => {
      const request = { operation: 'write_file', path }
      const reply = accepted(await exchange(request, bytes, { deadlineMs: FILE_DEADLINE_MS + GRACE_MS, signal }), path)
      const delta = readDelta(objectField(reply.header, 'delta'), reply.body)
      this.#lastRoot = delta.root
      return delta
    })
  }

  async freeze(options: { readonly signal?: AbortSignal } = {}): Promise<Snapshot> {
    const { signal } = options
    return this.#operate(signal, async exchange => {
      const { header, body } = await exchange({ operation: 'freeze' }, undefined, { deadlineMs: GRACE_MS, signal })
      this.#expectNothingRuns(header)
      const snapshot = readSnapshot(objectField(header, 'snapshot'), body)
      this.#lastRoot = snapshot.root
      return snapshot
    })
  }

  async collect(
    paths: readonly string[],
    options: { readonly maxFileBytes: number; readonly maxTotalBytes: number; readonly signal?: AbortSignal },
  ): Promise<{
    readonly files: FileMap
    readonly refused: readonly { readonly path: string; readonly reason: string }[]
  }> {
    const { signal } = options
    return this.#operate(signal, async exchange => {
      const files = new Map<string, FileContent>()
      const refused: CollectedPart['refused'][number][] = []
      let bytesLeft = options.maxTotalBytes
      for (let begin = 0; begin < paths.length; ) {
        const asked = firstPaths(paths, begin)
        const request = {
          operation: 'collect',
          paths: asked,
          maxFileBytes: Math.min(options.maxFileBytes, MAX_CONTENT_BYTES),
          maxTotalBytes: bytesLeft,
        }
        const reply = await exchange(request, undefined, { deadlineMs: FILE_DEADLINE_MS, signal })
        const part = readCollected(reply.header, reply.body)
        for (const [path, file] of part.files) {
          if (!asked.includes(path)) throw new TypeError('a file that was not asked for')
          files.set(path, file)
          bytesLeft -= file.bytes.length
        }
        refused.push(...part.refused)
        const handled = part.next ?? asked.length
        if (handled < 1) throw new TypeError('a part without progress')
        begin += handled
      }
      return { files, refused }
    })
  }

  async evaluate(
    calls: readonly FunctionCall[],
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<Evaluation> {
    const { timeoutMs, signal } = options
    const language = calls[0]?.language ?? 'python'
    const body = Buffer.from(JSON.stringify(calls.map(call => [call.module, call.name, call.args])))
    return this.#operate(signal, async exchange => {
      const reply = await exchange({ operation: 'evaluate', timeoutMs, language }, body, {
        deadlineMs: timeoutMs + GRACE_MS,
        signal,
      })
      this.#expectNothingRuns(reply.header)
      const { kind } = reply.header
      switch (kind) {
        case 'values':
          return parseEvaluation(reply.body, calls.length)
        case 'no-frame':
        case 'extra-bytes':
        case 'too-big':
        case 'timeout':
          return { kind }
        default:
          throw new TypeError('an evaluation of no known kind')
      }
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close()
  }

  /** Runs an operation; an answer that cannot be understood means that the sandbox cannot be believed any more. */
  async #operate<T>(signal: AbortSignal | undefined, work: (exchange: Exchange) => Promise<T>): Promise<T> {
    return this.#connection.operate(signal, async exchange => {
      try {
        return await work(exchange)
      } catch (error) {
        if (error instanceof TypeError) throw this.#connection.abandon(`it answered ${error.message}`)
        throw error
      }
    })
  }

  #expectNothingRuns(header: Reply['header']): void {
    const left = numberField(header, 'processesLeft')
    if (left !== 0) throw this.#connection.abandon(`${left} processes could not be killed`)
  }
}

/** Length of the paths in one request for files as JSON, where a byte can become six characters. */
const MAX_PATHS_LENGTH = 500_000

/** As many paths from `begin` on as one request takes, at least one. */
function firstPaths(paths: readonly string[], begin: number): readonly string[] {
  let end = begin
  for (let length = 0; end < paths.length && (end === begin || length < MAX_PATHS_LENGTH); end++) {
    length += JSON.stringify(paths[end]).length
  }
  return paths.slice(begin, end)
}

/** @throws FileRefusedError when the executor refused, with a message for the model. */
function accepted(reply: Reply, path: string): Reply {
  if (typeof reply.header.refused === 'string') throw new FileRefusedError(`${path}: ${reply.header.refused}`)
  return reply
}

/** Files for verify belong to root and are read by another user. */
function withVerifyModes(files: FileMap): FileMap {
  return new Map([...files].map(([path, { bytes, mode }]) => [path, { bytes, mode: verifyMode(mode) }]))
}

/** @throws InfraError `reset_unproved` */
function checkProof(proof: ResetProof, baseline: Snapshot): void {
  const faults: string[] = []
  if (proof.processesLeft > 0) faults.push(`${proof.processesLeft} processes are left`)
  if (proof.leftovers > 0) faults.push(`${proof.leftovers} traces of the trial before are left`)
  if (baseline.truncated !== null) faults.push(`the workspace is beyond a bound (${baseline.truncated})`)
  if (proof.root !== proof.expectedRoot) faults.push('the workspace differs from what was written')
  if (faults.length === 0) return
  throw new InfraError(`the reset of the sandbox could not be proved: ${faults.join(', ')}`, {
    code: 'reset_unproved',
    remedy:
      'The sandbox is replaced by a new one and the trial repeated; if a new one fails too, the setup is at fault.',
  })
}
