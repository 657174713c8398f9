/** Models in three coarse groups, below the matrix. Lines are a pure function of the field. */
import { TIER_RULE, type Tier, type TierResult, tierOf } from '../src/score/tiers.ts'
import { readField } from './folder-standings.ts'
import { type Entrant, type EntrantLabel, entrantLabels, type Field, judged } from './standings.ts'
import { createPainter, escapeForTerminal, formatTime, wrap } from './terminal.ts'

/** Names of tasks without a result that are said; the rest is counted. */
const NAMED_TASKS = 3
/** Models of one tier that are listed; the rest is counted. */
const LISTED_MODELS = 20
/** Below this width there is no layout; the terminal wraps longer lines. */
const NARROWEST = 40

const TIERS: readonly Tier[] = [1, 2, 3]

/** Tiers of the models of a field, with their rule; no line when there is no model. Models of a tier stand by name. */
export function tierLines(
  whole: Field,
  options: { readonly width: number; readonly color: boolean },
): readonly string[] {
  const field = judged(whole)
  if (field.entrants.length === 0) return []
  const paint = createPainter(options.color)
  const width = Math.max(NARROWEST, options.width)
  const labels = entrantLabels(field.entrants)
  const tasks = field.tasks.map(task => task.id)
  const suites = [...new Set(field.tasks.map(task => escapeForTerminal(task.suiteTitle)))].join(', ')
  const heading = `tiers over all results, ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'} (${suites})`
  const lines = [
    ...wrap(heading, width).map(line => paint('bold', line)),
    ...wrap(`${TIER_RULE} · not ranked within a tier`, width - 2).map(line => paint('dim', `  ${line}`)),
  ]
  for (const tier of TIERS) {
    const members = field.entrants.flatMap((entrant, at) => {
      const label = labels[at]
      return label !== undefined && tierOfEntrant(entrant, tasks) === tier
        ? [describeMember(entrant, label, tasks)]
        : []
    })
    const listed = members.slice(0, LISTED_MODELS)
    if (members.length > listed.length) listed.push(`and ${members.length - listed.length} more`)
    for (const [at, member] of listed.entries()) {
      const [first = '', ...rest] = wrap(member, width - 12)
      lines.push(`  ${at === 0 ? `tier ${tier}` : '      '}  ${first}`, ...rest.map(line => `            ${line}`))
    }
  }
  return [...lines, ...field.notes.flatMap(note => wrap(escapeForTerminal(note), width - 2).map(line => `  ${line}`))]
}

function tierOfEntrant(entrant: Entrant, tasks: readonly string[]): Tier | null {
  const results = new Map<string, TierResult>()
  let toolCalls = 0
  for (const [task, { verdict, score, toolCalls: calls }] of entrant.tasks) {
    results.set(task, { passes: verdict === 'pass', score })
    toolCalls += calls
  }
  return tierOf(results, tasks, { toolCalls })
}

/** `tiny-1b (tools · docker)  passes 10 of 12, 1 without a result (tdd_order), 4.1 min`. */
function describeMember(entrant: Entrant, label: EntrantLabel, tasks: readonly string[]): string {
  const standings = [...entrant.tasks.values()]
  const passing = standings.filter(standing => standing.verdict === 'pass').length
  const missing = tasks.filter(task => !entrant.tasks.has(task))
  const parts = [`passes ${passing} of ${tasks.length}`]
  if (missing.length > 0) {
    const named = missing.slice(0, NAMED_TASKS).map(escapeForTerminal).join(', ')
    const more = missing.length > NAMED_TASKS ? ` and ${missing.length - NAMED_TASKS} more` : ''
    parts.push(`${missing.length} without a result (${named}${more})`)
  }
  const oneSample = standings.filter(standing => standing.isOneSample).length
  if (oneSample > 0) parts.push(`${oneSample} on one sample only`)
  parts.push(`${formatTime(standings.reduce((sum, standing) => sum + standing.seconds, 0))} in all`)
  return `${escapeForTerminal(label.name)} (${escapeForTerminal(label.setting)})  ${parts.join(', ')}`
}

/** Tiers of everything in a results folder. */
export function tiersOfFolder(run: {
  readonly resultsDir: string
  readonly width: number
  readonly color: boolean
}): readonly string[] {
  return tierLines(readField(run.resultsDir), run)
}
