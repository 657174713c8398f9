/** Skills as tasks: mounting, manifests, stubs and lint. */
export { lintSkill } from './lint.ts'
export {
  findSkills,
  loadSkill,
  skillsOf,
} from './load-skill.ts'

export { PROOF_NAME, type SkillLimits } from './read-directory.ts'
export type { LintFinding } from './skill-document.ts'
export { isSkillFile, MANIFEST_NAME, skillIdIn, specFileOf } from './spec-file.ts'
