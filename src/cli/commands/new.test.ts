import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lintSkill, loadSkill } from '../../skill/index.ts'
import { main } from '../main.ts'

let directory = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-bench-new-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function run(...args: string[]): Promise<{ status: number; error: string }> {
  let error = ''
  const status = await main(args, {
    directory,
    env: {},
    write: () => undefined,
    writeError: text => {
      error += text
    },
  })
  return { status, error }
}

describe('agent-bench new', () => {
  it('names the file of a task after its id, without the version', async () => {
    expect(await run('new', 'task', 'Read_the_Log_v12')).toEqual({ status: 0, error: '' })
    expect(await readdir(join(directory, 'tasks/my-suite'))).toEqual(['read-the-log.bench.ts'])
  })

  it('warns where the project does not collect the task', async () => {
    const config = "export default { test: { include: ['bench/*.bench.ts'] } }\n"
    await writeFile(join(directory, 'vitest.config.mjs'), config)
    const { status, error } = await run('new', 'task', 'read_v1')
    expect({ status, error }).toEqual({
      status: 0,
      error: expect.stringMatching(
        /^warning: .*does not collect tasks\/my-suite\/read\.bench\.ts.*bench\/\*\.bench\.ts/,
      ),
    })
  })

  it('adds a manifest and a proof to a skill that is there, whatever it is called', async () => {
    const dir = join(directory, 'Found Skill')
    await mkdir(dir)
    await writeFile(join(dir, 'skill.md'), '---\nname: x\ndescription: Does things.\n---\nDo the first thing first.\n')
    expect(await run('new', 'skill', 'Found Skill')).toMatchObject({ status: 0 })
    expect((await readdir(dir)).sort()).toEqual(['bench_manifest.json', 'bench_proof.ts', 'skill.md'])
    expect((await lintSkill(dir)).filter(({ rule }) => rule === 'manifest' || rule === 'mount')).toEqual([])
    expect((await loadSkill(dir)).standing).toBe('unproven')
  })

  it('overwrites nothing, and then writes nothing at all', async () => {
    await run('new', 'skill', 'skills/a')
    const before = await readFile(join(directory, 'skills/a/SKILL.md'), 'utf8')
    await rm(join(directory, 'skills/a/bench_proof.ts'))
    const second = await run('new', 'skill', 'skills/a')
    expect(second.status).toBe(2)
    expect(second.error).toMatch(/exists already[\s\S]*remedy: /)
    expect((await readdir(join(directory, 'skills/a'))).sort()).toEqual(['SKILL.md', 'bench_manifest.json'])
    expect(await readFile(join(directory, 'skills/a/SKILL.md'), 'utf8')).toBe(before)
  })

  it('writes a skill without anything for the linter to find', async () => {
    await run('new', 'skill', 'skills/notice-board')
    expect(await lintSkill(join(directory, 'skills/notice-board'))).toEqual([])
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
    expect(await readdir(directory)).toEqual([])
  })
})
