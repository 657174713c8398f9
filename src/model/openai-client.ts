import { setTimeout as sleep } from 'node:timers/promises'
import { TrialDeadlineError } from '../errors.ts'
import type { RawReply } from './assemble.ts'
import type { ChatModel, ChatRequest, ModelPlan, Reply, TurnStats } from './chat-model.ts'
import { classifyHttpError, classifyReply, type ReplyContext } from './classify.ts'
import { classifyNetworkError, silent } from './classify-network.ts'
import { DeadlineError, type DeadlineName, deadlinesOf, startTimer } from './deadlines.ts'
import { readAnswer } from './read-answer.ts'
import { outputLimitOf, requestBody } from './request-body.ts'
import { readText, sendRequest } from './transport.ts'

/** When a request is sent again. Milliseconds. Nothing is sent again once bytes of an answer have been read. */
export interface RetryPolicy {
  /** In all, for waiting on a loading server or a rate limit. */
  readonly budgetMs: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
  /** Attempts to reach a server that refuses connections: it may be starting again. */
  readonly refusedAttempts: number
}

const DEFAULT_RETRY: RetryPolicy = { budgetMs: 120_000, firstDelayMs: 250, maxDelayMs: 5_000, refusedAttempts: 4 }
const MAX_ERROR_BYTES = 65_536

interface Attempt {
  readonly reply: Reply
  readonly retryAfterMs: number | null
}

/** Times of one attempt; milliseconds of `performance.now()`. */
interface Clock {
  readonly sentAt: number
  firstPieceAt: number | null
  lastPieceAt: number | null
  pieces: number
}

function measure(clock: Clock, usage: RawReply['usage'] | null, attempts: number): TurnStats {
  const { firstPieceAt, lastPieceAt, pieces } = clock
  const tokens = usage?.completionTokens ?? null
  const spanMs = firstPieceAt === null || lastPieceAt === null ? 0 : lastPieceAt - firstPieceAt
  // Only where the pieces are about as many as the tokens is the time between them the time of decoding;
  // a server that sends a call in one piece would give any rate.
  const isMeasurable = tokens !== null && tokens > 1 && pieces * 2 >= tokens && pieces > 1 && spanMs > 0
  const { promptTokens = null, cachedTokens = null, reasoningTokens = null } = usage ?? {}
  return {
    promptTokens,
    completionTokens: tokens,
    cachedTokens,
    reasoningTokens,
    elapsedMs: performance.now() - clock.sentAt,
    firstTokenMs: firstPieceAt === null ? null : firstPieceAt - clock.sentAt,
    promptTokensPerSecond: usage?.promptTokensPerSecond ?? null,
    decodeTokensPerSecond: usage?.decodeTokensPerSecond ?? (isMeasurable ? ((tokens - 1) * 1_000) / spanMs : null),
    attempts,
  }
}

/**
 * A chat model behind an OpenAI-compatible server. One request is in flight at a time; more wait their turn.
 * `complete` gives a classified reply for whatever the server does and rejects only with the signal's reason.
 *
 * @example
 * const model = createChatModel(plan)
 * const reply = await model.complete({ messages: [{ role: 'user', content: 'Hi' }], tools: [], seed: 42 }, signal)
 */
