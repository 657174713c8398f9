/** The files a trial is verified on: the setup, plus what the agent may leave. Pure. */
import type { FileContent, FileMap, Snapshot } from '../sandbox/snapshot.ts'
import { matchesAny } from '../task/globs.ts'
import type { Task } from '../task/task.ts'

/** Paths of the regular files inside the allowed writes that an agent left new or changed. */
export function filesLeft(task: Pick<Task, 'allowedWrites'>, baseline: Snapshot, final: Snapshot): readonly string[] {
  const paths: string[] = []
  for (const [path, entry] of final.entries) {
    if (entry.type !== 'file' || !matchesAny(task.allowedWrites, path)) continue
    const before = baseline.entries.get(path)
    if (before?.type !== 'file' || before.sha256 !== entry.sha256 || before.mode !== entry.mode) paths.push(path)
  }
  return paths
}

/** The clean room: what the agent left, and of the setup what it has not replaced or (where it may) removed. */
export function cleanRoom(task: Pick<Task, 'allowedWrites' | 'setup'>, final: Snapshot, left: FileMap): FileMap {
  const room = new Map(left)
  for (const [path, file] of task.setup) {
    const isGone = matchesAny(task.allowedWrites, path) && final.entries.get(path)?.type !== 'file'
    if (!isGone && !room.has(path)) room.set(path, file)
  }
  return withoutConflicts(room)
}

/** A path cannot be a file and the directory of another file; where the agent turned one into the other, its own file wins. */
function withoutConflicts(files: Map<string, FileContent>): FileMap {
  for (const path of files.keys()) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth++) {
      if (files.has(parts.slice(0, depth).join('/'))) files.delete(path)
    }
  }
  return files
}
