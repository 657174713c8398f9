import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import Docker from 'dockerode'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError } from '../src/errors.ts'
import { LABELS } from '../src/sandbox/docker/container.ts'
import { buildImage } from '../src/sandbox/docker/image.ts'
import { listContainers, reapContainers } from '../src/sandbox/docker/reap.ts'
import { openSandbox, type PreparedSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import { describeWith } from './needs.ts'
import { run } from './sandbox-contract/fixture.ts'
import { sandboxContract } from './sandbox-contract.ts'
import { slowStartEngine } from './slow-start.ts'

const RUN_ID = `docker-driver-test-${process.pid}`
const SETTLE_MS = 2_000

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

    it('says what to do when no engine answers', async () => {
      process.env.DOCKER_HOST = 'unix:///nowhere/docker.sock'
      await expect(prepare()).rejects.toMatchObject({ code: 'engine_unreachable', remedy: /Start Docker/ })
    })

    it('says what to do with an address of another kind', async () => {
      process.env.DOCKER_HOST = 'ssh://somewhere'
      await expect(prepare()).rejects.toMatchObject({ code: 'engine_address', remedy: /DOCKER_HOST/ })
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
      const error = await prepare('no-such-image:1').catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(ConfigError)
      expect(error).toMatchObject({ code: 'image_absent', remedy: /docker pull no-such-image:1/ })
    })
  })

  describe('open', () => {
    it('says what to do when the image has no python3, and leaves no container', async () => {
      const bare = await prepare('debian:bookworm-slim')
      const runId = `${RUN_ID}-bare`
      await expect(openSandbox(bare, { runId })).rejects.toMatchObject({ code: 'image_without_python' })
      expect(await containersOf(runId)).toEqual([])
    })

    it('leaves no container when it is aborted', async () => {
      const runId = `${RUN_ID}-aborted`
      const reason = new Error('stop')
      const controller = new AbortController()
      setTimeout(() => controller.abort(reason), 40)
      await expect(openSandbox(prepared, { runId, signal: controller.signal })).rejects.toBe(reason)
      await expect.poll(() => containersOf(runId), { timeout: SETTLE_MS }).toEqual([])
    })
  })

  describe('a container', () => {
    it('is gone after its sandbox was disposed', async () => {
      const runId = `${RUN_ID}-disposed`
      {
        await using sandbox = await openSandbox(prepared, { runId })
        expect(await containersOf(runId)).toHaveLength(1)
        expect((await run(sandbox, 'true')).exitCode).toBe(0)
      }
      await expect.poll(() => containersOf(runId), { timeout: SETTLE_MS }).toEqual([])
    })

    it('may greet before the engine says that it was started', async () => {
      const socketPath = prepared.engine?.socketPath
      if (socketPath === undefined) throw new Error('the engine is not known')
      await using slow = await slowStartEngine(socketPath, 500)
      const late = { ...prepared, engine: { name: 'docker', version: '', socketPath: slow.socket } }
      await using sandbox = await openSandbox(late, { runId: `${RUN_ID}-early` })
      expect((await run(sandbox, 'true')).exitCode).toBe(0)
    })

    it('is lost with a clear error when somebody else removes it', async () => {
      await using sandbox = await openSandbox(prepared, { runId: `${RUN_ID}-removed` })
      const running = run(sandbox, 'sleep 30', 30_000)
      setTimeout(() => client.getContainer(sandbox.info.id).remove({ force: true }), 200)
      await expect(running).rejects.toMatchObject({ code: 'sandbox_lost_during_command' })
      await expect(run(sandbox, 'true')).rejects.toThrow('the sandbox is lost')
    })

    it('is gone two seconds after its harness was killed', async () => {
      const runId = `${RUN_ID}-killed`
      const holder = spawn(process.execPath, [
        fileURLToPath(new URL('../scripts/run-ts.mjs', import.meta.url)),
        fileURLToPath(new URL('./sandbox-holder.ts', import.meta.url)),
        JSON.stringify(prepared),
        runId,
      ])
      const [said] = await once(holder.stdout, 'data')
      expect(String(said)).toBe('running\n')
      expect(await containersOf(runId)).toHaveLength(1)
      holder.kill('SIGKILL')
      await expect.poll(() => containersOf(runId), { timeout: SETTLE_MS }).toEqual([])
    })

    it('of a dead harness is reaped, one of a living harness is not', async () => {
      const create = (pid: number, runId: string) =>
        client.createContainer({
          Image: prepared.image?.digest ?? '',
          Cmd: ['true'],
          Labels: {
            [LABELS.run]: runId,
            [LABELS.pid]: String(pid),
            [LABELS.host]: hostname(),
          },
        })
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
