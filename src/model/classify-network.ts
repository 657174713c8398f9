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
    remedy: 'Check whether the server is still running, and its log. A crash during an answer looks like this.',
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
 * The codes of errors and what they mean; the first that matches decides. `at` is the server's address, `words` are the
 * error's own; ADDRESS stands for where the address was given.
 */
const RULES: readonly (readonly [
  codes: RegExp,
  kind: 'infra' | 'config',
  code: string,
  detail: (at: string, words: string) => string,
  remedy: string,
])[] = [
  [
    /^ECONNREFUSED$/,
    'infra',
    'connection_refused',
    at => `no server accepts connections at ${at}`,
    'Start the model server, or correct ADDRESS.',
  ],
  [
    /CERT|TLS|SSL|ERR_INVALID_URL|ERR_INVALID_PROTOCOL/,
    'config',
    'server_refused',
    (at, words) => `no connection can be made to ${at}: ${words}`,
    'Check the scheme, the name and the certificate of ADDRESS.',
  ],
  [
    /^DEADLINE_(?:silence|pings)$/,
    'infra',
    'server_idle',
    (_at, words) => words,
    'Raise BENCH_REQUEST_TIMEOUT (seconds without a byte), or look whether the server hangs.',
  ],
  [
    /^DEADLINE_connect$/,
    'infra',
    'connect_timeout',
    (_at, words) => words,
    'Check the network and ADDRESS, or raise BENCH_CONNECT_TIMEOUT (seconds).',
  ],
  [
    /^DEADLINE_first token$/,
    'infra',
    'first_token_timeout',
    (_at, words) => words,
    'See whether the server is busy with other requests, or raise BENCH_FIRST_TOKEN_TIMEOUT (seconds).',
  ],
  [
    /^DEADLINE_total$/,
    'infra',
    'reply_timeout',
    (_at, words) => words,
    'Lower BENCH_MAX_TOKENS, or raise BENCH_REPLY_TIMEOUT (seconds).',
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    'infra',
    'server_unreachable',
    (at, words) => `${at} cannot be reached: ${words}`,
    'Check the network and ADDRESS.',
  ],
  [
    /^HPE_/,
    'infra',
    'not_http',
    (at, words) => `what answers at ${at} does not speak HTTP as expected: ${words}`,
    'Check ADDRESS: another program may own the port.',
  ],
]

/**
 * Classifies an error of the connection. `isAnswering`: bytes of the answer had arrived before; `source`: where the address
 * was given.
 */
export function classifyNetworkError(
  error: unknown,
  { baseUrl, isAnswering, source }: { baseUrl: string; isAnswering: boolean; source?: AddressSource },
): Reply {
  const chain = causes(error)
  const { code: innermost, message } = chain.at(-1) ?? { code: '', message: String(error) }
  const words = shortened(
    /^(?:DEADLINE.*)?$/.test(innermost) || message.includes(innermost) ? message : `${message} (${innermost})`,
  )
  const rule = RULES.find(([codes]) => chain.some(({ code }) => codes.test(code)))
  if (rule !== undefined) {
    const [, kind, code, detail, remedy] = rule
    const { address } = source ?? VARIABLES
    return { kind, code, detail: detail(baseUrl, words), remedy: remedy.replace('ADDRESS', () => address) }
  }
  if (isAnswering) return dropped(`the connection broke while the server answered: ${words}`)
  return {
    kind: 'infra',
    code: 'connection_lost',
    detail: `the connection to ${baseUrl} broke before an answer came: ${words}`,
    remedy: 'Check whether the server is still running, and its log.',
  }
}
