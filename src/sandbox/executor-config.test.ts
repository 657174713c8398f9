import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { DEFAULT_EXECUTOR_CONFIG, executorCommand, executorSource } from './executor-config.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

describe('the command of an executor', () => {
  it.skipIf(!hasPython)('refuses to run where it is not process 1 (skipped without python3)', () => {
    const [, ...args] = executorCommand(DEFAULT_EXECUTOR_CONFIG)
    const { status, stderr } = spawnSync('python3', args, { encoding: 'utf8', input: '' })
    expect(status).toBe(1)
    expect(stderr).toContain('must be process 1')
  })

  it('looks at its process id before anything else', () => {
    const statements = executorSource()
      .replace(/^"""[\s\S]*?"""/, '')
      .split('\n')
      .filter(line => line.trim() !== '' && !line.startsWith('#'))
    expect(statements.slice(0, 3)).toEqual(['import os', 'import sys', 'if os.getpid() != 1:'])
  })
})
