import { rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { lintSkill } from './lint.ts'

const base = folderOfEachTest()
const SKILL = 'tea-maker'

async function lint(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) base.write({ [`${SKILL}/${path}`]: text })
  return (await lintSkill(base(SKILL))).map(({ file, line, column, level, rule, message }) => {
    return `${file}:${line}:${column} ${level} ${rule}: ${message}`
  })
}

const front = (yaml: string, body = 'Boil water.\n') => ({ 'SKILL.md': `---\n${yaml}\n---\n\n${body}` })
const GOOD = 'name: tea-maker\ndescription: Makes tea.'
/** Lines of a good front matter with one more. */
const more = (yaml: string) => front(`${GOOD}\n${yaml}`)

describe('lint', () => {
  it('has nothing to say about a good skill', async () => {
    const files = front(
      `${GOOD}\nlicense: MIT\ncompatibility: Needs bash.\nallowed-tools: Bash Read\nmetadata:\n  version: "1.0"`,
      'See [the list](references/list.md#top), [the web](https://example.org/x) and `[no](link.md)`.\n\n```\n[in](code.md)\n```\n[p](<path-to>/x.md) [b]({baseDir}/x.md)\n',
    )
    expect(await lint({ ...files, 'references/list.md': 'x', 'bench_manifest.json': '{ "goal": "x", }' })).toEqual([])
  })

  it.each<[string, Readonly<Record<string, string>>]>([
    ['2:1 error name: name is the number 12', front('name: 12\ndescription: x')],
    ['2:1 error description: description is missing', front('name: tea-maker')],
    ['3:1 error description: description is empty', front('name: tea-maker\ndescription: ""')],
    ['3:1 error description: description has 1025 characters; the most are 1024', front(`${GOOD}${'ü'.repeat(1_015)}`)],
    [
      '4:1 error compatibility: compatibility has 501 characters; the most are 500',
      more(`compatibility: ${'x'.repeat(501)}`),
    ],
    ['4:1 error metadata: metadata is not a map of texts', more('metadata: x')],
    ['4:1 error metadata: metadata.version is not text', more('metadata:\n  version: 1.0')],
    ['4:1 warning allowed-tools: allowed-tools is not text', more('allowed-tools: [Bash]')],
    ['4:1 warning unknown-field: "version" is not a field of the specification', more('version: "1"')],
    [
      '3:14 error unquoted-colon: a value holds an unquoted ": ", which YAML takes for a nested field',
      front('name: tea-maker\ndescription: Use it: for tea'),
    ],
    ['4:1 error front-matter: the front matter is not YAML: Map keys must be unique', more('name: tea-maker')],
    ['1:1 error front-matter: has no front matter between two --- lines', { 'SKILL.md': '# Tea\n' }],
    ['1:1 error front-matter: has something before its front matter', { 'SKILL.md': `x\n---\n${GOOD}\n---\nx\n` }],
    ['1:1 warning byte-order-mark: begins with a byte-order mark', { 'SKILL.md': `\uFEFF---\n${GOOD}\n---\nx\n` }],
    [
      '8:5 error link: the link references/none.md names a file that is not there',
      front(GOOD, 'x\n\nSee [it](references/none.md).\n'),
    ],
    ['6:1 error link: the link ../other/SKILL.md leads out of the skill', front(GOOD, '[it](../other/SKILL.md)\n')],
    [
      '5:1 warning body-length: the text has 502 lines; more than 500 crowd a context window',
      front(GOOD, 'x\n'.repeat(501)),
    ],
    [
      '5:1 warning body-length: the text has about 5001 tokens; more than 5000 crowd a context window',
      front(GOOD, `${'x'.repeat(20_001)}\n`),
    ],
  ])('finds %s', async (found, files) => {
    expect(await lint(files)).toEqual([`SKILL.md:${found}`])
  })

  it.each(['Tea-Maker', 'tea--maker'])('finds that %s is not a name, and not that of the directory', async name => {
    const found = `SKILL.md:2:1 error name: name is "${name}"`
    const elsewhere = `${found}, but the directory is "tea-maker"`
    expect(await lint(front(`name: ${name}\ndescription: x`))).toEqual([found, elsewhere])
  })

  it('finds the mistakes of a manifest that mounting refuses, each with its place and remedy', async () => {
    const manifest = '{\n  "required_reads": ["SKILL.md"],\n  "stubs": { "none.sh": {} },\n}'
    await lint({ ...front(GOOD), 'bench_manifest.json': manifest })
    expect(await lintSkill(base(SKILL))).toMatchObject([
      { line: 2, level: 'error', rule: 'manifest', remedy: 'Write "skill/SKILL.md".' },
      { line: 3, message: 'stubs["none.sh"]: is not a file of the skill' },
    ])
  })

  it('finds what is wrong with any task, and what cannot be mounted', async () => {
    expect(await lint({ ...front(GOOD), 'bench_manifest.json': '{ "goal": "a\\u0000b" }' })).toEqual([
      expect.stringMatching(/^bench_manifest\.json:1:1 error manifest: prompt/),
    ])
    rmSync(base(SKILL, 'bench_manifest.json'))
    symlinkSync('/etc', base(SKILL, 'outside'))
    symlinkSync('nowhere', base(SKILL, 'dangling'))
    expect(await lint(front(GOOD))).toEqual([
      'dangling:1:1 error mount: is a link that leads nowhere',
      expect.stringMatching(/^outside:1:1 error mount: is a link out of the skill/),
    ])
  })

  it('sees a description cut by " #" and commas between tools', async () => {
    const text = '---\nname: tea-maker\ndescription: Makes tea # 1\nallowed-tools: Bash(a, b), Read\n---\nx\n'
    expect(await lint({ 'SKILL.md': text })).toEqual([
      'SKILL.md:3:1 warning comment: description ends before " #": YAML takes the rest for a comment',
      'SKILL.md:4:1 warning allowed-tools: allowed-tools has commas, which become a part of the names',
    ])
    expect(await lint({ 'SKILL.md': text.replace('Makes tea # 1', '"Tea # 1"').replace('), R', ') R') })).toEqual([])
  })

  it('reads Windows line ends with the same line numbers', async () => {
    const text = `---\r\nname: tea-maker\r\ndescription: x\r\nodd: y\r\n---\r\n\r\n[a](b.md)\r\n`
    expect(await lint({ 'SKILL.md': text })).toEqual([
      'SKILL.md:4:1 warning unknown-field: "odd" is not a field of the specification',
      'SKILL.md:7:1 error link: the link b.md names a file that is not there',
    ])
  })

  it('keeps --- in the text out of the front matter', async () => {
    expect(await lint(front(GOOD, 'a\n\n---\n\nname: other\n'))).toEqual([])
  })

  it('takes skill.md for the file, and says how it is written', async () => {
    expect(await lint({ 'skill.md': front(GOOD)['SKILL.md'] })).toEqual([
      'SKILL.md:1:1 error file-name: is written skill.md',
    ])
  })

  it('says what is missing', async () => {
    expect(await lint({ 'x.txt': '' })).toEqual(['SKILL.md:1:1 error missing: is missing'])
    symlinkSync('nowhere', base(SKILL, 'SKILL.md'))
    expect(await lint({})).toEqual(['SKILL.md:1:1 error missing: is a link that leads nowhere'])
    await expect(lintSkill(base('none'))).rejects.toMatchObject({ code: 'skill_missing' })
  })
})
