/** How long a run will take, said once, after its first trial. */

export interface Progress {
  /** Milliseconds that the first trial took. */
  readonly firstTrialMs: number
  /** Trials of the whole run. */
  readonly trials: number
  /** Sandboxes at work at once. */
  readonly workers: number
}

/** `0.4 s`, `45 s`, `12 min`, `3.5 h`. */
export function durationInWords(milliseconds: number): string {
  const seconds = milliseconds / 1_000
  if (seconds < 9.95) return `${Math.max(0.1, seconds).toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}

/** One line, or null when there is nothing to look ahead to. The first trial stands for all: tasks differ, so it is rough. */
export function projection({ firstTrialMs, trials, workers }: Progress): string | null {
  if (trials < 2) return null
  const rounds = Math.ceil(trials / Math.max(1, Math.min(workers, trials)))
  return `time     the first trial took ${durationInWords(firstTrialMs)}; at that pace all ${trials} take about ${durationInWords(firstTrialMs * rounds)}`
}
