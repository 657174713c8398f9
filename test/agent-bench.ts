import type { CliContext } from '../src/cli/command.ts'
import { main } from '../src/cli/main.ts'

/** Calls the `agent-bench` command in a folder, as in CI and without a terminal. */
export async function agentBench(
  directory: string,
  args: readonly string[],
  { env, ...given }: Partial<CliContext> = {},
): Promise<{ readonly status: number; readonly out: string; readonly error: string }> {
  let [out, error] = ['', '']
  const status = await main(args, {
    directory,
    env: { BENCH_SANDBOX: 'docker', CI: 'true', ...env },
    write: text => {
      out += text
    },
    writeError: text => {
      error += text
    },
    ...given,
  })
  return { status, out, error }
}
