/** Every task and skill of the house proves itself in a real sandbox, by the code of `agent-bench check`. */
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { findSpecFiles } from '../src/cli/spec-files.ts'
import { loadSpec } from '../src/runner/collect.ts'
import { MANIFEST_NAME } from '../src/skill/index.ts'
import { readSkillDirectory } from '../src/skill/read-directory.ts'
import { onEachDriver, PROOF_TIMEOUT_MS } from './prove.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const K = 3
const specFiles = (await findSpecFiles(ROOT)).map(file => [relative(ROOT, file), file] as const)

await onEachDriver('proofs', 2, prove => {
  it.each(specFiles)('%s', { timeout: PROOF_TIMEOUT_MS }, async (_name, file) => {
    const task = await (await loadSpec(file, ROOT, path => import(path))).resolve()
    const isSkill = file.endsWith(MANIFEST_NAME)
    const skillDirectory = isSkill ? (await readSkillDirectory(dirname(file))).files : new Map()
    const check = await prove(task, { k: K, skillDirectory })
    expect(check.problems).toEqual([])
    expect(check).toMatchObject({ status: 'ok', reference: { passed: K, trials: K }, nopScore: 0 })
  })
})
