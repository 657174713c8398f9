/** Do calls arrive as calls, whole and unchanged? */
import type { ReplyBody, ToolCall, ToolDefinition } from '../../model/chat-model.ts'
import { bodyOf, CALL_TOKENS, detailOf, type Examiner, isCut, refused, toolsRemedy, user } from '../examiner.ts'
import { broken, degraded, fine, Judged, type Judgement, unclear } from '../finding.ts'

/** The definition of a tool whose arguments are all required. */
export function toolOf(
  name: string,
  description: string,
  properties: Readonly<Record<string, unknown>>,
): ToolDefinition {
  return { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } }
}

export const readFileTool = toolOf('read_file', 'Reads a text file and gives its content.', {
  path: { type: 'string', description: 'Path of the file' },
})

/**
 * What the model said where a call was wanted, asked the way trials ask.
 * @throws Judged where the reply is the server's, or the call came as text
 */
export async function wantCalls(
  examiner: Examiner,
  prompt: string,
  tool: ToolDefinition,
  more: { readonly extraBody?: Readonly<Record<string, unknown>>; readonly isWhole?: boolean } = {},
): Promise<ReplyBody> {
  const reply = await examiner.ask({ messages: prompt, tools: [tool], maxTokens: CALL_TOKENS, ...more })
  const body = bodyOf(reply)
  if (body === null) throw new Judged(refused(reply, 'a request with a tool is refused'))
  if (reply.kind !== 'model_error') return body
  const { detail, reason, remedy } = reply
  if (reason === 'tool_markup_in_text') {
    // A server that has made a call of one reply has a parser for this model: what it leaves in the text is not a call to it.
    if (examiner.seen.some(({ toolCalls }) => toolCalls.length > 0)) {
      const found = `the model wrote this call as text (${detail}), although others of its calls arrive as calls`
      throw new Judged(unclear(found, { markup: true }))
    }
    const found = `a call arrives as text instead of a call: ${detail}`
    throw new Judged(broken(found, toolsRemedy(examiner.plan), { markup: true, arrives: false }))
  }
  if (reason === 'malformed_by_server') {
    const effect = 'a call that the server cannot parse ends the trial as a failure of the model'
    throw new Judged(degraded(detail, effect, remedy, { isUnparsed: true }))
  }
  return body
}

/** What comes, or the judgement that ends the probe. */
const orJudged = <T>(coming: Promise<T>): Promise<T | Judged> =>
  coming.catch((error: unknown) => {
    if (error instanceof Judged) return error
    throw error
  })

const QUESTION = 'Read the file notes.txt with the tool read_file.'
const SECOND_QUESTION = 'What does the file plan.txt say? Look into it with the tool read_file.'
const ASKED_PATH = /(?:notes|plan)\.txt$/

/** A call of the model, with what it said. */
interface MadeCall extends Pick<ReplyBody, 'text' | 'reasoning'> {
  readonly call: ToolCall
  /** What is to be said beside "arrives as a call". */
  readonly how: string
}

/** One call, its result, and an answer to it. */
export async function examineToolCall(examiner: Examiner): Promise<Judgement> {
  const made = await makeCall(examiner)
  await giveResult(examiner, made)
  return arrives(made, ', and its result is taken')
}

/**
 * The same for a short examination: first whether the result of a call is taken, with a call that nobody made, because
 * that shows at once and without the model's help; then whether a call of the model arrives.
 */
export async function examineToolRoundTrip(examiner: Examiner): Promise<Judgement> {
  const call: ToolCall = { id: 'call_1', name: 'read_file', arguments: { valid: true, value: { path: 'notes.txt' } } }
  await giveResult(examiner, { call, text: '', reasoning: null })
  return arrives(await makeCall(examiner), ', and results of calls are taken')
}

const arrives = ({ call, how }: MadeCall, more: string): Judgement =>
  fine(`a call to ${call.name} arrives as a call${how}${more}`, { name: call.name })

/** @throws Judged where the result of a call is refused */
async function giveResult(examiner: Examiner, { call, text, reasoning }: Omit<MadeCall, 'how'>): Promise<void> {
  const messages = [
    user(QUESTION),
    { role: 'assistant', content: text, reasoning, toolCalls: [call] } as const,
    { role: 'tool', toolCallId: call.id, content: 'The meeting is on Tuesday.' } as const,
  ]
  // Whether the conversation is taken shows in the first tokens.
  await examiner.hear({ messages, tools: [readFileTool], maxTokens: 16 }, 'the result of a call is refused')
}

