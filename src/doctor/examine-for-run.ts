/** The examination at the start of a run: what is known of the server, or the quick form, and whether the run may go on. */
import { ConfigError } from '../errors.ts'
import type { ModelPlan } from '../model/chat-model.ts'
import { isSystemError } from '../model/json.ts'
import { sleepUnlessAborted } from '../model/sleep.ts'
import { quickExamination } from './examine.ts'
import { ALARM, doubtOf, type Examination, type Finding, plain, sentenceOf } from './finding.ts'
import { takeTurn } from './one-at-a-time.ts'
import { findExamination, keepExamination, lockOf, type StoredExamination } from './report-file.ts'

/** What a run has to know of its server's examination. */
export interface RunExamination {
  /** SHA-256 of the report that results refer to; null where no server takes part or the report could not be kept. */
  readonly digest: string | null
  /**
   * For the head of the run: one line `server   …`, then one line `warning  …` for each finding to mind, and one that begins
   * with {@link ALARM} where failures would be about the server; that one is for the end of the run, too.
   */
  readonly lines: readonly string[]
  /** Why no trial should be begun; null when the run may go on. */
  readonly problem: ConfigError | null
}

/** An examination older than this is made again: servers change in ways that they do not tell. */
const RECENT_MS = 24 * 3_600_000
/** A proxy in front of a server that is starting answers with errors for a while. */
const AGAIN_AFTER_MS = [500, 1_500, 3_000]

/** Faults that a trial itself waits out. */
const PASSING = new Set(['server_loading', 'server_unavailable', 'rate_limited'])

const DOCTOR = '`npx agent-bench doctor`'

/**
 * Examines the server of a run before its first trial. A stored examination of the same server (address, build,
 * template, window, model) of the last 24 hours is used when it found nothing broken; else the quick form runs: five
 * short requests, under ten seconds, kept below `resultsDir`. For a replayed model nothing is done.
 * Of several workers that come at once, one examines, and the others wait for its report.
 *
 * `problem` is set when the server does not answer, refuses tools or their results, hides the tools from the model, or
 * cuts a prompt in silence: results would be about the server. What is only slow, small or unclear is a line.
 * A window smaller than a task's declared need is found for each task by `windowProblem`.
 * @throws the signal's reason
 * @example
 * const { digest, lines, problem } = await examineForRun(plan, { resultsDir, signal })
 * if (problem !== null) throw problem
 */
export async function examineForRun(
  plan: ModelPlan,
  options: { readonly resultsDir: string; readonly signal: AbortSignal },
): Promise<RunExamination> {
  if (plan.recording?.mode === 'replay') return { digest: null, lines: [], problem: null }
  const { resultsDir, signal } = options
  const known = findExamination(resultsDir, plan)
  if (known !== null && isUsable(known.examination)) return knownExamination(known)
  /** What another worker found while this one waited; it holds, whatever it is. */
  const news = (): StoredExamination | null => {
    const now = findExamination(resultsDir, plan)
    return now?.digest === known?.digest ? null : now
  }
  using _turn = await takeTurn(lockOf(resultsDir, plan), { isDone: () => news() !== null, signal })
  const reported = news()
  if (reported !== null) return knownExamination(reported)
  const examination = await examinePatiently(plan, signal)
  const problem = problemOf(examination)
  const lines = linesOf(examination, 'quick examination')
  try {
    return { digest: keepExamination(resultsDir, plan, examination).digest, lines, problem }
  } catch (error) {
    if (!(error instanceof Error) || !isSystemError(error)) throw error
    return { digest: null, lines: [...lines, `warning  the examination was not kept: ${error.message}`], problem }
  }
}

const knownExamination = ({ examination, digest }: StoredExamination): RunExamination => ({
  digest,
  lines: linesOf(examination, `examined at ${examination.examinedAt}`),
  problem: problemOf(examination),
})

