import { WORKSPACE } from '../evidence/workspace.ts'
import type { Sandbox, TestReport } from '../sandbox/sandbox.ts'
import type { SuiteResult } from '../task/verify.ts'

export const SUITE_TIMEOUT_MS = 60_000
const SUITE_COMMAND = 'python3 -m pytest -q -p no:cacheprovider'

/**
 * Runs the suites of several folders in one start of pytest, each in a child. A run over nothing first loads what a session
 * needs, plug-ins too. What hangs is ended after ten seconds, so that the others have their turn.
 */
const EACH_FOLDER = `
import gc, os, pytest, signal, sys, tempfile
options = ["-q", "-p", "no:cacheprovider"]
workspace = os.getcwd()
os.chdir(tempfile.mkdtemp())
pytest.main(options)
gc.freeze()
for folder in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        os.chdir(os.path.join(workspace, folder))
        sys.path[0] = os.getcwd()
        signal.alarm(10)
        os._exit(int(pytest.main(options)))
    os.waitpid(child, 0)
`

/**
 * Runs the pytest suite of whatever is in the workspace; the last session that was reported, or null when none was.
 * @param place Another directory, in which a copy of the workspace is to run.
 */
export async function lastSession(
  sandbox: Sandbox,
  signal: AbortSignal,
  place: string = WORKSPACE,
): Promise<TestReport | null> {
  const quoted = `'${place.replaceAll("'", "'\\''")}'`
  const copy = place === WORKSPACE ? '' : `mkdir -p ${quoted} && cp -R . ${quoted} && cd ${quoted} && `
  const result = await sandbox.exec(copy + SUITE_COMMAND, { timeoutMs: SUITE_TIMEOUT_MS, signal })
  return result.testReports.findLast(report => report.event === 'finish') ?? null
}

/** Did the suite pass: at least one test, none failed, no errors? The exit status alone is never believed. */
export function isGreen({ passed, failed, errors, status }: TestReport): boolean {
  return status === 0 && passed > 0 && failed === 0 && errors === 0
}

/** What the suite of whatever is in the workspace does. */
export async function runSuite(sandbox: Sandbox, signal: AbortSignal): Promise<readonly SuiteResult[]> {
  return [resultOf(await lastSession(sandbox, signal))]
}

/** What the suites of these folders of the workspace do, in their order. */
export async function runSuites(
  folders: readonly string[],
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<readonly SuiteResult[]> {
  const command = `python3 -c '${EACH_FOLDER}' ${folders.join(' ')}`
  const { testReports } = await sandbox.exec(command, { timeoutMs: SUITE_TIMEOUT_MS, signal, snapshot: false })
  return folders.map(folder => {
    // Where it began: tests may go elsewhere.
    const began = testReports.find(({ event, cwd }) => event === 'start' && cwd === `${WORKSPACE}/${folder}`)
    const isEnd = ({ event, sender }: TestReport) => event === 'finish' && sender.pid === began?.sender.pid
    return resultOf(testReports.findLast(isEnd) ?? null)
  })
}

function resultOf(session: TestReport | null): SuiteResult {
  if (session === null) return { ok: false, reason: 'the suite did not run to its end', passed: 0, failed: 0 }
  const { passed, failed, errors } = session
  const counts = `${passed} passed, ${failed} failed, ${errors} ${errors === 1 ? 'error' : 'errors'}`
  return {
    ok: isGreen(session),
    reason: `the suite in the clean workspace: ${counts}`,
    passed,
    failed: failed + errors,
  }
}