const isAsked = (call: ToolCall | undefined): boolean =>
  call?.name === 'read_file' && call.arguments.valid && ASKED_PATH.test(String(call.arguments.value.path))

const shown = ({ name, arguments: args }: ToolCall): string =>
  `"${name}" with ${(args.valid ? JSON.stringify(args.value) : args.raw).slice(0, 80)}`

/**
 * A call of the model. Where what arrived is not what was asked for, the same is asked for as a whole reply: where that one
 * brings it and a second stream does not, the stream is at fault.
 * @throws Judged with why there is none
 */
async function makeCall(examiner: Examiner): Promise<MadeCall> {
  const startedAt = performance.now()
  const made = await orJudged(callOfStream(examiner))
  const { measured } = made instanceof Judged ? made.judgement : { measured: null }
  const isDoubtful =
    'call' in made ? !isAsked(made.call) : ['markup', 'isUnparsed', 'isGarbled'].some(key => key in (measured ?? {}))
  const tookMs = performance.now() - startedAt
  if (isDoubtful && examiner.plan.stream !== false && examiner.remainingMs() > 2 * tookMs) {
    const comesAsAsked = async (isWhole: boolean): Promise<boolean> => {
      const heard = await orJudged(wantCalls(examiner, QUESTION, readFileTool, { isWhole }))
      return !(heard instanceof Judged) && isAsked(heard.toolCalls[0])
    }
    if ((await comesAsAsked(true)) && !(await comesAsAsked(false))) {
      const came = made instanceof Judged ? made.judgement.found : `a call arrives as ${shown(made.call)}`
      throw new Judged(
        broken(
          `${came}; the same call arrives as asked for when the reply is not streamed`,
          'Set BENCH_STREAM=0, or update the server or the gateway in front of it: its streams are damaged.',
          { arrives: false, isStream: true },
        ),
      )
    }
  }
  if (made instanceof Judged) throw made
  return made
}

async function callOfStream(examiner: Examiner): Promise<MadeCall> {
  let { body, how } = await wantCall(examiner)
  if (body.toolCalls.length === 0) {
    const free = body
    if (isCut(free)) throw new Judged(unclear(`no call within ${CALL_TOKENS} tokens`))
    const toolsInPrompt = await reachesPrompt(examiner, free)
    if (toolsInPrompt === false) {
      const found = 'the tools do not reach the model: with them the prompt has no more tokens than without'
      throw new Judged(broken(found, toolsRemedy(examiner.plan), { toolsInPrompt, arrives: false }))
    }
    body = await wantCalls(examiner, QUESTION, readFileTool, { extraBody: { tool_choice: 'required' } })
    how = ' (only when it was forced)'
    if (body.toolCalls.length === 0) throw new Judged(withoutCall(examiner, free, toolsInPrompt))
  }
  const [call] = body.toolCalls
  if (call === undefined) throw new Judged(unclear('the model made no call'))
  const { name, arguments: args } = call
  if (!args.valid) {
    const found = `a call to ${name} arrives as a call, but its arguments are not a JSON object (${args.problem}), which the model may have written so`
    throw new Judged(unclear(found, { name, isGarbled: true }))
  }
  if (!isAsked(call)) how = `${how}, although not as asked for (${shown(call)})`
  return { call, text: body.text, reasoning: body.reasoning, how }
}

/**
 * What the model did where a call was wanted. A call in the text is asked for once more in other words, because one slip
 * of a model is not yet a missing parser.
 */
async function wantCall(examiner: Examiner): Promise<{ body: ReplyBody; how: string }> {
  const startedAt = performance.now()
  const first = await orJudged(wantCalls(examiner, QUESTION, readFileTool))
  if (!(first instanceof Judged)) return { body: first, how: '' }
  // What is known must not be lost to the deadline.
  const hasTime = examiner.remainingMs() >= 2 * (performance.now() - startedAt)
  if (first.judgement.measured.markup !== true || !hasTime) throw first
  const again = await orJudged(wantCalls(examiner, SECOND_QUESTION, readFileTool))
  if (again instanceof Judged || again.toolCalls.length === 0) throw first
  return { body: again, how: ' (another was written as text by the model)' }
}

