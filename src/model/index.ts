export {
  discoverServers,
  type FoundServer,
  type ModelCandidate,
  ModelNotChosenError,
  type ModelQuestion,
  type PlannedModel,
  planModel,
  USUAL_PORTS,
} from './discover.ts'
export { labelsOf } from './labels.ts'
export { openChatModel } from './open.ts'
export { createChatModel, DEFAULT_RETRY, type RetryPolicy } from './openai-client.ts'
export { windowProblem } from './preflight.ts'
export { type ProbeOptions, probeServer, type ServedModel, type ServerProbe } from './probe.ts'
export { exchangeKey, planFromRecording, recordExchanges, replayExchanges } from './recording.ts'
