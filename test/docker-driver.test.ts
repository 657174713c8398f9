import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import Docker from 'dockerode'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { LABELS } from '../src/sandbox/docker/container.ts'
import { buildImage } from '../src/sandbox/docker/image.ts'
import { listContainers, reapContainers } from '../src/sandbox/docker/reap.ts'
import { openSandbox, type PreparedSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import { describeWith } from './needs.ts'
import { run } from './sandbox-contract/fixture.ts'
import { lifeContract } from './sandbox-contract/life.ts'
import { sandboxContract } from './sandbox-contract.ts'
import { slowStartEngine } from './slow-start.ts'

const RUN_ID = `docker-driver-test-${process.pid}`

function prepare(image: string | null = null): Promise<PreparedSandbox> {
  return prepareSandbox('docker', { image, runId: RUN_ID, onProgress: () => undefined })
}

await describeWith(['docker'], 'the docker driver', () => {
  let prepared: PreparedSandbox
  const client = new Docker()

  beforeAll(async () => {
    prepared = await prepare()
  })

  const containersOf = (runId: string) => listContainers(client, `${LABELS.run}=${runId}`)

  sandboxContract('keeps the contract of sandboxes', () => openSandbox(prepared, { runId: RUN_ID }))
  lifeContract({
    prepared: () => prepared,
    isThere: async id => (await client.listContainers({ all: true, filters: { id: [id] } })).length > 0,
    idsOf: async runId => (await containersOf(runId)).map(({ Id }) => Id),
    kill: id => client.getContainer(id).remove({ force: true }),
  })

  describe('prepare', () => {
    const { DOCKER_HOST } = process.env
    afterEach(() => {
      if (DOCKER_HOST === undefined) delete process.env.DOCKER_HOST
      else process.env.DOCKER_HOST = DOCKER_HOST
    })

    it('names image, engine and why', () => {
      expect(prepared.image?.name).toMatch(/^agent-bench-sandbox:[0-9a-f]{12}$/)
      expect(prepared.image?.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
      expect(prepared.why).toContain(prepared.engine?.version ?? 'no version')
    })

    it.each([
      ['unix:///nowhere/docker.sock', { code: 'engine_unreachable', remedy: /Start Docker/ }],
      ['ssh://somewhere', { code: 'engine_address', remedy: /DOCKER_HOST/ }],
    ])('says what to do with %s', async (address, refusal) => {
      process.env.DOCKER_HOST = address
      await expect(prepare()).rejects.toMatchObject(refusal)
    })

    it('shows the last lines of a build that failed', async () => {
      const lines: string[] = []
      const dockerfile = 'FROM debian:bookworm-slim\nRUN echo the cause of it && exit 3\n'
      const files = [{ path: 'Dockerfile', content: Buffer.from(dockerfile) }]
      const built = buildImage(client, 'agent-bench-broken:1', files, { onProgress: line => lines.push(line) })
      await expect(built).rejects.toMatchObject({
        code: 'image_build_failed',
        message: expect.stringMatching(/^the sandbox image .*non-zero code: 3\n[\s\S]*the cause of it/),
        remedy: /BENCH_IMAGE.*BENCH_SANDBOX=namespace/,
      })
      expect(lines.length).toBeGreaterThan(1)
    })

    it('says what to do when the image that was named is not there', async () => {
      const refusal = { name: 'ConfigError', code: 'image_absent', remedy: /docker pull no-such-image:1/ }
      await expect(prepare('no-such-image:1')).rejects.toMatchObject(refusal)
    })
  })

  describe('open', () => {
    it('says what to do when the image has no python3, and leaves no container', async () => {
      const bare = await prepare('debian:bookworm-slim')
      const runId = `${RUN_ID}-bare`
      await expect(openSandbox(bare, { runId })).rejects.toMatchObject({ code: 'image_without_python' })
      expect(await containersOf(runId)).toEqual([])
    })
  })

  describe('a container', () => {
    it('may greet before the engine says that it was started', async () => {
      const socketPath = prepared.engine?.socketPath
      if (socketPath === undefined) throw new Error('the engine is not known')
      await using slow = await slowStartEngine(socketPath, 500)
      const late = { ...prepared, engine: { name: 'docker', version: '', socketPath: slow.socket } }
      await using sandbox = await openSandbox(late, { runId: `${RUN_ID}-early` })
      expect((await run(sandbox, 'true')).exitCode).toBe(0)
    })

    it('of a dead harness is reaped, one of a living harness is not', async () => {
      const create = (pid: number, runId: string) => {
        const labels = { [LABELS.run]: runId, [LABELS.pid]: String(pid), [LABELS.host]: hostname() }
        return client.createContainer({ Image: prepared.image?.digest ?? '', Cmd: ['true'], Labels: labels })
      }
      const dead = spawn('true')
      await once(dead, 'exit')
      const gone = `${RUN_ID}-dead`
      const living = `${RUN_ID}-living`
      await create(dead.pid ?? 0, gone)
      const kept = await create(process.pid, living)
      try {
        expect(await reapContainers(client)).toBeGreaterThanOrEqual(1)
        expect(await containersOf(gone)).toEqual([])
        expect(await containersOf(living)).toHaveLength(1)
      } finally {
        await kept.remove({ force: true })
      }
    })
  })
})
