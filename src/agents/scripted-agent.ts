import { BenchError, SpecError } from '../errors.ts'
import type { Hands, Play } from '../task/task.ts'
import type { ToolArguments } from '../tools/tool-set.ts'
import type { Agent, Session } from './agent.ts'

/** The play asked for more turns than the trial has. */
class TurnLimitReached extends Error {
  override readonly name = 'TurnLimitReached'
}

/** Hands over a session's toolbox. `turn()` tells the number of the last turn begun. */
function createHands(session: Session): {
  readonly hands: Hands
  readonly isOver: () => boolean
  /** The last answer given, or null. */
  readonly answered: () => string | null
} {
  let turn = 0
  let isGrouped = false
  let isOver = false
  const begin = (): void => {
    session.signal.throwIfAborted()
    if (isOver || turn >= session.maxTurns) {
      isOver = true
      throw new TurnLimitReached(`the play needs more than ${session.maxTurns} turns`)
    }
    turn += 1
    session.emit({ turn, text: '', reasoning: null, finishReason: null, stats: null })
  }
  let answered: string | null = null
  let isUserGone = false
  const say = async (text: string): Promise<void> => {
    session.signal.throwIfAborted()
    if (isUserGone) {
      throw new SpecError('the play answers although the user has said the last word', {
        code: 'play_failed',
        remedy: 'Give answer(…) as many texts as the user has messages.',
      })
    }
    turn += 1
    answered = text
    session.emit({ turn, text, reasoning: null, finishReason: null, stats: null })
    isUserGone = (await session.reply(text)) === null
  }
  const call = async (tool: string, args: ToolArguments): Promise<string> => {
    if (!isGrouped) begin()
    const outcome = await session.toolbox.call(tool, args, { turn, signal: session.signal })
    return outcome.delivered
  }
  const hands: Hands = {
    instance: session.instance,
    async answer(...texts) {
      for (const text of texts) await say(text)
    },
    read: (path, range) => call('read_file', { valid: true, value: { path, ...range } }),
    write: (path, content) => call('write_file', { valid: true, value: { path, content } }),
    sh: command => call('execute_command', { valid: true, value: { command } }),
    call: (tool, args) => call(tool, { valid: true, value: args }),
    callMalformed: (tool, raw) => call(tool, { valid: false, raw, problem: 'not JSON' }),
    async turn(calls) {
      if (isGrouped) return calls()
      begin()
      isGrouped = true
      try {
        await calls()
      } finally {
        isGrouped = false
      }
    },
    async optional(reason, calls) {
      if (reason.trim() === '') {
        throw new SpecError('calls are marked as optional without a reason', {
          code: 'play_failed',
          remedy: 'Say why the calls are there although leaving them out loses nothing, or remove them.',
        })
      }
      await calls()
    },
  }
  return { hands, isOver: () => isOver, answered: () => answered }
}

/**
 * An agent that plays a script through the same tools a model has: the reference, a cheat or an honest variant.
 * @param play what to play; without it the session's own (the task's reference)
 */
export function createScriptedAgent(name: string, play: Play | null = null): Agent {
  return {
    name,
    async run(session) {
      const script = play ?? session.script
      if (script === null) {
        throw new SpecError(`the agent "${name}" has nothing to play`, {
          code: 'no_reference',
          remedy: 'Give the task a `reference`, or run it with another agent.',
        })
      }
      const { hands, isOver, answered } = createHands(session)
      try {
        const last = (await script(hands)) ?? null
        if (last !== null && !isOver()) await hands.answer(last)
      } catch (error) {
        if (session.signal.aborted) throw session.signal.reason
        if (error instanceof BenchError) throw error
        if (!(error instanceof TurnLimitReached)) {
          throw new SpecError(
            `the play of "${name}" threw: ${error instanceof Error ? error.message : String(error)}`,
            {
              code: 'play_failed',
              remedy: 'Correct the script in the task; a tool returns text, also when a command fails.',
              cause: error,
            },
          )
        }
      }
      // A play may catch the error of the turn that was refused; the trial is over all the same.
      if (isOver()) {
        return {
          reason: 'max_turns',
          finalText: null,
          detail: `the play needs more than ${session.maxTurns} turns`,
          servedModel: null,
        }
      }
      return { reason: 'answered', finalText: answered(), detail: null, servedModel: null }
    },
  }
}
