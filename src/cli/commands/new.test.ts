import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentBench } from '../../../test/agent-bench.ts'
import { folderOfEachTest } from '../../../test/folder.ts'
import { lintSkill, loadSkill } from '../../skill/index.ts'

const directory = folderOfEachTest()
const run = (...args: string[]) => agentBench(directory(), args)

describe('agent-bench new', () => {
  it('names the file of a task after its id, without the version', async () => {
    expect(await run('new', 'task', 'Read_the_Log_v12')).toMatchObject({ status: 0, error: '' })
    expect(readdirSync(directory('tasks/my-suite'))).toEqual(['read-the-log.bench.ts'])
  })

  it('warns where the project does not collect the task', async () => {
    const config = "export default { test: { include: ['bench/*.bench.ts'] } }\n"
    directory.write({ 'vitest.config.mjs': config })
    const { status, error } = await run('new', 'task', 'read_v1')
    expect(status).toBe(0)
    expect(error).toMatch(/^warning: .*does not collect tasks\/my-suite\/read\.bench\.ts.*bench\/\*\.bench\.ts/)
  })

  it('adds a manifest and a proof to a skill that is there, whatever it is called', async () => {
    const dir = directory('Found Skill')
    const document = '---\nname: x\ndescription: Does things.\n---\nDo the first thing first.\n'
    directory.write({ 'Found Skill/skill.md': document })
    expect(await run('new', 'skill', 'Found Skill')).toMatchObject({ status: 0 })
    expect(readdirSync(dir).sort()).toEqual(['bench_manifest.json', 'bench_proof.ts', 'skill.md'])
    expect((await lintSkill(dir)).filter(({ rule }) => rule === 'manifest' || rule === 'mount')).toEqual([])
    expect((await loadSkill(dir)).standing).toBe('unproven')
  })

  it('overwrites nothing, and then writes nothing at all', async () => {
    await run('new', 'skill', 'skills/a')
    const before = readFileSync(directory('skills/a/SKILL.md'), 'utf8')
    rmSync(directory('skills/a/bench_proof.ts'))
    const second = await run('new', 'skill', 'skills/a')
    expect(second.status).toBe(2)
    expect(second.error).toMatch(/exists already[\s\S]*remedy: /)
    expect(readdirSync(directory('skills/a')).sort()).toEqual(['SKILL.md', 'bench_manifest.json'])
    expect(readFileSync(directory('skills/a/SKILL.md'), 'utf8')).toBe(before)
  })

  it('writes a skill without anything for the linter to find', async () => {
    await run('new', 'skill', 'skills/notice-board')
    expect(await lintSkill(directory('skills/notice-board'))).toEqual([])
  })

  it.each([
    [['new', 'task', '../x']],
    [['new', 'task', '-v']],
    [['new', 'task', 'x', '--suite', '../..']],
    [['new', 'skill', 'skills/My Skill']],
    [['new', 'skill', 'skills/a--b']],
    [['new', 'skill', `skills/${'a'.repeat(65)}`]],
  ])('refuses %j and writes nothing', async args => {
    expect((await run(...args)).status).toBe(2)
    expect(readdirSync(directory())).toEqual([])
  })
})
