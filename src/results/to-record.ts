/** Between the event log of a trial and its record. Pure; there and back gives the same log, so old trials can be judged again. */
import type { TurnNote } from '../agents/agent.ts'
import { BenchError } from '../errors.ts'
import type { FlagResult, LoggedCall, TrialLog } from '../evidence/log.ts'
import type { Sampling, ServerIdentity } from '../model/chat-model.ts'
import type { ResetProof, SandboxInfo, TestReport } from '../sandbox/sandbox.ts'
import type { Entry, Snapshot, SnapshotDelta } from '../sandbox/snapshot.ts'
import type { Task } from '../task/task.ts'
import { boundedArguments, isNestedDeeper } from './hash.ts'
import type {
  RecordedResetProof,
  RecordedSampling,
  RecordedSandbox,
  RecordedServer,
  RecordedSkillResult,
  RecordedSnapshot,
  RecordedTurn,
  RecordedTurnLog,
  TrialRecord,
} from './record-schema.ts'
import { asJson } from './state-diff.ts'

/** UTF-16 units of one text of the model that are kept. */
const TEXT_LIMIT = 200_000

/** The fields of a record that hold the log. */
export type LogParts = Pick<
  TrialRecord,
  | 'prompt'
  | 'baseline'
  | 'final'
  | 'setup_text'
  | 'turn_logs'
  | 'contents'
  | 'final_text'
  | 'verified'
  | 'session_checks'
  | 'left_out'
  | 'answers'
  | 'state'
>

