import type { Sandbox } from '../sandbox/sandbox.ts'
import type { TrialPlan } from './plan.ts'

/** How a lease gets a new sandbox. */
export type OpenSandbox = (options: { readonly runId: string; readonly signal?: AbortSignal }) => Promise<Sandbox>

/** A sandbox taken for one trial. Disposing gives it back; `discard` throws it away, so that the next trial gets a new one. */
export interface LeasedSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox
  discard(): Promise<void>
}

/** Owns the one sandbox of a worker and lends it to one trial at a time. */
export class SandboxLease implements AsyncDisposable {
  #sandbox: Promise<Sandbox> | null = null
  #queue: Promise<unknown> = Promise.resolve()
  readonly #plan: Pick<TrialPlan, 'runId' | 'fresh'>
  readonly #open: OpenSandbox

  constructor(plan: Pick<TrialPlan, 'runId' | 'fresh'>, open: OpenSandbox) {
    this.#plan = plan
    this.#open = open
  }

  /** Starts the sandbox early, so that the first trial need not wait; a failure shows when the sandbox is taken. */
  warm(): void {
    this.#start().catch(() => undefined)
  }

  #start(): Promise<Sandbox> {
    if (this.#sandbox === null) {
      const opening = this.#open({ runId: this.#plan.runId })
      this.#sandbox = opening
      opening.catch(() => {
        if (this.#sandbox === opening) this.#sandbox = null
      })
    }
    return this.#sandbox
  }

  async #drop(): Promise<void> {
    const opened = this.#sandbox
    this.#sandbox = null
    if (opened !== null) {
      const sandbox = await opened.catch(() => null)
      await sandbox?.[Symbol.asyncDispose]()
    }
  }

  /** Waits for the trial before, then lends the sandbox. */
  async take(): Promise<LeasedSandbox> {
    let release: () => void = () => undefined
    const before = this.#queue
    this.#queue = new Promise<void>(resolve => {
      release = resolve
    })
    await before
    try {
      const sandbox = await this.#start()
      return {
        sandbox,
        discard: () => this.#drop(),
        [Symbol.asyncDispose]: async () => {
          try {
            if (this.#plan.fresh) await this.#drop()
          } finally {
            release()
          }
        },
      }
    } catch (error) {
      release()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue
    await this.#drop()
  }
}
