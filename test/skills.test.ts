/** Skills from elsewhere in a real sandbox: many files, a large one, and names of all kinds. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSandbox, prepareSandbox, type Sandbox } from '../src/sandbox/index.ts'
import { findSkills, lintSkill, loadSkill } from '../src/skill/index.ts'
import { describeWith } from './needs.ts'
import { outputOf } from './sandbox-contract/fixture.ts'

const RUN_ID = `skills-test-${process.pid}`

await describeWith(['docker'], 'a skill in a sandbox', () => {
  let sandbox: Sandbox
  let base: string

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'größe und räume '))
    const prepared = await prepareSandbox('docker', { image: null, runId: RUN_ID, onProgress: () => undefined })
    sandbox = await openSandbox(prepared, { runId: RUN_ID })
  })
  afterAll(async () => {
    await sandbox?.[Symbol.asyncDispose]()
    await rm(base, { recursive: true, force: true })
  })

  it('with 5,000 files, one of 20 MB, and a script that can be executed is laid as it is', async () => {
    const directory = join(base, 'big skill')
    await mkdir(join(directory, 'many'), { recursive: true })
    await writeFile(join(directory, 'SKILL.md'), '---\nname: big\ndescription: Big.\n---\nHas a lot of files.\n')
    await writeFile(join(directory, 'ünï cödé.sh'), '#!/bin/sh\necho ran\n', { mode: 0o755 })
    await writeFile(join(directory, 'big.bin'), new Uint8Array(20_000_000))
    for (let index = 0; index < 4_997; index += 1) await writeFile(join(directory, `many/${index}.txt`), String(index))
    const task = await (await loadSkill(directory)).resolve()
    const { proof } = await sandbox.reset(task.setup, { room: 'agent' })
    expect(proof.root).toBe(proof.expectedRoot)
    const command =
      "find skill -type f | wc -l; wc -c < skill/big.bin; './skill/ünï cödé.sh'; ls skill/bench* 2>&1 | wc -l; head -n 1 $CLAUDE_SKILL_DIR/SKILL.md $CLAUDE_PLUGIN_ROOT/SKILL.md -q"
    expect(await outputOf(sandbox, command)).toBe('5000\n20000000\nran\n1\n---\n---\n')
  })
})

it('the skills of the house have nothing to be linted', async () => {
  for (const skill of await findSkills(fileURLToPath(new URL('../skills', import.meta.url)))) {
    expect(await lintSkill(skill)).toEqual([])
  }
})