/** Whether the tools are part of the prompt, judged by its tokens; null when the server does not count. */
async function reachesPrompt(examiner: Examiner, withTools: ReplyBody): Promise<boolean | null> {
  const without = bodyOf(await examiner.ask({ messages: QUESTION, maxTokens: 1 }))
  const [more, less] = [withTools.stats.promptTokens, without?.stats.promptTokens ?? null]
  return more === null || less === null ? null : more - less >= 8
}

/** Fewer may be marks of the model's own, such as the end of its turn. */
const SWALLOWED_TOKENS = 8

/**
 * No call came, neither when the model was free nor when one was required. Where the tools are in the prompt and the model
 * answers with words, it had the choice: that is about the model.
 */
function withoutCall({ plan }: Examiner, body: ReplyBody, toolsInPrompt: boolean | null): Judgement {
  const { completionTokens } = body.stats
  const measured = { toolsInPrompt, completionTokens }
  const isSilent = `${body.text}${body.reasoning?.text ?? ''}`.trim() === ''
  if (isSilent && completionTokens !== null && completionTokens >= SWALLOWED_TOKENS) {
    return degraded(
      `asked for a call, the model wrote ${completionTokens} tokens of which nothing arrives, neither text nor a call`,
      'calls that the server swallows end trials as failures of the model',
      toolsRemedy(plan),
      { ...measured, arrives: false, isGarbled: true },
    )
  }
  if (toolsInPrompt === true) {
    const answer = isSilent ? 'with nothing' : 'with text'
    const found = `the tools reach the model, which answers ${answer} instead of a call: trials that fail for it are the model's failures`
    return unclear(found, measured)
  }
  return degraded(
    'no call came, neither when the model was free nor when a call was required, and without token counts it does not show whether the tools reach the model',
    'where the tools do not reach the model, every trial fails and says nothing about it',
    toolsRemedy(plan),
    { ...measured, arrives: false },
  )
}

/** Several JSON objects in a row: what is left when a server mixes the pieces of parallel calls. */
const isRunTogether = (call: ToolCall): boolean =>
  !call.arguments.valid && /^\s*\{[\s\S]*\}\s*\{[\s\S]*\}\s*$/.test(call.arguments.raw)

/** Calls of one turn must stay apart and come once each. */
export async function examineSeveralCalls(examiner: Examiner): Promise<Judgement> {
  const prompt = 'Read the two files alpha.txt and beta.txt. Make both calls of read_file at once, in one turn.'
  const { toolCalls: calls } = await wantCalls(examiner, prompt, readFileTool)
  const measured = { calls: calls.length }
  if (calls.some(isRunTogether)) {
    return broken(
      'the arguments of several calls arrive run together in one',
      'Set BENCH_STREAM=0, or update the server (each call needs its own index) or its tool-call parser.',
      measured,
    )
  }
  if (new Set(calls.map(call => JSON.stringify([call.name, call.arguments]))).size < calls.length) {
    // Repetitions under one id, which only a server makes, are dropped where replies are read.
    return unclear(
      `the same call arrives more than once in one turn of ${calls.length}: the model says it again, or the server does`,
      measured,
    )
  }
  if (calls.length >= 2) return fine(`${calls.length} calls of one turn arrive apart`, measured)
  const made = calls.length === 1 ? 'one call' : 'no call'
  return unclear(`the model made ${made} in the turn, so several were not seen`, measured)
}

/** Whether the server makes the model call, or not call, when asked to. Trials leave the choice to the model. */
export async function examineToolChoice(examiner: Examiner): Promise<Judgement> {
  const ask = (choice: string, messages: string) => {
    const extraBody = { tool_choice: choice }
    return examiner.ask({ messages, tools: [readFileTool], maxTokens: CALL_TOKENS, extraBody })
  }
  const required = await ask('required', 'Say hello.')
  const none = await ask('none', QUESTION)
  const effect =
    'none on trials, which leave the choice to the model; agents that force or forbid calls are measured wrongly'
  const [forced, forbidden] = [bodyOf(required), bodyOf(none)]
  if (forced === null || forbidden === null) {
    return degraded(`tool_choice is refused: ${detailOf(forced === null ? required : none)}`, effect, null)
  }
  if (forbidden.toolCalls.length > 0) return degraded('a call came although tool_choice was "none"', effect, null)
  if (forced.toolCalls.length > 0) return fine('tool_choice "required" and "none" are honoured')
  return isCut(forced)
    ? unclear(`with tool_choice "required" no call came within ${CALL_TOKENS} tokens`)
    : degraded('no call came although tool_choice was "required"', effect, null)
}
