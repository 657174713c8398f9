import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { SpecError } from '../errors.ts'
import { makeLog } from '../evidence/log.fixture.ts'
import { createRun } from '../evidence/run.ts'
import { workOf } from '../task/verify-tools.fixture.ts'
import { createVerifyTools } from '../task/verify-tools.ts'
import { findSkills, loadSkill } from './load-skill.ts'
import { idPart } from './skill-task.ts'
import { defaultId } from './spec-file.ts'

const SKILL = '---\nname: tea\ndescription: Makes tea. Use it for tea.\n---\n\nBoil water, then pour it.\n'
const base = folderOfEachTest()
const at = (path: string) => base('tea', path)
let dir: string

/** Writes files below the skill's directory. */
const write = (files: Readonly<Record<string, string | Uint8Array>>, mode?: number) =>
  base.write(Object.fromEntries(Object.entries(files).map(([path, content]) => [`tea/${path}`, content])), mode)
const manifest = (value: unknown) => write({ 'bench_manifest.json': JSON.stringify(value, null, 2) })

async function problemOf(work: Promise<unknown>): Promise<SpecError> {
  try {
    await work
  } catch (error) {
    if (error instanceof SpecError) return error
    throw error
  }
  throw new Error('no mistake was found')
}
const flat = (error: SpecError) => error.message.replaceAll(dir, '.')

beforeEach(() => {
  dir = base('tea')
  write({ 'SKILL.md': SKILL })
})
const taskOf = async () => (await loadSkill(dir)).resolve()
const paths = async () => [...(await taskOf()).setup.keys()]

