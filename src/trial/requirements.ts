import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Requirement } from '../task/task.ts'

const PROBE_TIMEOUT_MS = 20_000
const PYTEST_PROBE = "printf 'def test_probe():\\n    pass\\n' > test_probe.py && python3 -m pytest -q test_probe.py"

async function runs(sandbox: Sandbox, command: string, signal: AbortSignal): Promise<boolean> {
  const result = await sandbox.exec(command, { timeoutMs: PROBE_TIMEOUT_MS, signal })
  return result.exitCode === 0
}

/** Reason why the sandbox does not meet the requirement, or null. The sandbox must be between trials: probes write to it. */
async function missing(sandbox: Sandbox, requirement: Requirement, signal: AbortSignal): Promise<string | null> {
  switch (requirement) {
    case 'sandbox':
      return null
    case 'python':
      return (await runs(sandbox, 'python3 -c pass', signal)) ? null : 'python3 does not run in the sandbox'
    case 'pytest': {
      // Not `pytest --version`: what counts is that a session is reported, or good runs would be booked as the model's failure.
      await sandbox.reset(new Map(), { room: 'agent', signal })
      const result = await sandbox.exec(PYTEST_PROBE, { timeoutMs: PROBE_TIMEOUT_MS, signal })
      const reported = result.testReports.some(report => report.event === 'finish' && report.passed === 1)
      if (reported) return null
      return result.exitCode === 0
        ? 'pytest runs in the sandbox but its sessions are not reported'
        : 'pytest does not run in the sandbox'
    }
    case 'node':
      return (await runs(sandbox, 'node -e 0', signal)) ? null : 'node does not run in the sandbox'
    default:
      return (await runs(sandbox, `command -v ${requirement}`, signal)) ? null : `the sandbox has no ${requirement}`
  }
}

/** What is known of one sandbox; requirements are probed once. */
export class RequirementProbe {
  readonly #answers = new Map<Requirement, string | null>()

  /** Reasons why a task cannot run here; empty when it can. */
  async missing(
    sandbox: Sandbox,
    requirements: readonly Requirement[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const reasons: string[] = []
    for (const requirement of requirements) {
      let answer = this.#answers.get(requirement)
      if (answer === undefined) {
        answer = await missing(sandbox, requirement, signal)
        this.#answers.set(requirement, answer)
      }
      if (answer !== null) reasons.push(answer)
    }
    return reasons
  }
}