function isUsable({ examinedAt, verdict, findings }: Examination): boolean {
  // What the server does to calls may be mended without a trace in what it says of itself.
  if (findings.some(finding => doubtOf(finding) !== null)) return false
  const ageMs = Date.now() - Date.parse(examinedAt)
  return ageMs >= 0 && ageMs <= RECENT_MS && (verdict === 'ok' || verdict === 'degraded')
}

/** A server that fails the very first request is asked again: a bad answer costs a trial one attempt, not the run. */
async function examinePatiently(plan: ModelPlan, signal: AbortSignal): Promise<Examination> {
  let examination = await quickExamination(plan, signal)
  for (const milliseconds of AGAIN_AFTER_MS) {
    if (problemOf(examination) === null || examination.findings[0]?.verdict !== 'broken') break
    await sleepUnlessAborted(milliseconds, signal)
    examination = await quickExamination(plan, signal)
  }
  return examination
}

/**
 * The code of a finding that makes every trial about the server; null where the run may go on. What may as well be the
 * model's is for the trials to find.
 */
function fatalCodeOf({ probe, verdict, measured }: Finding): string | null {
  if (verdict !== 'broken') return null
  const code = typeof measured.code === 'string' ? measured.code : null
  if (probe === 'readiness') return code !== null && PASSING.has(code) ? null : (code ?? 'server_not_ready')
  if (probe === 'tool_call' && (measured.toolsInPrompt === false || measured.kind === 'config')) {
    return code ?? 'tools_unsupported'
  }
  return probe === 'window' && typeof measured.sentTokens === 'number' ? (code ?? 'prompt_cut') : null
}

function problemOf({ findings }: Examination): ConfigError | null {
  const [fatal] = findings.flatMap(finding => {
    const code = fatalCodeOf(finding)
    return code === null ? [] : [{ ...finding, code }]
  })
  if (fatal === undefined) return null
  const remedy = plain(fatal.remedy ?? "Look into the server's log.")
  return new ConfigError(plain(fatal.found), {
    code: fatal.code,
    remedy: `${remedy} ${DOCTOR} examines the server; BENCH_EXAMINE=0 leaves this examination out.`,
  })
}

function linesOf({ findings, kind, elapsedMs }: Examination, how: string): readonly string[] {
  const of = (...verdicts: readonly Finding['verdict'][]) =>
    findings.filter(({ verdict }) => verdicts.includes(verdict))
  const names = (list: readonly Finding[]): string => list.map(({ probe }) => probe).join(', ')
  const [fine, open] = [of('ok'), of('unclear')]
  const offer = kind === 'quick' ? `; ${DOCTOR} examines it fully` : ''
  const took = `(${(elapsedMs / 1_000).toFixed(1)} s)${offer}`
  const isAllOpen = open.length === findings.length
  const clear = `${findings.length - open.length} of ${findings.length} points clear`
  const summary = `${names(fine) || 'nothing'} ok${open.length === 0 ? '' : `, ${names(open)} unclear`} ${took}`
  const nothing = `not examined: ${plain(open[0]?.found ?? 'nothing was found out')} ${took}`
  const notes = open.filter(({ measured }) => measured.toolsInPrompt === true)
  return [
    `server   ${isAllOpen ? nothing : kind === 'full' ? `${how} by the doctor: ${clear}` : `${how}: ${summary}`}`,
    ...findings.flatMap(alarmOf),
    ...notes.map(({ probe, found }) => plain(`note     ${probe}: ${found}`)),
    ...of('degraded', 'broken').map(finding => `warning  ${finding.probe}: ${sentenceOf(finding)}`),
  ]
}

/** The line that is not to be missed, where failures would be about the server. */
function alarmOf(finding: Finding): readonly string[] {
  const doubt = doubtOf(finding)
  const remedy = finding.remedy ?? "see the server's log"
  return doubt === null ? [] : [plain(`${ALARM}  ${doubt}, not about the model, until it is fixed: ${remedy}`)]
}
