/** What `npm pack` gives, used in a project outside of this repository. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

const CONFIG = `import { agentBench } from 'agent-bench/vitest'
import { defineConfig } from 'vitest/config'
export default defineConfig({ test: { projects: [{ plugins: [agentBench()], test: { name: 'bench' } }] } })
`
const TASK = `import { defineTask } from 'agent-bench'
export default defineTask({
  id: 'packed_v1',
  prompt: 'Write hello to out.txt.',
  setup: { 'name.txt': 'Ada\\n' },
  allowedWrites: ['out.txt'],
  flags: { wrote: run => run.finalText('out.txt') === 'hello' && run.firstChange('out.txt') },
  reference: async ({ write }) => {
    await write('out.txt', 'hello')
  },
})
`

let project = ''
let files: readonly string[] = []

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'agent-bench-packed-'))
  const unpacked = join(project, 'node_modules/agent-bench')
  await mkdir(unpacked, { recursive: true })
  // Packing builds first, as `prepare` says.
  await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: REPOSITORY })
  const tarball = (await readdir(project)).find(name => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack made no tarball')
  const { stdout } = await run('tar', ['-tzf', join(project, tarball)])
  files = stdout.trim().split('\n')
  await run('tar', ['-xzf', join(project, tarball), '-C', unpacked, '--strip-components=1'])
  for (const name of await readdir(join(REPOSITORY, 'node_modules'))) {
    if (name.startsWith('.') || name === 'agent-bench') continue
    await symlink(join(REPOSITORY, 'node_modules', name), join(project, 'node_modules', name))
  }
  await mkdir(join(project, 'tasks'))
  await writeFile(join(project, 'package.json'), '{"type":"module","private":true}')
  await writeFile(join(project, 'vitest.config.ts'), CONFIG)
  await writeFile(join(project, 'tasks/x.bench.ts'), TASK)
})

afterAll(() => rm(project, { recursive: true, force: true }))

/** Folders of everything that npm installs for this package's own dependencies. */
async function dependencies(): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: object; optionalDependencies?: object }>
  }
  const found = new Set<string>()
  const follow = (from: string) => {
    const { dependencies = {}, optionalDependencies = {} } = packages[from] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      let base = from
      while (base !== '' && packages[`${base}/node_modules/${name}`] === undefined) {
        base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))
      }
      const path = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`
      if (found.has(path) || !existsSync(join(REPOSITORY, path))) continue
      found.add(path)
      follow(path)
    }
  }
  follow('')
  return [...found].map(path => join(REPOSITORY, path))
}

/** Bytes of a package's files, without the packages below it. */
async function bytesOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await bytesOf(path) : (await stat(path)).size
  }
  return bytes
}

/** Only what a program needs: no variable of the machine may steer a test. */
const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1', CI: '1' }

const command = (words: readonly string[], over: Readonly<Record<string, string>> = {}) =>
  run(process.execPath, [join(project, 'node_modules/agent-bench/dist/src/cli/bin.js'), ...words], {
    cwd: project,
    env: { ...env, ...over },
  })

describe('the packed package', () => {
  test('holds the programs of the sandbox, the declarations and the command, and no tests', () => {
    const parts = ['index.d.ts', 'cli/bin.js', 'sandbox/image/Dockerfile', 'sandbox/image/witness/bench_witness.py']
    const texts = ['LICENSE', 'README.md', 'docs/write-a-task.md', 'skills/landing-page/SKILL.md']
    for (const path of [...parts.map(part => `dist/src/${part}`), ...texts]) expect(files).toContain(`package/${path}`)
    expect(files.filter(file => /\.test\.|\.fixture\.|__pycache__/.test(file))).toEqual([])
  })

  test('takes at most 60 MB with all it depends on, Vitest apart', async () => {
    const packages = [join(project, 'node_modules/agent-bench'), ...(await dependencies())]
    const sizes = await Promise.all(packages.map(async path => ({ path, bytes: await bytesOf(path) })))
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    const largest = sizes.toSorted((one, other) => other.bytes - one.bytes).slice(0, 5)
    expect(total, JSON.stringify(largest)).toBeLessThan(60_000_000)
    expect(total).toBeGreaterThan(5_000_000) // something was measured
  })

  test('lists the trials of a task outside of the repository, and BENCH_SUITE runs the tasks and skills it brings', async () => {
    const vitest = join(project, 'node_modules/vitest/vitest.mjs')
    const call = (words: readonly string[], over: Readonly<Record<string, string>>) =>
      run(process.execPath, [vitest, ...words, '--project', 'bench'], { cwd: project, env: { ...env, ...over } })
    expect((await call(['list'], {})).stdout.match(/packed_v1/g)).toHaveLength(3)
    const list = async (suite: string) => (await call(['list', '--filesOnly'], { BENCH_SUITE: suite })).stdout
    expect((await list('agentic')).match(/agent-bench\/tasks\/agentic\/.*\.bench\.ts/g)).toHaveLength(8)
    expect(await list('agentic')).not.toContain('x.bench.ts')
    expect(await list('all')).toMatch(/^\[bench\] tasks\/x\.bench\.ts$[\s\S]*agent-bench\/skills\//m)
    await expect(list('agentik')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('"agentic"?') })
    const settings = { BENCH_SUITE: 'agentic', BENCH_AGENT: 'reference', BENCH_SANDBOX: 'namespace', BENCH_K: '1' }
    expect((await call(['run', 'doc_trap_v1'], settings)).stdout).toMatch(/^PASS +doc_trap_v1/m)
  })

  test('has the command, which proves a task and gives its status on', async () => {
    const { stdout } = await command(['check', 'packed_v1', '--driver', 'namespace', '--k', '1'])
    expect(stdout).toMatch(/^ok +packed_v1 /)
    await expect(command(['check', 'nothing_like_it'])).rejects.toMatchObject({ code: 2 })
  })

  test('ends a check that code of a task blocks, and says which', async () => {
    const endless = TASK.replace('packed_v1', 'endless_v1').replace('await write(', 'for (;;); await write(')
    await writeFile(join(project, 'tasks/endless.bench.ts'), endless)
    const check = command(['check', 'endless_v1', '--driver', 'namespace'], { AGENT_BENCH_SILENCE_MS: '3000' })
    const said = expect.stringMatching(/task "endless_v1" blocked its process for 3 s[\s\S]*\nremedy: /)
    await expect(check).rejects.toMatchObject({ code: 2, stderr: said })
    await rm(join(project, 'tasks/endless.bench.ts'))
  })
})
