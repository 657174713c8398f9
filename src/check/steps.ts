/** The steps of a reference, and what it is without one of them. A step is one call of a tool. */
import type { Hands, Play } from '../task/task.ts'

export interface Step {
  /** 1 = the first call. */
  readonly number: number
  /** The call in short, for people: `write greeting.txt`. */
  readonly call: string
  /** Number of the group of optional calls it belongs to, from 1; null for a call that must be needed. */
  readonly group: number | null
}

/** Does, or leaves out, one call; gives the text that the play gets. */
type Perform = (step: Step, call: () => Promise<string>) => Promise<string>

const MAX_CALL_CHARACTERS = 60

function short(verb: string, object: string): string {
  const text = `${verb} ${object}`.replaceAll(/\s+/g, ' ')
  return text.length > MAX_CALL_CHARACTERS ? `${text.slice(0, MAX_CALL_CHARACTERS - 1)}…` : text
}

/** A play whose every call goes through `perform`. */
function through(play: Play, perform: Perform): Play {
  return hands => {
    let number = 0
    let groups = 0
    let group: number | null = null
    const step = (verb: string, object: string, call: () => Promise<string>) => {
      number += 1
      return perform({ number, call: short(verb, object), group }, call)
    }
    const watched: Hands = {
      ...hands,
      read: (path, range) => step('read', path, () => hands.read(path, range)),
      write: (path, content) => step('write', path, () => hands.write(path, content)),
      sh: command => step('run', command, () => hands.sh(command)),
      call: (tool, args) => step('call', tool, () => hands.call(tool, args)),
      callMalformed: (tool, raw) => step('call', tool, () => hands.callMalformed(tool, raw)),
      turn: calls => hands.turn(calls),
      async optional(reason, calls) {
        const outer = group
        if (outer === null) groups += 1
        group = outer ?? groups
        try {
          await hands.optional(reason, calls)
        } finally {
          group = outer
        }
      },
    }
    return play(watched)
  }
}

/** A play that does what `play` does; its steps are appended to `steps`. */
export function recordSteps(play: Play, steps: Step[]): Play {
  return through(play, (step, call) => {
    steps.push(step)
    return call()
  })
}

/** The play without some of its calls: where one is left out, the play gets an empty text. */
export function omitSteps(play: Play, isLeftOut: (step: Step) => boolean): Play {
  return through(play, async (step, call) => (isLeftOut(step) ? '' : call()))
}

/** A reference without one step, or without one group of optional ones. */
export interface Omission {
  readonly steps: readonly Step[]
  readonly isOptional: boolean
  readonly play: Play
}

/** Every way to leave out one step; calls that are marked optional together are left out together. */
export function omissionsOf(play: Play, steps: readonly Step[]): readonly Omission[] {
  const groups = new Set(steps.map(({ group }) => group).filter(group => group !== null))
  return [
    ...steps
      .filter(({ group }) => group === null)
      .map(left => ({
        steps: [left],
        isOptional: false,
        play: omitSteps(play, ({ number }) => number === left.number),
      })),
    ...[...groups].map(group => ({
      steps: steps.filter(step => step.group === group),
      isOptional: true,
      play: omitSteps(play, step => step.group === group),
    })),
  ]
}
