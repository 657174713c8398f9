import type { Reply } from '../src/model/chat-model.ts'

/** `ok`, or the kind of a reply with what decides it: `model_error empty_reply`, `infra server_error`. */
export function classOf(reply: Reply): string {
  if (reply.kind === 'model_error') return `model_error ${reply.reason}`
  if (reply.kind === 'infra' || reply.kind === 'config') return `${reply.kind} ${reply.code}`
  return reply.kind
}
