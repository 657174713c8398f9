/** Does a conversation go on: history, results, reasoning, ends and cuts, abort, repetition? */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatMessage, ReplyBody, ToolCall } from '../../model/chat-model.ts'
import { bodyOf, detailOf, type Examiner, filler, isCut, refused, user } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'
import { readFileTool } from './calls.ts'

const callOf = (id: string, args: ToolCall['arguments']): ToolCall => ({ id, name: 'read_file', arguments: args })
const reading = (id: string, path: string) => callOf(id, { valid: true, value: { path } })
const result = (toolCallId: string, content: string): ChatMessage => ({ role: 'tool', toolCallId, content })

/** A history as trials have it: two calls in a turn, a call whose arguments were not JSON, reasoning, text beyond ASCII. */
function history(hasReasoning: boolean): readonly ChatMessage[] {
  const text = 'First I look at the files.'
  const turn = (content: string, ...toolCalls: readonly ToolCall[]): ChatMessage => ({
    role: 'assistant',
    content,
    reasoning: hasReasoning ? { field: 'reasoning_content', text } : null,
    toolCalls,
  })
  return [
    user('Read the files alpha.txt and beta.txt.'),
    turn('', reading('call_a', 'alpha.txt'), reading('call_b', 'beta.txt')),
    result('call_a', 'Grüße, 世界 🙂'),
    result('call_b', 'Error: there is no such file'),
    turn('I try another one.', callOf('call_c', { valid: false, raw: '{"path', problem: 'cut' })),
    result('call_c', 'Error: the arguments are not JSON'),
  ]
}

/** A history that the server refuses would end every trial after its first turn. */
export async function examineReplay(examiner: Examiner): Promise<Judgement> {
  const about = (reasoning: boolean) => ({ messages: history(reasoning), tools: [readFileTool], maxTokens: 32 })
  const reply = await examiner.ask(about(true))
  if (bodyOf(reply) !== null || (reply.kind === 'context_overflow' && examiner.plan.server.contextTokens !== null)) {
    return fine('a history of calls, results, reasoning and a malformed call is taken')
  }
  await examiner.hear(about(false), 'a conversation with calls and results is refused')
  return broken(
    `reasoning in the history is refused: ${detailOf(reply)}`,
    'Turn reasoning off for this model, or update the server: it must take back the reasoning it sends.',
  )
}

const RESULT_WORDS = 200

/** A template without a place for tool results drops them: the model calls again and again and never sees an answer. */
export async function examineToolResult(examiner: Examiner): Promise<Judgement> {
  const tokensWith = async (content: string): Promise<number | null> => {
    const messages: readonly ChatMessage[] = [
      user('Read the file alpha.txt.'),
      { role: 'assistant', content: '', reasoning: null, toolCalls: [reading('call_a', 'alpha.txt')] },
      result('call_a', content),
    ]
    const question = { messages, tools: [readFileTool], maxTokens: 1 }
    return (await examiner.hear(question, 'the result of a call is refused')).stats.promptTokens
  }
  const [before, after] = [await tokensWith('one'), await tokensWith(filler(RESULT_WORDS))]
  if (before === null || after === null) return unclear('the server does not count the tokens of a prompt')
  const measured = { shortPromptTokens: before, longPromptTokens: after }
  if (after - before >= RESULT_WORDS / 2) return fine('the results of calls reach the model', measured)
  return broken(
    `the results of calls do not reach the model: ${RESULT_WORDS} words in one make the prompt ${after - before} tokens longer`,
    'Start the server with a chat template that has tool results (llama-server: --chat-template-file; Ollama: a model whose TEMPLATE has the role "tool").',
    measured,
  )
}

/** At the very start, or closed: templates often write the opening tag themselves. */
const THINKING_TAGS = /^\s*(?:<think(?:ing)?>|<\|channel\|>\s*analysis|\[THINK\])|<\/think(?:ing)?>|\[\/THINK\]/

/** Reasoning belongs into its own field; left in the text it is taken for the answer. */
export async function examineReasoning(examiner: Examiner): Promise<Judgement> {
  const question = { messages: 'How much is 17 times 23? Think first.', maxTokens: 512 }
  await examiner.hear(question, 'a question is refused')
  const leaking = examiner.seen.filter(body => THINKING_TAGS.test(body.text)).length
  // A server that does not separate reasoning leaves it in every reply; one reply may be a slip of the model.
  if (leaking === 1) {
    return unclear(`one reply of ${examiner.seen.length} holds tags of reasoning in its text, the others do not`)
  }
  if (leaking > 1) {
    return degraded(
      'reasoning arrives inside of the text',
      'it counts as the answer, is sent back with every turn and fills the window',
      'Let the server separate it (llama-server --reasoning-format auto, vLLM --reasoning-parser, LM Studio "separate reasoning"), or turn it off with BENCH_EXTRA_BODY.',
    )
  }
  const field = examiner.seen.find(body => body.reasoning !== null)?.reasoning?.field
  if (field === undefined) return fine('no reasoning was seen')
  return fine(`reasoning arrives in the field ${field}`, { field })
}

/** The end of a reply must be reported: without it a broken connection looks like an answer. */
export async function examineStopReason(examiner: Examiner): Promise<Judgement> {
  const reply = await examiner.ask({ messages: 'Answer with the word yes.', maxTokens: 512 })
  if (reply.kind === 'infra' && (reply.code === 'stream_dropped' || reply.code === 'empty_stream')) {
    return broken(
      `replies end without being ended: ${reply.detail}`,
      'Update the server, or look for a proxy that cuts streams: every reply would count as a lost connection.',
    )
  }
  const body = bodyOf(reply)
  if (body === null) return refused(reply, 'a question is refused')
  if (isCut(body)) return unclear('the model did not stop within 512 tokens')
  const { finishReason } = body
  if (finishReason !== null) return fine(`a whole answer ends with finish_reason "${finishReason}"`, { finishReason })
  const effect = 'answers that were cut look like whole ones'
  return degraded('a reply that is over has no finish_reason', effect, 'Update the server.')
}

