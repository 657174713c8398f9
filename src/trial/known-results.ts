/** What is already known of states of a workspace, so that it need not be found out again. */
import type { ResetProof } from '../sandbox/sandbox.ts'
import type { Task } from '../task/task.ts'
import type { CheckResult } from '../task/verify.ts'
import type { SuiteResults } from './session-check.ts'
import { type KnownWork, newKnownWork } from './verify-room.ts'

/** The checks of a task over one set of files, and the proof that those files were in a clean room. */
export interface Verification {
  readonly results: ReadonlyMap<string, CheckResult>
  readonly resetProof: ResetProof
}

/** What is known of one task; kept for as long as the task is the same. */
export interface TaskResults {
  /** Results of suites by the files they ran on. */
  readonly suites: SuiteResults
  /** Verifications by the files they were made of. */
  readonly verifications: Map<string, Verification>
  /** What checks of scripted plays ran. */
  readonly work: KnownWork
  readonly reuse: Reuse
  /** Attempts of all trials in which the sandbox was lost while a command of the agent ran. */
  lostDuringCommand: number
}

/**
 * Which verifications are used again. `setup`: only those of a workspace that nothing was changed in, for the code in it
 * is the task's own. `all`: also of what an agent left; for scripted plays only, since the k trials of a model whose code
 * works every other time must each be verified.
 */
export type Reuse = 'setup' | 'all'

/** Results by task. Workers of one process may share it. */
export class KnownResults {
  readonly #tasks = new Map<string, TaskResults>()
  readonly #reuse: Reuse

  constructor(reuse: Reuse = 'setup') {
    this.#reuse = reuse
  }

  of(task: Pick<Task, 'fingerprint'>): TaskResults {
    let known = this.#tasks.get(task.fingerprint)
    if (known === undefined) {
      known = {
        suites: new Map(),
        verifications: new Map(),
        work: newKnownWork(),
        reuse: this.#reuse,
        lostDuringCommand: 0,
      }
      this.#tasks.set(task.fingerprint, known)
    }
    return known
  }
}
