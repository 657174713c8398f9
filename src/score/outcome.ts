/** How a trial ended. Only `passed` and `failed` count in n. */
export type Outcome = 'passed' | 'failed' | 'inconclusive' | 'infra' | 'cancelled' | 'skipped'
export type Verdict = 'pass' | 'fail' | 'inconclusive' | null
