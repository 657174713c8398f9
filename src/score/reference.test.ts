/** The reference values, each computed twice by independent routines (exact rationals, 40-digit decimals or closed forms). */
import { expect, it } from 'vitest'
import { bcaInterval, bootstrapMeans, meanOf, meanOverTasks, quantile7, tInterval } from './averages.ts'
import { betaInc, normalCdf, normalQuantile, tQuantile } from './distributions.ts'
import { gateBounds, gateOutcome } from './gate.ts'
import { groupsOf, inseparableSets } from './groups.ts'
import { headlineOf } from './headline.ts'
import { itemOf, topMinusBottom } from './items.ts'
import { holm, signFlip, signFlipByDraws, signTest, tango } from './paired.ts'
import { placeIn, randomSource } from './random.ts'
import { decisionAt, operatingCharacteristic, sequentialLowerBound, soundnessPlan } from './sequential.ts'
import { TRUE_VARIANCE } from './statistics.fixture.ts'
import {
  clopperPearson,
  clopperPearsonLower,
  differenceInterval,
  passAtK,
  passHatK,
  passHatVariance,
  powerInterval,
  trialsNeeded,
  wilson,
} from './statistics.ts'
import { medianRanks, ratioOf } from './timing.ts'

type Value = number | string | boolean | null | undefined | readonly Value[]

const ends = (interval: { readonly low: number; readonly high: number } | null) => [interval?.low, interval?.high]
const drawn = (seed: number, count: number) => {
  const random = randomSource(seed)
  return Array.from({ length: count }, () => random())
}
const gated = (cw: number, nw: number, co: number, no: number) => gateBounds({ n: nw, c: cw }, { n: no, c: co })
/** Variance of pass^k by the sum over j of shared trials. */
function varianceOfPassHat(n: number, k: number, p: number): number {
  const choose = (m: number, j: number): number => (j === 0 ? 1 : (choose(m, j - 1) * (m - j + 1)) / j)
  let sum = 0
  for (let j = 1; j <= k; j++) sum += choose(k, j) * choose(n - k, k - j) * (p ** (2 * k - j) - p ** (2 * k))
  return sum / choose(n, k)
}

const TWELVE = [1, 1, 0.4, 0.4, 0, 0.1, 1, 0.4, 0.1, 1, 0, 0.4]
const SPREAD = [2, 2, 1, 1, 1, 1, 0, 0, 0, -1, -1, -2]
const EIGHT = [3, 2, 2, 1, 1, 1, -1, 0]
const FORTY = [
  5, 3, 2, 2, 1, 1, 4, 2, -1, -1, 0, 3, 1, 2, -2, 1, 1, 0, 2, 1, 3, -1, 1, 2, 1, 1, 0, -2, 1, 2, 1, 1, 1, -1, 2, 3, 1,
  1, 1, 0,
]
const PAIRS = [0.000144958496094, ...new Array<number>(377).fill(0.9)]
const MATRIX = ['11110', '11100', '11010', '10100', '01000', '10001'].map(row =>
  [...row].map(cell => ({ n: 1, c: Number(cell) })),
)
const MODULES = [
  { name: 'a', weight: 0.5, tasks: [1, 0.4, 0.4, 0] },
  { name: 'b', weight: 0.3, tasks: [1, 1, 0.5] },
  { name: 'c', weight: 0.2, tasks: [0.25, 0.75] },
]
const sequence = soundnessPlan()
const eight = soundnessPlan({ models: 8, tasks: 5 })
const boot = { seed: 42, draws: 10_000 }
const whole = headlineOf(MODULES)
const part = headlineOf(MODULES.map(one => (one.name === 'b' ? { ...one, tasks: [1, 1, null] } : one)))
const named = (sets: readonly (readonly number[])[]) => sets.map(set => set.map(at => 'ABCDEF'[at]).join('')).join(' ')
const SIX = ['AD', 'AE', 'AF', 'BE', 'BF', 'CF', 'DF'].map(
  pair => ['ABCDEF'.indexOf(pair[0] ?? ''), 'ABCDEF'.indexOf(pair[1] ?? '')] as const,
)

