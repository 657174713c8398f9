#!/usr/bin/env node
/** The program behind `npx agent-bench`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { watchSilence } from '../runner/silence-watch.ts'
import { main } from './main.ts'

/** Commands that run flags, checks and plays of tasks. */
const RUN_AUTHORS_CODE = ['check', 'rescore']

/** Runs this program in a child that is ended when code of a task blocks it; gives the exit status. */
async function runWatched(args: readonly string[]): Promise<number> {
  const [, program = ''] = process.argv
  const child = fork(program, args)
  // A terminal sends Ctrl-C to both.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  let why: string | null = null
  watchSilence(child, reason => {
    why = reason
  })
  const [status, signal] = await once(child, 'exit')
  if (why !== null) process.stderr.write(`agent-bench: ${why}\n`)
  return why !== null ? 2 : typeof status === 'number' ? status : signal === 'SIGINT' ? 130 : 143
}

async function runHere(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort(new Error('interrupted')))
  return main(args, { signal: interrupted.signal })
}

const args = process.argv.slice(2)
const isWatched = process.send !== undefined || !RUN_AUTHORS_CODE.includes(args[0] ?? '')
process.exitCode = isWatched ? await runHere(args) : await runWatched(args)
