/** The channel to an executor that is a child process: its standard input and output. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { ExecutorChannel } from '../executor-connection.ts'

const MAX_LAST_WORDS = 8 * 1024
/** How long an executor may take to end after its input was closed, before it is killed. */
const END_DEADLINE_MS = 2_000

/** A child process with its three streams, which are there because they were asked for. */
export interface EnclosingProcess {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

/** Standard input at its end ends the executor, and with it everything in the sandbox; what does not end is killed. */
export function processChannel(enclosing: EnclosingProcess): ExecutorChannel {
  const { child, stdin, stdout, stderr } = enclosing
  let words = ''
  let closing: Promise<void> | null = null
  // A write to a process that is gone: its end is what counts, and comes by the other stream.
  stdin.on('error', () => undefined)
  stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MAX_LAST_WORDS)
  })
  return {
    open(listener) {
      let hasEnded = false
      const end = () => {
        if (hasEnded) return
        hasEnded = true
        listener.onEnd()
      }
      stdout.on('data', (bytes: Buffer) => listener.onBytes(bytes))
      child.once('close', end)
      child.once('error', end)
    },
    send: bytes => {
      stdin.write(bytes)
    },
    lastWords: () => words,
    close() {
      closing ??= end(enclosing)
      return closing
    },
  }
}

async function end({ child, stdin, stdout }: EnclosingProcess): Promise<void> {
  stdin.end()
  stdout.resume()
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const closed = once(child, 'close')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_DEADLINE_MS)
  await closed
  clearTimeout(timer)
}
