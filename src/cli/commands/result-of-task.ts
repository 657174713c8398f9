/** The result that a task's id means: the newest one in the results folder, of one model when it is named. */

import { join } from 'node:path'
import { distance } from 'fastest-levenshtein'
import { readStandings } from '../../../reporters/folder-standings.ts'
import { compareText, describeBroken, modelNames, shortModelName } from '../../../reporters/standings.ts'
import { escapeForTerminal } from '../../../reporters/terminal.ts'
import { ConfigError } from '../../errors.ts'

/** Names that are said when one is not known. */
const NAMES_SHOWN = 20

export interface ResultOfTask {
  /** Path of its summary file. */
  readonly file: string
  /** As `--model` takes it. */
  readonly model: string
  /** Names of the other models with results of the task, the one with the newest first. */
  readonly otherModels: readonly string[]
}

/** Is it a path rather than the id of a task? Ids hold neither dots nor slashes. */
export const isPath = (given: string): boolean => /[\\/.]/.test(given)

/**
 * The newest result of a task, that of a scripted agent only where no model has one.
 * @param question.model a model's name or its short form, in any case; undefined takes the newest of any
 * @throws ConfigError code `result_unknown` with the tasks there are, or with the models the task was played by
 */
export function resultOfTask(
  dir: string,
  { task, model }: { readonly task: string; readonly model: string | undefined },
): ResultOfTask {
  const { standings, broken } = readStandings(dir)
  const ofTask = standings
    .filter(standing => standing.task === task || standing.row === task)
    .sort((a, b) => +b.isModel - +a.isModel || compareText(b.latest, a.latest) || compareText(b.file, a.file))
  if (ofTask.length === 0) {
    throw new ConfigError([`${dir} holds no result of the task ${task}`, ...describeBroken(broken)].join('\n  '), {
      code: 'result_unknown',
      remedy: choose('Name a task with results', task, [...new Set(standings.map(standing => standing.task))]),
    })
  }
  const names = modelNames(ofTask.map(standing => standing.model))
  const found = model === undefined ? ofTask[0] : ofTask.find(standing => namesModel(model, standing.model))
  if (found === undefined) {
    throw new ConfigError(`${dir} holds no result of the model ${model} for the task ${task}`, {
      code: 'result_unknown',
      remedy: choose('Name a model with results of this task', model ?? '', [...new Set(names.values())]),
    })
  }
  const name = names.get(found.model) ?? found.model
  return {
    file: join(dir, found.file),
    model: name,
    otherModels: [...new Set(names.values())].filter(other => other !== name),
  }
}

/** Does a name that was typed mean this model? */
export function namesModel(given: string, model: string): boolean {
  return [model, shortModelName(model)].some(name => name.toLowerCase() === given.toLowerCase())
}

/** A remedy that lists the names there are, the nearest first. */
export function choose(what: string, given: string, known: readonly string[]): string {
  if (known.length === 0) return 'Run the bench first, or name another folder with --results-dir.'
  const byNearness = known.toSorted((a, b) => distance(given, a) - distance(given, b) || (a < b ? -1 : 1))
  const more = known.length > NAMES_SHOWN ? ` and ${known.length - NAMES_SHOWN} more` : ''
  return `${what}: ${byNearness.slice(0, NAMES_SHOWN).map(escapeForTerminal).join(', ')}${more}.`
}
