/** Timing with nothing hidden: medians and spread over n runs, alternatives interleaved so that the machine's mood hits all alike. */

export interface Sample {
  readonly name: string
  readonly milliseconds: readonly number[]
}

/** The q-quantile (0 to 1) of a sample, by nearest rank. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

export const median = (values: readonly number[]) => quantile(values, 0.5)

/** Runs each alternative n times, in turns, after one unmeasured round. */
export async function interleaved(
  n: number,
  alternatives: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Map<string, Sample>> {
  const samples = new Map<string, number[]>(Object.keys(alternatives).map(name => [name, []]))
  for (let round = -1; round < n; round++) {
    for (const [name, run] of Object.entries(alternatives)) {
      const startedAt = performance.now()
      await run()
      if (round >= 0) samples.get(name)?.push(performance.now() - startedAt)
    }
  }
  return new Map([...samples].map(([name, milliseconds]) => [name, { name, milliseconds }]))
}

export function show(sample: Sample): string {
  const { milliseconds } = sample
  return `${sample.name}: median ${median(milliseconds).toFixed(2)} ms, p90 ${quantile(milliseconds, 0.9).toFixed(2)} (n=${milliseconds.length})`
}

/** One row of the budget table: what was measured, against what it may be. */
export interface BudgetRow {
  readonly what: string
  readonly measured: string
  readonly budget: string
  readonly isMet: boolean
}

export function printRows(rows: readonly BudgetRow[]): void {
  for (const row of rows)
    console.log(`${row.isMet ? 'met   ' : 'MISSED'}  ${row.what}: ${row.measured} (budget ${row.budget})`)
}