/** Text of a model: valid Unicode, and at most 200,000 characters with a mark where it was cut. */
export function boundedText(text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) return text.toWellFormed()
  const kept = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.toWellFormed()}\n[… ${text.length - kept.length} characters left out of the record …]`
}

function nullableText(text: string | null): string | null {
  return text === null ? null : boundedText(text)
}

/** The log as fields of a record. Texts of files are pooled by hash; an empty final answer is recorded as null. */
export function logToRecordParts(log: TrialLog): LogParts {
  const contents = new Map(log.contents)
  for (const call of log.calls) {
    for (const [sha256, text] of call.delta?.contents ?? []) contents.set(sha256, text)
  }
  return {
    prompt: log.prompt,
    baseline: recordSnapshot(log.baseline),
    final: recordSnapshot(log.final),
    setup_text: [...log.setupText],
    turn_logs: log.calls.map(recordCall),
    contents: Object.fromEntries(contents),
    final_text: log.finalAnswer === '' ? null : boundedText(log.finalAnswer),
    verified: [...log.verified].map(([name, { ok, reason, share }]) => ({
      name,
      ok,
      reason: reason.toWellFormed(),
      ...(share === undefined ? {} : { share }),
    })),
    session_checks: [...log.sessionChecks.values()],
    left_out: leftOut(log),
    ...(log.answers.length > 1 ? { answers: log.answers.map(answer => boundedText(answer)) } : {}),
    ...(log.state === undefined ? {} : { state: asJson(log.state) }),
  }
}

/** What of a log does not fit into its record, as text. */
function leftOut({ calls, finalAnswer }: TrialLog): readonly string[] {
  const cut = calls.filter(({ args }) => isNestedDeeper(args)).map(({ call }) => `arguments of call ${call}`)
  return finalAnswer.length > TEXT_LIMIT ? [...cut, 'the end of the final answer'] : cut
}

/**
 * The log that a record holds.
 * @param task Makes again what is not recorded: the data of the instance.
 * @throws BenchError code `record_without_log` for trials that never had one (infra, cancelled, skipped).
 */
export function recordToLog(
  record: LogParts & Partial<Pick<TrialRecord, 'stats'>>,
  task?: Pick<Task, 'instance'>,
): TrialLog {
  if (record.baseline === null || record.final === null) {
    throw new BenchError('this trial has no event log: it ended before there was anything to judge', {
      code: 'record_without_log',
      remedy: 'Judge again only trials whose outcome is passed, failed or inconclusive.',
    })
  }
  return {
    prompt: record.prompt,
    baseline: snapshotOf(record.baseline),
    setupText: new Map(record.setup_text),
    calls: record.turn_logs.map(turnLog => callOf(turnLog, record.contents)),
    final: snapshotOf(record.final),
    contents: new Map(Object.entries(record.contents)),
    finalAnswer: record.final_text ?? '',
    answers: record.answers ?? [record.final_text ?? ''],
    state: record.state,
    instance: task?.instance?.data,
    tokens: recordedTokens(record.stats),
    verified: new Map(record.verified.map(({ name, ...result }) => [name, result])),
    sessionChecks: new Map(record.session_checks.map(check => [check.call, check])),
  }
}

function recordedTokens(stats: TrialRecord['stats'] | undefined): number | null {
  const { prompt_tokens: asked = null, completion_tokens: said = null } = stats ?? {}
  return asked === null || said === null ? null : asked + said
}

function recordSnapshot({ root, entries, truncated }: Snapshot): RecordedSnapshot {
  return { root, entries: [...entries], truncated }
}

function snapshotOf({ root, entries, truncated }: RecordedSnapshot): Snapshot {
  return { root, entries: new Map<string, Entry>(entries), truncated }
}

function recordCall(call: LoggedCall): RecordedTurnLog {
  return {
    turn: call.turn,
    call: call.call,
    tool_used: call.tool,
    args: boundedArguments(call.args),
    delivered: call.delivered,
    exit_code: call.exitCode,
    stopped: call.stopped,
    elapsed_sec: call.durationMs / 1_000,
    invalid_tool_call: call.invalid !== null,
    invalid_kind: call.invalid,
    test_reports: call.testReports.map(recordTestReport),
    stub_reports: call.stubReports,
    delta: call.delta === null ? null : recordDelta(call.delta),
  }
}

function callOf(turnLog: RecordedTurnLog, contents: TrialRecord['contents']): LoggedCall {
  return {
    call: turnLog.call,
    turn: turnLog.turn,
    tool: turnLog.tool_used,
    args: turnLog.args,
    invalid: turnLog.invalid_kind,
    exitCode: turnLog.exit_code,
    stopped: turnLog.stopped,
    delivered: turnLog.delivered,
    durationMs: turnLog.elapsed_sec * 1_000,
    testReports: turnLog.test_reports,
    stubReports: turnLog.stub_reports,
    delta: turnLog.delta === null ? null : deltaOf(turnLog.delta, contents),
  }
}

/** Numbers of a witness come out of the sandbox. One that is not a whole number becomes −1, which no question takes for a success. */
function recordTestReport(report: TestReport): RecordedTurnLog['test_reports'][number] {
  const whole = (value: number) => (Number.isSafeInteger(value) ? value : -1)
  return {
    event: report.event,
    sender: { pid: whole(report.sender.pid), uid: whole(report.sender.uid), argv: report.sender.argv },
    cwd: report.cwd,
    collected: whole(report.collected),
    passed: whole(report.passed),
    failed: whole(report.failed),
    errors: whole(report.errors),
    skipped: whole(report.skipped),
    status: report.status === null ? null : whole(report.status),
    failures: report.failures,
    ...(report.tests === undefined ? {} : { tests: report.tests }),
  }
}

function recordDelta(delta: SnapshotDelta): NonNullable<RecordedTurnLog['delta']> {
  return {
    root: delta.root,
    changed: [...delta.changed],
    deleted: delta.deleted,
    content_hashes: [...delta.contents.keys()],
    truncated: delta.truncated,
  }
}

function deltaOf(delta: NonNullable<RecordedTurnLog['delta']>, contents: TrialRecord['contents']): SnapshotDelta {
  const texts = new Map<string, string>()
  for (const sha256 of delta.content_hashes) {
    const text = contents[sha256]
    if (text !== undefined) texts.set(sha256, text)
  }
  return {
    root: delta.root,
    changed: new Map<string, Entry>(delta.changed),
    deleted: delta.deleted,
    contents: texts,
    truncated: delta.truncated,
  }
}

/** The models that answered in these turns, each once, in order of appearance. */
export function servedModels(notes: readonly TurnNote[]): readonly string[] {
  const names = notes.flatMap(({ servedModel }) => (servedModel == null ? [] : [boundedText(servedModel, 1_000)]))
  return [...new Set(names)]
}

/** The turns of an agent as they are recorded. */
export function recordTurns(notes: readonly TurnNote[]): readonly RecordedTurn[] {
  return notes.map(note => ({
    turn: note.turn,
    text: boundedText(note.text),
    reasoning: nullableText(note.reasoning),
    finish_reason: nullableText(note.finishReason),
    stats:
      note.stats === null
        ? null
        : {
            prompt_tokens: note.stats.promptTokens,
            completion_tokens: note.stats.completionTokens,
            cached_tokens: note.stats.cachedTokens,
            reasoning_tokens: note.stats.reasoningTokens,
            elapsed_ms: note.stats.elapsedMs,
            first_token_ms: note.stats.firstTokenMs,
            prompt_tokens_per_second: note.stats.promptTokensPerSecond,
            decode_tokens_per_second: note.stats.decodeTokensPerSecond,
            attempts: note.stats.attempts,
          },
  }))
}

/**
 * Flags as they are recorded. `elapsed_sec` is the agent's own time (model and tools, in seconds) up to the end of the
 * turn in which the flag was reached; null where no turn is attributed.
 */
export function recordFlags(
  flags: readonly FlagResult[],
  { calls, turns }: { readonly calls: readonly LoggedCall[]; readonly turns: readonly TurnNote[] },
): readonly RecordedSkillResult[] {
  const elapsedUpTo = (turn: number) =>
    (turns.filter(note => note.turn <= turn).reduce((sum, note) => sum + (note.stats?.elapsedMs ?? 0), 0) +
      calls.filter(call => call.turn <= turn).reduce((sum, call) => sum + call.durationMs, 0)) /
    1_000
  return flags.map(({ id, reached, turn, reason, share }) => ({
    skill_id: id,
    reached,
    reached_turn: turn,
    elapsed_sec: turn === null ? null : elapsedUpTo(turn),
    reason: boundedText(reason, 4_000),
    ...(share === undefined ? {} : { share }),
  }))
}

/** A sandbox as it is recorded. */
export function recordSandbox({ driver, id, image, engine, limits }: SandboxInfo): RecordedSandbox {
  return {
    driver,
    id,
    image: image === null ? null : { name: image.name, digest: image.digest },
    engine: engine === null ? null : { name: engine.name, version: engine.version },
    limits,
  }
}

/** The proof of a reset as it is recorded. */
export function recordResetProof(proof: ResetProof): RecordedResetProof {
  return {
    processes_left: proof.processesLeft,
    leftovers: proof.leftovers,
    root: proof.root,
    expected_root: proof.expectedRoot,
    elapsed_ms: proof.durationMs,
  }
}

/** A server as it is recorded; a password in its address is left out. */
export function recordServer(server: ServerIdentity): RecordedServer {
  return {
    kind: server.kind,
    base_url: publicUrl(server.baseUrl),
    build: server.build,
    model_path: server.modelPath,
    context_tokens: server.contextTokens,
    slots: server.slots,
    chat_template_sha256: server.chatTemplateSha256,
    default_sampling: server.defaultSampling,
  }
}

/** Sampling as it is recorded. */
export function recordSampling({ temperature, topP, maxTokens, extraBody }: Sampling): RecordedSampling {
  return { temperature, top_p: topP, max_tokens: maxTokens, extra_body: extraBody }
}

/** An address without user, password and query: results are shared, and keys travel in all three. */
export function publicUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '' && parsed.search === '') return url
  parsed.username = ''
  parsed.password = ''
  parsed.search = ''
  return parsed.href
}
