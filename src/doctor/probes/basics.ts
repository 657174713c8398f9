/** Does it answer, as the model that was asked for, with truthful counts? */
import type { ReplyBody } from '../../model/chat-model.ts'
import { bodyOf, type Examiner, filler, refused, uniqueOpening, user } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'

/** A reply of a single token: everything else needs it. */
export async function examineReadiness(examiner: Examiner): Promise<Judgement> {
  return (await hearOneToken(examiner, 'Say hi.')).judgement
}

const GAUGE_WORDS = 100

/**
 * The same with a prompt just long enough to tell how fast the server reads and how many tokens a word is at most, so
 * that a prompt that fills the window is neither too long for it nor for the time there is.
 */
export async function examineReadinessAndGauge(examiner: Examiner): Promise<Judgement> {
  const { judgement, stats } = await hearOneToken(examiner, `${uniqueOpening()} ${filler(GAUGE_WORDS)}\nSay hi.`)
  const { promptTokens, promptTokensPerSecond, firstTokenMs, elapsedMs } = stats
  if (promptTokens === null || promptTokens < GAUGE_WORDS) return judgement
  examiner.gauge = { words: GAUGE_WORDS, tokens: promptTokens }
  examiner.promptTokensPerSecond =
    promptTokensPerSecond ?? (promptTokens * 1_000) / Math.max(1, firstTokenMs ?? elapsedMs)
  return judgement
}

async function hearOneToken(examiner: Examiner, prompt: string) {
  const startedAt = performance.now()
  const question = { messages: [user(prompt)], maxTokens: 1 }
  const { stats } = await examiner.hear(question, 'the server does not answer a request for one token')
  const elapsedMs = Math.round(performance.now() - startedAt)
  return { stats, judgement: fine(`answers a request for one token in ${elapsedMs} ms`, { elapsedMs }) }
}

const plainName = (name: string): string =>
  (name.split(/[\\/]/).at(-1) ?? name)
    .toLowerCase()
    .replace(/\.gguf$/, '')
    .replace(/:latest$/, '')

/** Servers name a model by alias, file or repository: a name counts when one is part of the other. */
export async function examineModel(examiner: Examiner): Promise<Judgement> {
  const asked = examiner.plan.model
  const seen = examiner.seen.at(-1)?.servedModel ?? null
  const served = seen ?? bodyOf(await examiner.ask({ messages: [user('Say hi.')], maxTokens: 1 }))?.servedModel ?? null
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
  const hear = (words: number) =>
    examiner.hear(
      { messages: [user(`${filler(words)}\nCount from 1 to 100.`)], maxTokens: USAGE_LIMIT },
      `a request of ${words} words is refused`,
    )
  const [shortBody, longBody] = [await hear(1), await hear(1 + USAGE_WORDS)]
  const before = shortBody.stats.promptTokens
  const after = longBody.stats.promptTokens
  const written = longBody.stats.completionTokens
  const measured = { shortPromptTokens: before, longPromptTokens: after, completionTokens: written }
  const effect = 'token counts, rates and the check of the context window are missing or wrong in the results'
  const wrong = (found: string, remedy: string): Judgement => degraded(found, effect, remedy, measured)
  if (before === null || after === null || written === null) {
    return wrong(
      'the server does not report its token counts',
      'Update the server: it should honour stream_options.include_usage.',
    )
  }
  const grown = after - before
  if (grown < USAGE_WORDS / 2) {
    return wrong(
      `${USAGE_WORDS} words more in the prompt are reported as ${grown} tokens more`,
      'Update the server: prompt_tokens must count the whole prompt, cached tokens included.',
    )
  }
  examiner.tokensPerWord = grown / USAGE_WORDS
  if (written > USAGE_LIMIT + 1 || (written === 0 && longBody.text !== '')) {
    return wrong(
      `an answer limited to ${USAGE_LIMIT} tokens is reported as ${written} tokens`,
      'Update the server, or do not rely on its token counts.',
    )
  }
  return fine(`token counts are reported and grow with the prompt (${before} and ${after} tokens)`, measured)
}

interface Speed {
  readonly read: number | null
  readonly decode: number | null
  readonly firstTokenMs: number | null
}

/** A rate of fewer tokens is mostly the time that a server takes to begin and to end a reply. */
const RATE_TOKENS = 16
/** Used where a server does not count what it writes. */
const GUESSED_CHARACTERS_PER_TOKEN = 4

function isLongEnough({ stats, text, reasoning }: ReplyBody): boolean {
  const characters = text.length + (reasoning?.text.length ?? 0)
  return (stats.completionTokens ?? characters / GUESSED_CHARACTERS_PER_TOKEN) >= RATE_TOKENS
}

function speedOf(body: ReplyBody): Speed {
  const { stats } = body
  const { completionTokens, promptTokens, firstTokenMs, elapsedMs } = stats
  const spanMs = firstTokenMs === null ? 0 : elapsedMs - firstTokenMs
  const ownRate = completionTokens !== null && spanMs > 0 ? ((completionTokens - 1) * 1_000) / spanMs : null
  return {
    decode: isLongEnough(body) ? (stats.decodeTokensPerSecond ?? ownRate) : null,
    read:
      stats.promptTokensPerSecond ??
      (promptTokens !== null && firstTokenMs !== null && firstTokenMs > 0
        ? (promptTokens * 1_000) / firstTokenMs
        : null),
    firstTokenMs,
  }
}

