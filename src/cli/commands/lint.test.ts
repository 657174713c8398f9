import { describe, expect, it } from 'vitest'
import { agentBench } from '../../../test/agent-bench.ts'
import { folderOfEachTest } from '../../../test/folder.ts'

const directory = folderOfEachTest()
const GOOD = '---\nname: my-skill\ndescription: Says hello.\n---\nSay hello.\n'

/** Lints a skill of this document and these files; what was printed to either stream. */
async function lint(
  document: string,
  args: readonly string[] = ['my-skill'],
  files: Readonly<Record<string, string>> = {},
) {
  for (const [path, text] of Object.entries({ 'SKILL.md': document, ...files }))
    directory.write({ [`my-skill/${path}`]: text })
  const { status, out, error } = await agentBench(directory(), ['lint', ...args])
  return { status, out: out + error }
}

describe('agent-bench lint', () => {
  it.each([
    ['my-skill/SKILL.md', /SKILL\.md: this is a file\n {2}remedy: Name the directory/],
    ['nowhere', /remedy:/],
  ])('refuses %s with status 2', async (path, said) => {
    expect(await lint(GOOD, [path])).toEqual({ status: 2, out: expect.stringMatching(said) })
  })

  it('has nothing to say of a good skill', async () => {
    expect(await lint(GOOD)).toEqual({ status: 0, out: 'my-skill: nothing to complain of\n' })
  })

  it('names file, line, rule and remedy, with status 1', async () => {
    const { status, out } = await lint(GOOD.replace('my-skill', 'My_Skill'))
    expect(status).toBe(1)
    expect(out).toMatch(/^my-skill\/SKILL\.md:2:\d+ error name: .+\(.+\)$/m)
  })

  it('lints each skill of a directory of them', async () => {
    directory.write({ 'other/SKILL.md': '---\nname: other\n---\nSay hello.\n' })
    const { status, out } = await lint(GOOD, ['.'])
    expect(status).toBe(1)
    expect(out).toMatch(/^my-skill: nothing.*\nother\/SKILL\.md:.*\nother: 1 error, 0 warnings\n$/)
    const found = JSON.parse((await lint(GOOD, ['.', '--json'])).out)
    expect(found).toMatchObject({ errors: 1, findings: [{ file: 'other/SKILL.md' }] })
  })

  it('counts one error as one', async () => {
    const { out } = await lint('---\nname: my-skill\n---\nSay hello.\n')
    expect(out).toMatch(/^my-skill: 1 error, 0 warnings$/m)
  })

  it('refuses a manifest that mounting would refuse', async () => {
    const { status, out } = await lint(GOOD, undefined, { 'bench_manifest.json': '{ "required_reads": ["SKILL.md"] }' })
    expect(status).toBe(1)
    expect(out).toMatch(/^my-skill\/bench_manifest\.json:1:\d+ error manifest: .+ \(Write "skill\/SKILL\.md"\.\)$/m)
  })

  it('refuses a file that has to be read and that no output can show', async () => {
    const manifest = '{ "required_reads": ["skill/list.txt"] }'
    const { status, out } = await lint(GOOD, undefined, { 'bench_manifest.json': manifest, 'list.txt': '-\n' })
    expect(status).toBe(1)
    expect(out).toMatch(
      /^my-skill\/bench_manifest\.json:1:1 error manifest: .+list\.txt, which has no distinctive line/m,
    )
  })

  it('gives one JSON object when asked', async () => {
    const { out } = await lint('---\nname: my-skill\n---\nSay hello.\n', ['my-skill', '--json'])
    expect(JSON.parse(out)).toMatchObject({ errors: 1, findings: [{ file: 'SKILL.md', level: 'error' }] })
  })
})
