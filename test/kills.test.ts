import { expect, it } from 'vitest'
import { killRounds } from './kill-rounds.ts'
import { describeWith } from './needs.ts'

/** Another one each time would find more, but a failure could not be repeated. */
const SEED = 7

await describeWith(['docker'], 'runs that are killed at random moments', () => {
  it('leave nothing, lose and double no record, and resume exactly (12 kills)', { timeout: 600_000 }, async () => {
    const lines: string[] = []
    const { kills, completions, problems } = await killRounds(12, SEED, line => lines.push(line))
    expect(problems, lines.join('\n')).toEqual([])
    expect(kills).toHaveLength(12)
    expect(completions).toBeGreaterThan(0)
    // The moments are spread: some before any trial was done, some among the trials.
    expect(new Set(kills.map(kill => kill.phase)).size).toBeGreaterThan(1)
  })
})
