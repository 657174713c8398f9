import type { Agent } from './agent.ts'

const ANSWER = 'Nothing was done.'

/** An agent that answers without a call: a task that it passes measures nothing. */
export function createNopAgent(): Agent {
  return {
    name: 'nop',
    async run(session) {
      session.signal.throwIfAborted()
      session.emit({ turn: 1, text: ANSWER, reasoning: null, finishReason: null, stats: null })
      return { reason: 'answered', finalText: ANSWER, detail: null, servedModel: null }
    },
  }
}
