import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openSandbox, type PreparedSandbox, prepareSandbox, type Sandbox } from '../src/sandbox/index.ts'
import { describeWith } from './needs.ts'
import { outputOf, run } from './sandbox-contract/fixture.ts'
import { witnessContract } from './sandbox-contract/witness.ts'
import { sandboxContract } from './sandbox-contract.ts'

const RUN_ID = `namespace-driver-test-${process.pid}`
const SETTLE_MS = 2_000
const IS_ROOT = process.geteuid?.() === 0
const USER = IS_ROOT ? 'root' : 'an ordinary user'
/** No limit holds for all processes together, as there is no control group. */
const TRAITS = { limitsMemory: false, limitsProcesses: true, renewsCounters: true }

const prepare = (image: string | null = null) =>
  prepareSandbox('namespace', { image, runId: RUN_ID, onProgress: () => undefined })

/** Whether the process and everything below it in its namespaces is gone. */
const isGone = (pid: string) => !existsSync(`/proc/${pid}`)

await describeWith(['namespaces'], `the namespace driver of ${USER}`, () => {
  let prepared: PreparedSandbox

  beforeAll(async () => {
    prepared = await prepare()
  })

  sandboxContract(`of ${USER} keeps the contract of sandboxes`, () => openSandbox(prepared, { runId: RUN_ID }), TRAITS)

  describe('without pytest', () => {
    let sandbox: Sandbox | null = null
    beforeAll(async () => {
      const { interpreter } = prepared
      if (interpreter === undefined) throw new Error('no interpreter was found')
      const bare = { ...prepared, interpreter: { ...interpreter, pytest: null, packages: [] } }
      sandbox = await openSandbox(bare, { runId: RUN_ID })
    })
    afterAll(() => sandbox?.[Symbol.asyncDispose]())
    const opened = () => {
      if (sandbox === null) throw new Error('the sandbox is not open')
      return sandbox
    }

    it('has a runner that says it is not pytest', async () => {
      expect(await outputOf(opened(), 'pytest --version')).toContain('agent-bench mini runner')
    })
    // The stand-in reports its sessions to the same witness.
    witnessContract(opened)
  })

  describe('prepare', () => {
    const { PATH } = process.env
    afterEach(() => {
      process.env.PATH = PATH
    })

    it('says which Python, which test runner and which user', () => {
      expect(prepared.why).toMatch(
        /^namespace: Linux \S+ as (root|an ordinary user), Python 3\.\d+\.\d+ at \/\S+ with /,
      )
      expect(prepared.testRunner).toBe(prepared.interpreter?.pytest === null ? 'agent-bench mini runner' : 'pytest')
    })

    it('is a plain value that can be sent to a worker', () => {
      expect(JSON.parse(JSON.stringify(prepared))).toEqual(prepared)
    })

    it('refuses an image, as it has none', async () => {
      await expect(prepare('some-image')).rejects.toMatchObject({
        code: 'namespace_without_image',
        remedy: /Unset BENCH_IMAGE/,
      })
    })

    it('finds the Python of the system when PATH has none', async () => {
      process.env.PATH = '/nowhere'
      const { interpreter } = await prepare()
      expect(interpreter?.executable).toMatch(/^\/usr\//)
    })
  })

  describe('a sandbox', () => {
    it('shows nothing of the host but its programs', async () => {
      await using sandbox = await openSandbox(prepared, { runId: RUN_ID })
      await sandbox.reset(new Map(), { room: 'agent' })
      const top = (await outputOf(sandbox, 'ls /')).split('\n').filter(name => name !== '')
      const python = (prepared.interpreter?.prefix ?? '').split('/')[1] ?? ''
      const known = 'bin dev etc home lib lib32 lib64 libx32 opt proc run sbin tmp usr var workspace'.split(' ')
      expect(top.filter(name => ![...known, python].includes(name))).toEqual([])
      expect(await outputOf(sandbox, 'ls /home; ls -A /home/agent /tmp /var /run')).toBe(
        'agent\n/home/agent:\n\n/run:\nbench\n\n/tmp:\n\n/var:\ntmp\n',
      )
      expect(await outputOf(sandbox, `grep -c "${process.env.USER ?? 'nobody-at-all'}:" /etc/passwd || true`)).toMatch(
        /^[01]\n$/,
      )
    })

    it('has the Python that was found, with the witness, and nothing else to change it', async () => {
      await using sandbox = await openSandbox(prepared, { runId: RUN_ID })
      await sandbox.reset(new Map(), { room: 'agent' })
      const version = prepared.interpreter?.version
      expect(await outputOf(sandbox, 'python3 --version; python --version')).toBe(
        `Python ${version}\nPython ${version}\n`,
      )
      const attempts = '/usr/local/bin/python3 /usr/local/pyvenv.cfg /usr/local/lib /etc/passwd /dev/null'
      for (const path of attempts.split(' ')) {
        expect((await run(sandbox, `rm -rf ${path} 2>/dev/null || mv ${path} /tmp/`)).exitCode, path).not.toBe(0)
      }
    })

    it('takes memory for one process up to a bound', async () => {
      await using sandbox = await openSandbox(prepared, { runId: RUN_ID })
      await sandbox.reset(new Map(), { room: 'agent' })
      const result = await run(sandbox, "python3 -c 'bytearray(4 << 30)'")
      expect(Buffer.from(result.stderr.head).toString()).toContain('MemoryError')
      expect(sandbox.info.limits).toMatchObject({ control_group: false, 'processes of a command': 256 })
    })

    it('is gone after it was disposed', async () => {
      const sandbox = await openSandbox(prepared, { runId: RUN_ID })
      expect(readFileSync(`/proc/${sandbox.info.id}/status`, 'utf8')).toMatch(/^NSpid:\t\d+\t1$/m)
      await sandbox[Symbol.asyncDispose]()
      expect(isGone(sandbox.info.id)).toBe(true)
    })

    it('is lost with a clear error when somebody kills it', async () => {
      await using sandbox = await openSandbox(prepared, { runId: RUN_ID })
      const running = run(sandbox, 'sleep 30', 30_000)
      setTimeout(() => process.kill(Number(sandbox.info.id), 'SIGKILL'), 200)
      await expect(running).rejects.toMatchObject({ code: 'sandbox_lost_during_command' })
      await expect(run(sandbox, 'true')).rejects.toThrow('the sandbox is lost')
    })

    it('ends when opening it is aborted', async () => {
      const reason = new Error('stop')
      const controller = new AbortController()
      setTimeout(() => controller.abort(reason), 20)
      await expect(openSandbox(prepared, { runId: RUN_ID, signal: controller.signal })).rejects.toBe(reason)
    })

    it('is gone two seconds after its harness was killed, with what runs in it', async () => {
      const holder = spawn(process.execPath, [
        fileURLToPath(new URL('../scripts/run-ts.mjs', import.meta.url)),
        fileURLToPath(new URL('./sandbox-holder.ts', import.meta.url)),
        JSON.stringify(prepared),
        RUN_ID,
      ])
      // Also when an expectation fails.
      onTestFinished(() => void holder.kill('SIGKILL'))
      const [said] = await once(holder.stdout, 'data')
      expect(String(said)).toBe('running\n')
      let below: readonly string[] = []
      const find = () => {
        below = descendantsOf(holder.pid ?? 0)
        return below.length
      }
      // The enclosing process, the executor, and the command.
      await expect.poll(find, { timeout: 5_000 }).toBeGreaterThanOrEqual(3)
      holder.kill('SIGKILL')
      await expect.poll(() => below.filter(pid => !isGone(pid)), { timeout: SETTLE_MS }).toEqual([])
    })
  })
})

/** Ids of all processes below one, from /proc. */
function descendantsOf(pid: number): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(id => id !== '')
  return children.flatMap(child => [child, ...descendantsOf(Number(child))])
}