describe('a mounted skill', () => {
  it('lies at skill/ without its manifest and proof, with executable bits kept', async () => {
    write({ 'scripts/boil.sh': 'echo\n' }, 0o755)
    write({ 'bench_proof.ts': 'x', 'bench_proof.ways.ts': 'x', 'bench_proof.test.ts': 'x', 'a b/ü.txt': 'text' })
    manifest({})
    const { setup } = await taskOf()
    expect([...setup].map(([path, { mode }]) => [path, mode.toString(8)])).toEqual([
      ['skill/SKILL.md', '644'],
      ['skill/a b/ü.txt', '644'],
      ['skill/scripts/boil.sh', '755'],
    ])
  })

  it('requires the interpreters of its stubs, and of scripts that have to be run', async () => {
    const requiresOf = async (value: object) => {
      manifest({ requires: ['jq'], ...value })
      return (await taskOf()).requires
    }
    write({ 'scripts/boil.mjs': 'boil()\n', 'scripts/pour': '#!/usr/bin/env -S node\n', 'scripts/sip.py': '\n' })
    expect(await requiresOf({})).toEqual(['jq'])
    expect(await requiresOf({ stubs: { 'scripts/pour': {} } })).toEqual(['jq', 'sandbox', 'python', 'node'])
    expect(await requiresOf({ required_commands: ['boil\\.mjs.*--hot'] })).toEqual(['jq', 'node'])
    expect(await requiresOf({ required_commands: ['sip\\.py'] })).toEqual(['jq', 'python'])
  })

  it('keeps bytes as they are: Windows line ends, a byte-order mark, binary files', async () => {
    const windows = `\uFEFF${SKILL.replaceAll('\n', '\r\n')}`
    write({ 'SKILL.md': windows, 'font.bin': Uint8Array.from([0, 255, 13, 10]) })
    const { setup } = await taskOf()
    expect(Buffer.from(setup.get('skill/SKILL.md')?.bytes ?? []).toString()).toBe(windows)
    expect([...(setup.get('skill/font.bin')?.bytes ?? [])]).toEqual([0, 255, 13, 10])
  })

  it('has its links inside resolved, and one that leads out left out with the reason', async () => {
    write({ 'real/a.txt': 'A' })
    symlinkSync('real/a.txt', at('link.txt'))
    symlinkSync('real', at('folder'))
    symlinkSync('nowhere', at('dangling'))
    const skill = await loadSkill(dir)
    const { setup } = await skill.resolve()
    expect([...setup.keys()]).toEqual(['skill/SKILL.md', 'skill/folder/a.txt', 'skill/link.txt', 'skill/real/a.txt'])
    expect(skill.warnings.join()).toMatch('dangling is not mounted: it is a link that leads nowhere')

    symlinkSync('/etc/hostname', at('out'))
    const left = await loadSkill(dir)
    expect([...(await left.resolve()).setup.keys()]).toEqual([...setup.keys()])
    expect(left.warnings.join()).toMatch('out is not mounted: it is a link out of the skill, to /etc/hostname (copy')
  })

  it('is found by the name skill.md, and mounted as SKILL.md', async () => {
    renameSync(at('SKILL.md'), at('skill.md'))
    expect(await findSkills(dir)).toHaveLength(1)
    const skill = await loadSkill(dir)
    expect([...(await skill.resolve()).setup.keys()]).toEqual(['skill/SKILL.md'])
    expect(skill.warnings.join()).toMatch('skill.md is mounted as SKILL.md')
  })

  it('is found in the root of a repository, with those of plugins and agents, and never what lies inside a skill', async () => {
    const places = ['plugins/p/skills/a', '.claude/skills/b', 'skills/c', 'assets/inner', 'results']
    for (const place of places) write({ [`${place}/SKILL.md`]: 'x' })
    write({ 'results/journal/x.jsonl': '{}' })
    const root = realpathSync(dir)
    const found = (await findSkills(dir)).map(path => relative(root, path))
    expect(found).toEqual(['', '.claude/skills/b', 'plugins/p/skills/a', 'skills/c'])
    expect((await paths()).filter(path => path.includes('results'))).toEqual([])
  })

  it('is refused when a link goes round in a circle or leads to what a model must not see', async () => {
    symlinkSync('.', at('loop'))
    expect(flat(await problemOf(loadSkill(dir)))).toMatch('./loop: is a link to a directory that it lies in')
    rmSync(at('loop'))
    manifest({})
    symlinkSync('bench_manifest.json', at('answers.json'))
    expect(flat(await problemOf(loadSkill(dir)))).toMatch('must not see')
  })

  it('may be as large as the limits say, and the remedy names their settings', async () => {
    write({ 'a.txt': 'A', 'b.txt': 'B' })
    const limits = { files: 2, bytes: 1_000_000 }
    const error = await problemOf(loadSkill(dir, { limits }))
    expect(flat(error)).toMatch('holds more than 2 files')
    expect(error.remedy).toContain('BENCH_SKILL_MAX_FILES')
    await loadSkill(dir, { limits: { ...limits, files: 3 } })
  })

  it('leaves out what no skill is made of, and says so', async () => {
    write({ '.git/config': 'x', 'node_modules/a/b.js': 'x', 'scripts/__pycache__/a.pyc': 'x' })
    const skill = await loadSkill(dir)
    expect([...(await skill.resolve()).setup.keys()]).toEqual(['skill/SKILL.md'])
    expect(skill.warnings).toHaveLength(3)
  })

  it('mounts a SKILL.md with mistakes, with a warning that says what to do', async () => {
    write({ 'SKILL.md': '# Tea\n\nBoil water.\n' })
    expect((await loadSkill(dir)).warnings).toEqual([
      'SKILL.md:1: has no front matter between two --- lines (Begin the file with ---, name, description, and --- again.)',
    ])
  })

  it('may have 5,000 files, and one more is refused', async () => {
    for (let index = 0; index < 4_999; index += 1) write({ [`many/${index}.txt`]: 'x' })
    expect((await taskOf()).setup.size).toBe(5_000)
    write({ 'many/one-more.txt': 'x' })
    expect((await problemOf(loadSkill(dir))).message).toMatch('holds more than 5000 files')
  }, 20_000)

  it('may have 64 MiB, and more is refused', async () => {
    write({ 'huge.bin': new Uint8Array(68_000_000) })
    expect((await problemOf(loadSkill(dir))).message).toMatch('67108864 bytes')
  }, 20_000)

  it('changes its fingerprint with any file, its manifest and its proof', async () => {
    const importModule = () => ({ default: {} })
    const fingerprint = async () => (await (await loadSkill(dir, { importModule })).resolve()).fingerprint
    manifest({})
    const seen = [await fingerprint()]
    expect(await fingerprint()).toBe(seen[0])
    const change = async (files: Readonly<Record<string, string>>) => {
      write(files)
      seen.push(await fingerprint())
    }
    await change({ 'bench_manifest.json': '{ "goal": "Make tea." }' })
    await change({ 'notes.txt': 'x' })
    await change({ 'bench_proof.ts': "import { x } from './bench_proof.ways.ts'", 'bench_proof.ways.ts': '1' })
    await change({ 'bench_proof.ways.ts': '2' })
    expect(new Set(seen).size).toBe(5)
  })
})

