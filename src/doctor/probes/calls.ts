/** Do calls arrive as calls, whole and unchanged? */
import type { ReplyBody, ToolCall, ToolDefinition } from '../../model/chat-model.ts'
import { bodyOf, CALL_TOKENS, type Examiner, isCut, refused, toolsRemedy, user } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'

export const readFileTool: ToolDefinition = {
  name: 'read_file',
  description: 'Reads a text file and gives its content.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Path of the file' } },
    required: ['path'],
  },
}

/** What the model did where a call was wanted: the call, or a judgement that ends the probe. */
type Wanted = { readonly calls: readonly ToolCall[]; readonly body: ReplyBody } | { readonly judgement: Judgement }

/** Asks for a call the way trials do. */
export async function wantCalls(
  examiner: Examiner,
  prompt: string,
  tool: ToolDefinition,
  extraBody?: Readonly<Record<string, unknown>>,
): Promise<Wanted> {
  const reply = await examiner.ask({
    messages: [user(prompt)],
    tools: [tool],
    maxTokens: CALL_TOKENS,
    ...(extraBody === undefined ? {} : { extraBody }),
  })
  const body = bodyOf(reply)
  if (body === null) return { judgement: refused(reply, 'a request with a tool is refused') }
  if (reply.kind === 'model_error' && reply.reason === 'tool_markup_in_text') {
    // A server that has made a call of one reply has a parser for this model: what it leaves in the text is no call to it.
    if (examiner.seen.some(({ toolCalls }) => toolCalls.length > 0)) {
      return {
        judgement: unclear(
          `the model wrote this call as text (${reply.detail}), although others of its calls arrive as calls`,
          { markup: true },
        ),
      }
    }
    return {
      judgement: broken(`a call arrives as text instead of a call: ${reply.detail}`, toolsRemedy(examiner.plan), {
        markup: true,
        arrives: false,
      }),
    }
  }
  if (reply.kind === 'model_error' && reply.reason === 'malformed_by_server') {
    return {
      judgement: degraded(
        reply.detail,
        'a call that the server cannot parse ends the trial as a failure of the model',
        'Update the server, or start it with a template and parser made for this model.',
      ),
    }
  }
  return { calls: body.toolCalls, body }
}

/** Whether the tools are part of the prompt, judged by its tokens; null when the server does not count. */
async function reachesPrompt(examiner: Examiner, withTools: ReplyBody, prompt: string): Promise<boolean | null> {
  const without = bodyOf(await examiner.ask({ messages: [user(prompt)], maxTokens: 1 }))
  const [more, less] = [withTools.stats.promptTokens, without?.stats.promptTokens ?? null]
  return more === null || less === null ? null : more - less >= 8
}

const ANSWER_TOKENS = 16
const QUESTION = 'Read the file notes.txt with the tool read_file.'

/** One call, its result, and an answer to it. */
export async function examineToolCall(examiner: Examiner): Promise<Judgement> {
  const made = await makeCall(examiner)
  if ('judgement' in made) return made.judgement
  return (await refusalOfResult(examiner, made)) ?? made.fine(', and its result is taken')
}

/**
 * The same for a short examination: first whether the result of a call is taken, with a call that nobody made, because
 * that shows at once and without the model's help; then whether a call of the model arrives.
 */
export async function examineToolRoundTrip(examiner: Examiner): Promise<Judgement> {
  const call: ToolCall = { id: 'call_1', name: 'read_file', arguments: { valid: true, value: { path: 'notes.txt' } } }
  const refusal = await refusalOfResult(examiner, { call, text: '', reasoning: null })
  if (refusal !== null) return refusal
  const made = await makeCall(examiner)
  return 'judgement' in made ? made.judgement : made.fine(', and results of calls are taken')
}

interface MadeCall {
  readonly call: ToolCall
  readonly text: string
  readonly reasoning: ReplyBody['reasoning']
}

async function refusalOfResult(examiner: Examiner, { call, text, reasoning }: MadeCall): Promise<Judgement | null> {
  const answer = await examiner.ask({
    messages: [
      user(QUESTION),
      { role: 'assistant', content: text, reasoning, toolCalls: [call] },
      { role: 'tool', toolCallId: call.id, content: 'The meeting is on Tuesday.' },
    ],
    tools: [readFileTool],
    // Whether the conversation is taken shows in the first token.
    maxTokens: ANSWER_TOKENS,
  })
  return bodyOf(answer) === null ? refused(answer, 'the result of a call is refused') : null
}

const SECOND_QUESTION = 'What does the file plan.txt say? Look into it with the tool read_file.'

/**
 * What the model did where a call was wanted. A call in the text is asked for once more in other words, because one slip
 * of a model is not yet a missing parser.
 */
async function wantCall(examiner: Examiner): Promise<{ readonly wanted: Wanted; readonly how: string }> {
  const startedAt = performance.now()
  const wanted = await wantCalls(examiner, QUESTION, readFileTool)
  const tookMs = performance.now() - startedAt
  const isLeak = 'judgement' in wanted && wanted.judgement.measured.markup === true
  // What is known must not be lost to the deadline.
  if (!isLeak || examiner.remainingMs() < 2 * tookMs) return { wanted, how: '' }
  const again = await wantCalls(examiner, SECOND_QUESTION, readFileTool)
  if ('judgement' in again || again.calls.length === 0) return { wanted, how: '' }
  return { wanted: again, how: ' (another was written as text by the model)' }
}

