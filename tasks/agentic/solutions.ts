/** Honest solutions of tasks whose steps are not "look, test, edit, test": ways of any steps, combined. */
import type { Play } from 'agent-bench'
import type { Way } from './variants.ts'

/**
 * Combines the ways of each step, in order: every way of the first step with every way of the second, and the ways of
 * the further steps rotate through that table, so that each meets each of the first two steps' ways as often as fits.
 * @param answer What the agent says at the end.
 */
export function solutionsOf(steps: readonly (readonly Way[])[], answer: string): Readonly<Record<string, Play>> {
  const [first = [], second = [], ...further] = steps
  const plays: Record<string, Play> = {}
  first.forEach((one, row) => {
    second.forEach((other, column) => {
      const rest = further.flatMap((ways, index) => ways[((index + 1) * row + column) % ways.length] ?? [])
      const ways = [one, other, ...rest]
      plays[ways.map(way => way.name).join(' · ')] = async hands => {
        for (const way of ways) await way.act(hands)
        return answer
      }
    })
  })
  return plays
}
