import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../main.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-bench-lint-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const GOOD = '---\nname: my-skill\ndescription: Says hello.\n---\nSay hello.\n'

async function lint(document: string, args: readonly string[] = [], files: Readonly<Record<string, string>> = {}) {
  await mkdir(join(directory, 'my-skill'), { recursive: true })
  for (const [path, text] of Object.entries({ 'SKILL.md': document, ...files })) {
    await writeFile(join(directory, 'my-skill', path), text)
  }
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const status = await main(['lint', 'my-skill', ...args], { directory, write, writeError: write })
  return { status, out }
}

describe('agent-bench lint', () => {
  it('says so when it is given a file', async () => {
    await lint(GOOD)
    let out = ''
    const write = (text: string) => {
      out += text
    }
    expect(await main(['lint', 'my-skill/SKILL.md'], { directory, write, writeError: write })).toBe(2)
    expect(out).toMatch(/SKILL\.md: this is a file\n {2}remedy: Name the directory/)
  })

  it('has nothing to say of a good skill', async () => {
    const { status, out } = await lint('---\nname: my-skill\ndescription: Says hello.\n---\nSay hello.\n')
    expect({ status, out }).toEqual({ status: 0, out: 'my-skill: nothing to complain of\n' })
  })

  it('names file, line, rule and remedy, with status 1', async () => {
    const { status, out } = await lint('---\nname: My_Skill\ndescription: Says hello.\n---\nSay hello.\n')
    expect(status).toBe(1)
    expect(out).toMatch(/^my-skill\/SKILL\.md:2:\d+ error name: .+\(.+\)$/m)
  })

  it('lints each skill of a directory of them', async () => {
    await lint(GOOD)
    await mkdir(join(directory, 'other'))
    await writeFile(join(directory, 'other/SKILL.md'), '---\nname: other\n---\nSay hello.\n')
    let out = ''
    const write = (text: string) => {
      out += text
    }
    expect(await main(['lint', '.'], { directory, write, writeError: write })).toBe(1)
    expect(out).toMatch(/^my-skill: nothing.*\nother\/SKILL\.md:.*\nother: 1 error, 0 warnings\n$/)
    out = ''
    await main(['lint', '.', '--json'], { directory, write, writeError: write })
    expect(JSON.parse(out)).toMatchObject({ errors: 1, findings: [{ file: 'other/SKILL.md' }] })
  })

  it('counts one error as one', async () => {
    const { out } = await lint('---\nname: my-skill\n---\nSay hello.\n')
    expect(out).toMatch(/^my-skill: 1 error, 0 warnings$/m)
  })

  it('refuses a manifest that mounting would refuse', async () => {
    const { status, out } = await lint(GOOD, [], { 'bench_manifest.json': '{ "required_reads": ["SKILL.md"] }' })
    expect(status).toBe(1)
    expect(out).toMatch(/^my-skill\/bench_manifest\.json:1:\d+ error manifest: .+ \(Write "skill\/SKILL\.md"\.\)$/m)
  })

  it('refuses a file that has to be read and that no output can show', async () => {
    const manifest = '{ "required_reads": ["skill/list.txt"] }'
    const { status, out } = await lint(GOOD, [], { 'bench_manifest.json': manifest, 'list.txt': '-\n' })
    expect(status).toBe(1)
    expect(out).toMatch(
      /^my-skill\/bench_manifest\.json:1:1 error manifest: .+list\.txt, which has no distinctive line/m,
    )
  })

  it('gives one JSON object when asked', async () => {
    const { out } = await lint('---\nname: my-skill\n---\nSay hello.\n', ['--json'])
    expect(JSON.parse(out)).toMatchObject({ errors: 1, findings: [{ file: 'SKILL.md', level: 'error' }] })
  })

  it('says so when there is no such directory, with status 2', async () => {
    let out = ''
    const write = (text: string) => {
      out += text
    }
    expect(await main(['lint', 'nowhere'], { directory, write, writeError: write })).toBe(2)
    expect(out).toContain('remedy:')
  })
})