/** A sound call of the model, or the judgement on why there is none. */
async function makeCall(
  examiner: Examiner,
): Promise<(MadeCall & { readonly fine: (more: string) => Judgement }) | { readonly judgement: Judgement }> {
  const { wanted: first, how: howFirst } = await wantCall(examiner)
  if ('judgement' in first) return first
  let { calls } = first
  let how = howFirst
  if (calls.length === 0) {
    if (isCut(first.body)) return { judgement: unclear(`no call within ${CALL_TOKENS} tokens`) }
    const toolsInPrompt = await reachesPrompt(examiner, first.body, QUESTION)
    if (toolsInPrompt === false) {
      return {
        judgement: broken(
          'the tools do not reach the model: with them the prompt has no more tokens than without',
          toolsRemedy(examiner.plan),
          { toolsInPrompt, arrives: false },
        ),
      }
    }
    const forced = await wantCalls(examiner, QUESTION, readFileTool, { tool_choice: 'required' })
    if ('judgement' in forced) return forced
    calls = forced.calls
    how = ' (only when it was forced)'
    if (calls.length === 0) return { judgement: withoutCall(examiner, first.body, toolsInPrompt) }
  }
  const call = calls[0]
  if (call === undefined) return { judgement: unclear('the model made no call') }
  if (!call.arguments.valid) {
    return {
      judgement: unclear(
        `a call to ${call.name} arrives as a call, but its arguments are not a JSON object (${call.arguments.problem}), which the model may have written so`,
        { name: call.name },
      ),
    }
  }
  return {
    call,
    text: first.body.text,
    reasoning: first.body.reasoning,
    fine: more => fine(`a call to ${call.name} arrives as a call${how}${more}`, { name: call.name }),
  }
}

/** Fewer may be marks of the model's own, such as the end of its turn. */
const SWALLOWED_TOKENS = 8

/**
 * No call came, neither when the model was free nor when one was required. Where the tools are in the prompt and the model
 * answers with words, it had the choice: that is about the model.
 */
function withoutCall(examiner: Examiner, body: ReplyBody, toolsInPrompt: boolean | null): Judgement {
  const { completionTokens } = body.stats
  const measured = { toolsInPrompt, completionTokens }
  const isSilent = body.text.trim() === '' && (body.reasoning === null || body.reasoning.text.trim() === '')
  if (isSilent && completionTokens !== null && completionTokens >= SWALLOWED_TOKENS) {
    return degraded(
      `asked for a call, the model wrote ${completionTokens} tokens of which nothing arrives, neither text nor a call`,
      'calls that the server swallows end trials as failures of the model',
      toolsRemedy(examiner.plan),
      { ...measured, arrives: false },
    )
  }
  if (toolsInPrompt === true) {
    return unclear(
      `the tools reach the model, which answers ${isSilent ? 'with nothing' : 'with text'} instead of a call: trials that fail for it are the model's failures`,
      measured,
    )
  }
  return degraded(
    'no call came, neither when the model was free nor when a call was required, and without token counts it does not show whether the tools reach the model',
    'where the tools do not reach the model, every trial fails and says nothing about it',
    toolsRemedy(examiner.plan),
    { ...measured, arrives: false },
  )
}

/** Several JSON objects in a row: what is left when a server mixes the pieces of parallel calls. */
const isRunTogether = (call: ToolCall): boolean =>
  !call.arguments.valid && /^\s*\{[\s\S]*\}\s*\{[\s\S]*\}\s*$/.test(call.arguments.raw)

/** Calls of one turn must stay apart and come once each. */
export async function examineSeveralCalls(examiner: Examiner): Promise<Judgement> {
  const wanted = await wantCalls(
    examiner,
    'Read the two files alpha.txt and beta.txt. Make both calls of read_file at once, in one turn.',
    readFileTool,
  )
  if ('judgement' in wanted) return wanted.judgement
  const { calls } = wanted
  const measured = { calls: calls.length }
  if (calls.some(isRunTogether)) {
    return broken(
      'the arguments of several calls arrive run together in one',
      'Update the server (each call needs its own index), or its tool-call parser.',
      measured,
    )
  }
  const texts = calls.map(call => JSON.stringify([call.name, call.arguments]))
  if (new Set(texts).size < texts.length) {
    // Repetitions under one id, which only a server makes, are dropped where replies are read.
    return unclear(
      `the same call arrives more than once in one turn of ${texts.length}: the model says it again, or the server does`,
      measured,
    )
  }
  if (calls.length < 2)
    return unclear(
      `the model made ${calls.length === 1 ? 'one call' : 'no call'} in the turn, so several were not seen`,
      measured,
    )
  return fine(`${calls.length} calls of one turn arrive apart`, measured)
}

/** Whether the server makes the model call, or not call, when told to. Trials leave the choice to the model. */
export async function examineToolChoice(examiner: Examiner): Promise<Judgement> {
  const ask = (choice: string, prompt: string) =>
    examiner.ask({
      messages: [user(prompt)],
      tools: [readFileTool],
      maxTokens: CALL_TOKENS,
      extraBody: { tool_choice: choice },
    })
  const required = await ask('required', 'Say hello.')
  const none = await ask('none', 'Read the file notes.txt with the tool read_file.')
  const effect =
    'none on trials, which leave the choice to the model; agents that force or forbid calls are measured wrongly'
  const [forced, forbidden] = [bodyOf(required), bodyOf(none)]
  if (forced === null || forbidden === null) {
    const reply = forced === null ? required : none
    return degraded(
      `tool_choice is refused: ${reply.kind === 'infra' || reply.kind === 'config' ? reply.detail : reply.kind}`,
      effect,
      null,
    )
  }
  if (forbidden.toolCalls.length > 0) return degraded('a call came although tool_choice was "none"', effect, null)
  if (forced.toolCalls.length > 0) return fine('tool_choice "required" and "none" are honoured')
  return isCut(forced)
    ? unclear(`with tool_choice "required" no call came within ${CALL_TOKENS} tokens`)
    : degraded('no call came although tool_choice was "required"', effect, null)
}
