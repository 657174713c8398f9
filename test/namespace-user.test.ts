/**
 * The namespace driver as an ordinary user, where these tests run as root: the same test files once more, by a user who
 * sees neither root's home nor an engine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from './needs.ts'

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))
/** An id without an account. */
const USER = 12_345
const TIMEOUT_MS = 900_000
/** Tasks that between them use Python, pytest, the order of calls, and stubs of a skill. */
const PROVED = ['debug-python', 'tdd-order', 'context-manage', 'report-skill']

/** Shows the repository and Node where everybody may look, in mounts of its own, and becomes the user. */
const AS_USER = `
mount --bind "$1" "$3/repository" && mount --bind "$2" "$3/node" && cd "$3/repository" || exit 99
folder=$3; program=$3/node/bin/$4; shift 4
exec setpriv --reuid ${USER} --regid ${USER} --clear-groups --bounding-set -all \\
  env -i HOME="$folder/home" TMPDIR="$folder/home" PATH=/usr/bin:/bin NO_COLOR=1 CI=1 "$program" "$@"
`

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

// Who runs these tests as an ordinary user has the others run as one.
const runsAsRoot = process.geteuid?.() === 0

await describeWith(['namespaces'], 'the namespace driver of an ordinary user, run by root', () => {
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agent-bench-user-'))
    await chmod(folder, 0o755)
    for (const name of ['repository', 'node', 'home']) await mkdir(join(folder, name))
    if (runsAsRoot) await chown(join(folder, 'home'), USER, USER)
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function testAsUser(...args: readonly string[]): Promise<Report> {
    const node = process.execPath
    const report = join(folder, 'home/report.json')
    const words = ['node_modules/vitest/vitest.mjs', 'run', '--configLoader', 'runner', '--project', 'rest']
    const child = spawn(
      'unshare',
      [
        ...['--mount', '--kill-child', '--fork', 'bash', '-c', AS_USER, 'bash'],
        ...[REPOSITORY, dirname(dirname(node)), folder, node.slice(dirname(node).length + 1)],
        ...[...words, '--reporter', 'json', '--outputFile', report, ...args],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4_000)
    })
    const [status] = await once(child, 'close')
    const text = await readFile(report, 'utf8').catch(() => {
      throw new Error(`no report (status ${status}): ${errors}`)
    })
    await rm(report)
    return JSON.parse(text)
  }

  const failuresOf = (report: Report) =>
    report.testResults.flatMap(file => [
      ...(file.assertionResults.length === 0 ? [file.message] : []),
      ...file.assertionResults.filter(test => test.status === 'failed').map(test => test.fullName),
    ])

  it.runIf(runsAsRoot)(
    'keeps the contract of sandboxes',
    async () => {
      const report = await testAsUser('test/namespace-driver.test.ts')
      expect(failuresOf(report)).toEqual([])
      expect(report.numPassedTests).toBeGreaterThan(100)
      const names = report.testResults.flatMap(file => file.assertionResults.map(test => test.fullName))
      expect(names[0]).toMatch(/^the namespace driver of an ordinary user/)
    },
    TIMEOUT_MS,
  )

  it.runIf(runsAsRoot)(
    'proves tasks: references, near misses, honest ways',
    async () => {
      const report = await testAsUser('test/proof.test.ts', '-t', `on namespace .*(${PROVED.join('|')})`)
      expect(failuresOf(report)).toEqual([])
      expect(report.numPassedTests).toBe(PROVED.length)
    },
    TIMEOUT_MS,
  )
})