describe('standing', () => {
  it('is observed without a manifest: free flags that can apply, and no verdict', async () => {
    const skill = await loadSkill(dir)
    const task = await skill.resolve()
    expect(skill.standing).toBe('observed')
    expect(task.isObserved).toBe(true)
    expect([...task.flags.keys()]).toEqual(['read:skill/SKILL.md', 'no_tool_hallucination'])
    write({ 'scripts/a b.py': 'x', 'data.csv': 'x' })
    const { flags } = await taskOf()
    expect([...flags.keys()]).toContain('ran:scripts/a%20b.py')
    expect(flags.size).toBe(3)
    const reason = 'there is no manifest that names artifacts'
    expect(skill.notApplicable).toEqual([{ flag: 'step_completion', reason }])
  })

  it('is unproven without a proof, and proved with one', async () => {
    manifest({ expected_artifacts: ['output/tea.txt'] })
    expect((await loadSkill(dir)).standing).toBe('unproven')
    write({ 'bench_proof.ts': '' })
    const proof = { reference: async () => undefined, flags: { poured: () => true } }
    const skill = await loadSkill(dir, { importModule: () => ({ default: proof }) })
    expect(skill.standing).toBe('proved')
    const task = await skill.resolve()
    expect(task.reference).toBe(proof.reference)
    const given = ['artifact:output/tea.txt', 'no_tool_hallucination', 'step_completion']
    expect([...task.flags.keys()]).toEqual([...given, 'poured'])
  })

  it('a flag of the proof that the manifest has too is an error', async () => {
    manifest({})
    write({ 'bench_proof.ts': '' })
    const importModule = () => ({ default: { flags: { no_tool_hallucination: () => true } } })
    const { message } = await problemOf(loadSkill(dir, { importModule }))
    expect(message).toMatch('"no_tool_hallucination" comes from the manifest and from bench_proof.ts')
  })

  it('numbers commands and the checks of each file from 0, as the documentation says', async () => {
    manifest({
      required_commands: ['make_report\\.sh', 'sign\\.sh'],
      expected_artifacts: ['a.txt', 'b.json'],
      artifact_checks: [
        { file: 'a.txt', min_bytes: 20, regex: ['^x$'], contains: ['ferry', 'late'] },
        { file: 'b.json', json: [{ pointer: '/ferries/0/name', equals: 'Linnet' }, { pointer: '/updated' }] },
        { file: 'a.txt', not_contains: ['tide'] },
      ],
    })
    const task = await taskOf()
    const numbered = [...task.flags.keys()].filter(id => /^(?:cmd|check):/.test(id))
    expect(numbered).toEqual([
      ...['cmd:0', 'cmd:1'],
      ...['check:a.txt:0', 'check:a.txt:1', 'check:a.txt:2', 'check:a.txt:3'],
      ...['check:b.json:0', 'check:b.json:1', 'check:a.txt:4'],
    ])
  })

  it('a mistake of the proof is reported there, with the flags there are; one of the manifest stays its own', async () => {
    write({ 'bench_proof.ts': '' })
    const play = async () => undefined
    const importModule = () => ({ default: { cheats: { skims: { loses: ['read:skill/SKIL.md'], play } } } })
    manifest({ required_reads: ['skill/SKILL.md'] })
    const { message, remedy } = await problemOf(loadSkill(dir, { importModule }))
    expect(message).toMatch(
      /bench_proof\.ts: cheats\["skims"\]\.loses: "read:skill\/SKIL\.md" is not a flag of this task$/,
    )
    expect(remedy).toContain('Did you mean "read:skill/SKILL.md"?')
    expect(remedy).toContain('"no_tool_hallucination"')
    manifest({ goal: 'x\u0000' })
    expect((await problemOf(loadSkill(dir, { importModule }))).message).toMatch(/bench_manifest\.json: prompt/)
  })
})

