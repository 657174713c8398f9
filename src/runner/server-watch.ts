/** Notices that the model server is gone for good, so that a run over hours does not record one fault after another. */

/** Codes of faults that mean that nobody answers, as against a server that answers and fails. */
const GONE = new Set([
  'connection_refused',
  'connection_lost',
  'connect_timeout',
  'first_token_timeout',
  'server_unreachable',
  'server_idle',
  'server_silent',
  'not_http',
])

/** All codes of faults that the model server is the cause of (see `src/model/classify.ts`); others are the sandbox's, a recording's or ours. */
const SERVER_FAULTS = new Set([
  ...GONE,
  'stream_dropped',
  'empty_stream',
  'server_loading',
  'server_unavailable',
  'server_error',
  'error_in_reply',
  'content_filtered',
  'output_limit_ignored',
  'model_unloaded',
  'route_gone',
  'quota',
  'rate_limited',
  'reply_timeout',
])

/** So many trials lost in a row to the server stop a run. Each of them was tried three times already. */
export const LOST_IN_A_ROW = 3

export interface WatchedTrial {
  readonly task: string
  readonly outcome: string
  /** Code of the fault that a trial without a judgement was lost to. */
  readonly fault: string | null
}

/** Counts trials in the order in which they end. */
export class ServerWatch {
  #lost: WatchedTrial[] = []

  /**
   * Takes a trial in and tells whether the run should stop: three trials in a row were lost to the server, and either
   * nobody answers there, or more than one task met it (one task's conversation alone may be what breaks a server).
   */
  isGoneAfter(trial: WatchedTrial): boolean {
    if (trial.outcome !== 'infra' || trial.fault === null || !SERVER_FAULTS.has(trial.fault)) {
      if (trial.outcome !== 'cancelled' && trial.outcome !== 'skipped') this.#lost = []
      return false
    }
    this.#lost.push(trial)
    if (this.#lost.length < LOST_IN_A_ROW) return false
    const isUnanswered = this.#lost.slice(-LOST_IN_A_ROW).every(({ fault }) => GONE.has(fault ?? ''))
    return isUnanswered || new Set(this.#lost.map(({ task }) => task)).size > 1
  }
}
