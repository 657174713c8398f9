/**
 * The sandbox of a run is prepared when the first trial comes that needs one, so that a run of other tasks needs no engine.
 * The worker asks, the main process prepares, and Vitest carries question and answer: an artifact that a worker records comes
 * back as the reporter left it.
 */
import type { RunnerTestCase, recordArtifact, TestArtifact, TestArtifactBase } from 'vitest'
import { type ConfigError, explainError } from '../errors.ts'
import type { PreparedSandbox } from '../sandbox/sandbox.ts'

export type SandboxAnswer =
  | { readonly sandbox: PreparedSandbox }
  /** Why none can be had, for people. */
  | { readonly refusal: string }

interface SandboxQuestion extends TestArtifactBase {
  readonly type: 'agent-bench:sandbox'
  answer?: SandboxAnswer
}

const KEY = Symbol('sandbox')

declare module 'vitest' {
  interface TestArtifactRegistry {
    [KEY]: SandboxQuestion
  }
}

/** Asks the main process, in the name of a test that has been collected. @param record Vitest's own, which only workers have */
export async function askSandbox(test: RunnerTestCase, record: typeof recordArtifact): Promise<SandboxAnswer> {
  const { answer } = await record<SandboxQuestion>(test, { type: 'agent-bench:sandbox' })
  return answer ?? { refusal: 'the main process of the run prepares no sandbox' }
}

/** The main process's side: answers a question; other artifacts are left alone. */
export async function answerSandbox(artifact: TestArtifact, prepare: () => Promise<SandboxAnswer>): Promise<void> {
  if (artifact.type === 'agent-bench:sandbox') artifact.answer = await prepare()
}

/** On one line: it stands beside every trial that is skipped for it. */
export const refusalOf = (error: ConfigError): SandboxAnswer => ({
  refusal: explainError(error).replace(/\s*\n\s*/g, '; '),
})
