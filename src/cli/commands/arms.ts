/** Arms of a comparison from what was typed: models of the results folder, result files, folders of results. */
import { existsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { armsOf, describeBroken, fieldOf, standingOf } from '../../../reporters/standings.ts'
import { ConfigError } from '../../errors.ts'
import { ResultsFolder } from '../../results/folder.ts'
import type { Arm } from '../../results/matching.ts'
import type { CliContext } from '../command.ts'
import { absolute, chosenOf, resultsDirOf } from './report.ts'

/** The models of a folder or of one result file. @throws ConfigError code `no_results` */
function readResults(path: string) {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  const folder = new ResultsFolder(isFile ? dirname(path) : path)
  folder.refresh()
  const isMeant = ({ file }: { readonly file: string }) => !isFile || file === basename(path)
  const heads = folder.heads.filter(isMeant)
  const field = fieldOf(heads.map(standingOf), { broken: folder.unusable.filter(isMeant), unread: 0 })
  const notes = describeBroken(field.left.broken)
  if (field.entrants.length > 0) return { field, heads, notes }
  throw new ConfigError([`${path} holds no result of a model in which a trial counts`, ...notes].join('\n  '), {
    code: 'no_results',
    remedy: 'Run the bench with a model (BENCH_MODEL, BENCH_BASE_URL), or name other results.',
  })
}

/**
 * @param given paths, or names of models of the results folder; none means all its models
 * @returns arms with different names, and what has to be said of files that cannot be used
 * @throws ConfigError code `no_results`, `model_unknown`
 */
export async function armsFrom(
  given: readonly string[],
  options: { readonly resultsDir?: string },
  context: CliContext,
): Promise<{ readonly arms: readonly Arm[]; readonly notes: readonly string[] }> {
  const found: { readonly arm: Arm; readonly from: string }[] = []
  const notes = new Set<string>()
  const add = (from: string, results: ReturnType<typeof readResults>, entrants = results.field.entrants) => {
    for (const note of results.notes) notes.add(note)
    found.push(...armsOf({ entrants }, results.heads).map(arm => ({ arm, from })))
  }
  const paths = given.filter(one => existsSync(absolute(one, context)))
  const models = given.filter(one => !paths.includes(one))
  for (const path of paths) add(path, readResults(absolute(path, context)))
  if (models.length > 0 || given.length === 0) {
    const results = readResults(resultsDirOf(options, context))
    const named = await chosenOf(results.field, given.length === 0 ? undefined : models.join(','))
    add(resultsDirOf(options, context), results, named ?? undefined)
  }
  const arms = found.map(({ arm, from }) => {
    const isShared = found.filter(other => other.arm.name === arm.name).length > 1
    return isShared ? { ...arm, name: `${arm.name} in ${from}` } : arm
  })
  return { arms, notes: [...notes] }
}
