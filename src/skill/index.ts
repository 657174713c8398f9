/** Skills as tasks: mounting, manifests, stubs and lint. */
export { lintSkill } from './lint.ts'
export {
  findSkills,
  type LoadOptions,
  loadSkill,
  type SkillDefinition,
  type SkillStanding,
  skillsOf,
} from './load-skill.ts'
export { SKILL_FOLDER } from './manifest-schema.ts'
export { defineSkillProof, type SkillProof } from './proof.ts'
export { PROOF_NAME } from './read-directory.ts'
export type { LintFinding } from './skill-document.ts'
export { isSkillFile, MANIFEST_NAME, skillIdIn, specFileOf } from './spec-file.ts'
export { REPORTER } from './stub.ts'
