/** The memory file systems of a sandbox, of the same sizes in every kind. */
export interface TemporaryPlace {
  readonly path: string
  readonly mode: number
  readonly bytes: number
  readonly files: number
  readonly mayExecute: boolean
}

export const temporaryPlace = (
  path: string,
  mode: number,
  mebibytes: number,
  files: number,
  mayExecute = true,
): TemporaryPlace => ({ path, mode, bytes: mebibytes * 1024 ** 2, files, mayExecute })

/** Together they stay well below the memory limit of a container, or filling them would kill the executor. */
export const TEMPORARY_PLACES: readonly TemporaryPlace[] = [
  temporaryPlace('/workspace', 0o755, 320, 150_000),
  temporaryPlace('/home/agent', 0o755, 96, 50_000),
  temporaryPlace('/tmp', 0o1777, 128, 50_000),
  temporaryPlace('/var/tmp', 0o1777, 16, 10_000),
  temporaryPlace('/dev/shm', 0o1777, 64, 10_000, false),
  temporaryPlace('/run', 0o755, 1, 1_000, false),
]
