export type { ModelCandidate } from './discover.ts'
export {
  discoverServers,
  ModelNotChosenError,
  type ModelQuestion,
  type PlannedModel,
  planModel,
  USUAL_PORTS,
} from './discover.ts'
export { labelsOf } from './labels.ts'
export { openChatModel } from './open.ts'
export { createChatModel, type RetryPolicy } from './openai-client.ts'
export { windowProblem } from './preflight.ts'
export { probeServer } from './probe.ts'
export { planFromRecording } from './recording.ts'
