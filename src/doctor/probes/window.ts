/** How much of a prompt reaches the model, and what happens to one that is too long? */
import type { Reply } from '../../model/chat-model.ts'
import { WINDOW_REMEDY } from '../../model/classify.ts'
import { bodyOf, detailOf, type Examiner, filler, refused, uniqueOpening } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'

/** Below this hardly a task's first turn fits. */
const USELESS_TOKENS = 2_048
/** Below this a trial of many turns does not fit. */
const SMALL_TOKENS = 8_192
const CODE_WORD = 'QUARTZ-4711'
/** Fills when the server does not say how large its window is; 5,000 finds the 4,096 that some servers start with. */
const BLIND_FILLS = [2_000, 5_000, 10_000, 20_000]
/** Filler words are mostly one token each; used until the server's own counts say better. */
const GUESSED_TOKENS_PER_WORD = 1.3
/** A count that is this much below what was sent is a prompt that was cut. */
const WHOLE_SHARE = 0.9
const SECOND_GAUGE_WORDS = 300

const canaryPrompt = (words: number): string =>
  `The code word is ${CODE_WORD}.\n${filler(words)}\nWhat is the code word? Answer with the code word only.`

const thousands = (count: number): string => Math.round(count).toLocaleString('en-US')

interface Fill {
  readonly expectedTokens: number
  readonly countedTokens: number | null
  readonly isRecalled: boolean
  readonly elapsedMs: number
}

/**
 * Measures the tokens of a word where only a first request was gauged: what a longer one has more is words, and no template.
 * Words that are taken for tokens fill less of the window than they should, and a cut is not seen.
 */
async function gaugeWords(examiner: Examiner): Promise<void> {
  const { gauge, promptTokensPerSecond: rate } = examiner
  if (examiner.tokensPerWord !== null || gauge === null) return
  const forecastMs = rate === null ? 0 : (gauge.tokens * SECOND_GAUGE_WORDS * 1_000) / gauge.words / rate
  if (forecastMs > examiner.remainingMs() / 4) return
  const reply = await askInTime(examiner, `${uniqueOpening()} ${filler(SECOND_GAUGE_WORDS)}\nSay hi.`, 1)
  const tokens = reply === null ? null : bodyOf(reply)?.stats.promptTokens
  const perWord = ((tokens ?? 0) - gauge.tokens) / (SECOND_GAUGE_WORDS - gauge.words)
  if (perWord >= 1 / 2) examiner.tokensPerWord = perWord
}

/**
 * Fills the window to several levels, shares of it. A prompt whose reported tokens stop growing was cut; whether the model
 * can repeat the code word from its beginning is noted, but a weak model that cannot is not a fault of the server.
 */
export async function examineWindow(examiner: Examiner, shares = [0.25, 0.5, 0.9]): Promise<Judgement> {
  const declared = examiner.plan.server.contextTokens
  // Nothing that would fit in there could tell more.
  if (declared !== null && declared <= USELESS_TOKENS) return sized(declared, [])
  await gaugeWords(examiner)
  const { tokensPerWord, gauge } = examiner
  const perWord = tokensPerWord ?? (gauge === null ? GUESSED_TOKENS_PER_WORD : gauge.tokens / gauge.words)
  // Where words were not measured apart from the template, only this much is sure.
  const leastPerWord = tokensPerWord ?? (gauge === null ? null : 1)
  const levels = (declared === null ? BLIND_FILLS : shares.map(share => share * declared))
    .map(tokens => Math.min(tokens, examiner.maxPromptTokens))
    .filter((tokens, index, all) => tokens > 60 && all.indexOf(tokens) === index)
  const fills: Fill[] = []
  for (const tokens of levels) {
    const last = fills.at(-1)
    // Reading takes time in proportion: a level that would not end within the deadline is left out.
    const rate = examiner.promptTokensPerSecond
    const firstMs = rate === null ? 0 : (tokens * 1_000) / rate
    const forecastMs = last === undefined ? firstMs : (last.elapsedMs * tokens) / last.expectedTokens
    if (forecastMs > examiner.remainingMs() * 0.8) break
    const words = Math.max(1, Math.floor((tokens - 40) / perWord))
    const startedAt = performance.now()
    const reply = await askInTime(examiner, `${uniqueOpening()} ${canaryPrompt(words)}`, 16)
    if (reply === null) break
    const what = `a prompt of about ${thousands(tokens)} tokens`
    if (reply.kind === 'context_overflow') {
      const limit = reply.contextTokens ?? last?.countedTokens ?? null
      if (declared === null) return sized(limit, fills, ` (refuses ${what})`)
      const found = `the window is said to hold ${thousands(declared)} tokens, but ${what} is refused`
      return broken(found, WINDOW_REMEDY, { declaredTokens: declared, refusedTokens: Math.round(tokens) })
    }
    const body = bodyOf(reply)
    if (body === null) return refused(reply, `${what} is refused`)
    const counted = body.stats.promptTokens
    const elapsedMs = performance.now() - startedAt
    fills.push({ expectedTokens: tokens, countedTokens: counted, isRecalled: body.text.includes(CODE_WORD), elapsedMs })
    const sent = leastPerWord === null ? null : words * leastPerWord
    if (counted !== null && sent !== null && counted < sent * WHOLE_SHARE) {
      return broken(
        `a prompt of about ${thousands(sent)} tokens is cut to ${thousands(counted)} without an error`,
        `${WINDOW_REMEDY} Until then the beginning of a conversation, with the task in it, is lost in mid-trial.`,
        { declaredTokens: declared, sentTokens: Math.round(sent), countedTokens: counted },
      )
    }
  }
  return sized(declared, fills)
}

