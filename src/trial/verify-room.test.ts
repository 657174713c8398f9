import { describe, expect, it } from 'vitest'
import { sessionReports } from '../evidence/log.fixture.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { VerifyRoom } from './verify-room.ts'

const filesOf = (texts: Readonly<Record<string, string>>): FileMap =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: 0o644 }]))

/** A sandbox that says after a while which files lay in it when it was asked. */
function showing() {
  let laid: FileMap = new Map()
  const resets: string[][] = []
  const commands: string[] = []
  const proof = { processesLeft: 0, leftovers: 0, root: 'r', expectedRoot: 'r', durationMs: 1 }
  const textsLaid = () => [...laid].map(([path, { bytes }]) => `${path}=${Buffer.from(bytes)}`)
  const sandbox = {
    reset: async (files: FileMap) => {
      laid = files
      resets.push(textsLaid())
      return { proof, baseline: { root: 'r', entries: new Map(), truncated: null } }
    },
    exec: async (command: string) => {
      commands.push(command)
      const text = (head: string, tail = '', totalBytes = head.length) => ({
        head: Buffer.from(head),
        tail: Buffer.from(tail),
        totalBytes,
      })
      return {
        exitCode: 3,
        stopped: command === 'stopped' ? 'timeout' : null,
        stdout: text('be', 'nd', 100),
        stderr: text(''),
        testReports: [
          ...sessionReports({ passed: 1, status: 0, pid: 1, cwd: '/workspace/variant-0' }),
          ...sessionReports({ passed: 1, failed: 2, status: 1, pid: 2, cwd: '/workspace/variant-1' }),
          ...sessionReports({ status: null, pid: 3, cwd: '/workspace/variant-2' }),
        ],
      }
    },
    evaluate: async () => {
      await new Promise(setImmediate)
      return { kind: 'values', results: textsLaid().map(v => ({ ok: true, value: { t: 'str', v } })) }
    },
  } as unknown as Sandbox
  return { sandbox, resets, commands }
}

it('gives each request its own files, also when several are made at once, and lays the room only when it must', async () => {
  const { sandbox, resets } = showing()
  const room = new VerifyRoom(sandbox, filesOf({ 'a.py': '1', 'b.py': '1' }), AbortSignal.timeout(5_000))
  await room.lay()
  const overs = [filesOf({}), filesOf({ 'b.py': '2' }), filesOf({ 'b.py': '2' }), filesOf({ 'c.py': '3' }), filesOf({})]
  const answers = await Promise.all(overs.map(over => room.evaluate([], over)))
  const seen = answers.map(answer =>
    answer.kind === 'values' ? answer.results.map(one => (one.ok && one.value.t === 'str' ? one.value.v : '')) : [],
  )
  expect(seen).toEqual([
    ['a.py=1', 'b.py=1'],
    ['a.py=1', 'b.py=2'],
    ['a.py=1', 'b.py=2'],
    ['a.py=1', 'b.py=1', 'c.py=3'],
    ['a.py=1', 'b.py=1'],
  ])
  expect(resets).toHaveLength(4)
})

describe('runs of the suite', () => {
  const variants = [filesOf({}), filesOf({ 'a.py': '2' }), new Map([['b.py', null]])]

  it('of several sets of files share a start, each in a folder of its own, and are known by where they began', async () => {
    const { sandbox, resets, commands } = showing()
    const room = new VerifyRoom(sandbox, filesOf({ 'a.py': '1', 'b.py': '1' }), AbortSignal.timeout(5_000))
    const results = await room.suites(variants)
    expect(results.map(({ ok, passed, failed }) => [ok, passed, failed])).toEqual([
      [true, 1, 0],
      [false, 1, 2],
      [false, 0, 0],
    ])
    expect(resets).toEqual([
      ['variant-0/a.py=1', 'variant-0/b.py=1', 'variant-1/a.py=2', 'variant-1/b.py=1', 'variant-2/a.py=1'],
    ])
    expect(commands).toHaveLength(1)
  })

  it('are not made again on the same files, and leave nothing for what comes next', async () => {
    const { sandbox, resets, commands } = showing()
    const room = new VerifyRoom(sandbox, filesOf({ 'a.py': '1', 'b.py': '1' }), AbortSignal.timeout(5_000))
    const [first] = await room.suites([filesOf({})])
    expect(await room.suites([filesOf({}), filesOf({ 'a.py': '1' })])).toEqual([first, first])
    expect(commands).toHaveLength(1)
    await room.run('ls', new Map())
    await room.evaluate([], new Map())
    expect(resets).toHaveLength(3)
  })

  it('give the output of a command, and no status where it was stopped', async () => {
    const { sandbox } = showing()
    const room = new VerifyRoom(sandbox, filesOf({ 'a.py': '1' }), AbortSignal.timeout(5_000))
    expect(await room.run('long', new Map())).toEqual({ stdout: 'be\n…\nnd', stderr: '', exitCode: 3 })
    expect(await room.run('stopped', new Map())).toMatchObject({ exitCode: null })
  })
})
