import { expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { defineTask } from '../task/define-task.ts'
import { defineSuite } from '../task/suite.ts'
import { loadSpec } from './collect.ts'

const folder = folderOfEachTest()
const task = defineTask({ id: 'a', prompt: 'Do.', allowedWrites: [], flags: { said: run => run.finalAnswer !== '' } })

const load = async (suite: unknown) => {
  const importModule = (path: string) => ({ default: path.endsWith('suite.ts') ? suite : task })
  return (await loadSpec(folder('a.bench.ts'), folder(), importModule)).resolve()
}

it('a task knows the suite that its folder defines, and none where the folder says nothing', async () => {
  expect((await load(undefined)).suite).toBeNull()
  folder.write({ 'suite.ts': '' })
  expect((await load(defineSuite({ title: 'Agentic work' }))).suite?.title).toBe('Agentic work')
})

it('says what to write where suite.ts gives something else', async () => {
  folder.write({ 'suite.ts': '' })
  await expect(load({ title: 'x' })).rejects.toMatchObject({
    message: 'suite.ts: the default export is not a suite',
    remedy: expect.stringContaining('defineSuite'),
  })
})
