import { describe, expect, it } from 'vitest'
import { ServerWatch, type WatchedTrial } from './server-watch.ts'

const lost = (fault: string, task = 'a'): WatchedTrial => ({ task, outcome: 'infra', fault })
const judged: WatchedTrial = { task: 'a', outcome: 'failed', fault: null }
const answers = (trials: readonly WatchedTrial[]) => {
  const watch = new ServerWatch()
  return trials.map(trial => watch.isGoneAfter(trial))
}

describe('the server is taken for gone', () => {
  it('after three trials in a row that nobody answered', () => {
    expect(answers([lost('connection_refused'), lost('connection_lost'), lost('connection_refused')])).toEqual([
      false,
      false,
      true,
    ])
  })

  it('not while one trial between them was judged', () => {
    const refused = lost('connection_refused')
    expect(answers([refused, refused, judged, refused, refused])).not.toContain(true)
  })

  it('not when it answers and only one task breaks it, but when a second task does too', () => {
    const broken = lost('server_error')
    expect(answers([broken, broken, broken, lost('server_error', 'b')])).toEqual([false, false, false, true])
  })

  it.each(['sandbox_lost', 'replay_missing'])("never for faults that are not the server's: %s", fault => {
    expect(answers(Array.from({ length: 5 }, (_, i) => lost(fault, `task ${i}`)))).not.toContain(true)
  })
})