const CUT_TOKENS = 2
/** The longest tokens that are written in a row, white space of deeply indented text, have 64 characters. */
const MOST_CUT_CHARACTERS = CUT_TOKENS * 64
/** Enough to see that an answer goes on where a limit of two tokens ended it. */
const WHOLE_TOKENS = 32

const saidBy = (body: ReplyBody): string => `${body.reasoning?.text ?? ''}${body.text}`.trim()

/**
 * The output limit must cut, and the cut must be reported. An answer that is no longer than the limit shows nothing: then the
 * limit is lowered, and only an answer that goes on where the limit ended it is held against the server.
 */
export async function examineLengthStop(examiner: Examiner): Promise<Judgement> {
  // The same answer each time, as far as the server can: only then is a longer one the rest of a cut one.
  const about = (maxTokens: number) => ({ messages: 'Count from 1 to 200, in words.', maxTokens, temperature: 0 })
  const limited: ReplyBody[] = []
  for (const limit of [CUT_TOKENS, 1]) {
    const body = await examiner.hear(about(limit), `a request with an output limit of ${limit} is refused`)
    limited.push(body)
    const { finishReason } = body
    const written = body.stats.completionTokens
    const measured = { limit, completionTokens: written, finishReason }
    const characters = saidBy(body).length
    if ((written !== null && written > CUT_TOKENS + 2) || characters > MOST_CUT_CHARACTERS) {
      const much = written === null ? `${characters} characters, tokens unknown` : `${written} tokens`
      return degraded(
        `an output limit of ${limit} is not kept (${much})`,
        'a model that never stops holds a trial until its deadline',
        'Set a limit in the server itself (llama-server -n, Ollama num_predict).',
        measured,
      )
    }
    if (isCut(body)) return fine('the output limit cuts, and the cut is reported', measured)
  }
  const [first] = limited
  const whole = bodyOf(await examiner.ask(about(WHOLE_TOKENS)))
  const { finishReason = null, stats } = first ?? {}
  const completionTokens = stats?.completionTokens ?? null
  const measured = { completionTokens, wholeTokens: whole?.stats.completionTokens ?? null, finishReason }
  const [start, all] = [first, whole].map(body => (body === undefined || body === null ? '' : saidBy(body)))
  const goesOn = start && all?.startsWith(start) && all.length > start.length
  if (!goesOn || (completionTokens !== null && completionTokens < CUT_TOKENS)) {
    return unclear("the model's whole answer is as short as the limit, so no cut was seen", measured)
  }
  return degraded(
    `an answer cut after ${CUT_TOKENS} tokens ends with finish_reason "${finishReason}"`,
    'cut answers are judged as if the model had meant them so',
    'Update the server.',
    measured,
  )
}

const ABORT_AFTER_MS = 300
const ABORT_GRACE_MS = 1_500

/** A request that is given up must free its slot, or the next trial waits for it. */
export async function examineAbort(examiner: Examiner): Promise<Judgement> {
  const tinyMs = async (when: string): Promise<number> => {
    const startedAt = performance.now()
    await examiner.hear({ messages: 'Say hi.', maxTokens: 1 }, `a short request is refused ${when}`)
    return Math.round(performance.now() - startedAt)
  }
  const beforeMs = await tinyMs('before one is given up')
  const given = new AbortController()
  const reason = new Error('given up by the examination')
  const messages = 'Count from 1 to 1000, in words.'
  const isOver = examiner.ask({ messages, maxTokens: 1_000, runsOn: true, signal: given.signal }).then(
    () => true,
    (error: unknown) => {
      if (error !== reason) throw error
      return false
    },
  )
  await Promise.race([isOver, sleep(ABORT_AFTER_MS + beforeMs)])
  given.abort(reason)
  if (await isOver) return unclear('the reply was over before it could be given up')
  const afterMs = await tinyMs('after one was given up')
  const measured = { beforeMs, afterMs }
  if (afterMs <= beforeMs * 2 + ABORT_GRACE_MS) return fine('a request that is given up frees the server', measured)
  return degraded(
    `after a request that was given up the next one takes ${afterMs} ms instead of ${beforeMs}`,
    'a trial that is stopped goes on in the server and slows the next one down',
    'Update the server, or remove the proxy that keeps the connection open.',
    measured,
  )
}

const REPEATS = 3

/** The same request, seed and temperature 0: the same answer? */
export async function examineDeterminism(examiner: Examiner): Promise<Judgement> {
  const texts = new Set<string>()
  const question = { messages: 'Write one sentence about the sea.', maxTokens: 32, temperature: 0, seed: 7 }
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const body = await examiner.hear(question, 'a question at temperature 0 is refused')
    texts.add(`${body.reasoning?.text ?? ''}\n${body.text}`)
  }
  const measured = { repeats: REPEATS, different: texts.size }
  if (texts.size === 1) return fine(`temperature 0 and one seed give the same answer ${REPEATS} times`, measured)
  return degraded(
    `temperature 0 and one seed give ${texts.size} different answers in ${REPEATS} tries`,
    'a trial cannot be repeated by its seed; rates stay valid, single trials do not',
    `Run one request at a time; llama-server: BENCH_EXTRA_BODY='{"cache_prompt":false}'.`,
    measured,
  )
}
