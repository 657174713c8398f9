/** The tasks of the string tools judge what was claimed and done: the same plays with the workspace's tools come out the same. */
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAgent } from '../src/agents/index.ts'
import { planOfCheck } from '../src/check/check-task.ts'
import { disagreement, proofsOf } from '../src/check/proof.ts'
import { findSpecFiles } from '../src/cli/spec-files.ts'
import { loadSpec } from '../src/runner/collect.ts'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import type { Hands, Play } from '../src/task/task.ts'
import { TrialWorker } from '../src/trial/trial-worker.ts'
import { describeWith } from './needs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SUITES = ['workspace', 'repository'].map(name => join(ROOT, 'tasks', name))

/** Plays that rest on what only the string tools do. */
const CANNOT: Readonly<Record<string, string>> = {
  'W08 by command, after a cut reading': 'read_file of the workspace shows 8,000 characters',
  'T08 by command, after a cut reading': 'read_file of the workspace shows 8,000 characters',
  'W04 path after path': 'the errors of read_file read otherwise',
  'T04 path after path': 'the errors of read_file read otherwise',
}

const quoted = (text: unknown) => `'${String(text).replaceAll("'", "'\\''")}'`

/** The same play, each call made with the workspace's tool for it. */
const translated =
  (play: Play): Play =>
  hands => {
    const call: Hands['call'] = (tool, args) => {
      const path = String(args.path ?? '.').replace(/^\/+/, '')
      if (tool === 'list_files') return hands.sh(`ls -p ${quoted(path)}`)
      if (tool === 'search_files') return hands.sh(`grep -rnP ${quoted(args.pattern)} ${quoted(path)}`)
      if (tool === 'run_command') return hands.sh(String(args.command))
      return hands.call(tool, { ...args, path })
    }
    return play({ ...hands, call })
  }

const files = (await findSpecFiles(ROOT)).filter(file => SUITES.includes(dirname(file)))

await describeWith(['namespaces', 'pytest'], 'string tools and workspace tools', () => {
  let worker: TrialWorker
  beforeAll(async () => {
    const prepared = await prepareSandbox('namespace', { image: null, runId: 'parity', onProgress: () => undefined })
    worker = new TrialWorker(planOfCheck('parity'), options => openSandbox(prepared, options))
  })
  afterAll(() => worker[Symbol.asyncDispose]())

  it('has all tasks of both suites', () => expect(files).toHaveLength(20))

  it.each(files.map(file => [relative(ROOT, file), file] as const))('%s', async (_, file) => {
    const task = {
      ...(await (await loadSpec(file, ROOT, path => import(path))).resolve()),
      tools: 'workspace' as const,
    }
    for (const [index, proof] of proofsOf(task).entries()) {
      const agent = createAgent('reference', { model: null })
      const signal = AbortSignal.timeout(60_000)
      const play = translated(proof.play)
      const agrees = await worker.run({ task, index, agent, play, signal }).then(
        end => end.kind === 'judged' && disagreement(proof, end.finding),
        (error: unknown) => String(error),
      )
      if (CANNOT[`${task.id} ${proof.name}`] === undefined) expect([proof.name, agrees]).toEqual([proof.name, null])
      else expect([proof.name, agrees]).not.toEqual([proof.name, null])
    }
  })
})
