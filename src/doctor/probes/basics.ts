/** Does it answer, as the model that was asked for, with truthful counts? */
import type { ReplyBody } from '../../model/chat-model.ts'
import { bodyOf, type Examiner, filler, refused, uniqueOpening } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'

/**
 * A reply of a single token: everything else needs it.
 * @param words of filler in the prompt, just enough to gauge how fast the server reads and how many tokens a word is at
 *   most, so that a prompt that fills the window is neither too long for it nor for the time there is
 */
export async function examineReadiness(examiner: Examiner, words = 0): Promise<Judgement> {
  const messages = words === 0 ? 'Say hi.' : `${uniqueOpening()} ${filler(words)}\nSay hi.`
  const startedAt = performance.now()
  const what = 'the server does not answer a request for one token'
  const { stats } = await examiner.hear({ messages, maxTokens: 1 }, what)
  const elapsedMs = Math.round(performance.now() - startedAt)
  const { promptTokens, promptTokensPerSecond, firstTokenMs } = stats
  if (words > 0 && promptTokens !== null && promptTokens >= words) {
    examiner.gauge = { words, tokens: promptTokens }
    const readMs = Math.max(1, firstTokenMs ?? stats.elapsedMs)
    examiner.promptTokensPerSecond = promptTokensPerSecond ?? (promptTokens * 1_000) / readMs
  }
  return fine(`answers a request for one token in ${elapsedMs} ms`, { elapsedMs })
}

const plainName = (name: string): string =>
  (name.split(/[\\/]/).at(-1) ?? name).toLowerCase().replace(/\.gguf$|:latest$/, '')

/** Servers name a model by alias, file or repository: a name counts when one is part of the other. */
export async function examineModel(examiner: Examiner): Promise<Judgement> {
  const asked = examiner.plan.model
  const last = examiner.seen.at(-1) ?? bodyOf(await examiner.ask({ messages: 'Say hi.', maxTokens: 1 }))
  const served = last?.servedModel ?? null
  if (served === null) return fine(`the server does not say which model answers; "${asked}" was asked for`, { asked })
  const [a, b] = [plainName(asked), plainName(served)]
  if (a.includes(b) || b.includes(a)) return fine(`"${served}" answers`, { asked, served })
  return degraded(
    `"${asked}" was asked for, and the server says that "${served}" answers`,
    `results are filed under "${asked}" although another model may have made them`,
    `Ask for what is served (BENCH_MODEL=${served}), or load "${asked}".`,
    { asked, served },
  )
}

const USAGE_WORDS = 200
const USAGE_LIMIT = 8

/** Counts must be there, grow with the prompt, and stay within the output limit. */
export async function examineUsage(examiner: Examiner): Promise<Judgement> {
  const hear = (words: number) => {
    const messages = `${filler(words)}\nCount from 1 to 100.`
    return examiner.hear({ messages, maxTokens: USAGE_LIMIT }, `a request of ${words} words is refused`)
  }
  const { promptTokens: before } = (await hear(1)).stats
  const { text, stats } = await hear(1 + USAGE_WORDS)
  const { promptTokens: after, completionTokens: written } = stats
  const measured = { shortPromptTokens: before, longPromptTokens: after, completionTokens: written }
  const effect = 'token counts, rates and the check of the context window are missing or wrong in the results'
  const wrong = (found: string, remedy: string) => degraded(found, effect, `Update the server${remedy}.`, measured)
  if (before === null || after === null || written === null) {
    return wrong('the server does not report its token counts', ': it should honour stream_options.include_usage')
  }
  const grown = after - before
  if (grown < USAGE_WORDS / 2) {
    const found = `${USAGE_WORDS} words more in the prompt are reported as ${grown} tokens more`
    return wrong(found, ': prompt_tokens must count the whole prompt, cached tokens included')
  }
  examiner.tokensPerWord = grown / USAGE_WORDS
  if (written > USAGE_LIMIT + 1 || (written === 0 && text !== '')) {
    const found = `an answer limited to ${USAGE_LIMIT} tokens is reported as ${written} tokens`
    return wrong(found, ', or do not rely on its token counts')
  }
  return fine(`token counts are reported and grow with the prompt (${before} and ${after} tokens)`, measured)
}

/** A rate of fewer tokens is mostly the time that a server takes to begin and to end a reply. */
const RATE_TOKENS = 16
/** Used where a server does not count what it writes. */
const GUESSED_CHARACTERS_PER_TOKEN = 4

function isLongEnough({ stats, text, reasoning }: ReplyBody): boolean {
  const characters = text.length + (reasoning?.text.length ?? 0)
  return (stats.completionTokens ?? characters / GUESSED_CHARACTERS_PER_TOKEN) >= RATE_TOKENS
}

/** Tokens per second of reading and writing; null where a reply does not tell. */
function speedOf(body: ReplyBody) {
  const { completionTokens, promptTokens, firstTokenMs, elapsedMs, ...rates } = body.stats
  const perSecond = (tokens: number | null, milliseconds: number) =>
    tokens !== null && milliseconds > 0 ? (tokens * 1_000) / milliseconds : null
  const written = completionTokens === null ? null : completionTokens - 1
  const ownRate = firstTokenMs === null ? null : perSecond(written, elapsedMs - firstTokenMs)
  return {
    decode: isLongEnough(body) ? (rates.decodeTokensPerSecond ?? ownRate) : null,
    read: rates.promptTokensPerSecond ?? perSecond(promptTokens, firstTokenMs ?? 0),
    firstTokenMs,
  }
}