/** A manifest => the place in it and what is said => a pattern of the remedy. `\n` is a new line. */
const BAD = `
{\\n  "required_read": []\\n} => 2:3: required_read: is not a field of a manifest => "required_reads"
{ "required_reads": "skill/SKILL.md" } => 1:21: required_reads: is a string, not a list => ^Write a list: "required_reads": \\["skill/SKILL\\.md"\\]\\.$
{\\n  // turns\\n  "max_turns": "ten",\\n} => 3:16: max_turns: is a string, not a whole number => Write a whole number
{ "max_turns": 0 } => 1:16: max_turns: 0 must be >= 1 => bounds
{ "required_commands": ["a(b"] } => 1:25: required_commands[0]: is not a regular expression: /a(b/: Unterminated group => backslash
{ "required_commands": [".*"] } => 1:25: required_commands[0]: matches every command => Name the script
{ "id": "a/b" } => 1:9: id: is "a/b" => file names
{\\n  'id': 1\\n} => 2:3: (file): is not JSON here (invalid symbol) => single quotes
 => 1:1: (file): is => JSON
{ "id": "a",\\n  "id": "b" } => 2:3: id: is there twice => Keep one
{ "requires": ["phyton"] } => 1:16: requires[0]: "phyton" is not one of what can be asked for => "python"
{ "required_reads": ["skill/SKIL.md"] } => 1:22: required_reads[0]: "skill/SKIL.md" is not a file of the mounted skill => "skill/SKILL.md"
{ "required_reads": ["skill/SKILL.md", "skill/SKILL.md"] } => 1:40: required_reads[1]: "skill/SKILL.md" is there twice => same id
{ "expected_artifacts": ["../x"] } => 1:26: expected_artifacts[0]: "../x" has the segment ".." => output
{ "expected_artifacts": ["skill/SKILL.md"] } => 1:26: expected_artifacts[0]: "skill/SKILL.md" is there from the start => has to be made
{ "artifact_checks": [{ "file": "o.txt", "contains": ["x"] }] } => 1:33: artifact_checks[0].file: "o.txt" is neither an expected artifact nor allowed => .
{ "expected_artifacts": ["o"], "artifact_checks": [{ "file": "o" }] } => 1:52: artifact_checks[0]: asks for nothing => contains
{ "stubs": { "scripts/mke.sh": {} } } => 1:32: stubs["scripts/mke.sh"]: is not a file of the skill => "scripts/make.sh"
{ "stubs": { "SKILL.md": {} } } => 1:26: stubs["SKILL.md"]: is not a shell, Python or Node script => real one
{ "stubs": { "scripts/make.sh": { "keeps": true, "stdout": "x" } } } => 1:33: stubs["scripts/make.sh"]: has "keeps" and "stdout" => "keeps" alone
{ "required_commands": [{ "script": "scripts/make.sh" }] } => 1:37: required_commands[0].script: "scripts/make.sh" is not in "stubs" => "scripts/make.sh": \\{ "keeps": true \\}
{ "required_commands": [{ "arguments": ["x"] }] } => 1:25: required_commands[0].script: is missing => Add "script"
{ "stubs": { "scripts/make.sh": {} }, "required_commands": [{ "script": "scripts/make.sh", "options": { "--a": false } }] } => 1:112: required_commands[0].options.--a: is false => Leave it out
{ "required_commands": ["a", "a"] } => 1:30: required_commands[1]: "a" is there twice => Keep one
{ "prompt_file": "SKILL.md", "required_reads": ["skill/SKILL.md"] } => 1:18: prompt_file: "SKILL.md" is in the prompt => required_reads
{ "allowed_writes": ["../*"] } => 1:22: allowed_writes[0]: "../*": it contains .. => glob
`
  .trim()
  .split('\n')
  .map(row => row.split(/ ?=> /) as [string, string, string])

