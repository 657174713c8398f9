/** The end of the main process: what Vitest leaves undone when a signal ends it, and the one exit status it does not know. */

export interface ExitWatch {
  /** 2 = end with it whatever Vitest chose; null = Vitest's own. The last call counts. */
  readonly setStatus: (status: 2 | null) => void
}

/**
 * Watches the end of this process. `onCut` runs when the process ends, synchronously; it gives back whether a run was
 * cut off by that (then the status stays what the signal made it: 128 and its number).
 */
export function watchExit(onCut: () => boolean): ExitWatch {
  let status: 2 | null = null
  // A closed terminal or connection: Vitest listens to SIGINT and SIGTERM only, and Node's default skips exit handlers.
  process.once('SIGHUP', () => process.exit(129))
  process.once('exit', () => {
    if (!onCut() && status !== null) process.exitCode = status
  })
  return {
    setStatus: next => {
      status = next
    },
  }
}
