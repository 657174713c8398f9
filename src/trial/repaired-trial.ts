/**
 * The trial as it would have been had leaked and malformed calls been understood: played once more, reported beside the
 * strict one, and part of no number.
 */
import type { RepairOptions } from '../agents/agent.ts'
import { BenchError } from '../errors.ts'
import type { Reply, ToolDefinition } from '../model/chat-model.ts'
import { type CallRepair, isLeak, repairReply } from '../repair/repair-reply.ts'
import type { RecordedRepair } from '../results/record-schema.ts'
import { boundedText } from '../results/to-record.ts'
import type { TrialFinding } from './run-trial.ts'

export type RepairedTrial = RecordedRepair

/** What there is to repair in a strict trial. */
export type RepairNeed =
  | { readonly kind: 'none' }
  | { readonly kind: 'play' }
  /** Something leaked that nobody can read. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/**
 * Looks through the replies of a strict trial; one that passed, or lost without such a call, is what it is.
 * @param tools what the trial offered
 */
export function repairNeed(
  { outcome, ending }: Pick<TrialFinding, 'outcome' | 'ending'>,
  heard: readonly Reply[],
  tools: readonly ToolDefinition[],
): RepairNeed {
  if (outcome !== 'failed') return { kind: 'none' }
  if (heard.some((reply, index) => repairReply(reply, tools, index + 1) !== null)) return { kind: 'play' }
  const leak = heard.findIndex(isLeak)
  if (leak !== -1)
    return { kind: 'unreadable', reason: `what was written as a call in turn ${leak + 1} cannot be read` }
  return ending.reason === 'malformed_by_server'
    ? { kind: 'unreadable', reason: 'the server kept the text of the call to itself' }
    : { kind: 'none' }
}

/** A strict trial in which nothing had to be understood. */
export function sameAs(finding: TrialFinding): RepairedTrial {
  return { ...standing(finding), status: 'same', reason: null, repairs: [] }
}

/** Nothing is claimed. */
export function unknownRepair(reason: string): RepairedTrial {
  return {
    status: 'unknown',
    score: null,
    passed: null,
    outcome: null,
    failure_reason: null,
    reason: boundedText(reason, 4_000),
    repairs: [],
  }
}

/**
 * Plays the trial once more. A fault in it (the server is gone, a recording has no reply) says nothing about the strict
 * trial: then it is unknown, with the reason. The same when it is cancelled: the strict trial is whole.
 * @param play runs the trial with the agent that these options make
 */
export async function playRepaired(
  heard: readonly Reply[],
  signal: AbortSignal,
  play: (options: RepairOptions) => Promise<TrialFinding>,
): Promise<RepairedTrial> {
  const repairs: (CallRepair & { readonly turn: number })[] = []
  try {
    const finding = await play({ heard, onRepair: repair => repairs.push(repair) })
    if (finding.outcome === 'inconclusive')
      return unknownRepair(`it ended by ${finding.ending.reason}, which is inconclusive`)
    return {
      ...standing(finding),
      status: 'played',
      reason: null,
      repairs: repairs.map(({ turn, tool, grammar, repairs: found }) => ({
        turn,
        tool: boundedText(tool, 200),
        grammar,
        repairs: found,
      })),
    }
  } catch (error) {
    if (signal.aborted) return unknownRepair('cancelled')
    if (!(error instanceof BenchError)) throw error
    return unknownRepair(`${error.code}: ${error.message}`)
  }
}

function standing({ score, outcome, failureReason }: TrialFinding) {
  return { score, outcome, passed: outcome === 'passed', failure_reason: failureReason }
}
