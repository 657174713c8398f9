/** Arms of a comparison from what was typed: models of the results folder, result files, folders of results. */
import { existsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { armsOf, describeBroken, type Field, fieldOf, standingOf } from '../../../reporters/standings.ts'
import { ConfigError } from '../../errors.ts'
import { type ResultHead, ResultsFolder } from '../../results/folder.ts'
import type { Arm } from '../../results/matching.ts'
import type { CliContext } from '../command.ts'
import { absolute, chosenOf, resultsDirOf } from './report.ts'

interface ReadResults {
  readonly field: Field
  readonly heads: readonly ResultHead[]
}

/** The models of a folder or of one result file. @throws ConfigError code `no_results` */
function readResults(path: string): ReadResults {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  const folder = new ResultsFolder(isFile ? dirname(path) : path)
  folder.refresh()
  const isMeant = ({ file }: { readonly file: string }) => !isFile || file === basename(path)
  const heads = folder.heads.filter(isMeant)
  const field = fieldOf(heads.map(standingOf), { broken: folder.unusable.filter(isMeant), unread: 0 })
  if (field.entrants.length > 0) return { field, heads }
  const reasons = describeBroken(field.left.broken)
  throw new ConfigError([`${path} holds no result of a model in which a trial counts`, ...reasons].join('\n  '), {
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
  const arms: Arm[] = []
  const notes: string[] = []
  const add = ({ field, heads }: ReadResults, entrants = field.entrants, from: string | null = null) => {
    for (const arm of armsOf({ entrants }, heads)) {
      const isTaken = arms.some(({ name }) => name === arm.name)
      arms.push(isTaken ? { ...arm, name: `${arm.name} in ${from ?? arms.length}` } : arm)
    }
    notes.push(...describeBroken(field.left.broken).filter(note => !notes.includes(note)))
  }
  const named = given.filter(one => !existsSync(absolute(one, context)))
  for (const path of given.filter(one => !named.includes(one)))
    add(readResults(absolute(path, context)), undefined, path)
  if (named.length > 0 || given.length === 0) {
    const results = readResults(resultsDirOf(options, context))
    add(results, (await chosenOf(results.field, given.length === 0 ? undefined : named.join(','))) ?? undefined)
  }
  return { arms, notes }
}