describe('a mistake in a manifest is named with file, line, column, field and remedy', () => {
  it.each(BAD)('%s', async (text, message, remedy) => {
    write({ 'bench_manifest.json': text.replaceAll('\\n', '\n'), 'scripts/make.sh': 'echo\n' })
    const error = await problemOf(loadSkill(dir))
    expect(flat(error)).toMatch(`bench_manifest.json:${message}`)
    expect(error.remedy).toMatch(new RegExp(remedy))
    expect(error.stack).toMatch(/bench_manifest\.json:\d+:\d+$/)
  })

  it('all at once', async () => {
    write({ 'bench_manifest.json': '{ "max_turns": 0, "goall": "x", "required_commands": ["("] }' })
    expect(flat(await problemOf(loadSkill(dir))).split('\n')).toHaveLength(3)
  })

  it('comments, trailing commas, Windows line ends and a byte-order mark are fine', async () => {
    write({ 'bench_manifest.json': '\uFEFF{\r\n  // a comment\r\n  "goal": "Make tea.", /* more */\r\n}\r\n' })
    expect((await taskOf()).prompt).toMatch('Make tea.')
  })
})

describe('flags of a manifest', () => {
  const full = {
    required_reads: ['skill/SKILL.md'],
    required_commands: ['boil\\.sh --degrees 100'],
    expected_artifacts: ['output/a b.txt'],
    artifact_checks: [
      { file: 'output/a b.txt', contains: ['\nhot', '-x'], not_contains: ['cold'], regex: ['^tea$'], min_bytes: 3 },
      { file: 'output/a b.txt', json: [{ pointer: '/cups/0', equals: { of: 2 } }, { pointer: '/none' }] },
    ],
  }

  it('have the ids that are promised', async () => {
    write({ 'scripts/boil.sh': 'echo\n' })
    manifest(full)
    expect([...(await taskOf()).flags.keys()]).toEqual([
      'read:skill/SKILL.md',
      'cmd:0',
      'artifact:output/a%20b.txt',
      ...Array.from({ length: 7 }, (_, index) => `check:output/a%20b.txt:${index}`),
      'no_tool_hallucination',
      'step_completion',
    ])
  })

  it('ask that the instructions are read first, and other files at any time', async () => {
    await write({ 'data.txt': 'the week of the harbour\n' })
    await manifest({ required_reads: ['skill/SKILL.md', 'skill/data.txt'], expected_artifacts: ['output/a.txt'] })
    const { flags } = await (await loadSkill(dir)).resolve()
    const setup = { 'skill/SKILL.md': SKILL, 'skill/data.txt': 'the week of the harbour\n' }
    const reached = (...calls: NonNullable<Parameters<typeof makeLog>[0]['calls']>) =>
      ['SKILL.md', 'data.txt'].map(name => {
        const moment = flags.get(`read:skill/${name}`)?.(createRun(makeLog({ setup, calls })).run)
        return typeof moment === 'object' && moment !== null && 'call' in moment && moment.call
      })
    const reads = { sh: 'cat skill/*', delivered: SKILL + setup['skill/data.txt'] }
    const writes = { sh: 'echo hot > output/a.txt', writes: { 'output/a.txt': 'hot\n' } }
    expect(reached(reads)).toEqual([1, 1])
    expect(reached(reads, writes)).toEqual([1, 1])
    expect(reached(writes, reads)).toEqual([false, 2])
  })

  it('compare texts as texts', async () => {
    manifest(full)
    const { verify } = await taskOf()
    const results = (text: string | null) =>
      [...verify.values()].map(check => {
        const files = new Map(text === null ? [] : [['output/a b.txt', { bytes: Buffer.from(text), mode: 0o644 }]])
        const result = check(createVerifyTools(workOf(), files), createRun(makeLog({})).run)
        if (result instanceof Promise) throw new Error('no check of a manifest waits')
        return 'ok' in result && result.ok
      })
    expect(results('so\r\nhot -x')).toEqual([true, true, true, true, false, true, false, false])
    expect(results('tea')).toEqual([true, false, false, true, true, true, false, false])
    const json = '{ "cups": [{ "of": 2 }], "none": null }'
    expect(results(json)).toEqual([true, false, false, true, false, true, true, true])
    expect(results('cold')).toEqual([true, false, false, false, false, true, false, false])
    expect(results(null)).toEqual(Array.from({ length: 8 }, () => false))
  })

  it('give nothing for doing nothing, and the free flag only once the agent has set to work', async () => {
    manifest({})
    const flag = (await taskOf()).flags.get('no_tool_hallucination')
    const ask = (calls: Parameters<typeof makeLog>[0]['calls']) =>
      flag?.(createRun(makeLog({ setup: { 'skill/SKILL.md': SKILL }, calls: calls ?? [] })).run)
    expect(ask([])).toBe(false)
    expect(ask([{ sh: 'date', delivered: 'today' }])).toBe(false)
    const reads = { sh: 'cat skill/SKILL.md', delivered: SKILL }
    expect(ask([reads])).toBe(true)
    expect(ask([reads, { tool: 'boil', args: {}, invalid: 'unknown_tool' }])).toBe(false)
    expect(ask([reads, { tool: 'read_file', args: {}, invalid: 'malformed_arguments' }])).toBe(true)
  })
})

