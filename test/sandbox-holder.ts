/** Holds a sandbox in which a command runs, until it is killed. Run by scripts/run-ts.mjs; arguments: a prepared sandbox as JSON, a run id. */
import { openSandbox } from '../src/sandbox/index.ts'

export async function main([prepared, runId]: readonly string[]): Promise<void> {
  if (prepared === undefined || runId === undefined) throw new Error('a prepared sandbox and a run id are needed')
  const sandbox = await openSandbox(JSON.parse(prepared), { runId })
  const running = sandbox.exec('sleep 600', { timeoutMs: 600_000 })
  console.log('running')
  await running
}
