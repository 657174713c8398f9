import { ConfigError, InfraError } from '../errors.ts'
import type { ChatMessage, ChatModel, Reply, ReplyBody } from '../model/chat-model.ts'
import { createPromptWatch } from '../model/prompt-watch.ts'
import { repairReply } from '../repair/repair-reply.ts'
import type { ToolOutcome } from '../tools/tool-set.ts'
import type { Agent, Ending, EndingReason, RepairOptions, Session } from './agent.ts'

/** Calls of one turn that are run; a model in a loop can send thousands, and `parallel_tool_calls` is not enforced by servers. */
export const MAX_CALLS_PER_TURN = 64
/** So many turns in a row with the same single call and the same result end the trial. */
export const LOOP_LIMIT = 8

/** Counts turns in a row that made one and the same call and got the same result. */
function createLoopGuard(): { readonly isLooping: (reply: ReplyBody, outcomes: readonly ToolOutcome[]) => boolean } {
  let last: string | null = null
  let times = 0
  return {
    isLooping(reply, outcomes) {
      const call = reply.toolCalls[0]
      if (call === undefined || reply.toolCalls.length !== 1) {
        last = null
        return false
      }
      const key = JSON.stringify([call.name, call.arguments, outcomes[0]?.delivered])
      times = key === last ? times + 1 : 1
      last = key
      return times >= LOOP_LIMIT
    },
  }
}

/** Runs the calls of one turn in order and adds their results to the conversation. */
async function runCalls(
  reply: ReplyBody,
  turn: number,
  session: Session,
  messages: ChatMessage[],
): Promise<readonly ToolOutcome[]> {
  const outcomes: ToolOutcome[] = []
  for (const [index, call] of reply.toolCalls.entries()) {
    session.signal.throwIfAborted()
    if (index >= MAX_CALLS_PER_TURN) {
      const content = `Error: only the first ${MAX_CALLS_PER_TURN} tool calls of a turn are run. This one was not.`
      messages.push({ role: 'tool', toolCallId: call.id, content })
      continue
    }
    const outcome = await session.toolbox.call(call.name, call.arguments, { turn, signal: session.signal })
    outcomes.push(outcome)
    messages.push({ role: 'tool', toolCallId: call.id, content: outcome.delivered })
  }
  return outcomes
}

/** What happened, and what could be changed outside of the model. */
const withRemedy = ({ detail, remedy }: { readonly detail: string; readonly remedy: string | null }): string =>
  remedy === null ? detail : `${detail}. ${remedy}`

/** Replies that are not answers stop the trial: faults of the server and mistakes in the configuration. */
function throwFaults(reply: Reply): asserts reply is Exclude<Reply, { readonly kind: 'infra' | 'config' }> {
  if (reply.kind !== 'infra' && reply.kind !== 'config') return
  const Fault = reply.kind === 'infra' ? InfraError : ConfigError
  throw new Fault(reply.detail, { code: reply.code, remedy: reply.remedy })
}

/** Gives the reply to act on in a turn. */
type Listen = (turn: number, messages: readonly ChatMessage[], session: Session) => Promise<Reply>

/** Asks the model. What it says stands as it is. */
const listenStrictly =
  (model: ChatModel): Listen =>
  (_turn, messages, session) =>
    model.complete({ messages, tools: session.toolbox.definitions, seed: session.seed }, session.signal)

/** Hears the strict trial again up to its first call that can be understood, then asks; understands what can be. */
function listenRepairing(model: ChatModel, { heard, onRepair }: RepairOptions): Listen {
  const ask = listenStrictly(model)
  let isSame = true
  return async (turn, messages, session) => {
    const known = isSame ? heard[turn - 1] : undefined
    const reply = known ?? (await ask(turn, messages, session))
    const repaired = repairReply(reply, session.toolbox.definitions, turn)
    if (repaired === null) return reply
    isSame = false
    for (const repair of repaired.repairs) onRepair({ ...repair, turn })
    return repaired.reply
  }
}

/**
 * The agent that loops over a model: prompt, calls, results, until the model answers without a call and the user has nothing
 * more to say.
 * No system prompt is sent unless the session has one, and nothing the model said is repaired.
 */
export function createToolsAgent(model: ChatModel): Agent {
  return {
    name: 'tools',
    run: session => converse(session, listenStrictly(model)),
    repairing: options => ({
      name: 'tools',
      run: session => converse(session, listenRepairing(model, options)),
    }),
  }
}

async function converse(session: Session, listen: Listen): Promise<Ending> {
  const messages: ChatMessage[] = [
    ...(session.system === null ? [] : [{ role: 'system' as const, content: session.system }]),
    { role: 'user', content: session.prompt },
  ]
  const guard = createLoopGuard()
  const cutAfter = createPromptWatch()
  let lastText: string | null = null
  let servedModel: string | null = null
  let tokens = 0
  const ending = (reason: EndingReason, detail: string | null): Ending => ({
    reason,
    finalText: lastText,
    detail,
    servedModel,
  })

  for (let turn = 1; turn <= session.maxTurns; turn += 1) {
    session.signal.throwIfAborted()
    const reply = await listen(turn, messages, session)
    throwFaults(reply)
    session.onReply?.(reply)
    if (reply.kind === 'context_overflow') return ending('context_overflow', withRemedy(reply))
    servedModel = reply.servedModel ?? servedModel
    if (reply.text !== '') lastText = reply.text
    session.emit({
      turn,
      text: reply.text,
      reasoning: reply.reasoning?.text ?? null,
      finishReason: reply.finishReason,
      stats: reply.stats,
      servedModel: reply.servedModel,
    })
    const cut = cutAfter(JSON.stringify(messages).length, reply.stats)
    if (cut !== null) return ending('prompt_cut', cut)
    if (reply.kind === 'model_error') return ending(reply.reason, withRemedy(reply))
    messages.push({ role: 'assistant', content: reply.text, reasoning: reply.reasoning, toolCalls: reply.toolCalls })
    const isAnswer = reply.toolCalls.length === 0
    const said = isAnswer ? await session.reply(reply.text) : null
    if (isAnswer && said === null) return ending('answered', null)
    tokens += (reply.stats.promptTokens ?? 0) + (reply.stats.completionTokens ?? 0)
    if (session.maxTokens !== null && tokens > session.maxTokens) {
      return ending('max_tokens', `${tokens} tokens were used, of ${session.maxTokens} that the task allows`)
    }
    if (said !== null) {
      messages.push({ role: 'user', content: said })
      continue
    }
    const outcomes = await runCalls(reply, turn, session, messages)
    if (guard.isLooping(reply, outcomes)) {
      return ending('loop', `the same call with the same result ${LOOP_LIMIT} times in a row`)
    }
  }
  return ending('max_turns', `no answer within ${session.maxTurns} turns`)
}
