import type { Outcome, Verdict } from '../results/outcome.ts'

/**
 * Verdict of a task from the outcomes of its trials (undefined = not run): fail when any failed; null when the selection
 * was cut (fewer than k were asked for); inconclusive when some of k were faults; else pass.
 */
export function taskVerdict(outcomes: readonly (Outcome | 'config' | undefined)[], k: number): Verdict {
  if (outcomes.includes('failed')) return 'fail'
  const passed = outcomes.filter(outcome => outcome === 'passed').length
  if (
    outcomes.some(
      outcome => outcome === undefined || outcome === 'cancelled' || outcome === 'skipped' || outcome === 'config',
    )
  )
    return null
  return passed >= k ? 'pass' : 'inconclusive'
}
