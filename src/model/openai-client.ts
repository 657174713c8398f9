import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { TrialDeadlineError } from '../errors.ts'
import type { RawReply } from './assemble.ts'
import type { ChatModel, ChatRequest, ModelPlan, Reply, TurnStats } from './chat-model.ts'
import { classifyHttpError, classifyReply, type ReplyContext } from './classify.ts'
import { classifyNetworkError, silent } from './classify-network.ts'
import { DeadlineError, type DeadlineName, deadlinesOf, startTimer } from './deadlines.ts'
import { readAnswer } from './read-answer.ts'
import { outputLimitOf, requestBody } from './request-body.ts'
import { createFetch, HttpStatusError } from './transport.ts'

/** When a request is sent again. Milliseconds. Nothing is sent again once bytes of an answer have been read. */
export interface RetryPolicy {
  /** In all, for waiting on a loading server or a rate limit. */
  readonly budgetMs: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
  /** Attempts to reach a server that refuses connections: it may be starting again. */
  readonly refusedAttempts: number
}

export const DEFAULT_RETRY: RetryPolicy = {
  budgetMs: 120_000,
  firstDelayMs: 250,
  maxDelayMs: 5_000,
  refusedAttempts: 4,
}

/** setTimeout cannot wait longer; the package wants some limit, ours is the idle deadline. */
const NO_TIMEOUT_MS = 2_147_483_647

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
  return {
    promptTokens: usage?.promptTokens ?? null,
    completionTokens: tokens,
    cachedTokens: usage?.cachedTokens ?? null,
    reasoningTokens: usage?.reasoningTokens ?? null,
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
  const { origin } = new URL(plan.baseUrl)
  // One request is in flight, so this is the error of that one.
  let transportError: unknown = null
  let hasAnswered = false
  const client = new OpenAI({
    baseURL: plan.baseUrl,
    // Named, so that nothing of OPENAI_* variables meant for another server is sent to this one.
    apiKey: plan.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    defaultHeaders: plan.apiKey === null ? { authorization: null } : {},
    fetch: createFetch({
      // A whole reply comes after all its tokens: silence before it says nothing, and the other deadlines hold.
      idleTimeoutMs: plan.stream === false ? Math.max(plan.idleTimeoutMs, deadlines.totalMs) : plan.idleTimeoutMs,
      connectMs: deadlines.connectMs,
      onError: error => {
        transportError = error
      },
    }),
  })

  /**
   * What an ended signal means for a request that waits since `waitingSince`. A trial whose time went into waiting for
   * this one answer was lost to the server, not to the model: waiting counts from the idle deadline on, or from half
   * of the trial's time. Before a whole reply (no stream) silence says nothing.
   */
  const endedBySilence = (signal: AbortSignal, waitingSince: number): Reply | null => {
    const reason: unknown = signal.reason
    if (!(reason instanceof TrialDeadlineError) || plan.stream === false) return null
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
    // The package leaves its listener on the signal it is given; a signal of its own keeps the trial's one clean.
    const controller = new AbortController()
    const abort = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    let isAnswering = false
    transportError = null
    let passed: DeadlineError | null = null
    const pass = (name: DeadlineName, milliseconds: number) => (): void => {
      passed ??= new DeadlineError(name, milliseconds, origin)
      controller.abort(passed)
    }
    // Of a whole reply no first token can be seen.
    const first =
      plan.stream === false ? null : startTimer(deadlines.firstTokenMs, pass('first token', deadlines.firstTokenMs))
    const total = startTimer(deadlines.totalMs, pass('total', deadlines.totalMs))
    // Pings say that a prompt is being read. Once the reply has begun they say nothing, and only its events count.
    let clearIdle: () => void = () => undefined
    const onEvent = (): void => {
      if (clock.firstPieceAt === null) return
      clearIdle()
      clearIdle = startTimer(plan.idleTimeoutMs, pass('idle', plan.idleTimeoutMs)).clear
    }
    try {
      signal.throwIfAborted()
      const response = await client
        .post('/chat/completions', { body: requestBody(plan, request), signal: controller.signal })
        .asResponse()
      isAnswering = true
      const raw = await readAnswer(
        response,
        () => {
          first?.clear()
          clock.lastPieceAt = performance.now()
          clock.firstPieceAt ??= clock.lastPieceAt
          clock.pieces += 1
        },
        { ...options, onEvent, toolNames: request.tools.map(({ name }) => name) },
      )
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
      const fault = passed ?? transportError ?? error
      return fault instanceof HttpStatusError
        ? { reply: classifyHttpError(fault, context(null)), retryAfterMs: fault.retryAfterMs }
        : { reply: classifyNetworkError(fault, { baseUrl: plan.baseUrl, isAnswering }), retryAfterMs: null }
    } finally {
      first?.clear()
      total.clear()
      clearIdle()
      signal.removeEventListener('abort', abort)
      // A server that goes on after the end of its reply is not listened to.
      controller.abort()
    }
  }

  /** Milliseconds to wait before the request may be sent again, or null when it must not be. */
  const delayBefore = (last: Attempt, attempts: number): number | null => {
    if (last.reply.kind !== 'infra') return null
    const backoffMs = Math.min(retry.maxDelayMs, retry.firstDelayMs * 2 ** (attempts - 1))
    switch (last.reply.code) {
      case 'server_loading':
      case 'server_unavailable':
        return last.retryAfterMs ?? backoffMs
      case 'rate_limited':
        return last.retryAfterMs
      case 'connection_refused':
        return attempts < retry.refusedAttempts ? backoffMs : null
      default:
        return null
    }
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
