/** How long a run will still take, from all its trials so far. */

export interface Progress {
  /** Trials that ran to their end. */
  readonly done: number
  /** Milliseconds that they took, added up. */
  readonly doneMs: number
  /** Trials that are left. */
  readonly left: number
  /** Sandboxes at work at once. */
  readonly workers: number
}

/** `0.4 s`, `45 s`, `12 min`, `3.5 h`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1_000
  if (seconds < 9.95) return `${Math.max(0.1, seconds).toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}

/** Below this, an estimate is not worth being said anew. */
const WORTH_SAYING_MS = 60_000

/** One line after the first trial, and anew whenever twice as many are done, while there is a minute left; else null. */
export function projection({ done, doneMs, left, workers }: Progress): string | null {
  const mean = doneMs / done
  const ahead = mean * Math.ceil(left / Math.max(1, Math.min(workers, left)))
  const isPowerOfTwo = (done & (done - 1)) === 0
  if (left < 1 || !isPowerOfTwo || (done > 1 && ahead < WORTH_SAYING_MS)) return null
  const took =
    done === 1
      ? `the first trial took ${formatDuration(mean)}`
      : `${done} trials took ${formatDuration(mean)} on average`
  return `time     ${took}; at that pace the ${left} that are left take about ${formatDuration(ahead)}`
}
