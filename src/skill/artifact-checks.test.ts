import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { judge } from '../evidence/judge.ts'
import { makeLog } from '../evidence/log.fixture.ts'
import { workOf } from '../task/verify-tools.fixture.ts'
import { createVerifyTools } from '../task/verify-tools.ts'
import { keepsRule, rulesOf } from './artifact-checks.ts'
import { loadSkill } from './load-skill.ts'

const DREADFUL = '(?:a+)+$'
const LONG = `${'a'.repeat(60)}b`

describe('a pattern that takes for ever over what a model made is the fault of the manifest', () => {
  const dir = folderOfEachTest()
  const skill = async (manifest: unknown) => {
    const document = '---\nname: x\ndescription: Does x. Use it for x.\n---\n\nDo x.\n'
    dir.write({ 'SKILL.md': document, 'bench_manifest.json': JSON.stringify(manifest) })
    return (await loadSkill(dir())).resolve()
  }

  it('in artifact_checks, when the artifact is verified', () => {
    const [rule] = rulesOf({ file: 'output/a.txt', regex: [`^${DREADFUL}`] })
    if (rule === undefined) throw new Error('no rule')
    const tools = createVerifyTools(workOf(), new Map([['output/a.txt', { bytes: Buffer.from(LONG), mode: 0o644 }]]))
    expect(() => keepsRule(rule, tools)).toThrow(
      expect.objectContaining({
        code: 'pattern_timeout',
        message: expect.stringContaining('artifact_checks for output/a.txt, /^(?:a+)+$/m,'),
        remedy: expect.stringMatching(/^Simplify the pattern in bench_manifest\.json/),
      }),
    )
  })

  it('in artifact_checks, when a flag looks when the artifact first fitted', async () => {
    const checks = [{ file: 'output/a.txt', regex: [DREADFUL] }]
    const { flags } = await skill({ artifact_checks: checks, allowed_writes: ['output/*'] })
    const log = makeLog({
      calls: [{ sh: 'make', writes: { 'output/a.txt': LONG } }],
      verified: new Map([['check:output/a.txt:0', { ok: true, reason: '' }]]),
    })
    const asked = new Map([...flags].filter(([id]) => id.startsWith('check:')))
    expect(asked.size).toBe(1)
    expect(() => judge(asked, log)).toThrow(expect.objectContaining({ code: 'pattern_timeout' }))
  })

  it('in required_commands, by the name of its flag', async () => {
    const { flags } = await skill({ required_commands: [`make ${DREADFUL}`] })
    const log = makeLog({ calls: [{ sh: `make ${LONG}` }] })
    expect(() => judge(flags, log, 200)).toThrow(
      expect.objectContaining({
        code: 'flag_timeout',
        message: expect.stringContaining('flag "cmd:0"'),
        remedy: expect.stringContaining('simplify its patterns'),
      }),
    )
  })
})
