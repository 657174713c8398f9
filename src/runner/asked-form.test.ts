import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { otherForms, refuseUnknownForm } from './asked-form.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-bench-form-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

it('refuses a mode or an instance that no file of the run, nor what it imports, speaks of', () => {
  const file = join(dir, 'a.bench.ts')
  writeFileSync(file, "import { task } from './world.ts'\nexport default task('a')\n")
  writeFileSync(join(dir, 'world.ts'), 'export const task = id => defineTask({ id })\n')
  const refuse = (mode: 'agent' | null, instance: number) => () => refuseUnknownForm([file], { mode, instance })
  expect(refuse(null, 0)).not.toThrow()
  expect(refuse('agent', 0)).toThrow(/no task of this run has a choice of modes/)
  expect(refuse(null, 2)).toThrow(/no task of this run has instances/)
  writeFileSync(join(dir, 'world.ts'), "defineTask({ id, modes: ['direct', 'agent'], instance: () => ({}) })\n")
  expect(refuse('agent', 2)).not.toThrow()
})

it('names the tasks of a run that have no other form than their own', () => {
  const meta = { version: 1, k: 3, trials: 3 }
  const tasks = [
    { ...meta, task: 'b' },
    { ...meta, task: 'a', mode: 'agent' as const, instance: 2 },
    { ...meta, task: 'c', mode: 'direct' as const, instance: 2 },
  ]
  expect(otherForms(tasks, { mode: null, instance: 0 })).toEqual([])
  expect(otherForms(tasks, { mode: 'agent', instance: 2 })).toEqual([
    'Without the mode agent, and run as usual: b, c.',
    'Without instances, and run as usual: b.',
  ])
})
