/** The public API: what a spec file or a config file imports. Nothing else is public. */
export { type BenchConfig, defineConfig } from './runner/settings.ts'
export { defineSkillProof, type SkillProof } from './skill/proof.ts'
export { dedent } from './task/dedent.ts'
export { defineTask, type TaskDefinition } from './task/define-task.ts'
export type { Random } from './task/random.ts'
export type { CallView, Moment, Order, Reached, ReadQuestion, Run, Share } from './task/run.ts'
export { defineSuite, type Suite, type SuiteSpec } from './task/suite.ts'
export type {
  AnswerFile,
  Cheat,
  Context,
  Flag,
  Hands,
  InconclusiveEnd,
  Mode,
  Play,
  Requirement,
  Setup,
  SetupFile,
  Task,
  TaskSpec,
  ToolsChoice,
  TurnContext,
  UserTurn,
  WorkspaceToolName,
} from './task/task.ts'
export { type Tool, tool, toolError } from './task/tool.ts'
export { approximately, dict, raises, tuple } from './task/values.ts'
export type {
  CheckAnswer,
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
export { stringTools } from './tools/string-tools.ts'
