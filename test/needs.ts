/**
 * What an integration test needs from the machine. Where a need is missing its tests are skipped with the reason in
 * their title; with AGENT_BENCH_REQUIRE_ALL=1 (as in CI) a missing need is a failure instead.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { describe } from 'vitest'
import { explainError } from '../src/errors.ts'
import { prepareSandbox } from '../src/sandbox/index.ts'
import { findInterpreter } from '../src/sandbox/namespace/interpreter.ts'

export type Need = 'docker' | 'llama-server' | 'chromium' | 'namespaces' | 'pytest'

/** Where test/llama-server/setup.sh unpacks the server. */
export const LLAMA_DIR = process.env.LLAMA_DIR ?? join(homedir(), '.cache/llama-server')

const probes: Record<Need, () => Promise<string | null>> = {
  docker: async () => {
    try {
      await new Docker().ping()
      return null
    } catch (error) {
      return `no Docker engine answers: ${error instanceof Error ? error.message : String(error)}`
    }
  },
  'llama-server': async () =>
    existsSync(join(LLAMA_DIR, 'model/steer.gguf')) ? null : 'llama-server is not set up (test/llama-server/setup.sh)',
  chromium: async () => (existsSync('/usr/bin/chromium') ? null : 'no /usr/bin/chromium'),
  namespaces: async () => {
    try {
      await prepareSandbox('namespace', { image: null, runId: 'needs', onProgress: () => undefined })
      return null
    } catch (error) {
      return explainError(error)
    }
  },
  pytest: async () => ((await findInterpreter()).pytest === null ? 'no Python of this machine has pytest' : null),
}

/** `describe` for tests that need something of the machine. */
export async function describeWith(needs: readonly Need[], title: string, body: () => void): Promise<void> {
  for (const need of needs) {
    const missing = await probes[need]()
    if (missing === null) continue
    if (process.env.AGENT_BENCH_REQUIRE_ALL === '1') throw new Error(`${title} needs ${need}: ${missing}`)
    // Stock reporters do not list the titles of skipped tests: the reason is said where it is read.
    console.warn(`skipped: ${title}: ${missing}`)
    describe.skip(`${title} (skipped: ${missing})`, body)
    return
  }
  describe(title, body)
}
