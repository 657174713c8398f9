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
 * The codes of errors, what they mean, and the detail; the first that matches decides. AT is the server's address, WORDS are
 * the error's own.
 */
const RULES: readonly (readonly [codes: RegExp, code: keyof typeof REMEDIES, detail: string])[] = [
  [/^ECONNREFUSED$/, 'connection_refused', 'no server accepts connections at AT'],
  [/CERT|TLS|SSL|ERR_INVALID_URL|ERR_INVALID_PROTOCOL/, 'server_refused', 'no connection can be made to AT: WORDS'],
  [/^DEADLINE_(?:silence|pings)$/, 'server_idle', 'WORDS'],
  [/^DEADLINE_connect$/, 'connect_timeout', 'WORDS'],
  [/^DEADLINE_first token$/, 'first_token_timeout', 'WORDS'],
  [/^DEADLINE_total$/, 'reply_timeout', 'WORDS'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, 'server_unreachable', 'AT cannot be reached: WORDS'],
  [/^HPE_/, 'not_http', 'what answers at AT does not speak HTTP as expected: WORDS'],
]

/** ADDRESS stands for where the address was given. */
const REMEDIES = {
  connection_refused: 'Start the model server, or correct ADDRESS.',
  server_refused: 'Check the scheme, the name and the certificate of ADDRESS.',
  server_idle: 'Raise BENCH_REQUEST_TIMEOUT (seconds without a byte), or look whether the server hangs.',
  connect_timeout: 'Check the network and ADDRESS, or raise BENCH_CONNECT_TIMEOUT (seconds).',
  first_token_timeout:
    'See whether the server is busy with other requests, or raise BENCH_FIRST_TOKEN_TIMEOUT (seconds).',
  reply_timeout: 'Lower BENCH_MAX_TOKENS, or raise BENCH_REPLY_TIMEOUT (seconds).',
  server_unreachable: 'Check the network and ADDRESS.',
  not_http: 'Check ADDRESS: another program may own the port.',
}

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
    const [, code, detail] = rule
    return {
      kind: code === 'server_refused' ? 'config' : 'infra',
      code,
      detail: detail.replaceAll(/AT|WORDS/g, found => (found === 'AT' ? baseUrl : words)),
      remedy: REMEDIES[code].replace('ADDRESS', () => (source ?? VARIABLES).address),
    }
  }
  if (isAnswering) return dropped(`the connection broke while the server answered: ${words}`)
  return {
    kind: 'infra',
    code: 'connection_lost',
    detail: `the connection to ${baseUrl} broke before an answer came: ${words}`,
    remedy: 'Check whether the server is still running, and its log.',
  }
}
