/**
 * The files of a skill as modules, for `vitest --changed` and `vitest related`: they follow the imports of every spec file,
 * and Vite would read a commented manifest as JSON and a SKILL.md as a script. No file of a skill is run through this.
 */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { PROOF_NAME } from '../skill/index.ts'

const TEXT = /\.(?:md|json|ya?ml|txt|csv|sh|py)$/i

/** @param specFiles paths of the files that stand for skills, known when the project is configured */
export function skillModules(specFiles: ReadonlySet<string>): Pick<Plugin, 'load' | 'transform'> {
  const isOfSkill = (path: string) => [...specFiles].some(file => path.startsWith(`${dirname(file)}/`))
  return {
    load: {
      order: 'pre',
      handler: id => (TEXT.test(id) && isOfSkill(id) ? (id.endsWith('.json') ? 'null' : 'export {}') : null),
    },
    transform: {
      // Behind Vite's own reading of JSON, before imports are analysed.
      order: 'post',
      handler: (_code, id) => (specFiles.has(id) ? importsOf(id) : null),
    },
  }
}

/** A module that imports what an edit of runs the skill again, by addresses that Vite gives files anywhere. */
function importsOf(specFile: string): string {
  const directory = dirname(specFile)
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && (TEXT.test(entry.name) || entry.name === PROOF_NAME))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => path !== specFile)
  return files.map(path => `import ${JSON.stringify(`/@fs${path}`)}\n`).join('')
}