/** The reply, or null when the probe's time ran out and what the server says of its window must do. */
async function askInTime(examiner: Examiner, messages: string, maxTokens: number): Promise<Reply | null> {
  try {
    return await examiner.ask({ messages, maxTokens })
  } catch (error) {
    if (examiner.plan.server.contextTokens === null || examiner.remainingMs() > 0) throw error
    return null
  }
}

function sized(windowTokens: number | null, fills: readonly Fill[], why = ''): Judgement {
  const filled = fills.at(-1)?.countedTokens ?? null
  const recalled = fills.filter(fill => fill.isRecalled).length
  const measured = { windowTokens, filledTokens: filled, levels: fills.length, recalledLevels: recalled }
  if (windowTokens === null) {
    if (filled === null) return unclear('the size of the window is not known', measured)
    return fine(`a prompt of ${thousands(filled)} tokens arrives whole; the window's size is not said`, measured)
  }
  const size = `the window of one request holds ${thousands(windowTokens)} tokens${why}`
  if (windowTokens <= USELESS_TOKENS) return broken(`${size}: hardly a task fits`, WINDOW_REMEDY, measured)
  if (windowTokens < SMALL_TOKENS) {
    return degraded(size, 'long trials overflow and fail for it, whatever the model can do', WINDOW_REMEDY, measured)
  }
  if (filled === null) return fine(size, measured)
  // The count judges the server; what the model can repeat is said as its own, so that nobody takes it for a fault.
  const often = recalled === 0 ? 'did not repeat' : `at ${recalled} of ${fills.length} lengths repeated`
  const recall =
    recalled === fills.length
      ? ', and the model repeated its first line'
      : ` (the model ${often} its first line when asked: that is about the model)`
  return fine(`${size}; a prompt of ${thousands(filled)} arrived whole, by the server's own count${recall}`, measured)
}

/** Nothing longer is sent: it would take minutes where it is not refused. */
const MAX_OVERFLOW_TOKENS = 300_000
const OVERFLOW_TIMEOUT_MS = 20_000

/** A prompt that cannot fit must be refused; cut in silence, the model is blamed for what it never saw. */
export async function examineOverflow(examiner: Examiner): Promise<Judgement> {
  const windowTokens = examiner.plan.server.contextTokens
  if (windowTokens === null) return unclear('the size of the window is not known, so no prompt can be made too long')
  if (windowTokens > MAX_OVERFLOW_TOKENS) return unclear('the window is too large to be overfilled in good time')
  const words = Math.ceil((windowTokens * 1.2 + 100) / Math.min(1, examiner.tokensPerWord ?? 1))
  const timeout = AbortSignal.timeout(OVERFLOW_TIMEOUT_MS)
  let reply: Reply
  try {
    reply = await examiner.ask({ messages: canaryPrompt(words), maxTokens: 8, signal: timeout })
  } catch (error) {
    if (!timeout.aborted) throw error
    return unclear(`a prompt that is too long was neither answered nor refused within ${OVERFLOW_TIMEOUT_MS / 1_000} s`)
  }
  if (reply.kind === 'context_overflow') return fine('a prompt that is too long is refused and named as such')
  const body = bodyOf(reply)
  if (body === null) {
    return degraded(
      `a prompt that is too long ends in an error that does not say so: ${detailOf(reply)}`,
      'a trial that outgrows the window counts as a fault of the server and is repeated in vain',
      'Update the server.',
    )
  }
  return degraded(
    `a prompt of about ${thousands(words)} words is answered although the window holds ${thousands(windowTokens)} tokens`,
    'a trial that outgrows the window loses its beginning in silence, and the model is blamed',
    `${WINDOW_REMEDY} Ollama: BENCH_EXTRA_BODY='{"truncate":false,"shift":false}' where the route honours it; llama-server: --no-context-shift.`,
    { countedTokens: body.stats.promptTokens },
  )
}
