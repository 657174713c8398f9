/**
 * Reads kept artifacts back. They lie on a disk that anybody can write to, so each must still be what the record says:
 * nothing is read through a link, and size and hash must be those of the final snapshot.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ARTIFACT_LIMITS, artifactPathProblem, artifactsDirOf } from './artifacts.ts'
import { sha256 } from './hash.ts'
import { systemCode } from './not-writable.ts'
import type { TrialRecord } from './record-schema.ts'

export type ReadArtifact =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: 'artifact_missing' | 'artifact_changed'; readonly reason: string }

/** What a file must be; from the final snapshot. */
export interface WantedFile {
  readonly size: number
  readonly sha256: string
}

/** Reads one artifact of a trial. @param resultsDir the folder that `artifacts_dir` is relative to */
export function readArtifact(
  resultsDir: string,
  record: Pick<TrialRecord, 'run_id' | 'task_id' | 'identity' | 'trial_index' | 'artifacts_dir'>,
  path: string,
  wanted: WantedFile,
): ReadArtifact {
  const missing = (reason: string): ReadArtifact => ({ ok: false, code: 'artifact_missing', reason })
  const changed = (reason: string): ReadArtifact => ({ ok: false, code: 'artifact_changed', reason })
  // The folder follows from the trial; a record that names another one would make us read elsewhere.
  if (record.artifacts_dir !== artifactsDirOf(record))
    return changed(`the record names a folder that is not this trial's`)
  const problem = artifactPathProblem(path)
  if (problem !== null) return changed(problem)
  const segments = [...record.artifacts_dir.split('/'), ...path.split('/')]
  try {
    for (let depth = 1; depth < segments.length; depth++) {
      const folder = join(resultsDir, ...segments.slice(0, depth))
      if (!lstatSync(folder).isDirectory()) return changed(`${folder} is not a folder`)
    }
    const bytes = readRegular(join(resultsDir, ...segments))
    if (bytes === null) return changed('it is not a regular file of a size that is kept')
    const isSame = bytes.length === wanted.size && sha256(bytes) === wanted.sha256
    return isSame ? { ok: true, bytes } : changed('its content is not what the agent left')
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    if (code === 'ELOOP') return changed('it is a symbolic link')
    return missing(code === 'ENOENT' ? 'it is not there' : `it cannot be read (${code})`)
  }
}

function readRegular(file: string): Uint8Array | null {
  // Non-blocking, or a FIFO that was put there would hold us for ever.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    return stat.isFile() && stat.size <= ARTIFACT_LIMITS.fileBytes ? readFileSync(descriptor) : null
  } finally {
    closeSync(descriptor)
  }
}
