/** What of a record is looked at before anything runs. The judgement itself is tested on an engine (test/rescore.test.ts). */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeLog } from '../evidence/log.fixture.ts'
import type { TrialLog } from '../evidence/log.ts'
import { artifactsDirOf, exportArtifacts } from '../results/artifacts.ts'
import { readArtifact } from '../results/read-artifacts.ts'
import type { TrialRecord } from '../results/record-schema.ts'
import { sampleRecord } from '../results/sample-record.fixture.ts'
import { logToRecordParts } from '../results/to-record.ts'
import type { Entry, Snapshot } from '../sandbox/snapshot.ts'
import { defineTask } from '../task/define-task.ts'
import { questionOf } from '../task/fingerprint.ts'
import { prepareRescore } from './rescore.ts'

const results = mkdtempSync(join(tmpdir(), 'rescore-'))
afterAll(() => rmSync(results, { recursive: true }))

const task = await defineTask({
  id: 'prepare',
  prompt: 'x',
  setup: { 'a.txt': 'a', 'gone.txt': 'g' },
  allowedWrites: ['out/**', 'gone.txt'],
  flags: { done: run => run.firstChange('out/x') },
}).resolve()

const file = (text: string, mode = 0o644): Entry => ({
  type: 'file',
  mode,
  size: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
})
const snapshot = (entries: Readonly<Record<string, Entry>>): Snapshot => ({
  root: '',
  entries: new Map(Object.entries(entries)),
  truncated: null,
})
const SETUP = { 'a.txt': file('a'), 'gone.txt': file('g') }
const LOG: TrialLog = {
  ...makeLog({ prompt: 'x' }),
  baseline: snapshot(SETUP),
  final: snapshot({ 'a.txt': file('a'), 'out/x': file('made', 0o755) }),
}

let trials = 0
/** A record of a trial that left `out/x`, with its artifact on disk. */
function recorded(changes: Partial<TrialRecord> = {}, log: Partial<TrialLog> = {}): TrialRecord {
  const base = sampleRecord({ task_id: 'prepare', trial_index: trials++ })
  const dir = artifactsDirOf(base)
  exportArtifacts(join(results, dir), new Map([['out/x', { bytes: Buffer.from('made'), mode: 0o755 }]]))
  return {
    ...base,
    question: questionOf(task),
    artifacts_dir: dir,
    artifacts: ['out/x'],
    ...logToRecordParts({ ...LOG, ...log }),
    ...changes,
  }
}

/** A trial in which these parts of the question were others. */
const asked = (...parts: readonly string[]) =>
  recorded({ question: { ...questionOf(task), ...Object.fromEntries(parts.map(part => [part, '0'.repeat(64)])) } })

describe('a recorded trial', () => {
  it('has the clean room it had: artifacts with their modes over the setup, without what was removed', () => {
    const prepared = prepareRescore(task, recorded(), results)
    if (!prepared.ok) throw new Error(prepared.refusal.reason)
    const { room } = prepared.observed
    expect([...room].map(([path, { bytes, mode }]) => [path, Buffer.from(bytes).toString(), mode])).toEqual([
      ['out/x', 'made', 0o755],
      ['a.txt', 'a', 0o644],
    ])
    expect(prepared.observed.ending).toEqual({ reason: 'answered', detail: null })
  })

  it.each<[string, () => TrialRecord, string, RegExp]>([
    ['was a fault', () => recorded({ outcome: 'infra', ending: null }), 'nothing_to_score', /infra/],
    ['has no log', () => recorded({ baseline: null }), 'nothing_to_score', /nothing to score/],
    ['answered another prompt', () => asked('prompt'), 'other_question', /: prompt changed since; run it again$/],
    [
      'had other limits and another setup',
      () => asked('setup', 'limits'),
      'other_question',
      /: setup and limits \(turns, times\) changed since; run it again$/,
    ],
    [
      'had another file in its setup',
      () =>
        recorded(
          { question: asked('setup').question },
          { baseline: snapshot({ ...SETUP, 'a.txt': file('b'), 'more.txt': file('m') }) },
        ),
      'other_question',
      /setup changed since \(a\.txt, more\.txt\); run it again$/,
    ],
    [
      'did not fit its record',
      () => recorded({}, { finalAnswer: 'x'.repeat(200_001) }),
      'record_not_whole',
      /the end of the final answer/,
    ],
    [
      'has a file that was not kept',
      () => recorded({}, { final: snapshot({ 'out/x': file('made'), 'out/big': file('b') }) }),
      'artifact_missing',
      /out\/big was not kept/,
    ],
    ['names a folder not its own', () => recorded({ artifacts_dir: 'artifacts' }), 'artifact_changed', /folder/],
    [
      'has an artifact of the same length with another text',
      () => recorded({}, { final: snapshot({ 'out/x': file('MADE') }) }),
      'artifact_changed',
      /out\/x: its content/,
    ],
  ])('that %s is not judged again', (_, make, code, reason) => {
    expect(prepareRescore(task, make(), results)).toEqual({
      ok: false,
      refusal: { code, reason: expect.stringMatching(reason) },
    })
  })

  it.each(['out/../../x', '/etc/passwd', 'out/', ''])('never reads the path %j', path => {
    const read = readArtifact(results, recorded(), path, { size: 4, sha256: '0'.repeat(64) })
    expect(read).toMatchObject({ ok: false, code: 'artifact_changed', reason: expect.stringContaining('path') })
  })
})
