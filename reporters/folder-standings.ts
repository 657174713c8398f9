/** Standings of everything in a results folder. */
import { ResultsFolder } from '../src/results/folder.ts'
import { type Field, fieldOf, type LeftOut, type Standing, standingOf } from './standings.ts'

/** Files that are read at most, the newest by the time in their names: reading 1,000 takes about two seconds. */
const MOST_FILES = 1_000

export interface FolderStandings extends LeftOut {
  readonly standings: readonly Standing[]
}

/** Reads the results of a folder, and keeps of each what comparisons need. */
export function readStandings(dir: string, limit = MOST_FILES): FolderStandings {
  const folder = new ResultsFolder(dir)
  const unread = folder.refresh({ files: limit })
  return { standings: folder.heads.map(standingOf), broken: folder.unusable, unread }
}

/** What is compared in a folder. */
export function readField(dir: string): Field {
  const { standings, ...left } = readStandings(dir)
  return fieldOf(standings, left)
}
