export {
  discoverServers,
  type FoundServer,
  type ModelQuestion,
  type PlannedModel,
  planModel,
  USUAL_PORTS,
} from './discover.ts'
export { createChatModel, DEFAULT_RETRY, type RetryPolicy } from './openai-client.ts'
export { type ProbeOptions, probeServer, type ServedModel, type ServerProbe } from './probe.ts'
