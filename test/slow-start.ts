/** A Docker engine whose answer to "start this container" is late: the container is at work before the caller knows. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A socket before the engine's own that holds back answers to `POST …/start` by `delayMs`. */
export async function slowStartEngine(
  engineSocket: string,
  delayMs: number,
): Promise<{ readonly socket: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-bench-engine-'))
  const socket = join(dir, 'docker.sock')
  const server = createServer({ allowHalfOpen: true }, client => {
    const engine = connect({ path: engineSocket, allowHalfOpen: true })
    let isStart = false
    client.on('data', (bytes: Buffer) => {
      isStart = /^POST \S*\/start/.test(bytes.toString('latin1'))
      engine.write(bytes)
    })
    engine.on('data', (bytes: Buffer) => {
      if (isStart) setTimeout(() => client.write(bytes), delayMs)
      else client.write(bytes)
    })
    client.on('end', () => engine.end())
    engine.on('end', () => client.end())
    client.on('error', () => engine.destroy())
    engine.on('error', () => client.destroy())
  })
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    async [Symbol.asyncDispose]() {
      server.close()
      await rm(dir, { recursive: true })
    },
  }
}
