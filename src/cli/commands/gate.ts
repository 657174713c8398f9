import type { Block } from '../../../reporters/blocks.ts'
import { beforeNumbers } from '../../../reporters/comparison.ts'
import { ConfigError } from '../../errors.ts'
import { type Arm, matchArms } from '../../results/matching.ts'
import { count, points, pointsRange, pText } from '../../score/claims.ts'
import { gate } from '../../score/gate.ts'
import type { AddCommand, CliContext } from '../command.ts'
import { type FormatOptions, withFormat, writeBlocks } from './compare.ts'

interface GateOptions extends FormatOptions {
  readonly baseline: string
  readonly candidate: string
  readonly delta: string
  readonly allowMissing?: true
}

/** `agent-bench gate`: is a candidate not worse than a baseline? For pull requests: exit status 0 pass, 1 worse, 2 open. */
export const addGate: AddCommand = (program, context) => {
  withFormat(program.command('gate'))
    .description('passes when the candidate is not worse than the baseline by more than a margin; never on no data')
    .requiredOption('--baseline <results>', 'a result file or a folder of results')
    .requiredOption('--candidate <results>', 'a result file or a folder of results')
    .option('--delta <rate>', 'the margin: the loss of pass rate that is accepted', '0.1')
    .option('--allow-missing', 'passes although the candidate lacks tasks of the baseline')
    .action((options: GateOptions) => runGate(options, context))
}

async function runGate(options: GateOptions, context: CliContext): Promise<void> {
  const { armsFrom } = await import('./arms.ts')
  const delta = Number(options.delta)
  if (!(delta > 0 && delta < 1)) {
    throw new ConfigError(`--delta ${options.delta} is no margin`, {
      code: 'delta_invalid',
      remedy: 'Write a share of the trials between 0 and 1, such as --delta 0.1 for ten points.',
    })
  }
  const { arms: before } = await armsFrom([options.baseline], {}, context)
  const { arms: after } = await armsFrom([options.candidate], {}, context)
  const isOne = before.length === 1 && after.length === 1
  const gated = before.map(arm => {
    const other = isOne ? after[0] : after.find(({ name }) => name === arm.name)
    return gateModel(arm, other?.heads ?? [], { delta, mayLack: options.allowMissing === true })
  })
  const outcomes = gated.map(({ outcome }) => outcome)
  context.setStatus(outcomes.includes('worse') ? 1 : outcomes.includes('inconclusive') ? 2 : 0)
  writeBlocks(gated, gated.flatMap(gateBlocks), options, context)
}

/** The gate of one model, with the tasks that the candidate has no trial of: they leave it open. */
function gateModel(
  { name, heads }: Arm,
  candidate: Arm['heads'],
  { delta, mayLack }: { readonly delta: number; readonly mayLack: boolean },
) {
  const { input, ...matched } = matchArms([
    { name: 'baseline', heads },
    { name: 'candidate', heads: candidate },
  ])
  const tasks = input.tasks.map(({ id, arms: [one, other] }) => {
    return { id, baseline: one?.outcomes ?? [], candidate: other?.outcomes ?? [] }
  })
  const result = gate(tasks, delta)
  const lacking = matched.dropped.filter(({ reason, arms }) => reason === 'missing' && arms.includes('candidate'))
  const isOpen = result.outcome === 'pass' && lacking.length > 0 && !mayLack
  return { model: name, ...result, ...matched, ...(isOpen ? { outcome: 'inconclusive' as const } : {}), isOpen }
}

function gateBlocks(gated: ReturnType<typeof gateModel>): readonly Block[] {
  const { model, outcome, delta, baseline, candidate, bounds, collapsed, needs, isOpen } = gated
  const passes = `baseline ${baseline.c}/${baseline.n}, candidate ${candidate.c}/${candidate.n}`
  const change = points(candidate.c / candidate.n - baseline.c / baseline.n)
  const numbers =
    bounds === null
      ? 'No task has trials of both: nothing can be said.'
      : `${passes} over ${count(gated.tasks, 'task')}: ${change} points, on these tasks ${pointsRange(bounds)} (each end 95 %)`
  const lines = [
    ...beforeNumbers(gated),
    numbers,
    ...collapsed.map(({ id, p }) => `worse by itself: ${id} (${pText(p)}, Holm over tasks)`),
    ...(isOpen ? ['The candidate lacks tasks of the baseline: run them, or pass --allow-missing.'] : []),
    ...(needs === null
      ? []
      : [`It takes about ${needs} trials of each to pass without a change; ${baseline.n} are there.`]),
  ]
  const heading = `${outcome.toUpperCase()}: ${model}, not worse by more than ${Math.round(delta * 100)} points`
  return [{ text: heading, isHeading: true }, ...lines.map(text => ({ text }))]
}
