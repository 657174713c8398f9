/**
 * The thread that `verify-watch.ts` starts. Plain JavaScript, since a thread of Node 20 runs no TypeScript. It counts looks
 * instead of reading a clock: a suspended machine makes no look. It logs with nothing but synchronous writes, for the
 * other thread, which would pass anything else on, is blocked.
 */
export const WATCHER = `
const { rmSync, writeFileSync, writeSync } = require('node:fs')
const { Session } = require('node:inspector')
const { workerData: { cells, at, nameAt, beatMs, graceMs, idleMs, notePath } } = require('node:worker_threads')
let last = -1
let still = 0

/** A copy: shared memory cannot be decoded. */
function name() {
  const bytes = new Uint8Array(cells.buffer, nameAt, Atomics.load(cells, at.nameBytes))
  return bytes.length === 0 ? 'code of a task' : new TextDecoder().decode(Uint8Array.from(bytes))
}

const seconds = () => Math.round(still * beatMs / 100) / 10 + ' s'

function leaveNote(problem, remedy) {
  if (notePath === null) return
  try {
    writeFileSync(notePath, problem + ', and its worker was ended\\nremedy: ' + remedy)
  } catch (error) {
    writeSync(2, 'agent-bench: ' + notePath + ' cannot be written: ' + error.message + '\\n')
  }
}

const NOT_COUNTED = ' Trials that were not done are not counted against the model.'

function endProcess(problem, remedy) {
  leaveNote(problem, remedy + NOT_COUNTED)
  writeSync(2, 'agent-bench: ' + problem + ', so its process is ended\\nremedy: ' + remedy + NOT_COUNTED + '\\n')
  process.kill(process.pid, 'SIGKILL')
}

function stopStretch() {
  Atomics.store(cells, at.isStopping, 1)
  const problem = name() + ' ran for ' + seconds() + ' without an end (verify_timeout)'
  const remedy = 'Look in it for a loop without an end, in a timer too, and simplify its patterns.'
  // Should stopping it end the process, this is all there is to say why.
  leaveNote(problem, remedy + NOT_COUNTED)
  if (notePath === null) writeSync(2, 'agent-bench: ' + problem + '\\nremedy: ' + remedy + '\\n')
  Atomics.add(cells, at.stops, 1)
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.terminateExecution', () => session.disconnect())
}

/** The process gets on after a stop: there is nothing to say of its end. */
function survived() {
  if (notePath !== null) rmSync(notePath, { force: true })
  Atomics.store(cells, at.isStopping, 0)
}

setInterval(() => {
  const beat = Atomics.load(cells, at.beats)
  if (beat !== last) {
    if (Atomics.load(cells, at.isStopping) === 1) survived()
    last = beat
    still = 0
    return
  }
  still += 1
  const blockedMs = still * beatMs
  const isCalled = Atomics.load(cells, at.calls) > 0
  const isWaited = Atomics.load(cells, at.waits) > 0
  if (!isCalled && !isWaited) {
    if (notePath === null || blockedMs < idleMs) return
    endProcess('something has blocked the bench for ' + seconds() + ', most likely left running by ' + name(),
      'Look for a timer or a chain of promises that it leaves behind, and at the top level of the spec file.')
  }
  const limitMs = Atomics.load(cells, isCalled ? at.callMs : at.waitMs)
  const isStopping = Atomics.load(cells, at.isStopping) === 1
  if (!isCalled && !isStopping && blockedMs >= limitMs) stopStretch()
  if (blockedMs < limitMs + graceMs) return
  endProcess(name() + ' has run for ' + seconds() + ' and cannot be ended' + (isCalled ? ' (flag_timeout or verify_timeout)' : ' (verify_timeout)'),
    'Look in it for a call that waits for another program (execSync, spawnSync); code of a task starts none.')
}, beatMs)
`
