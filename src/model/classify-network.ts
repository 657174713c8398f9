/** What an error of the connection means: always the server's or the configuration's, never the model's. */
import { type AddressSource, VARIABLES } from './base-url.ts'
import type { Reply } from './chat-model.ts'
import { shortened } from './server-fault.ts'

/** A reply that began and did not end. */
export function dropped(detail: string): Reply {
  return {
    kind: 'infra',
    code: 'stream_dropped',
    detail,
    remedy: 'See whether the server is still running, and its log; a crash while it answers looks like this.',
  }
}

/** The time of a trial was over while the server had sent nothing of an answer. `silentMs`: since the request was first sent. */
export function silent(baseUrl: string, silentMs: number, limitMs: number): Reply {
  const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10} s`
  return {
    kind: 'infra',
    code: 'server_silent',
    detail: `${baseUrl} had sent nothing of an answer for ${seconds(silentMs)} when the ${seconds(limitMs)} of the trial were over`,
    remedy:
      'See whether the server hangs or is busy with other requests; a slow one needs a higher BENCH_TRIAL_TIMEOUT.',
  }
}

/** Code and message of an error and of what caused it, innermost last; bounded against cycles. */
function causes(error: unknown): readonly { readonly code: string; readonly message: string }[] {
  const found: { code: string; message: string }[] = []
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(current, 'code')
    found.push({ code: typeof code === 'string' ? code : '', message: current.message })
    // Both address families refused: Node wraps the errors of each attempt.
    current = current instanceof AggregateError && current.cause === undefined ? current.errors[0] : current.cause
  }
  return found
}

/**
 * Classifies an error of the connection. `isAnswering`: bytes of the answer had arrived before; `source`: where the address
 * was given.
 */
export function classifyNetworkError(
  error: unknown,
  context: { readonly baseUrl: string; readonly isAnswering: boolean; readonly source?: AddressSource },
): Reply {
  const { address } = context.source ?? VARIABLES
  const chain = causes(error)
  const has = (pattern: RegExp): boolean => chain.some(({ code }) => pattern.test(code))
  const innermost = chain.at(-1)
  const words = shortened(
    innermost === undefined
      ? String(error)
      : `${innermost.message}${innermost.code === '' || innermost.message.includes(innermost.code) ? '' : ` (${innermost.code})`}`,
  )
  const at = context.baseUrl
  if (has(/^ECONNREFUSED$/)) {
    return {
      kind: 'infra',
      code: 'connection_refused',
      detail: `no server accepts connections at ${at}`,
      remedy: `Start the model server, or correct ${address}.`,
    }
  }
  if (has(/CERT|TLS|SSL|ERR_INVALID_URL|ERR_INVALID_PROTOCOL/)) {
    return {
      kind: 'config',
      code: 'server_refused',
      detail: `no connection can be made to ${at}: ${words}`,
      remedy: `Check the scheme, the name and the certificate of ${address}.`,
    }
  }
  if (has(/^IDLE_(?:TIMEOUT|DEADLINE)$/)) {
    return {
      kind: 'infra',
      code: 'server_idle',
      detail: words,
      remedy: 'Raise BENCH_REQUEST_TIMEOUT (seconds without a byte), or look whether the server hangs.',
    }
  }
  if (has(/^CONNECT_DEADLINE$/)) {
    return {
      kind: 'infra',
      code: 'connect_timeout',
      detail: words,
      remedy: `Check the network and ${address}, or raise BENCH_CONNECT_TIMEOUT (seconds).`,
    }
  }
  if (has(/^FIRST_TOKEN_DEADLINE$/)) {
    return {
      kind: 'infra',
      code: 'first_token_timeout',
      detail: words,
      remedy: 'See whether the server is busy with other requests, or raise BENCH_FIRST_TOKEN_TIMEOUT (seconds).',
    }
  }
  if (has(/^TOTAL_DEADLINE$/)) {
    return {
      kind: 'infra',
      code: 'reply_timeout',
      detail: words,
      remedy: 'Lower BENCH_MAX_TOKENS, or raise BENCH_REPLY_TIMEOUT (seconds).',
    }
  }
  if (has(/^(?:ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/)) {
    return {
      kind: 'infra',
      code: 'server_unreachable',
      detail: `${at} cannot be reached: ${words}`,
      remedy: `Check the network and ${address}.`,
    }
  }
  if (has(/^HPE_/)) {
    return {
      kind: 'infra',
      code: 'not_http',
      detail: `what answers at ${at} does not speak HTTP as expected: ${words}`,
      remedy: `Check ${address}: another program may own the port.`,
    }
  }
  if (context.isAnswering) return dropped(`the connection broke while the server answered: ${words}`)
  return {
    kind: 'infra',
    code: 'connection_lost',
    detail: `the connection to ${at} broke before an answer came: ${words}`,
    remedy: 'See whether the server is still running, and its log.',
  }
}
