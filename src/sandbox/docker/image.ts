/** The sandbox image: which one, and building it on first use. */
import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type Docker from 'dockerode'
import { pack } from 'tar-stream'
import { ConfigError } from '../../errors.ts'
import { type ImageFile, imageFiles } from '../image-files.ts'
import { engineStatus, within } from './engine.ts'

const INSPECT_DEADLINE_MS = 20_000
const BUILD_DEADLINE_MS = 20 * 60_000
const LAST_LINES = 15
const MAX_LINE_LENGTH = 500

export interface Image {
  readonly name: string
  /** The engine's id of the image. */
  readonly digest: string
}

/** What goes into the image. The executor does not: it is handed over at the start of a container. */
const contextFiles = () => imageFiles('Dockerfile', 'witness/')

/** Name of the image this version needs: its tag is a hash of what it is built from. */
function builtImageName(): string {
  const hash = createHash('sha256')
  for (const { path, content } of contextFiles()) hash.update(`${path}\0${content.length}\0`).update(content)
  return `agent-bench-sandbox:${hash.digest('hex').slice(0, 12)}`
}

/**
 * The image to use: the one that is named, or our own, which is built when the engine does not have it.
 * @throws ConfigError `image_absent` or `image_build_failed`.
 */
export async function provideImage(
  client: Docker,
  options: {
    readonly image: string | null
    readonly onProgress: (line: string) => void
    readonly signal?: AbortSignal
  },
): Promise<Image> {
  const name = options.image ?? builtImageName()
  const present = await findImage(client, name)
  if (present !== null) return present
  if (options.image !== null) {
    throw new ConfigError(`the engine has no image ${JSON.stringify(name)} (BENCH_IMAGE)`, {
      code: 'image_absent',
      remedy: `Get it with \`docker pull ${name}\`, or unset BENCH_IMAGE to build the standard image.`,
    })
  }
  options.onProgress(`building the sandbox image ${name} (once, about a minute)`)
  await buildImage(client, name, contextFiles(), options)
  const built = await findImage(client, name)
  if (built === null) throw buildFailed('the build ended without an error and without an image', [])
  return built
}

async function findImage(client: Docker, name: string): Promise<Image | null> {
  try {
    const { Id: digest } = await within(INSPECT_DEADLINE_MS, 'the Docker engine', client.getImage(name).inspect())
    return { name, digest }
  } catch (error) {
    if (engineStatus(error) === 404) return null
    throw error
  }
}

/**
 * Builds an image, at most twenty minutes.
 * @throws ConfigError `image_build_failed` with the last lines of the build.
 */
export async function buildImage(
  client: Docker,
  name: string,
  files: readonly ImageFile[],
  { onProgress, signal }: { readonly onProgress: (line: string) => void; readonly signal?: AbortSignal },
): Promise<void> {
  const context = pack()
  for (const { path, content } of files) {
    // Fixed times and modes: the layers depend on nothing but the contents.
    context.entry({ name: path, mode: 0o644, mtime: new Date(0) }, content)
  }
  context.finalize()
  const lines: string[] = []
  // A step that failed is an event like others; only the stream's own faults come as errors.
  let failure: string | null = null
  const deadline = AbortSignal.timeout(BUILD_DEADLINE_MS)
  const abortSignal = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
  try {
    const stream = await client.buildImage(context.pipe(new PassThrough()), { t: name, abortSignal, forcerm: true })
    await new Promise<void>((resolve, reject) => {
      client.modem.followProgress(
        stream,
        (error: unknown) => {
          if (error !== null) reject(error)
          else if (failure !== null) reject(new Error(failure))
          else resolve()
        },
        (event: unknown) => {
          failure ??= failureOf(event)
          for (const line of eventLines(event)) {
            lines.push(line)
            if (lines.length > LAST_LINES) lines.shift()
            onProgress(line)
          }
        },
      )
    })
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const why = deadline.aborted ? `it took more than ${BUILD_DEADLINE_MS / 60_000} minutes` : errorText(error)
    throw buildFailed(why, lines, error)
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Lines for a person out of one event of a build. */
function eventLines(event: unknown): string[] {
  if (typeof event !== 'object' || event === null) return []
  const text = 'stream' in event ? event.stream : ''
  if (typeof text !== 'string') return []
  return text
    .split('\n')
    .map(line => line.trim().slice(0, MAX_LINE_LENGTH))
    .filter(line => line !== '')
}

/** Why a build failed, when this event says so. */
function failureOf(event: unknown): string | null {
  if (typeof event !== 'object' || event === null || !('error' in event)) return null
  return typeof event.error === 'string' ? event.error.slice(0, MAX_LINE_LENGTH) : 'an error without a message'
}

function buildFailed(why: string, lines: readonly string[], cause?: unknown): ConfigError {
  return new ConfigError([`the sandbox image could not be built: ${why}`, ...lines].join('\n  '), {
    code: 'image_build_failed',
    remedy:
      'Look at the lines above: usually the engine has no network or no room left. Or name a ready image with BENCH_IMAGE, or do without an engine on Linux: BENCH_SANDBOX=namespace.',
    cause,
  })
}