export function createChatModel(
  plan: ModelPlan,
  options: {
    readonly retry?: Partial<RetryPolicy>
    /** Milliseconds that a stream is read on after its finish reason. */
    readonly afterFinishMs?: number
  } = {},
): ChatModel {
  const retry: RetryPolicy = { ...DEFAULT_RETRY, ...options.retry }
  const deadlines = deadlinesOf(plan)
  const isWhole = plan.stream === false
  const url = new URL(`${plan.baseUrl}/chat/completions`)
  let hasAnswered = false

  /**
   * What an ended signal means for a request that waits since `waitingSince`. A trial whose time went into waiting for
   * this one answer was lost to the server, not to the model: waiting counts from the idle deadline on, or from half
   * of the trial's time. Before a whole reply (no stream) silence says nothing.
   */
  const endedBySilence = (signal: AbortSignal, waitingSince: number): Reply | null => {
    const reason: unknown = signal.reason
    if (!(reason instanceof TrialDeadlineError) || isWhole) return null
    const silentMs = performance.now() - waitingSince
    return silentMs >= Math.min(plan.idleTimeoutMs, reason.limitMs / 2)
      ? silent(plan.baseUrl, silentMs, reason.limitMs)
      : null
  }

  const attempt = async (
    request: ChatRequest,
    { attempts, waitingSince }: { readonly attempts: number; readonly waitingSince: number },
    signal: AbortSignal,
  ): Promise<Attempt> => {
    const clock: Clock = { sentAt: performance.now(), firstPieceAt: null, lastPieceAt: null, pieces: 0 }
    const context = (usage: RawReply['usage'] | null): ReplyContext => ({
      contextTokens: plan.server.contextTokens,
      hasHistory: request.messages.some(message => message.role === 'assistant'),
      hasAnswered,
      maxTokens: outputLimitOf(plan.sampling),
      stats: measure(clock, usage, attempts),
    })
    // Its own deadlines end a request as the trial's signal does.
    const controller = new AbortController()
    const abort = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    let isAnswering = false
    let passed: DeadlineError | null = null
    const deadline = (name: DeadlineName, milliseconds: number) =>
      startTimer(milliseconds, () => {
        passed ??= new DeadlineError(name, milliseconds, url.origin)
        controller.abort(passed)
      })
    // Of a whole reply no first token can be seen.
    const first = isWhole ? null : deadline('first token', deadlines.firstTokenMs)
    const total = deadline('total', deadlines.totalMs)
    let idle: ReturnType<typeof deadline> | null = null
    try {
      signal.throwIfAborted()
      const answer = await sendRequest(url, {
        apiKey: plan.apiKey,
        body: requestBody(plan, request),
        // A whole reply comes after all its tokens: silence before it says nothing, and the other deadlines hold.
        idleTimeoutMs: isWhole ? Math.max(plan.idleTimeoutMs, deadlines.totalMs) : plan.idleTimeoutMs,
        connectMs: deadlines.connectMs,
        signal: controller.signal,
      })
      if (answer.status < 200 || answer.status > 299) {
        const body = await readText(answer, MAX_ERROR_BYTES)
        signal.throwIfAborted()
        const reply = classifyHttpError({ status: answer.status, body }, context(null))
        return { reply, retryAfterMs: answer.retryAfterMs }
      }
      isAnswering = true
      const onPiece = (): void => {
        first?.clear()
        clock.lastPieceAt = performance.now()
        clock.firstPieceAt ??= clock.lastPieceAt
        clock.pieces += 1
      }
      // Pings say that a prompt is being read. Once the reply has begun they say nothing, and only its events count.
      const onEvent = (): void => {
        if (clock.firstPieceAt === null) return
        idle?.clear()
        idle = deadline('pings', plan.idleTimeoutMs)
      }
      const toolNames = request.tools.map(({ name }) => name)
      const raw = await readAnswer(answer, onPiece, { ...options, onEvent, toolNames })
      signal.throwIfAborted()
      const reply = classifyReply(raw, context(raw.usage))
      if (reply.kind === 'ok' || reply.kind === 'model_error') hasAnswered = true
      return { reply, retryAfterMs: null }
    } catch (error) {
      if (signal.aborted) {
        const reply = clock.firstPieceAt === null ? endedBySilence(signal, waitingSince) : null
        if (reply === null) throw signal.reason
        return { reply, retryAfterMs: null }
      }
      const reply = classifyNetworkError(passed ?? error, { baseUrl: plan.baseUrl, isAnswering })
      return { reply, retryAfterMs: null }
    } finally {
      for (const timer of [first, total, idle]) timer?.clear()
      signal.removeEventListener('abort', abort)
      // A server that goes on after the end of its reply is not listened to.
      controller.abort()
    }
  }

  /** Milliseconds to wait before the request may be sent again, or null when it must not be. */
  const delayBefore = (last: Attempt, attempts: number): number | null => {
    if (last.reply.kind !== 'infra') return null
    const { code } = last.reply
    const backoffMs = Math.min(retry.maxDelayMs, retry.firstDelayMs * 2 ** (attempts - 1))
    if (code === 'server_loading' || code === 'server_unavailable') return last.retryAfterMs ?? backoffMs
    if (code === 'rate_limited') return last.retryAfterMs
    return code === 'connection_refused' && attempts < retry.refusedAttempts ? backoffMs : null
  }

  const completeNow = async (request: ChatRequest, signal: AbortSignal): Promise<Reply> => {
    const startedAt = performance.now()
    for (let attempts = 1; ; attempts += 1) {
      const last = await attempt(request, { attempts, waitingSince: startedAt }, signal)
      const delayMs = delayBefore(last, attempts)
      if (delayMs === null || performance.now() - startedAt + delayMs > retry.budgetMs) return last.reply
      try {
        await sleep(delayMs, undefined, { signal })
      } catch (error) {
        if (!signal.aborted) throw error
        // The last answer says more about the server than that it was waited for.
        if (endedBySilence(signal, startedAt) !== null) return last.reply
        throw signal.reason
      }
    }
  }

  let queue: Promise<unknown> = Promise.resolve()
  return {
    plan,
    complete(request, signal) {
      const reply = queue.then(() => completeNow(request, signal))
      queue = reply.catch(() => undefined)
      return reply
    },
  }
}
