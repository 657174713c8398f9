/** Sources of tasks that are done in a few milliseconds, for tests of what happens around trials. */

export interface SmallTask {
  readonly id: string
  /** The reference does the wrong thing. */
  readonly fails?: boolean
  /** Seconds that the reference takes besides. */
  readonly sleeps?: number
  /** A bash command that the reference runs first. */
  readonly runs?: string
}

/** Source of a spec file: read nothing, write one line. */
export function smallTask({ id, fails = false, sleeps, runs }: SmallTask): string {
  const commands = [...(sleeps === undefined ? [] : [`sleep ${sleeps}`]), ...(runs === undefined ? [] : [runs])]
  return `import { defineTask } from 'agent-bench'
export default defineTask({
  id: '${id}',
  prompt: 'Write a greeting for Ada to out.txt.',
  setup: {},
  allowedWrites: ['out.txt'],
  verify: { greets: ({ text, check }) => check((text('out.txt') ?? '').includes('Ada'), 'out.txt names the person') },
  flags: { greeted: run => run.verified('greets') && run.firstChange('out.txt') },
  reference: async ({ write, sh }) => {
    for (const command of ${JSON.stringify(commands)}) await sh(command)
    await write('out.txt', 'Hello ${fails ? 'Bob' : 'Ada'}\\n')
    return 'done'
  },
})
`
}
