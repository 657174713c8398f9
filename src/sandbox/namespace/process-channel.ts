/** The channel to an executor that is a child process: its standard input and output. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { ExecutorChannel } from '../executor-connection.ts'
import { streamChannel } from '../stream-channel.ts'

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
  // A write to a process that is gone: its end is what counts, and comes by the other stream.
  stdin.on('error', () => undefined)
  return streamChannel({
    listen({ onOutput, onWords, onEnd }) {
      stdout.on('data', onOutput)
      stderr.setEncoding('utf8').on('data', onWords)
      child.once('close', onEnd)
      child.once('error', onEnd)
    },
    write: bytes => {
      stdin.write(bytes)
    },
    end: () => end(enclosing),
  })
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
