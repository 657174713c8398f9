/** The real llama-server of test/llama-server on a free port, stopped by its process id. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LLAMA_DIR } from './needs.ts'

export interface LlamaServer extends AsyncDisposable {
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly port: number
  readonly pid: number
  /** It answered that it was loading its model when it was handed over (`resolveWhileLoading`). */
  readonly isLoading: boolean
}

export interface LlamaServerOptions {
  readonly model?: 'steer' | 'slow' | 'random'
  /** More flags of llama-server, for example `['--parallel', '2']`. */
  readonly flags?: readonly string[]
  /** Context in tokens; 8192. */
  readonly contextTokens?: number
  /** Resolve when the port answers at all, though the model is still loading. */
  readonly resolveWhileLoading?: boolean
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no TCP port was given')
  return address.port
}

/** Status of GET /health, or null while nothing answers. */
async function health(port: number): Promise<number | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

/** Starts the server and waits (at most 60 s) until it has loaded its model. */
export async function startLlamaServer(options: LlamaServerOptions = {}): Promise<LlamaServer> {
  const port = await freePort()
  const script = fileURLToPath(new URL('./llama-server/start.sh', import.meta.url))
  const { model = 'steer', contextTokens = 8_192, flags = [] } = options
  const args = [model, String(port), '-c', String(contextTokens), '--parallel', '1', ...flags]
  const child = spawn(script, args, { env: { ...process.env, LLAMA_DIR }, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (piece: Buffer) => {
    log = (log + piece.toString('utf8')).slice(-4_000)
  })
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    if ((await Promise.race([exited, sleep(5_000, null, { ref: false })])) === null) child.kill('SIGKILL')
    await exited
  }
  const startedAt = performance.now()
  let status: number | null
  for (;;) {
    status = await health(port)
    if (status === 200 || (status !== null && options.resolveWhileLoading === true)) break
    if (child.exitCode !== null || performance.now() - startedAt > 60_000) {
      await stop()
      throw new Error(`llama-server did not start: ${log}`)
    }
    await sleep(50)
  }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    pid: child.pid ?? 0,
    isLoading: status === 503,
    [Symbol.asyncDispose]: stop,
  }
}

/** What the server says each of its slots is doing. */
export async function slotsOf({ port }: LlamaServer): Promise<readonly { readonly is_processing: boolean }[]> {
  const response = await fetch(`http://127.0.0.1:${port}/slots`, { signal: AbortSignal.timeout(10_000) })
  const slots: unknown = await response.json()
  if (!Array.isArray(slots)) throw new Error(`no list of slots: ${JSON.stringify(slots)}`)
  return slots
}
