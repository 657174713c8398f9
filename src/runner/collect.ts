import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { escapeForTerminal } from '../../reporters/terminal.ts'
import { SpecError } from '../errors.ts'
import { unreadableFiles } from '../evidence/reading.ts'
import { isSkillFile, loadSkill, type SkillLimits } from '../skill/index.ts'
import { isTaskDefinition, type TaskChoice, type TaskDefinition } from '../task/define-task.ts'
import { inPairs } from '../task/mistakes.ts'
import { readsOf } from '../task/probe.ts'
import { isSuite, modulesMistakes, SUITE_FILE, type Suite } from '../task/suite.ts'
import type { Task } from '../task/task.ts'
import { defaultOf } from './modules.ts'

/** A spec file that was loaded. */
export interface Spec {
  readonly definition: TaskDefinition
  /** @throws SpecError as `definition.resolve`, and when a flag reads a file that no output can show. */
  resolve(choice?: TaskChoice): Promise<Task>
}

/**
 * Imports a spec file, or mounts the skill of a manifest.
 * @throws SpecError when the file has no task as its default export.
 */
export async function loadSpec(
  filepath: string,
  root: string,
  importModule: (path: string) => unknown,
  limits?: SkillLimits,
): Promise<Spec> {
  const file = relative(root, filepath)
  if (isSkillFile(filepath)) {
    const definition = await loadSkill(filepath, { importModule, ...(limits === undefined ? {} : { limits }) })
    // Mounting is lenient: what `agent-bench lint` would refuse is said, and the skill runs.
    for (const warning of definition.warnings) console.warn(escapeForTerminal(`${file}: ${warning}`))
    return specOf(definition, file, null)
  }
  const module: unknown = await importModule(filepath)
  const definition = defaultOf(module)
  if (!isTaskDefinition(definition)) {
    throw new SpecError(`${file}: the default export is not a task`, {
      code: 'spec_invalid',
      remedy: "Write `export default defineTask({ … })` with `defineTask` from 'agent-bench'.",
    })
  }
  return specOf(definition, file, await suiteOf(dirname(filepath), root, importModule))
}

function specOf(definition: TaskDefinition, file: string, suite: Suite | null): Spec {
  return {
    definition,
    async resolve(choice) {
      const task = await definition.resolve(choice)
      checkReadable(task, file)
      const [mistake] = suite === null ? [] : modulesMistakes(suite, [task.id])
      if (mistake === undefined) return { ...task, suite }
      const { field, problem, remedy } = mistake
      throw new SpecError(`${join(dirname(file), SUITE_FILE)}: ${field}: ${problem}`, { code: 'spec_invalid', remedy })
    },
  }
}

/**
 * The suite of a folder of spec files, where the folder says something of it.
 * @throws SpecError code `spec_invalid`
 */
export async function suiteOf(
  folder: string,
  root: string,
  importModule: (path: string) => unknown,
): Promise<Suite | null> {
  const path = join(folder, SUITE_FILE)
  if (!existsSync(path)) return null
  const suite = defaultOf(await importModule(path))
  if (isSuite(suite)) return suite
  throw new SpecError(`${relative(root, path)}: the default export is not a suite`, {
    code: 'spec_invalid',
    remedy: "Write `export default defineSuite({ title: '…' })` with `defineSuite` from 'agent-bench'.",
  })
}

const FREE_FLAG = 'no_tool_hallucination'

/**
 * A flag that asks whether a file was read needs a line in it that could not have come from anywhere else.
 * @throws SpecError code `spec_unreadable`
 */
export function checkReadable(task: Task, file: string): void {
  // Nothing can be lost in a task that is only observed.
  if (task.isObserved) return
  const texts = new Map([...task.setup].map(([path, content]) => [path, Buffer.from(content.bytes).toString('utf8')]))
  const unreadable = new Set(unreadableFiles(texts, task.prompt))
  const mistakes: { readonly problem: string; readonly remedy: string }[] = []
  for (const [flag, paths] of readsOf(task)) {
    // The free flag of skills takes a read as one of several signs that the agent has set to work; it can do without.
    if (flag === FREE_FLAG) continue
    for (const path of paths) {
      if (!unreadable.has(path)) continue
      mistakes.push({
        problem: `${file}: flags.${flag} asks for the content of ${path}, which has no distinctive line`,
        remedy: `Give ${path} a line with at least five letters or digits that is neither in the prompt nor in another file.`,
      })
    }
  }
  if (mistakes.length === 0) return
  const { message, remedy } = inPairs(mistakes)
  throw new SpecError(message, { code: 'spec_unreadable', remedy })
}
