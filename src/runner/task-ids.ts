/**
 * Ids of tasks as they stand in the text of their files, known before any of them is loaded: loading is the workers' work,
 * one file after another. An id that is worked out cannot be seen here, and is found when its file is loaded.
 */
import { readFileSync } from 'node:fs'
import { isSkillFile, skillIdIn } from '../skill/index.ts'

const ID = /\bdefineTask\b[\s\S]*?\bid:\s*(['"`])([A-Za-z0-9_-]+)\1/

/** The id of the task or skill of a file; null where its text does not show it. */
export function taskIdIn(file: string): string | null {
  try {
    return isSkillFile(file) ? skillIdIn(file) : (ID.exec(readFileSync(file, 'utf8'))?.[2] ?? null)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null // whoever loads it says what is wrong with it
    throw error
  }
}

/** Two files whose tasks have one id; null when there are none. */
export function sameIdIn(files: Iterable<string>): { readonly id: string; readonly files: readonly string[] } | null {
  const byId = new Map<string, string>()
  for (const file of files) {
    const id = taskIdIn(file)
    if (id === null) continue
    const other = byId.get(id)
    if (other !== undefined && other !== file) return { id, files: [other, file] }
    byId.set(id, file)
  }
  return null
}

/**
 * A filter of the command line as Vitest takes it, by parts of paths: an id becomes the path of its file, and the line behind
 * a spec file goes, since the whole file is one task. What is part of some path already, or no id, stays as it is.
 */
export function asFileFilter(filter: string, files: readonly string[]): string {
  const [, path = filter] = /^(.*):\d+$/.exec(filter) ?? []
  if (files.some(file => file.includes(path.replace(/^\.\//, '')))) return path
  return files.find(file => taskIdIn(file) === filter) ?? filter
}
