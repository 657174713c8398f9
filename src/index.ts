/** The public API: what a spec file or a config file imports. Nothing else is public. */
export { type BenchConfig, defineConfig } from './runner/settings.ts'
export { defineSkillProof, type SkillProof } from './skill/proof.ts'
export { dedent } from './task/dedent.ts'
export { defineTask, type TaskDefinition } from './task/define-task.ts'
export type { CallView, Moment, Order, ReadQuestion, Run } from './task/run.ts'
export { defineSuite, type Suite, type SuiteSpec } from './task/suite.ts'
export type { Cheat, Flag, Hands, Play, Reached, Requirement, Setup, SetupFile, Task, TaskSpec } from './task/task.ts'
export { approximately, dict, raises, tuple } from './task/values.ts'
export type {
  CheckResult,
  CommandRun,
  Expected,
  Past,
  PythonModule,
  SuiteResult,
  VerifyCheck,
  VerifyTools,
  WithFiles,
} from './task/verify.ts'