/**
 * A machine that was busy for a moment is not slow: only the best of so many measurements can say so. Where a model
 * answers one in a few words, it may have more to say to the next.
 */
const SPEED_TASKS = ['Count from 1 to 100.', 'Tell a long story about the sea.', 'Count from 1 to 100, in words.']
/** Below this a trial of twenty turns takes the better part of ten minutes and more. */
const SLOW_TOKENS_PER_SECOND = 12
const TRIAL_TOKENS = 6_000

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10)
const rate = (value: number | null): string => (value === null ? 'at an unknown rate' : `${rounded(value)} tokens/s`)

/** How fast it reads and writes; the deadline of a trial is what a slow server runs into. */
export async function examineSpeed(examiner: Examiner): Promise<Judgement> {
  let best: Partial<ReturnType<typeof speedOf>> = {}
  let isTooShort = false
  let longest = 0
  for (const [index, task] of SPEED_TASKS.entries()) {
    const messages = `${uniqueOpening()} ${filler(300)}\n${task}`
    const reply = await examiner.ask({ messages, maxTokens: 48, runsOn: isTooShort })
    const body = bodyOf(reply)
    // A grammar of the request may leave nothing to write where the end is forbidden: that is not a fault of the server.
    if (body === null && isTooShort) break
    if (body === null) return refused(reply, 'a request of 300 words is refused')
    const speed = speedOf(body)
    isTooShort = !isLongEnough(body)
    longest = Math.max(longest, body.stats.completionTokens ?? 0)
    if (index === 0 || (speed.decode ?? 0) > (best.decode ?? 0)) best = speed
    // What is left of the time must do for another one.
    if ((best.decode ?? 0) >= SLOW_TOKENS_PER_SECOND || examiner.remainingMs() < body.stats.elapsedMs * 1.5) break
  }
  const { read = null, decode = null, firstTokenMs = null } = best
  examiner.promptTokensPerSecond = read
  const measured = {
    promptTokensPerSecond: rounded(read),
    decodeTokensPerSecond: rounded(decode),
    firstTokenMs: rounded(firstTokenMs),
  }
  if (decode === null) {
    const found = `no reply was long enough to measure a speed: ${RATE_TOKENS} tokens are needed, ${longest} came`
    return unclear(found, measured)
  }
  const said = `reads ${rate(read)} and writes ${rate(decode)}`
  if (decode >= SLOW_TOKENS_PER_SECOND) return fine(said, measured)
  const minutes = Math.ceil(TRIAL_TOKENS / decode / 60)
  return degraded(
    said,
    `a trial in which the model writes ${TRIAL_TOKENS.toLocaleString('en-US')} tokens takes about ${minutes} minutes and may end at its deadline`,
    'Raise BENCH_TRIAL_TIMEOUT and BENCH_REQUEST_TIMEOUT (seconds), or use a smaller model, a smaller quantisation or a GPU.',
    measured,
  )
}

const counted = (slots: number): string => (slots === 1 ? 'one slot' : `${slots} slots`)

/** Several trials at once need as many slots. */
export async function examineSlots(examiner: Examiner): Promise<Judgement> {
  const { workers, plan } = examiner
  const { slots } = plan.server
  const measured = { slots, workers }
  if (workers === 1) {
    const found = slots === null ? 'one trial at a time needs one slot' : `${counted(slots)}, one trial at a time`
    return fine(found, measured)
  }
  const tooFew = (found: string): Judgement =>
    degraded(
      found,
      'trials wait for each other: times to the first token and elapsed times say nothing about the model',
      `Run one trial at a time (BENCH_WORKERS=1), or give the server ${workers} slots (llama-server --parallel ${workers}, with ${workers} times the context; Ollama OLLAMA_NUM_PARALLEL).`,
      measured,
    )
  if (slots !== null) {
    const found = `${counted(slots)} for ${workers} workers`
    return slots >= workers ? fine(found, measured) : tooFew(found)
  }
  const ask = async (seed: number) =>
    bodyOf(await examiner.ask({ messages: 'Count from 1 to 100.', maxTokens: 48, seed }))
  const alone = await ask(1)
  const both = await Promise.all([ask(2), ask(3)])
  if (alone === null || both.includes(null)) {
    const remedy = "Look into the server's log, or run one trial at a time (BENCH_WORKERS=1)."
    return broken('two requests at once are not both answered', remedy, measured)
  }
  const { elapsedMs, firstTokenMs } = alone.stats
  const firstTokensMs = both.map(body => body?.stats.firstTokenMs ?? null).filter(ms => ms !== null)
  if (firstTokensMs.length < both.length || firstTokenMs === null) {
    return unclear('the replies do not come in pieces, so it does not show whether one waits for the other', measured)
  }
  // Where reading is most of the time, two that are read side by side look like two that queue.
  if (!isLongEnough(alone) || firstTokenMs > elapsedMs / 2) {
    return unclear("the model's answer is too short to tell whether a second one waits for it", measured)
  }
  // The second of two that queue gets its first token only after the first is done.
  const slowestMs = Math.max(...firstTokensMs)
  return slowestMs > elapsedMs * 0.8 && slowestMs > 200
    ? tooFew('of two requests at once the second waits for the first')
    : fine('two requests at once are answered side by side', measured)
}
