/** The reference driver: one hardened container with an executor as process 1, reached over one attached stream. */
import { randomBytes } from 'node:crypto'
import type Docker from 'dockerode'
import { ConfigError, InfraError } from '../../errors.ts'
import { ExecutorSandbox } from '../executor-client.ts'
import { DEFAULT_EXECUTOR_CONFIG } from '../executor-config.ts'
import { ExecutorConnection } from '../executor-connection.ts'
import { readGreeting } from '../greeting.ts'
import type { PreparedSandbox, Sandbox, SandboxDriver, SandboxInfo } from '../sandbox.ts'
import { attachChannel } from './attach-channel.ts'
import { containerOptions } from './container.ts'
import { connectEngine, engineStatus, openEngine, within } from './engine.ts'
import { findEngine } from './find-engine.ts'
import { provideImage } from './image.ts'
import { guardLaunch } from './launch-guard.ts'
import { reapContainers, removeContainer } from './reap.ts'

const CREATE_DEADLINE_MS = 60_000
const GREETING_DEADLINE_MS = 30_000

export const dockerDriver: SandboxDriver = {
  name: 'docker',

  async prepare(options) {
    const { address, source } = findEngine()
    const engine = await openEngine(address)
    const reaped = await reapContainers(engine.client)
    if (reaped > 0) options.onProgress(`removed ${reaped} containers that earlier runs left`)
    const image = await provideImage(engine.client, options)
    return {
      driver: 'docker',
      image,
      engine: { name: engine.name, version: engine.version, socketPath: engine.address },
      testRunner: 'pytest',
      why: `docker: ${engine.name} ${engine.version} at ${engine.address} (${source}), image ${image.name}`,
    }
  },

  async open(prepared, options) {
    const { engine, image } = prepared
    if (engine === null || image === null) {
      throw new ConfigError('the sandbox was not prepared for the docker driver', {
        code: 'not_prepared',
        remedy: 'Call prepareSandbox and pass its result to openSandbox.',
      })
    }
    return openContainer(connectEngine(engine.socketPath), prepared, { ...options, engine, image })
  },
}

interface OpenOptions {
  readonly runId: string
  readonly signal?: AbortSignal
  readonly engine: NonNullable<PreparedSandbox['engine']>
  readonly image: NonNullable<PreparedSandbox['image']>
}

async function openContainer(client: Docker, prepared: PreparedSandbox, options: OpenOptions): Promise<Sandbox> {
  options.signal?.throwIfAborted()
  const name = `agent-bench-${randomBytes(8).toString('hex')}`
  // No `using`: this file is also loaded with Vitest's configuration, where Node 20 gets it as it is written.
  const guard = guardLaunch(options.engine.socketPath, name)
  try {
    return await launch(client, name, prepared, options)
  } finally {
    guard[Symbol.dispose]()
  }
}

async function launch(client: Docker, name: string, prepared: PreparedSandbox, options: OpenOptions): Promise<Sandbox> {
  const { engine, image, runId, signal } = options
  const container = await create(
    client,
    { name, ...containerOptions({ image: image.digest, runId, isPodman: engine.name === 'podman' }) },
    image.name,
  )
  try {
    signal?.throwIfAborted()
    const stream = await within(
      CREATE_DEADLINE_MS,
      'attaching to the container',
      container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }),
    )
    const connection = new ExecutorConnection(attachChannel(stream, () => removeContainer(client, container.id)))
    // Listened for before the start: the executor may greet before the engine has answered that it started.
    const greeted = connection.greeting({ deadlineMs: CREATE_DEADLINE_MS + GREETING_DEADLINE_MS, signal })
    greeted.catch(() => undefined) // it is awaited below; a failed start is reported first
    await within(CREATE_DEADLINE_MS, 'starting the container', container.start())
    const greeting = readGreeting(await greeted)
    const info: SandboxInfo = {
      driver: prepared.driver,
      id: container.id,
      image,
      engine: { name: engine.name, version: engine.version },
      limits: greeting.limits,
    }
    return new ExecutorSandbox(connection, info, DEFAULT_EXECUTOR_CONFIG.rooms)
  } catch (error) {
    await removeContainer(client, container.id)
    signal?.throwIfAborted()
    throw explainStart(error, image.name)
  }
}

async function create(
  client: Docker,
  options: Docker.ContainerCreateOptions,
  imageName: string,
): Promise<Docker.Container> {
  try {
    return await within(CREATE_DEADLINE_MS, 'creating a container', client.createContainer(options))
  } catch (error) {
    if (engineStatus(error) === 404) {
      throw new ConfigError(`the engine no longer has the image ${imageName}`, {
        code: 'image_absent',
        remedy: 'Start the run again: it looks for the image, and builds it if it is the standard one.',
        cause: error,
      })
    }
    throw explainStart(error, imageName)
  }
}

function explainStart(error: unknown, imageName: string): Error {
  if (error instanceof ConfigError || error instanceof InfraError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (/"?python3"?.*(?:not found|no such file)/i.test(message)) {
    return new ConfigError(`the image ${imageName} has no python3, which the sandbox needs`, {
      code: 'image_without_python',
      remedy: 'Add Python 3.10 or newer to the image that BENCH_IMAGE names, or unset BENCH_IMAGE.',
      cause: error,
    })
  }
  return new InfraError(`the sandbox container could not be started: ${message}`, {
    code: 'sandbox_not_started',
    remedy: 'Look at the engine: `docker info`, and its log. Often memory or disk ran out.',
    cause: error,
  })
}
