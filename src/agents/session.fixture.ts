/** A session over one tool that answers `result 1`, `result 2`…, for tests. */
import type { ToolArguments } from '../tools/tool-set.ts'
import type { Session, TurnNote } from './agent.ts'

export interface MadeSession {
  readonly session: Session
  readonly calls: { readonly name: string; readonly args: ToolArguments; readonly turn: number }[]
  readonly notes: TurnNote[]
}

/** @param result the text of the result of the nth call */
export function sessionOf(
  options: Partial<Session> = {},
  result: (count: number) => string = count => `result ${count}`,
): MadeSession {
  const calls: MadeSession['calls'] = []
  const notes: TurnNote[] = []
  const session: Session = {
    prompt: 'do it',
    system: null,
    toolbox: {
      definitions: [{ name: 'f', description: 'd', parameters: {} }],
      async call(name, args, { turn }) {
        calls.push({ name, args, turn })
        return { delivered: result(calls.length), exitCode: 0 }
      },
    },
    maxTurns: 20,
    maxTokens: null,
    seed: 42,
    reply: async () => null,
    instance: undefined,
    script: null,
    signal: new AbortController().signal,
    emit: note => notes.push(note),
    ...options,
  }
  return { session, calls, notes }
}