// biome-ignore format: a row is a reference
const REFERENCE: readonly (readonly [number, string, () => Value, Value])[] = [
  [1, 'pass^k', () => [passHatK(3, 2, 3).value, passHatK(3, 2, 2).value], [0, 0.333333333333]],
  [2, 'pass^k below k', () => [passHatK(2, 2, 3).value, passHatK(2, 2, 3).reason], [null, 'n<k']],
  [3, 'pass^4 of 6 in 8', () => passHatK(8, 6, 4).value, 0.214285714286],
  [4, 'pass^1000', () => passHatK(10000, 9000, 1000).value, 4.44601975135e-49],
  [5, 'pass@k', () => [passAtK(5, 2, 3).value, passAtK(3, 2, 2).value], [0.9, 1]],
  [6, 'pass@100', () => passAtK(10000, 1, 100).value, 0.01],
  [7, 'variance', () => [passHatVariance(8, 6, 4).value, passHatVariance(5, 4, 3).value], [0.0459183673469, null]],
  [8, 'true variance', () => TRUE_VARIANCE.map(([n, k, p]) => varianceOfPassHat(n, k, p)), TRUE_VARIANCE.map(row => row[4])],
  [9, 'Wilson at the ends', () => [wilson(7, 0).value?.low === 0, wilson(7, 7).value?.high === 1], [true, true]],
  [10, 'Wilson 4/5', () => ends(wilson(5, 4).value), [0.375534629763, 0.963775891368]],
  [11, 'Wilson 8/10', () => ends(wilson(10, 8).value), [0.490162471537, 0.943317848546]],
  [12, 'Clopper-Pearson 4/5', () => ends(clopperPearson(5, 4).value), [0.283582063882, 0.994949236621]],
  [13, 'lower 20/20', () => clopperPearsonLower(20, 20).value, 0.860891659332],
  [14, 'lower 95/100', () => clopperPearsonLower(100, 95).value, 0.897746622357],
  [15, 'Clopper-Pearson 9900', () => ends(clopperPearson(10000, 9900).value), [0.987850495114, 0.991856403432]],
  [16, 'trials needed', () => [trialsNeeded(0.8, 0), trialsNeeded(0.9, 1)], [14, 46]],
  [17, 'a power', () => [...ends(powerInterval(wilson(5, 2).value ?? { low: 0, high: 0 }, 3)), passHatK(5, 2, 3).value], [0.00162724183622, 0.455245932302, 0]],
  [18, 'betaInc', () => [betaInc(0.95, 10, 2), betaInc(0.7, 100, 50), betaInc(0.9, 5, 0.5)], [0.898105408858, 0.805448166228, 0.31664291502]],
  [19, 'betaInc', () => [betaInc(0.8, 5, 1), betaInc(0.25, 0.5, 0.5)], [0.32768, 0.333333333333]],
  [20, 'normal', () => [normalQuantile(0.975), normalQuantile(0.9999), normalCdf(-1.96)], [1.95996398454, 3.71901648546, 0.0249978951482]],
  [21, 'Student', () => [tQuantile(0.975, 5), tQuantile(0.95, 9)], [2.57058183564, 1.83311293266]],
  [22, 'random', () => drawn(42, 5), [3825871779, 1851418855, 1383259262, 890322987, 2796912455]],
  [23, 'random', () => [drawn(0, 2), drawn(4294967295, 2)], [[548183886, 1097162541], [2246433216, 2156899173]]],
  [24, 'places', () => { const random = randomSource(42); return Array.from({ length: 20 }, () => placeIn(10, random)) }, [8, 4, 3, 2, 6, 9, 2, 4, 4, 1, 8, 8, 7, 3, 2, 3, 8, 7, 8, 1]],
  [25, 'percentiles', () => { const means = bootstrapMeans([{ weight: 1, values: TWELVE }], boot); return [quantile7(means, 0.025), quantile7(means, 0.975), meanOf(means)] }, [0.266666666667, 0.7, 0.483098333333]],
  [26, 'percentiles of 2,000', () => { const means = bootstrapMeans([{ weight: 1, values: TWELVE }], { ...boot, draws: 2_000 }); return [quantile7(means, 0.025), quantile7(means, 0.975)] }, [0.258333333333, 0.7]],
  [27, 'BCa', () => { const bca = bcaInterval(TWELVE); return [bca.z0, bca.a, bca.low, bca.high] }, [0.022686931884, 0.013893176005, 0.283333333333, 0.716666666667]],
  [28, 't interval', () => ends(tInterval(TWELVE).value), [0.222299308937, 0.74436735773]],
  [29, 'ten tasks all 1', () => { const mean = meanOverTasks(new Array(10).fill(1)); return [...ends(mean.interval.value), mean.method] }, [0.691502892181, 1, 'bound']],
  [30, 'sign test', () => [signTest(17, 1).p, signTest(6, 0).p, signTest(0, 0).p], [0.000144958496094, 0.03125, 1]],
  [31, '17 to 1 and 18 to 1 among 378', () => [holm(PAIRS)[0], (holm([signTest(18, 1).p, ...PAIRS.slice(1)])[0] ?? 1) < 0.05], [0.0547943115234, true]],
  [32, 'sign flip', () => signFlip(SPREAD), 0.4921875],
  [33, 'sign flip by draws', () => signFlipByDraws(SPREAD, { draws: 9_999 }), 0.4859],
  [34, 'sign flip', () => [signFlip(EIGHT), signFlipByDraws(EIGHT, { draws: 9_999 })], [0.078125, 0.0801]],
  [35, 'sign flip of forty', () => [signFlip(FORTY), signFlipByDraws(FORTY, { draws: 9_999 })], [3.86745086871e-5, 0.0001]],
  [36, 'McNemar', () => [signTest(8, 1).p, signFlip([-1, ...new Array(8).fill(1)]), signTest(8, 1).midP], [0.0390625, 0.0390625, 0.021484375]],
  [37, 'Tango', () => ends(tango(1, 7, 21).value), [-0.517232276421, -0.0260030324809]],
  [38, 'Holm', () => [holm([0.01, 0.04, 0.03]), holm([0.0001, 0.9, 0.03, 0.02, 0.04])], [[0.03, 0.06, 0.06], [0.0005, 0.9, 0.09, 0.08, 0.09]]],
  [39, 'gate 27/30 after 30/30', () => [...ends(gated(27, 30, 30, 30)), gateOutcome(gated(27, 30, 30, 30), 0.1)], [-0.238597857293, 0.0193399683589, 'inconclusive']],
  [40, 'gate at 29 and 28', () => [29, 28].map(n => gateOutcome(gated(n, n, n, n), 0.1)), ['pass', 'inconclusive']],
  [41, 'Newcombe', () => ends(differenceInterval({ n: 70, c: 56 }, { n: 80, c: 48 }, wilson).value), [0.0524314724024, 0.333872654037]],
  [42, 'sequential', () => [[17, 0], [18, 0], [6, 3], [7, 3]].map(([s = 0, f = 0]) => decisionAt(s, f, sequence)), ['open', 'accepted', 'rejected', 'open']],
  [43, 'sequential, eight models', () => [29, 30].map(s => decisionAt(s, 0, eight)), ['open', 'accepted']],
  [44, 'operating characteristic', () => { const { accept, reject, meanTrials } = operatingCharacteristic(0.8, sequence); return [accept, reject, meanTrials] }, [0.0435848034456, 0.941968751969, 23.2383140014]],
  [45, 'bound after acceptance', () => sequentialLowerBound(18, sequence), 0.846682446043],
  [46, 'items', () => [...(MATRIX[0] ?? []).map((_, at) => itemOf(MATRIX, at).discrimination.value), topMinusBottom(MATRIX.map(row => row[0]?.c ?? 0), MATRIX.map(row => row.slice(1).reduce((sum, { c }) => sum + c, 0)), 2)], [0.4, -0.13130643286, 0, 0.342997170285, -0.539359889971, 0.5]],
  [47, 'headline', () => [whole.value.value, whole.standardError, part.value.value, ...ends(part.bounds)], [0.575, 0.125, 0.625, 0.525, 0.625]],
  [48, 'letters of six', () => { const groups = groupsOf(6, SIX); return [named(inseparableSets(6, SIX)), groups.map(group => group.letters), groups.map(group => group.ranks)] }, ['ABC BCD CDE EF', ['a', 'ab', 'abc', 'bc', 'cd', 'd'], [[1, 3], [1, 4], [1, 5], [2, 5], [3, 6], [5, 6]]]],
  [49, 'letters of four', () => named(inseparableSets(4, [[0, 2], [2, 3]])), 'ABD BC'],
  [50, 'ratios', () => { const ratio = ratioOf([10, 100, 30], [20, 50, 30]); return [ratio?.geometric, ratio?.totals] }, [1, 1.4]],
  [51, 'quantiles', () => [0.25, 0.5, 0.9].map(q => quantile7([1, 2, 4, 8, 16], q)), [2, 4, 12.8]],
  [52, 'median', () => [medianRanks(5), medianRanks(10)], [null, [2, 9]]],
]

function expectSame(actual: Value, expected: Value): void {
  if (Array.isArray(expected)) {
    expect(actual).toHaveLength(expected.length)
    for (const [at, one] of expected.entries()) expectSame((actual as readonly Value[])[at], one)
  } else if (typeof expected === 'number' && typeof actual === 'number') {
    // The references have twelve digits; where they are 0, what is left is rounding.
    expect(Math.abs(actual - expected), `${actual} against ${expected}`).toBeLessThanOrEqual(
      1e-10 * Math.abs(expected) + 1e-15,
    )
  } else expect(actual).toEqual(expected)
}

it.each(REFERENCE)('%d: %s', (_number, _name, call, expected) => expectSame(call(), expected))
it('all 52 are there', () =>
  expect(REFERENCE.map(([number]) => number)).toEqual(Array.from({ length: 52 }, (_, at) => at + 1)))