describe('finding skills', () => {
  it('finds a skill, or the skills of a directory, and none nested in one', async () => {
    write({ 'assets/SKILL.md': SKILL })
    mkdirSync(base('empty'))
    expect((await findSkills(dir)).map(path => path.slice(-4))).toEqual(['/tea'])
    expect((await findSkills(base())).map(path => path.slice(-4))).toEqual(['/tea'])
    expect((await problemOf(findSkills(base('empty')))).message).toMatch('there is no skill in it')
    expect((await problemOf(findSkills(base('none')))).code).toBe('skill_missing')
    symlinkSync('nowhere', base('empty/SKILL.md'))
    expect((await findSkills(base())).map(path => basename(path))).toEqual(['empty', 'tea'])
    const { message, remedy } = await problemOf(loadSkill(base('empty/SKILL.md')))
    expect([message, remedy]).toEqual([expect.stringContaining('leads nowhere'), expect.stringMatching(/^Replace/)])
  })

  it('makes ids out of any name', () => {
    expect(defaultId('my skill (2)')).toBe('skill_run_v1_my_skill_2_')
    expect(new Set(['日本語', '中文', 'größe', 'grüße'].map(defaultId)).size).toBe(4)
    expect(idPart('a b/ü(1)!.txt')).toBe('a%20b/%C3%BC%281%29%21.txt')
    expect(idPart('a%20b')).not.toBe(idPart('a b'))
  })
})
