/** What a reply would have been had leaked and slightly malformed calls been understood. Pure; only for the repaired score. */
import type { Reply, ReplyBody, ToolCall, ToolDefinition } from '../model/chat-model.ts'
import { repairArguments } from './repair-json.ts'
import { readToolMarkup } from './tool-markup-calls.ts'

/** One call that was understood although it did not come as a sound one. */
export interface CallRepair {
  readonly tool: string
  /** The grammar it was written in as text; null for a call that came as one. */
  readonly grammar: string | null
  /** What of its JSON was repaired; empty where that was sound. */
  readonly repairs: readonly string[]
}

export interface RepairedReply {
  readonly reply: { readonly kind: 'ok' } & ReplyBody
  readonly repairs: readonly CallRepair[]
}

/**
 * The reply with its calls understood, or null where there is nothing to understand (it is sound) or nothing can be.
 * @param turn makes the ids of calls unique in a conversation; they have nine letters and digits, as some servers demand
 */
export function repairReply(reply: Reply, tools: readonly ToolDefinition[], turn: number): RepairedReply | null {
  if (reply.kind === 'ok') return repairCalls(reply)
  if (reply.kind !== 'model_error') return null
  if (reply.reason === 'tool_markup_in_text') return readLeak(reply, reply.text, tools, turn)
  if (reply.reason === 'empty_reply') return readLeak(reply, reply.reasoning?.text ?? '', tools, turn)
  return null
}

/** Whether a reply held markup that a parser of its server should have read. */
export function isLeak(reply: Reply): boolean {
  return reply.kind === 'model_error' && reply.reason === 'tool_markup_in_text'
}

function readLeak(body: ReplyBody, text: string, tools: readonly ToolDefinition[], turn: number): RepairedReply | null {
  const found = readToolMarkup(text, tools)
  if (found === null) return null
  const { grammar, calls, before } = found
  const toolCalls = calls.map(({ name, args }, index): ToolCall => {
    const id = `r${String(turn).padStart(4, '0').slice(-4)}${String(index).padStart(4, '0')}`
    return { id, name: name.toWellFormed(), arguments: { valid: true, value: args } }
  })
  return {
    reply: { ...onlyBody(body), kind: 'ok', text: body.text === text ? before : body.text, toolCalls },
    repairs: calls.map(({ name, repairs }) => ({ tool: name, grammar, repairs })),
  }
}

function repairCalls(reply: ReplyBody): RepairedReply | null {
  const repairs: CallRepair[] = []
  const toolCalls = reply.toolCalls.map((call): ToolCall => {
    const found = call.arguments.valid ? null : repairArguments(call.arguments.raw)
    if (found === null) return call
    repairs.push({ tool: call.name, grammar: null, repairs: found.repairs })
    return { ...call, arguments: { valid: true, value: found.value } }
  })
  return repairs.length === 0 ? null : { reply: { ...onlyBody(reply), kind: 'ok', toolCalls }, repairs }
}

const onlyBody = ({ text, reasoning, toolCalls, finishReason, stats, servedModel }: ReplyBody): ReplyBody => ({
  text,
  reasoning,
  toolCalls,
  finishReason,
  stats,
  servedModel,
})
