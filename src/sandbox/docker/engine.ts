/** Talking to a Docker-compatible engine, with deadlines. Where it is: find-engine.ts. */
import Docker from 'dockerode'
import { ConfigError } from '../../errors.ts'

const PING_DEADLINE_MS = 10_000

export interface Engine {
  readonly client: Docker
  readonly name: string
  readonly version: string
  /** Path of the socket, or an address such as `tcp://host:2375`. */
  readonly address: string
}

/**
 * A client for an address that `findEngine` gave.
 * @throws ConfigError for an address of a kind that is not supported (ssh).
 */
export function connectEngine(address: string): Docker {
  if (address.startsWith('/')) return new Docker({ socketPath: address })
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !['tcp:', 'http:'].includes(url.protocol)) {
    throw new ConfigError(`the engine's address is ${JSON.stringify(address)}, which is not a supported address`, {
      code: 'engine_address',
      remedy: 'Set DOCKER_HOST to unix:///path/of/docker.sock or tcp://host:port, or choose another `docker context`.',
    })
  }
  return new Docker({ host: url.hostname, port: url.port === '' ? 2375 : Number(url.port), protocol: 'http' })
}

/**
 * Connects and asks the engine what it is.
 * @throws ConfigError `engine_unreachable` or `engine_permission`.
 */
export async function openEngine(address: string): Promise<Engine> {
  const client = connectEngine(address)
  try {
    const version = await within(PING_DEADLINE_MS, `the Docker engine at ${address}`, client.version())
    const parts = JSON.stringify([version.Platform?.Name, version.Components?.map(part => part.Name)])
    return { client, name: /podman/i.test(parts) ? 'podman' : 'docker', version: version.Version, address }
  } catch (error) {
    throw explainUnreachable(error, address)
  }
}

function explainUnreachable(error: unknown, address: string): ConfigError {
  const code = systemCode(error)
  if (code === 'EACCES' || code === 'EPERM') {
    return new ConfigError(`this user may not use the Docker engine at ${address}`, {
      code: 'engine_permission',
      remedy:
        'Add the user to the group of the socket (`sudo usermod -aG docker $USER`, then log in again), or run a rootless engine and set DOCKER_HOST.',
      cause: error,
    })
  }
  const why = code === 'ENOENT' ? 'there is no such socket' : error instanceof Error ? error.message : String(error)
  return new ConfigError(`no Docker engine answers at ${address}: ${why}`, {
    code: 'engine_unreachable',
    remedy: 'Start Docker (or `podman system service` with DOCKER_HOST), or choose another sandbox with BENCH_SANDBOX.',
    cause: error,
  })
}

/** Name of a system error, such as ENOENT. */
function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Status of an answer of the engine that was an error, for example 404; null for other faults. */
export function engineStatus(error: unknown): number | null {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : null
}

/**
 * The promise's value, or an error that names what did not answer.
 * @param milliseconds How long to wait.
 */
export async function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not answer within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}
