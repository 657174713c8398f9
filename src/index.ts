/** The public API: what a spec file or a config file imports. Nothing else is public. */
export { type BenchConfig, defineConfig } from './runner/settings.ts'
export { dedent } from './spec/dedent.ts'
export { defineTask, type TaskDefinition } from './spec/define-task.ts'
export type { CallView, Moment, Order, ReadQuestion, Run } from './spec/run.ts'
export { defineSkillProof, type SkillProof } from './spec/skill/proof.ts'
export type { Cheat, Flag, Hands, Play, Reached, Requirement, Setup, SetupFile, Task, TaskSpec } from './spec/task.ts'
export { approximately, dict, raises, tuple } from './spec/values.ts'
export type { CheckResult, Expected, PythonModule, VerifyCheck, VerifyTools } from './spec/verify.ts'
