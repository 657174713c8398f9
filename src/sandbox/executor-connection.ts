/**
 * The wire to an executor: one request in flight, a deadline for each, and one way to be lost for good. Whatever goes
 * wrong (stream ended, broken frame, deadline) ends in an InfraError `sandbox_lost`; nothing waits for ever.
 */
import { InfraError, LOST_DURING_COMMAND } from '../errors.ts'
import { encodeFrame, type Frame, FrameError, FrameReader } from './frames.ts'

/** Carries bytes to and from an executor: an attached container, or the pipes of a child process. */
export interface ExecutorChannel {
  /** Called once, before anything is sent. */
  open(listener: { onBytes(bytes: Uint8Array): void; onEnd(): void }): void
  send(bytes: Uint8Array): void
  /** What the executor wrote to its standard error last, bounded. */
  lastWords(): string
  /** Ends the executor and removes what is left of it. Safe to call twice. */
  close(): Promise<void>
}

/** Header and body of a reply that is neither a refusal nor a fault. */
export interface Reply {
  readonly header: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
}

export interface ExchangeOptions {
  /** Milliseconds until the sandbox counts as lost. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** The request runs a command of the agent: a loss meanwhile may be its doing, and has a separate code. */
  readonly isCommandOfAgent?: boolean
}

/** Sends one request and waits for its reply. */
export type Exchange = (request: object, body: Uint8Array | undefined, options: ExchangeOptions) => Promise<Reply>

/** How long a cancelled operation may take to end. */
const CANCEL_DEADLINE_MS = 10_000

interface Pending {
  readonly isCommandOfAgent: boolean
  resolve(frame: Frame): void
  reject(error: Error): void
}

export class ExecutorConnection {
  readonly #channel: ExecutorChannel
  readonly #reader = new FrameReader()
  #pending: Pending | null = null
  #lost: InfraError | null = null
  #isClosed = false
  #queue: Promise<unknown> = Promise.resolve()

  constructor(channel: ExecutorChannel) {
    this.#channel = channel
    channel.open({
      onBytes: bytes => this.#receive(bytes),
      onEnd: () => this.#lose('it ended'),
    })
  }

  /** The first frame, which an executor sends unasked. */
  greeting(options: ExchangeOptions): Promise<Reply> {
    return this.#exclusive(() => this.#exchange(null, undefined, options))
  }

  /**
   * Runs `work` while no other operation of this sandbox runs.
   * @throws InfraError `sandbox_lost`; the signal's reason when it aborted.
   */
  operate<T>(signal: AbortSignal | undefined, work: (exchange: Exchange) => Promise<T>): Promise<T> {
    return this.#exclusive(() => {
      signal?.throwIfAborted()
      return work((request, body, options) => this.#exchange(request, body, options))
    })
  }

  /** Gives the sandbox up: what runs in it ends, what waits for it fails. Used when its answers cannot be believed. */
  abandon(why: string): InfraError {
    return this.#lose(why)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#lose('it was closed')
    await this.#channel.close()
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => undefined)
    return result
  }

  async #exchange(request: object | null, body: Uint8Array | undefined, options: ExchangeOptions): Promise<Reply> {
    if (this.#lost !== null) throw this.#lost
    const { deadlineMs, signal, isCommandOfAgent = false } = options
    const frame = new Promise<Frame>((resolve, reject) => {
      this.#pending = { resolve, reject, isCommandOfAgent }
    })
    let timer = setTimeout(() => this.#lose(`no reply within ${deadlineMs} ms`), deadlineMs)
    const cancel = () => {
      clearTimeout(timer)
      timer = setTimeout(() => this.#lose(`no end within ${CANCEL_DEADLINE_MS} ms of a cancel`), CANCEL_DEADLINE_MS)
      if (request !== null) this.#channel.send(encodeFrame({ operation: 'cancel' }))
    }
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      if (request !== null) this.#channel.send(encodeFrame(request, body))
      const reply = await frame
      signal?.throwIfAborted()
      return this.#checked(reply)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      this.#pending = null
    }
  }

  #checked({ header, body }: Frame): Reply {
    if (typeof header !== 'object' || header === null || Array.isArray(header)) {
      throw this.#lose('a reply without a header')
    }
    const fields: Record<string, unknown> = { ...header }
    if (typeof fields.fault === 'string') throw this.#lose(`a fault of the executor: ${fields.fault.trim()}`)
    return { header: fields, body }
  }

  #receive(bytes: Uint8Array): void {
    if (this.#lost !== null) return
    let frames: Frame[]
    try {
      frames = this.#reader.push(bytes)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#lose(error.message)
      return
    }
    for (const frame of frames) {
      const pending = this.#pending
      this.#pending = null
      if (pending === null) {
        this.#lose('a reply that nobody asked for')
        return
      }
      pending.resolve(frame)
    }
  }

  #lose(why: string): InfraError {
    if (this.#lost !== null) return this.#lost
    const words = this.#channel.lastWords().trim()
    this.#lost = new InfraError(`the sandbox is lost: ${why}${words === '' ? '' : `; it last said: ${words}`}`, {
      code: this.#pending?.isCommandOfAgent ? LOST_DURING_COMMAND : 'sandbox_lost',
      remedy: 'The trial is repeated in a new sandbox. If this happens often, give the machine more memory or time.',
    })
    this.#pending?.reject(this.#lost)
    this.#pending = null
    // The trial that hears of the loss disposes the sandbox; this only ends what may still run in it.
    if (!this.#isClosed) this.#channel.close().catch(() => undefined)
    return this.#lost
  }
}
