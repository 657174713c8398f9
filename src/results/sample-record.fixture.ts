/** A valid record for tests: one passed trial of a small task, with the fields a test cares about replaced. */
import { identityHash, sealed } from './hash.ts'
import type { IdentityParts, RecordedTurnLog, TrialRecord } from './record-schema.ts'

const LIMITS = { max_turns: 12, command_timeout_sec: 60, trial_timeout_sec: 7_200 }

/** A valid record; `changes` replace its fields, identity and hash follow. */
export function sampleRecord(changes: Partial<TrialRecord> = {}): TrialRecord {
  const trial = changes.trial_index ?? 0
  const identity_parts: IdentityParts = changes.identity_parts ?? {
    task_id: changes.task_id ?? 'debug_python',
    task_fingerprint: changes.task_fingerprint ?? 'f'.repeat(64),
    model: changes.model ?? 'tiny-1b',
    server: null,
    agent: changes.agent ?? 'tools',
    driver: 'docker',
    image_digest: null,
    sampling: null,
    limits: LIMITS,
  }
  return sealed({
    schema_version: 3,
    run_id: '20260101T000000Z-0a0b0c0d',
    task_id: 'debug_python',
    task_title: 'Fix a bug',
    observed: false,
    task_fingerprint: 'f'.repeat(64),
    suite: 'coding',
    spec_file: 'tasks/coding/debug-python.bench.ts',
    model: 'tiny-1b',
    agent: 'tools',
    trial_index: trial,
    seed: 42 + trial,
    started_at: `2026-01-01T00:00:0${trial % 10}.000Z`,
    k: 3,
    trials_planned: 3,
    identity: identityHash(identity_parts),
    identity_parts,
    outcome: 'passed',
    passed: true,
    score: 1,
    failure_reason: null,
    failure_detail: null,
    ending: { reason: 'answered', detail: null },
    turns_taken: 4,
    total_elapsed_sec: 2.5,
    invalid_tool_call_count: 0,
    unknown_tool_call_count: 0,
    skill_ids: ['read_before_write', 'self_verify'],
    skill_results: [
      { skill_id: 'read_before_write', reached: true, reached_turn: 1, elapsed_sec: 0.5, reason: '' },
      { skill_id: 'self_verify', reached: true, reached_turn: 3, elapsed_sec: 2, reason: '' },
    ],
    turn_logs: [],
    stats: null,
    models_served: [],
    turns: [],
    tamper_detected: false,
    tamper: [],
    final_text: 'done',
    prompt: 'Fix main.py.',
    question: { prompt: 'a'.repeat(64), setup: 'b'.repeat(64), limits: 'c'.repeat(64) },
    allowed_writes: ['main.py'],
    verified: [],
    session_checks: [],
    baseline: { root: 'a', entries: [], truncated: null },
    final: { root: 'b', entries: [], truncated: null },
    contents: {},
    setup_text: [],
    left_out: [],
    repaired: null,
    reset_proof: { processes_left: 0, leftovers: 0, root: 'a', expected_root: 'a', elapsed_ms: 2 },
    verify_reset_proof: null,
    sandbox: { driver: 'docker', id: 'c0ffee', image: null, engine: null, limits: { pids: 256 } },
    environment: {
      harness_version: '0.1.0',
      node_version: '20.20.0',
      platform: 'linux-x64',
      vitest_version: '4.1.12',
      test_runner: 'vitest',
      sandbox_image: null,
      base_url: null,
      model: 'tiny-1b',
      served_name: null,
      model_labels: null,
      server: null,
      replayed: false,
      server_examination: null,
      sampling: null,
      limits: LIMITS,
    },
    artifacts_dir: null,
    artifacts: [],
    infra_attempts: [],
    transcript_hash: String(trial % 10).repeat(64),
    ...changes,
  } satisfies Omit<TrialRecord, 'result_hash'> & { result_hash?: string })
}

/** The log of call `number`, made in the turn of that number. */
export function sampleCall(number: number, changes: Partial<RecordedTurnLog> = {}): RecordedTurnLog {
  return {
    turn: number,
    call: number,
    tool_used: 'execute_command',
    args: { command: `step ${number}` },
    delivered: `result ${number}`,
    exit_code: 0,
    stopped: null,
    elapsed_sec: 0.25,
    invalid_tool_call: false,
    invalid_kind: null,
    test_reports: [],
    stub_reports: [],
    delta: null,
    ...changes,
  }
}

/** A trial that lost `flag` for `reason`. */
export function failedRecord(
  trial: number,
  flag: string,
  reason: string,
  changes: Partial<TrialRecord> = {},
): TrialRecord {
  const base = sampleRecord()
  const results = base.skill_results.map(result =>
    result.skill_id === flag ? { ...result, reached: false, reached_turn: null, elapsed_sec: null, reason } : result,
  )
  return sampleRecord({
    trial_index: trial,
    outcome: 'failed',
    passed: false,
    score: 0.5,
    failure_reason: 'flags_lost',
    skill_results: results,
    ...changes,
  })
}

/** A trial that a fault of the server ended. */
export function infraRecord(trial: number, code: string, detail: string): TrialRecord {
  return sampleRecord({
    trial_index: trial,
    outcome: 'infra',
    passed: false,
    score: null,
    failure_reason: code,
    failure_detail: detail,
    ending: null,
    skill_results: [],
    baseline: null,
    final: null,
    infra_attempts: [{ code, detail }],
  })
}
