/**
 * `npm run bench:search`: plays searches for the smallest sound model with known pass probabilities, and prints how often
 * they end wrongly beside what is stated. The table of docs/statistics.md.
 */
import { randomSource } from '../src/score/random.ts'
import { searchProgress, soundnessPlan } from '../src/score/sequential.ts'

const SEARCHES = 2_000

/** Pass probabilities of each task, by model in the order of size. */
// biome-ignore format: a row is a setting
const SETTINGS: readonly (readonly [name: string, models: readonly (readonly number[])[]])[] = [
  ['1 model at .80', [[0.8]]],
  ['1 model at .95', [[0.95]]],
  ['1 model at .98', [[0.98]]],
  ['1 model, five tasks, one at .80', [[0.8, 1, 1, 1, 1]]],
  ['1 model, five tasks at .95', [[0.95, 0.95, 0.95, 0.95, 0.95]]],
  ['3 models: .50, .80, .98', [[0.5], [0.8], [0.98]]],
  ['3 models, three tasks: one at .80 in two, then .98', [[0.98, 0.8, 0.98], [0.98, 0.98, 0.8], [0.98, 0.98, 0.98]]],
  ['8 models, all at .80', Array.from({ length: 8 }, () => [0.8])],
]

/** One search, played trial by trial. */
function play(models: readonly (readonly number[])[], random: () => number) {
  const plan = soundnessPlan({ models: models.length, tasks: models[0]?.length ?? 1 })
  const isSound = models.map(tasks => tasks.every(p => p >= plan.p1))
  const isUnsound = models.map(tasks => tasks.some(p => p <= plan.p0))
  const played = models.map((tasks, at) => ({
    name: String(at),
    tasks: new Map(tasks.map((_, t) => [String(t), [] as boolean[]])),
  }))
  for (;;) {
    const { next, candidates } = searchProgress(played, plan)
    if (next === null) {
      const ended = candidates.map(({ decision }) => decision)
      return {
        wrongAccept: ended.some((decision, at) => decision === 'sound' && isUnsound[at] === true),
        wrongReject: ended.some((decision, at) => decision === 'rejected' && isSound[at] === true),
        found: ended.some((decision, at) => decision === 'sound' && isSound[at] === true),
        trials: candidates.reduce((sum, { trials }) => sum + trials, 0),
      }
    }
    const p = models[Number(next.candidate)]?.[Number(next.task)] ?? 0
    played[Number(next.candidate)]?.tasks.get(next.task)?.push(random() < p * 2 ** 32)
  }
}

export function main(): 0 | 1 {
  const random = randomSource(42)
  const percent = (count: number) => `${((100 * count) / SEARCHES).toFixed(1)} %`
  console.log('| setting | accepted an unsound one | rejected a sound one | found a sound one | trials, mean |')
  console.log('|:--|--:|--:|--:|--:|')
  let isWithin = true
  for (const [name, models] of SETTINGS) {
    const ends = Array.from({ length: SEARCHES }, () => play(models, random))
    const count = (of: 'wrongAccept' | 'wrongReject' | 'found') => ends.filter(end => end[of]).length
    const trials = ends.reduce((sum, end) => sum + end.trials, 0) / SEARCHES
    console.log(
      `| ${name} | ${percent(count('wrongAccept'))} | ${percent(count('wrongReject'))} | ${percent(count('found'))} | ${trials.toFixed(1)} |`,
    )
    // 5 % are stated; three standard errors of 2,000 searches are allowed for.
    isWithin &&=
      Math.max(count('wrongAccept'), count('wrongReject')) <=
      SEARCHES * (0.05 + 3 * Math.sqrt((0.05 * 0.95) / SEARCHES))
  }
  console.log(`\n${SEARCHES} searches a setting, seed 42: errors are ${isWithin ? 'within' : 'BEYOND'} the stated 5 %.`)
  return isWithin ? 0 : 1
}
