/** Public as `agent-bench/proving`: what authors prove a task with. Ordinary ways to do a step, and classes of cheats. */
export { type Call, callsThen, callsThenWrite, losing } from './calls.ts'
export { forgedReport } from './forged-report.ts'
export { textsOf } from './hidden-values.ts'
export { failuresNobodySaw, passesNobodySaw, type RiggedRun, riggedRuns } from './unseen-runs.ts'
export { combineWays, type LineEdit, shell, type Way, waysToEdit, waysToRead, waysToRunTests } from './ways.ts'
export { waysToWrite } from './ways-to-write.ts'
export { type WrongModuleOptions, wrongModules } from './wrong-modules.ts'
