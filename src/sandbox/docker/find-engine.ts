/**
 * Where the engine is, found as the docker command line finds it: DOCKER_HOST, then the context that DOCKER_CONTEXT or
 * the configuration names, then the sockets that engines usually have.
 * Source: https://docs.docker.com/engine/manage-resources/contexts/
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../errors.ts'

export interface FoundEngine {
  /** Path of a socket or named pipe, or an address such as `tcp://host:2375`. */
  readonly address: string
  /** Who says so, for people: `DOCKER_HOST`, `docker context colima`, `usual socket`. */
  readonly source: string
}

export interface EngineSearch {
  readonly environment: NodeJS.ProcessEnv
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Whether there is a socket at a path. */
  readonly isSocket: (path: string) => boolean
}

const thisMachine = (): EngineSearch => ({
  environment: process.env,
  home: homedir(),
  platform: process.platform,
  isSocket: path => statSync(path, { throwIfNoEntry: false })?.isSocket() ?? false,
})

const DEFAULT_SOCKET = '/var/run/docker.sock'
const WINDOWS_PIPE = '//./pipe/docker_engine'
const PIPE_SCHEME = 'npipe://'
const SOCKET_SCHEME = 'unix://'

/**
 * The engine to use. Whether it answers is found out by asking it.
 * @throws ConfigError `engine_context` when a context is named that cannot be read or used.
 */
export function findEngine(search: EngineSearch = thisMachine()): FoundEngine {
  const { DOCKER_HOST: host, DOCKER_CONTEXT: chosen } = search.environment
  if (host !== undefined && host !== '') return { address: addressOf(host), source: 'DOCKER_HOST' }
  const folder = search.environment.DOCKER_CONFIG ?? join(search.home, '.docker')
  const context = chosen !== undefined && chosen !== '' ? chosen : currentContext(folder)
  if (context !== null && context !== 'default') {
    return { address: addressOf(contextHost(folder, context)), source: `docker context ${context}` }
  }
  if (search.platform === 'win32') return { address: WINDOWS_PIPE, source: 'usual pipe' }
  const address = usualSockets(search).find(search.isSocket) ?? DEFAULT_SOCKET
  return { address, source: 'usual socket' }
}

/** Sockets of Docker, rootless Docker, Docker Desktop, Colima, Rancher Desktop, OrbStack and Podman, in this order. */
function usualSockets({ environment, home }: Pick<EngineSearch, 'environment' | 'home'>): readonly string[] {
  const runtime = environment.XDG_RUNTIME_DIR
  const ofUser = (path: string) => (runtime === undefined || runtime === '' ? [] : [join(runtime, path)])
  return [
    DEFAULT_SOCKET,
    ...ofUser('docker.sock'),
    join(home, '.docker/run/docker.sock'),
    join(home, '.docker/desktop/docker.sock'),
    join(home, '.colima/default/docker.sock'),
    join(home, '.config/colima/default/docker.sock'),
    join(home, '.rd/docker.sock'),
    join(home, '.orbstack/run/docker.sock'),
    ...ofUser('podman/podman.sock'),
    join(home, '.local/share/containers/podman/machine/podman.sock'),
    '/run/podman/podman.sock',
  ]
}

function addressOf(host: string): string {
  if (host.startsWith(SOCKET_SCHEME)) return host.slice(SOCKET_SCHEME.length)
  return host.startsWith(PIPE_SCHEME) ? host.slice(PIPE_SCHEME.length) : host
}

/** Name of the context in use, or null where the configuration names none. */
function currentContext(folder: string): string | null {
  const configuration = readJson(join(folder, 'config.json'))
  return typeof configuration?.currentContext === 'string' && configuration.currentContext !== ''
    ? configuration.currentContext
    : null
}

/** Address of a context's engine: its files are named by the hash of its name. */
function contextHost(folder: string, context: string): string {
  const name = createHash('sha256').update(context).digest('hex')
  const path = join(folder, 'contexts/meta', name, 'meta.json')
  const host = objectIn(objectIn(readJson(path), 'Endpoints'), 'docker')?.Host
  if (typeof host === 'string' && host !== '') return host
  throw new ConfigError(`the docker context ${JSON.stringify(context)} cannot be read (${path})`, {
    code: 'engine_context',
    remedy: 'See `docker context ls`; choose one with `docker context use NAME`, or set DOCKER_HOST.',
  })
}

type Fields = Readonly<Record<string, unknown>>

function objectIn(fields: Fields | null, name: string): Fields | null {
  const value = fields?.[name]
  return typeof value === 'object' && value !== null ? { ...value } : null
}

/** A JSON object of a file; null when there is none, or something else in it. */
function readJson(path: string): Fields | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch (error) {
    // No configuration, a closed one, or one that docker itself could not read.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null
    throw error
  }
}
