/** What the main process hands to the workers, through Vitest's `provide` and `inject`. */
import type { SkillLimits } from '../skill/index.ts'
import type { TaskChoice } from '../task/define-task.ts'
import type { TrialPlan } from '../trial/plan.ts'

/** Known as soon as the project is configured, so that `vitest list` shows the right trials. */
interface ProvidedSettings {
  readonly root: string
  readonly k: number
  readonly trials: number
  /** Name of the project's model in results, where a run has several; else null. */
  readonly model: string | null
  readonly skillLimits: SkillLimits
  /** Which of its forms each task is run in. */
  readonly choice: TaskChoice
  /** Only a terminal shows the run: what was lost and why stands in the matrix, and failing tests name it in short. */
  readonly isBrief: boolean
}

/** Known when a run starts: the plan, or why there is none. */
export type ProvidedPlan =
  | {
      readonly made: true
      readonly plan: TrialPlan
      /** Trials of one task at once in a worker, each in its own sandbox. */
      readonly atOnce: number
    }
  | { readonly made: false; readonly message: string }

declare module 'vitest' {
  interface ProvidedContext {
    agentBenchSettings: ProvidedSettings
    agentBenchPlan: ProvidedPlan
  }
}
