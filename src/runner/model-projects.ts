/**
 * Several models in one run: each is a separate Vitest project, with the files and settings of the bench's project, so that
 * stock reporters tell them apart. Their order groups follow one another: one model is done before the next is loaded.
 */

import type { TestProjectInlineConfiguration } from 'vitest/config'
import type { TestProject, Vitest } from 'vitest/node'
import { escapeForTerminal } from '../../reporters/terminal.ts'
import { type ModelSetting, nameOfSetting } from './model-settings.ts'

export interface ModelProject {
  readonly project: TestProject
  readonly setting: ModelSetting
}

export type InjectProjects = (config: TestProjectInlineConfiguration) => Promise<TestProject[]>

/** Characters of a model's name in the name of its project. */
const NAME_CHARACTERS = 60

/**
 * The projects of a run, in the order of its models. With one model it is the bench's project as it is; else that one
 * stands for the first model, and a copy of it for each other one.
 */
export async function projectsOfModels(
  project: TestProject,
  models: readonly ModelSetting[],
  { vitest, injectProjects }: { readonly vitest: Vitest; readonly injectProjects: InjectProjects },
): Promise<readonly ModelProject[]> {
  const [first, ...others] = models
  if (first === undefined) return []
  if (others.length === 0) return [{ project, setting: first }]
  const base = project.name
  const names = projectNames(base, models)
  const found: ModelProject[] = [{ project, setting: first }]
  for (const [at, setting] of others.entries()) {
    const name = names[at + 1] ?? ''
    const copy = await injectCopy(project, name, { vitest, injectProjects })
    copy.config.sequence.groupOrder = 1 + Math.max(...vitest.projects.map(other => other.config.sequence.groupOrder))
    found.push({ project: copy, setting })
  }
  // Renamed last: the copies are made of what the project was called when it was found.
  project.config.name = names[0] ?? base
  return found
}

/** `bench (name)` for each model; a number tells apart what is cut to one name. */
function projectNames(base: string, models: readonly ModelSetting[]): readonly string[] {
  const taken = new Set<string>()
  return models.map(setting => {
    const short = escapeForTerminal(nameOfSetting(setting)).slice(0, NAME_CHARACTERS)
    let name = `${base} (${short})`
    for (let number = 2; taken.has(name); number++) name = `${base} (${short} ${number})`
    taken.add(name)
    return name
  })
}

/** `--project bench` means all models of the bench; Vitest asks its filter again for every project that is added. */
async function injectCopy(
  project: TestProject,
  name: string,
  { vitest, injectProjects }: { readonly vitest: Vitest; readonly injectProjects: InjectProjects },
): Promise<TestProject> {
  const own: Partial<NonNullable<TestProject['options']>> = project.options ?? {}
  const { configFile = vitest.vite.config.configFile, ...options } = own
  const filter = vitest.config.project
  if (filter.length > 0) vitest.config.project = [...filter, name]
  try {
    const inline: TestProjectInlineConfiguration = { ...options, test: { ...options.test, name } }
    const [copy] = await injectProjects(typeof configFile === 'string' ? { ...inline, extends: configFile } : inline)
    if (copy === undefined) throw new Error(`Vitest left out the project ${name}`)
    return copy
  } finally {
    vitest.config.project = filter
  }
}
