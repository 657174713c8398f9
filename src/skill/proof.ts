/** A skill's own proof: `bench_proof.ts` beside the manifest, which is never mounted. */
import { SpecError } from '../errors.ts'
import { didYouMean } from '../task/mistakes.ts'
import type { TaskSpec } from '../task/task.ts'

/** What `bench_proof.ts` exports as its default. Flags and checks come on top of those of the manifest. */
export type SkillProof<Check extends string = string> = Pick<
  TaskSpec<Check>,
  'reference' | 'honest' | 'cheats' | 'hidden'
> & {
  readonly verify?: TaskSpec<Check>['verify']
  readonly flags?: TaskSpec<Check>['flags']
}

const FIELDS: Readonly<Record<keyof SkillProof, true>> = {
  reference: true,
  honest: true,
  cheats: true,
  hidden: true,
  verify: true,
  flags: true,
}

/**
 * Defines the proof of a skill: its reference solution, other honest ways, cheats, and what a manifest cannot say.
 * @example
 * export default defineSkillProof({ reference: async ({ read }) => { await read('skill/SKILL.md') } })
 */
export function defineSkillProof<Check extends string = never>(proof: SkillProof<Check>): SkillProof<Check> {
  return proof
}

/**
 * The proof in an imported module. Its parts are checked with the task they become parts of.
 * @throws SpecError code `spec_invalid`
 */
export function proofOf(module: unknown, file: string): SkillProof {
  const proof = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
  const invalid = (problem: string, remedy: string) =>
    new SpecError(`${file}: ${problem}`, { code: 'spec_invalid', remedy })
  if (!isProof(proof)) {
    throw invalid(
      'the default export is not a proof',
      "Write `export default defineSkillProof({ … })` from 'agent-bench'.",
    )
  }
  for (const name of Object.keys(proof)) {
    if (!Object.hasOwn(FIELDS, name))
      throw invalid(`${name}: is not a field of a proof`, didYouMean(name, Object.keys(FIELDS)))
  }
  return proof
}

function isProof(value: unknown): value is SkillProof {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
