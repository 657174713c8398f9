/** Plays that make the same calls and differ in what they leave or say: right and wrong answers of one task. */
import type { Cheat, Hands, Play } from '../task/task.ts'

/** A call of a tool by its name. */
export type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>]

async function make({ call }: Hands, calls: readonly Call[]): Promise<void> {
  for (const [tool, args] of calls) await call(tool, args)
}

/**
 * Makes plays that call first and then say something of the instance.
 * @example
 * const said = callsThen<Data>(['read_file', { path: 'rules.md' }])
 * reference: said(data => `The cap is ${data.cap}.`)
 */
export const callsThen =
  <Instance>(...calls: readonly Call[]) =>
  (say: (instance: Instance) => string): Play<Instance> =>
  async hands => {
    await make(hands, calls)
    return say(hands.instance)
  }

/** As {@link callsThen}, for plays that end with writing a file. */
export const callsThenWrite =
  <Instance>(path: string, ...calls: readonly Call[]) =>
  (content: (instance: Instance) => string, say = 'Done.'): Play<Instance> =>
  async hands => {
    await make(hands, [...calls, ['write_file', { path, content: content(hands.instance) }]])
    return say
  }

/** A cheat that loses exactly these flags. */
export const losing = <Instance>(flags: string | readonly string[], play: Play<Instance>): Cheat<Instance> => ({
  loses: typeof flags === 'string' ? [flags] : flags,
  play,
})
