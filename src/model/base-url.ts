import { ConfigError } from '../errors.ts'

/** Where an address and its key were given, so that the user knows what to correct. */
export interface AddressSource {
  /** Such as `BENCH_BASE_URL`. */
  readonly address: string
  /** Such as `BENCH_API_KEY`. */
  readonly key: string
}

export const VARIABLES: AddressSource = { address: 'BENCH_BASE_URL', key: 'BENCH_API_KEY' }

/** An address a client can use, and what had to be changed to get it. */
export interface NormalisedUrl {
  /** Without a trailing slash, ending with the API's version (`…/v1`). */
  readonly baseUrl: string
  /** The server's own routes (`/props`, `/api/version`) are below this. */
  readonly rootUrl: string
  /** What was changed, for the user; null when nothing was. */
  readonly note: string | null
}

/**
 * Accepts what people paste: with or without scheme, trailing slash, `/v1` or a whole route.
 * @param source where it was given, for what is said when it cannot be used
 * @throws ConfigError code `server_refused` when it is not an http(s) address or holds a password.
 */
export function normaliseBaseUrl(given: string, source: AddressSource = VARIABLES): NormalisedUrl {
  const trimmed = given.trim()
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`
  const bad = (why: string, remedy: string): ConfigError =>
    new ConfigError(`${source.address} cannot be used: ${why}`, { code: 'server_refused', remedy })
  if (!URL.canParse(text)) {
    throw bad(`"${trimmed}" is not an address`, 'Write it like http://127.0.0.1:8080/v1.')
  }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw bad(`the scheme ${url.protocol} is not http or https`, 'Write it like http://127.0.0.1:8080/v1.')
  }
  // The address is recorded with each result, so a password in it would be published.
  if (url.username !== '' || url.password !== '') {
    throw bad('it holds a user name or password', `Leave them out and put the key into ${source.key}.`)
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(?:chat\/completions|completions|models)$/, '')
  const hasVersion = /\/v\d+\w*(?:\/|$)/.test(path)
  const baseUrl = `${url.origin}${hasVersion ? path : `${path}/v1`}`
  const isAsGiven = baseUrl === trimmed
  return {
    baseUrl,
    rootUrl: baseUrl.replace(/\/v\d+\w*(?:\/.*)?$/, ''),
    note: isAsGiven ? null : `using ${baseUrl} (given: ${trimmed})`,
  }
}
