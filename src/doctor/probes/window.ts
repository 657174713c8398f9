/** How much of a prompt reaches the model, and what happens to one that is too long? */
import type { Reply } from '../../model/chat-model.ts'
import { WINDOW_REMEDY } from '../../model/classify.ts'
import { bodyOf, type Examiner, filler, refused, uniqueOpening, user } from '../examiner.ts'
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
 * Fills the window to several levels. A prompt whose reported tokens stop growing was cut; whether the model can repeat
 * the code word from its beginning is noted, but a weak model that cannot is no fault of the server.
 */
export async function examineWindow(
  examiner: Examiner,
  options: { readonly levels?: readonly number[] } = {},
): Promise<Judgement> {
  const declared = examiner.plan.server.contextTokens
  // Nothing that would fit in there could tell more.
  if (declared !== null && declared <= USELESS_TOKENS) return sized(declared, [], null)
  const perWord = examiner.tokensPerWord ?? examiner.mostTokensPerWord ?? GUESSED_TOKENS_PER_WORD
  // Where words were not measured apart from the template, only this much is sure.
  const leastPerWord = examiner.tokensPerWord ?? (examiner.mostTokensPerWord === null ? null : 1)
  const levels = (declared === null ? BLIND_FILLS : (options.levels ?? [0.25, 0.5, 0.9]).map(part => part * declared))
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
    const reply = await askInTime(examiner, canaryPrompt(words), declared !== null)
    if (reply === null) break
    if (reply.kind === 'context_overflow') {
      const limit = reply.contextTokens ?? last?.countedTokens ?? null
      if (declared === null) return sized(limit, fills, `refuses a prompt of about ${thousands(tokens)} tokens`)
      return broken(
        `the window is said to hold ${thousands(declared)} tokens, but a prompt of about ${thousands(tokens)} is refused`,
        WINDOW_REMEDY,
        { declaredTokens: declared, refusedTokens: Math.round(tokens) },
      )
    }
    const body = bodyOf(reply)
    if (body === null) return refused(reply, `a prompt of about ${thousands(tokens)} tokens is refused`)
    const counted = body.stats.promptTokens
    fills.push({
      expectedTokens: tokens,
      countedTokens: counted,
      isRecalled: body.text.includes(CODE_WORD),
      elapsedMs: performance.now() - startedAt,
    })
    const expected = leastPerWord === null ? null : words * leastPerWord
    if (counted !== null && expected !== null && counted < expected * 0.7) {
      return broken(
        `a prompt of about ${thousands(expected)} tokens is cut to ${thousands(counted)} without an error`,
        `${WINDOW_REMEDY} Until then the beginning of a conversation, with the task in it, is lost in mid-trial.`,
        { declaredTokens: declared, sentTokens: Math.round(expected), countedTokens: counted },
      )
    }
  }
  return sized(declared, fills, null)
}

/** The reply, or null when the probe's time ran out and what the server says of its window must do. */
async function askInTime(examiner: Examiner, prompt: string, isDeclared: boolean): Promise<Reply | null> {
  try {
    return await examiner.ask({ messages: [user(`${uniqueOpening()} ${prompt}`)], maxTokens: 16 })
  } catch (error) {
    if (!isDeclared || examiner.remainingMs() > 0) throw error
    return null
  }
}

function sized(windowTokens: number | null, fills: readonly Fill[], why: string | null): Judgement {
  const last = fills.at(-1)
  const recalled = fills.filter(fill => fill.isRecalled).length
  const measured = {
    windowTokens,
    filledTokens: last?.countedTokens ?? null,
    levels: fills.length,
    recalledLevels: recalled,
  }
  if (windowTokens === null) {
    if (last?.countedTokens === null || last === undefined)
      return unclear('the size of the window is not known', measured)
    return fine(
      `a prompt of ${thousands(last.countedTokens)} tokens arrives whole; the window's size is not said`,
      measured,
    )
  }
  const size = `the window of one request holds ${thousands(windowTokens)} tokens${why === null ? '' : ` (${why})`}`
  if (windowTokens <= USELESS_TOKENS) return broken(`${size}: hardly a task fits`, WINDOW_REMEDY, measured)
  if (windowTokens < SMALL_TOKENS) {
    return degraded(size, 'long trials overflow and fail for it, whatever the model can do', WINDOW_REMEDY, measured)
  }
  const filled = last?.countedTokens ?? null
  const proved =
    filled === null
      ? ''
      : `; a prompt of ${thousands(filled)} arrived whole, by the server's own count${describeRecall(recalled, fills.length)}`
  return fine(`${size}${proved}`, measured)
}

/** The count judges the server; what the model can repeat is said as its own, so that nobody takes it for a fault. */
function describeRecall(recalled: number, levels: number): string {
  if (recalled === levels) return ', and the model repeated its first line'
  const often = recalled === 0 ? 'did not repeat' : `at ${recalled} of ${levels} lengths repeated`
  return ` (the model ${often} its first line when asked: that is about the model)`
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
  try {
    const reply = await examiner.ask({ messages: [user(canaryPrompt(words))], maxTokens: 8, signal: timeout })
    if (reply.kind === 'context_overflow') return fine('a prompt that is too long is refused and named as such')
    const body = bodyOf(reply)
    if (body === null) {
      return degraded(
        `a prompt that is too long ends in an error that does not say so: ${reply.kind === 'infra' || reply.kind === 'config' ? reply.detail : reply.kind}`,
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
  } catch (error) {
    if (!timeout.aborted) throw error
    return unclear(`a prompt that is too long was neither answered nor refused within ${OVERFLOW_TIMEOUT_MS / 1_000} s`)
  }
}
