import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lintSkill } from './lint.ts'

let base: string
let dir: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'lint '))
  dir = join(base, 'tea-maker')
  await mkdir(dir)
})
afterEach(() => rm(base, { recursive: true, force: true }))

async function lint(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  return (await lintSkill(dir)).map(({ file, line, column, level, rule, message }) => {
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

  it.each([
    [
      'a name with capitals',
      front('name: Tea-Maker\ndescription: x'),
      [
        'SKILL.md:2:1 error name: name is "Tea-Maker"',
        'SKILL.md:2:1 error name: name is "Tea-Maker", but the directory is "tea-maker"',
      ],
    ],
    [
      'a name with two hyphens',
      front('name: tea--maker\ndescription: x'),
      [
        'SKILL.md:2:1 error name: name is "tea--maker"',
        'SKILL.md:2:1 error name: name is "tea--maker", but the directory is "tea-maker"',
      ],
    ],
    ['a name that is no text', front('name: 12\ndescription: x'), ['SKILL.md:2:1 error name: name is the number 12']],
    ['no description', front('name: tea-maker'), ['SKILL.md:2:1 error description: description is missing']],
    [
      'an empty description',
      front('name: tea-maker\ndescription: ""'),
      ['SKILL.md:3:1 error description: description is empty'],
    ],
    [
      'a long description',
      front(`name: tea-maker\ndescription: ${'ü'.repeat(1_025)}`),
      ['SKILL.md:3:1 error description: description has 1025 characters; the most are 1024'],
    ],
    [
      'a long compatibility',
      more(`compatibility: ${'x'.repeat(501)}`),
      ['SKILL.md:4:1 error compatibility: compatibility has 501 characters; the most are 500'],
    ],
    ['metadata that is no map', more('metadata: x'), ['SKILL.md:4:1 error metadata: metadata is no map of texts']],
    [
      'metadata with a date and a number',
      more('metadata:\n  version: 1.0'),
      ['SKILL.md:4:1 error metadata: metadata.version is no text'],
    ],
    [
      'a list of tools',
      more('allowed-tools: [Bash]'),
      ['SKILL.md:4:1 warning allowed-tools: allowed-tools is no text'],
    ],
    [
      'an unknown field',
      more('version: "1"'),
      ['SKILL.md:4:1 warning unknown-field: "version" is no field of the specification'],
    ],
    [
      'an unquoted colon',
      front('name: tea-maker\ndescription: Use it: for tea'),
      ['SKILL.md:3:14 error unquoted-colon: a value holds an unquoted ": ", which YAML takes for a nested field'],
    ],
    [
      'a key twice',
      front(`${GOOD}\nname: tea-maker`),
      ['SKILL.md:4:1 error front-matter: the front matter is not YAML: Map keys must be unique'],
    ],
    [
      'no front matter',
      { 'SKILL.md': '# Tea\n' },
      ['SKILL.md:1:1 error front-matter: has no front matter between two --- lines'],
    ],
    [
      'a comment before it',
      { 'SKILL.md': `<!-- x -->\n---\n${GOOD}\n---\nx\n` },
      ['SKILL.md:1:1 error front-matter: has something before its front matter'],
    ],
    [
      'a byte-order mark',
      { 'SKILL.md': `\uFEFF---\n${GOOD}\n---\nx\n` },
      ['SKILL.md:1:1 warning byte-order-mark: begins with a byte-order mark'],
    ],
    [
      'a link to nothing',
      front(GOOD, 'x\n\nSee [it](references/none.md).\n'),
      ['SKILL.md:8:5 error link: the link references/none.md names a file that is not there'],
    ],
    [
      'a link out',
      front(GOOD, '[it](../other/SKILL.md)\n'),
      ['SKILL.md:6:1 error link: the link ../other/SKILL.md leads out of the skill'],
    ],
    [
      'a text of many lines',
      front(GOOD, 'x\n'.repeat(501)),
      ['SKILL.md:5:1 warning body-length: the text has 502 lines; more than 500 crowd a context window'],
    ],
    [
      'a text of many tokens',
      front(GOOD, `${'x'.repeat(20_001)}\n`),
      ['SKILL.md:5:1 warning body-length: the text has about 5001 tokens; more than 5000 crowd a context window'],
    ],
    [
      'a mistake in the manifest',
      { ...front(GOOD), 'bench_manifest.json': '{\n  "goall": 1\n}' },
      ['bench_manifest.json:2:3 error manifest: goall: is no field of a manifest'],
    ],
  ])('finds %s', async (_name, files, found) => {
    expect(await lint(files)).toEqual(found)
  })

  it('finds every mistake that mounting refuses, each with its place and remedy', async () => {
    const manifest = `{
  "required_reads": ["SKILL.md", "skill/none.md"],
  "required_commands": [{ "script": "boil.sh" }],
  "expected_artifacts": ["/output/tea.txt"],
  "artifact_checks": [{ "file": "elsewhere.txt", "contains": ["tea"] }],
  "stubs": {
    "pour.sh": { "keeps": true, "stdout": "poured" },
    "none.sh": {},
  },
}`
    await lint({ ...front(GOOD), 'pour.sh': 'true\n', 'boil.sh': 'true\n', 'bench_manifest.json': manifest })
    const findings = await lintSkill(dir)
    expect(findings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '2 required_reads[0]: "SKILL.md" is no file of the mounted skill',
      '2 required_reads[1]: "skill/none.md" is no file of the mounted skill',
      '3 required_commands[0].script: "boil.sh" is not in "stubs", so nothing records its arguments',
      expect.stringMatching(/^4 expected_artifacts\[0\]: "\/output\/tea\.txt" /),
      '5 artifact_checks[0].file: "elsewhere.txt" is neither an expected artifact nor allowed to be written',
      '7 stubs["pour.sh"]: has "keeps" and "stdout"',
      '8 stubs["none.sh"]: is no file of the skill',
    ])
    expect(findings[0]).toMatchObject({ level: 'error', rule: 'manifest', remedy: 'Write "skill/SKILL.md".' })
    expect(findings.every(({ remedy, column }) => remedy !== '' && column > 1)).toBe(true)
  })

  it('finds what is wrong with any task, and what cannot be mounted', async () => {
    expect(await lint({ ...front(GOOD), 'bench_manifest.json': '{ "goal": "a\\u0000b" }' })).toEqual([
      expect.stringMatching(/^bench_manifest\.json:1:1 error manifest: prompt/),
    ])
    await rm(join(dir, 'bench_manifest.json'))
    await symlink('/etc', join(dir, 'outside'))
    expect(await lint(front(GOOD))).toEqual([
      expect.stringMatching(/^outside:1:1 error mount: is a link out of the skill/),
    ])
    await rm(join(dir, 'outside'))
    await symlink('nowhere', join(dir, 'dangling'))
    expect(await lint(front(GOOD))).toEqual(['dangling:1:1 error mount: is a link that leads nowhere'])
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
      'SKILL.md:4:1 warning unknown-field: "odd" is no field of the specification',
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
    await symlink('nowhere', join(dir, 'SKILL.md'))
    expect(await lint({})).toEqual(['SKILL.md:1:1 error missing: is a link that leads nowhere'])
    await expect(lintSkill(join(base, 'none'))).rejects.toMatchObject({ code: 'skill_missing' })
  })
})