/**
 * A machine that was busy for a moment is not slow: only the best of so many measurements can say so. Where a model
 * answers one in a few words, it may have more to say to the next.
 */
const SPEED_TASKS = ['Count from 1 to 100.', 'Tell a long story about the sea.', 'Count from 1 to 100, in words.']

/** How fast it reads and writes; the deadline of a trial is what a slow server runs into. */
export async function examineSpeed(examiner: Examiner): Promise<Judgement> {
  let best: Speed | null = null
  let isTooShort = false
  let longest = 0
  for (const task of SPEED_TASKS) {
    const prompt = `${uniqueOpening()} ${filler(300)}\n${task}`
    const reply = await examiner.ask({ messages: [user(prompt)], maxTokens: 48, runsOn: isTooShort })
    const body = bodyOf(reply)
    // A grammar of the request may leave nothing to write where the end is forbidden: that is not a fault of the server.
    if (body === null && isTooShort) break
    if (body === null) return refused(reply, 'a request of 300 words is refused')
    const speed = speedOf(body)
    isTooShort = !isLongEnough(body)
    longest = Math.max(longest, body.stats.completionTokens ?? 0)
    if (best === null || (speed.decode ?? 0) > (best.decode ?? 0)) best = speed
    if ((best.decode ?? 0) >= SLOW_TOKENS_PER_SECOND) break
    // What is left of the time must do for another one.
    if (examiner.remainingMs() < body.stats.elapsedMs * 1.5) break
  }
  const { read, decode, firstTokenMs } = best ?? { read: null, decode: null, firstTokenMs: null }
  examiner.promptTokensPerSecond = read
  const measured = {
    promptTokensPerSecond: rounded(read),
    decodeTokensPerSecond: rounded(decode),
    firstTokenMs: rounded(firstTokenMs),
  }
  if (decode === null) {
    return unclear(
      `no reply was long enough to measure a speed: ${RATE_TOKENS} tokens are needed, ${longest} came`,
      measured,
    )
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

/** Below this a trial of twenty turns takes the better part of ten minutes and more. */
const SLOW_TOKENS_PER_SECOND = 12
const TRIAL_TOKENS = 6_000

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10)
const rate = (value: number | null): string => (value === null ? 'at an unknown rate' : `${rounded(value)} tokens/s`)

const counted = (slots: number): string => (slots === 1 ? 'one slot' : `${slots} slots`)

/** Several trials at once need as many slots. */
export async function examineSlots(examiner: Examiner): Promise<Judgement> {
  const { slots } = examiner.plan.server
  const { workers } = examiner
  const measured = { slots, workers }
  if (workers === 1) {
    return fine(
      slots === null ? 'one trial at a time needs one slot' : `${counted(slots)}, one trial at a time`,
      measured,
    )
  }
  const tooFew = (found: string): Judgement =>
    degraded(
      found,
      'trials wait for each other: times to the first token and elapsed times say nothing about the model',
      `Run one trial at a time (BENCH_WORKERS=1), or give the server ${workers} slots (llama-server --parallel ${workers}, with ${workers} times the context; Ollama OLLAMA_NUM_PARALLEL).`,
      measured,
    )
  if (slots !== null) {
    return slots >= workers
      ? fine(`${slots} slots for ${workers} workers`, measured)
      : tooFew(`${counted(slots)} for ${workers} workers`)
  }
  const ask = async (seed: number) =>
    bodyOf(await examiner.ask({ messages: [user('Count from 1 to 100.')], maxTokens: 48, seed }))
  const alone = await ask(1)
  const both = await Promise.all([ask(2), ask(3)])
  const aloneMs = alone?.stats.elapsedMs ?? null
  const firstTokensMs = both.map(body => body?.stats.firstTokenMs ?? null).filter(ms => ms !== null)
  const slowestMs = Math.max(...firstTokensMs)
  if (aloneMs === null || both.includes(null))
    return broken(
      'two requests at once are not both answered',
      "Look into the server's log, or run one trial at a time (BENCH_WORKERS=1).",
      measured,
    )
  // Where reading is most of the time, two that are read side by side look like two that queue.
  const aloneFirstMs = alone?.stats.firstTokenMs ?? null
  if (firstTokensMs.length < both.length || aloneFirstMs === null)
    return unclear('the replies do not come in pieces, so it does not show whether one waits for the other', measured)
  if (alone === null || !isLongEnough(alone) || aloneFirstMs > aloneMs / 2)
    return unclear("the model's answer is too short to tell whether a second one waits for it", measured)
  // The second of two that queue gets its first token only after the first is done.
  return slowestMs > aloneMs * 0.8 && slowestMs > 200
    ? tooFew('of two requests at once the second waits for the first')
    : fine('two requests at once are answered side by side', measured)
}
