import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Job, runOnWorkers } from './run-on-workers.ts'

describe('work is shared out', () => {
  it('among all workers, each with one job at a time', async () => {
    const busy = new Set<string>()
    const done: string[] = []
    const job: Job<string> = async worker => {
      expect(busy.has(worker)).toBe(false)
      busy.add(worker)
      await sleep(5)
      busy.delete(worker)
      done.push(worker)
    }
    await runOnWorkers(['a', 'b'], [job, job, job, job, job, job])
    expect(done).toHaveLength(6)
    expect(new Set(done)).toEqual(new Set(['a', 'b']))
  })

  it('with jobs that jobs add, also when the other workers had nothing left to do', async () => {
    const done: string[] = []
    const later: Job<string> = async worker => {
      await sleep(5)
      done.push(worker)
    }
    const adding: Job<string> = async (_, add) => {
      await sleep(10)
      add(later)
      add(later)
    }
    await runOnWorkers(['a', 'b'], [adding])
    expect(done.sort()).toEqual(['a', 'b'])
  })

  it('until one fails: then nothing new is begun, and what runs is waited for', async () => {
    const done: string[] = []
    const slow: Job<string> = async () => {
      await sleep(20)
      done.push('slow')
    }
    const failing: Job<string> = async () => {
      throw new Error('no sandbox')
    }
    const never: Job<string> = async () => void done.push('never')
    await expect(runOnWorkers(['a', 'b'], [slow, failing, never, never])).rejects.toThrow('no sandbox')
    expect(done).toEqual(['slow'])
  })
})
