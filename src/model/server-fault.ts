import { countAt, isRecord, parseJson, stringAt, valueAt } from './json.ts'

/** An error as a server words it. Servers disagree about the envelope; this is what is left of all of them. */
export interface ServerFault {
  readonly message: string
  readonly type: string | null
  readonly code: string | null
  /** Context window in tokens, where an overflow error names it. */
  readonly contextTokens: number | null
}

const MAX_MESSAGE_CHARACTERS = 600

/** One line of bounded length, for details and logs. */
export function shortened(text: string): string {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim()
  return line.length <= MAX_MESSAGE_CHARACTERS
    ? line
    : `${line.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}… (${line.length} characters)`
}

/** Whether a JSON value from a server is an error rather than a completion, whatever its HTTP status was. */
export function isErrorBody(value: unknown): boolean {
  if (!isRecord(value)) return false
  const error = valueAt(value, 'error')
  return (error !== undefined && error !== null && error !== false) || value.object === 'error'
}

/** Reads `{error:{…}}`, `{error:"…"}`, `{object:"error",message}`, `{message}` and `{detail}`; falls back to the text itself. */
export function readServerFault(value: unknown, fallback: string): ServerFault {
  const inner = isRecord(valueAt(value, 'error')) ? valueAt(value, 'error') : value
  const code = valueAt(inner, 'code')
  const detail = valueAt(inner, 'detail')
  return {
    message: shortened(
      stringAt(inner, 'message') ??
        stringAt(value, 'error') ??
        stringAt(value, 'message') ??
        (typeof detail === 'string' ? detail : detail === undefined ? fallback : JSON.stringify(detail)),
    ),
    type: stringAt(inner, 'type'),
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : null,
    contextTokens: countAt(inner, 'n_ctx'),
  }
}

/** Reads the body of an error response: JSON in one of the known envelopes, or plain text. */
export function readErrorText(body: string): ServerFault {
  const parsed = parseJson(body)
  return readServerFault(parsed.ok ? parsed.value : undefined, body)
}
