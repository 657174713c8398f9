import { existsSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox, type PreparedSandbox, prepareSandbox, type Sandbox } from '../src/sandbox/index.ts'
import { describeWith } from './needs.ts'
import { outputOf, run } from './sandbox-contract/fixture.ts'
import { lifeContract } from './sandbox-contract/life.ts'
import { witnessContract } from './sandbox-contract/witness.ts'
import { sandboxContract } from './sandbox-contract.ts'

const RUN_ID = `namespace-driver-test-${process.pid}`
const IS_ROOT = process.geteuid?.() === 0
const USER = IS_ROOT ? 'root' : 'an ordinary user'
/** No limit holds for all processes together, as there is no control group. */
const TRAITS = { limitsMemory: false, limitsProcesses: true, renewsCounters: true }

const prepare = (image: string | null = null) =>
  prepareSandbox('namespace', { image, runId: RUN_ID, onProgress: () => undefined })

await describeWith(['namespaces'], `the namespace driver of ${USER}`, () => {
  let prepared: PreparedSandbox

  beforeAll(async () => {
    prepared = await prepare()
  })

  sandboxContract(`of ${USER} keeps the contract of sandboxes`, () => openSandbox(prepared, { runId: RUN_ID }), TRAITS)
  lifeContract({
    prepared: () => prepared,
    isThere: async id => existsSync(`/proc/${id}`),
    // The enclosing process, the executor, and the command.
    idsOf: async (_runId, harness) => descendantsOf(harness),
    kill: id => process.kill(Number(id), 'SIGKILL'),
  })

  describe('without pytest', () => {
    let sandbox: Sandbox | null = null
    beforeAll(async () => {
      const bare = { ...prepared.interpreter, pytest: null, packages: [] } as NonNullable<typeof prepared.interpreter>
      sandbox = await openSandbox({ ...prepared, interpreter: bare }, { runId: RUN_ID })
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

    it('refuses an image, as it has none', async () => {
      const refusal = { code: 'namespace_without_image', remedy: /Unset BENCH_IMAGE/ }
      await expect(prepare('some-image')).rejects.toMatchObject(refusal)
    })

    it('finds the Python of the system when PATH has none', async () => {
      process.env.PATH = '/nowhere'
      const { interpreter } = await prepare()
      expect(interpreter?.executable).toMatch(/^\/usr\//)
    })
  })

  describe('a sandbox', () => {
    const open = async () => {
      const sandbox = await openSandbox(prepared, { runId: RUN_ID })
      await sandbox.reset(new Map(), { room: 'agent' })
      return sandbox
    }

    it('shows nothing of the host but its programs', async () => {
      await using sandbox = await open()
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
      await using sandbox = await open()
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
      await using sandbox = await open()
      const result = await run(sandbox, "python3 -c 'bytearray(4 << 30)'")
      expect(Buffer.from(result.stderr.head).toString()).toContain('MemoryError')
      expect(sandbox.info.limits).toMatchObject({ control_group: false, 'processes of a command': 256 })
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
