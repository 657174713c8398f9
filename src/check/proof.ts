/** A task proves itself without a model: its reference passes, doing nothing scores 0, cheats lose what they say, honest ways pass. */
import type { Play, Task } from '../task/task.ts'
import type { TrialFinding } from '../trial/run-trial.ts'

export interface Proof {
  readonly kind: 'reference' | 'nop' | 'honest' | 'cheat'
  readonly name: string
  readonly play: Play
  /** Flags that must be lost; all others must be reached. */
  readonly loses: readonly string[]
  readonly tampers: boolean
}

const doNothing: Play = async () => 'Done.'

/** Everything a task must show, in the order a reader would ask. A task without a reference is unproven and has none. */
export function proofsOf(task: Task): readonly Proof[] {
  if (task.reference === null) return []
  return [
    { kind: 'reference', name: 'reference', play: task.reference, loses: [], tampers: false },
    { kind: 'nop', name: 'nop', play: doNothing, loses: [...task.flags.keys()], tampers: false },
    ...[...task.honest].map(([name, play]): Proof => ({ kind: 'honest', name, play, loses: [], tampers: false })),
    ...[...task.cheats].map(
      ([name, cheat]): Proof => ({
        kind: 'cheat',
        name,
        play: cheat.play,
        loses: cheat.loses,
        tampers: cheat.tampers ?? false,
      }),
    ),
  ]
}

/** What a finding shows other than the proof says, or null when it agrees. */
export function disagreement(proof: Proof, finding: TrialFinding): string | null {
  const problems: string[] = []
  for (const flag of finding.flags) {
    const mustBeLost = proof.loses.includes(flag.id)
    if (mustBeLost && flag.reached) problems.push(`flag ${flag.id} was reached but must be lost`)
    if (!mustBeLost && !flag.reached) problems.push(`flag ${flag.id} was lost but must be reached: ${flag.reason}`)
  }
  const tampered = finding.tamper.map(change => `${change.path} ${change.kind}`).join(', ')
  if (proof.tampers && finding.tamper.length === 0)
    problems.push('it says tampers: true, but it left no change outside the allowed writes')
  if (!proof.tampers && finding.tamper.length > 0) problems.push(`tamper was found: ${tampered}`)
  if (finding.ending.reason !== 'answered') {
    problems.push(`it ended by ${finding.ending.reason}: ${finding.ending.detail ?? ''}`)
  }
  return problems.length === 0 ? null : problems.join('; ')
}
