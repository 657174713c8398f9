import type { Evaluation, FunctionCall, ResetProof, Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import type { CheckResult } from '../task/verify.ts'
import { keyOfFiles } from './session-check.ts'
import { runSuite } from './suite.ts'

const EVALUATE_TIMEOUT_MS = 10_000

/**
 * The clean workspace in which checks are made. A check may ask for other files in it, for its own calls only: it is
 * laid anew whenever what is asked for differs from what is there. Requests wait for each other, so that checks which
 * ask for several things at once get each in the right room.
 */
export class VerifyRoom {
  readonly #sandbox: Sandbox
  readonly #files: FileMap
  readonly #signal: AbortSignal
  #laid: string | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(sandbox: Sandbox, files: FileMap, signal: AbortSignal) {
    this.#sandbox = sandbox
    this.#files = files
    this.#signal = signal
  }

  /** Lays the files, and proves that nothing else is there. */
  async lay(over: FileMap = new Map()): Promise<ResetProof> {
    const files = new Map([...this.#files, ...over])
    this.#laid = null
    const { proof } = await this.#sandbox.reset(files, { room: 'verify', signal: this.#signal })
    this.#laid = keyOfFiles(over)
    return proof
  }

  /** @param over Files that stand in the room for these calls, instead of what is there or besides. */
  evaluate(calls: readonly FunctionCall[], over: FileMap): Promise<Evaluation> {
    const options = { timeoutMs: EVALUATE_TIMEOUT_MS, signal: this.#signal }
    return this.#in(over, () => this.#sandbox.evaluate(calls, options))
  }

  suite(): Promise<CheckResult> {
    return this.#in(new Map(), () => runSuite(this.#sandbox, this.#signal))
  }

  #in<Result>(over: FileMap, work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(async () => {
      if (this.#laid !== keyOfFiles(over)) await this.lay(over)
      return work()
    })
    this.#last = result.catch(() => undefined) // whoever asked hears of it
    return result
  }
}
