import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CELLS, NAME_AT } from '../task/run-within.ts'
import { WORKER_FLAG } from './verify-watch.ts'
import { noteOfWorker, whyWorkersEnded } from './verify-watch-notes.ts'
import { WATCHER } from './verify-watch-thread.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-bench-watch-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const run = () => ({ resultsDir: dir, runId: 'r1' })

/** A process of its own that is watched, with short limits, while it does something. */
function watched(
  state: Partial<Record<keyof typeof CELLS, number>>,
  code: string,
  flags: readonly string[] = [WORKER_FLAG],
) {
  const workerData = {
    at: CELLS,
    nameAt: NAME_AT,
    beatMs: 20,
    graceMs: 300,
    idleMs: 600,
    notePath: noteOfWorker(dir, 'r1', 1),
  }
  const script = `
    const { Worker } = require('node:worker_threads')
    const at = ${JSON.stringify(CELLS)}
    const cells = new Int32Array(new SharedArrayBuffer(${NAME_AT} + 100))
    const name = Buffer.from('the verify check "é"')
    new Uint8Array(cells.buffer, ${NAME_AT}).set(name)
    cells[at.nameBytes] = name.length
    for (const [cell, value] of Object.entries(${JSON.stringify(state)})) cells[at[cell]] = value
    const thread = new Worker(${JSON.stringify(WATCHER)}, { eval: true, workerData: { ...${JSON.stringify(workerData)}, cells } })
    thread.unref()
    setInterval(() => {
      cells[at.beats]++
      if (cells[at.stops] > 0 && cells[at.isStopping] === 0) { console.log('goes on'); process.exit(0) }
    }, 20)
    thread.once('online', () => setTimeout(() => { ${code} }, 50))
  `
  return spawnSync(process.execPath, [...flags, '-e', script], {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGTERM',
  })
}

describe('a process whose event loop does not turn', () => {
  it.each([
    ['a loop in a timer', 'for (;;);'],
    ['a chain of promises', 'const f = () => void Promise.resolve().then(f); f()'],
    ['a loop in setImmediate', 'setImmediate(() => { for (;;); })'],
  ])('goes on when a check was stopped in %s, and nothing is said of an end', (_what, code) => {
    const { stdout, stderr, status } = watched({ waits: 1, waitMs: 300 }, code)
    expect([stdout, status], stderr).toEqual(['goes on\n', 0])
    expect(readdirSync(dir)).toEqual([])
    expect(whyWorkersEnded(run())).toBeNull()
  })

  it.each<[string, Partial<Record<keyof typeof CELLS, number>>, RegExp]>([
    [
      'a call with a deadline',
      { calls: 1, callMs: 300 },
      /^the verify check "é" has run for [\d.]+ s and cannot be ended/,
    ],
    [
      'a check',
      { waits: 1, waitMs: 300 },
      /^the verify check "é" has run for [\d.]+ s and cannot be ended \(verify_timeout\)/,
    ],
    ['nothing that is known', {}, /^something has blocked the bench .* left running by the verify check "é"/],
  ])('is ended, with a name, where %s waits in the system', (_what, state, message) => {
    const { signal, stderr } = watched(state, "require('node:child_process').execSync('sleep 5')")
    expect(signal, stderr).toBe('SIGKILL')
    expect(stderr).toMatch(/^agent-bench: .*so its process is ended\nremedy: /)
    expect(whyWorkersEnded(run())).toMatch(message)
    // Said once.
    expect(whyWorkersEnded(run())).toBeNull()
  })

  // A stop between two links of it leaves the next one in Node's queue, and that cannot be seen from outside.
  it('goes on or is ended with a name after a chain of process.nextTick', () => {
    const { signal, status, stdout, stderr } = watched(
      { waits: 1, waitMs: 300 },
      'const f = () => process.nextTick(f); f()',
    )
    const why = whyWorkersEnded(run())
    if (status === 0) expect([stdout, why], stderr).toEqual(['goes on\n', null])
    else expect([signal, why], stderr).toEqual(['SIGKILL', expect.stringContaining('the verify check "é" has run for')])
  })

  it('has its name on paper before a stop that Node does not survive', () => {
    const { status, stderr } = watched({ waits: 1, waitMs: 300 }, 'for (;;);', [])
    expect(status, stderr).not.toBe(0)
    expect(readFileSync(noteOfWorker(dir, 'r1', 1), 'utf8')).toMatch(
      /^the verify check "é" ran for [\d.]+ s without an end/,
    )
  })

  it('is no matter of another run, nor of a folder that is not there', () => {
    expect(whyWorkersEnded({ resultsDir: join(dir, 'none'), runId: 'r1' })).toBeNull()
    expect(existsSync(join(dir, 'none'))).toBe(false)
  })
})
