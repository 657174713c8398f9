import { describe, expect, it } from 'vitest'
import { failedRecord, infraRecord, sampleRecord } from '../src/results/sample-record.fixture.ts'
import { writeSummary } from '../src/results/store.ts'
import { summarise } from '../src/results/summary.ts'
import { folderOfEachTest } from '../test/folder.ts'
import { readField, readStandings } from './folder-standings.ts'
import { sampleStanding } from './sample-standing.fixture.ts'
import { entrantLabels, fieldOf, narrowed, newestEntrants, shortModelName } from './standings.ts'

const LATER = '2026-02-01T00:00:00.000Z'

describe('fieldOf', () => {
  const scoreOf = (...standings: Parameters<typeof fieldOf>[0]) =>
    fieldOf(standings).entrants.map(entrant => entrant.tasks.get('debug_python')?.score)

  it('takes the newest result of a task and model', () => {
    expect(scoreOf(sampleStanding({ score: 0.2, latest: LATER }), sampleStanding())).toEqual([0.2])
    expect(scoreOf(sampleStanding(), sampleStanding({ score: 0.2, latest: LATER }))).toEqual([0.2])
  })

  it('lets no run in which no trial counts replace a result', () => {
    expect(scoreOf(sampleStanding(), sampleStanding({ n: 0, score: null, latest: LATER }))).toEqual([1])
  })

  it('lets no selection of trials replace a whole result', () => {
    expect(scoreOf(sampleStanding(), sampleStanding({ n: 1, score: 0.5, isWhole: false, latest: LATER }))).toEqual([1])
  })

  it('leaves reference and nop out', () => {
    expect(fieldOf([sampleStanding({ agent: 'reference', model: 'reference', isModel: false })]).entrants).toEqual([])
  })

  it('keeps results of different sandboxes and agents apart, and says that sandboxes differ', () => {
    const field = fieldOf(
      [{}, { driver: 'namespace', score: 0.5 }, { agent: 'direct', score: 0.25 }].map(sampleStanding),
    )
    const settings = entrantLabels(field.entrants).map(label => label.setting)
    expect(settings).toEqual(['direct · docker', 'tools · docker', 'tools · namespace'])
    expect(field.notes.join()).toContain('different kinds of sandbox (docker, namespace)')
  })

  it('says when models were measured on different versions of a task', () => {
    const other = sampleStanding({ model: 'big-2b', fingerprint: 'g' })
    const note = 'The results rest on different versions of debug_python.'
    expect(fieldOf([sampleStanding(), other]).notes).toEqual([note])
    expect(fieldOf([sampleStanding(), { ...other, fingerprint: 'f' }]).notes).toEqual([])
  })

  it('counts tasks of the same suites that only a scripted agent has played, and none of other suites', () => {
    const reference = { agent: 'reference', model: 'reference', isModel: false }
    const field = fieldOf([
      sampleStanding(),
      sampleStanding({ ...reference, task: 'tdd_order' }),
      sampleStanding({ ...reference, task: 'sums', suite: 'coding' }),
    ])
    expect(field.tasks.map(task => task.id)).toEqual(['debug_python', 'tdd_order'])
  })

  it('does not depend on the order in which results are read', () => {
    const standings = ['b', 'a', 'c'].flatMap(model =>
      ['t2', 't1'].map(task => sampleStanding({ model, task, file: `${model}${task}` })),
    )
    const names = (field: ReturnType<typeof fieldOf>) => [field.entrants.map(entrant => entrant.model), field.tasks]
    expect(names(fieldOf(standings))).toEqual(names(fieldOf(standings.toReversed())))
    expect(fieldOf(standings).entrants.map(entrant => entrant.model)).toEqual(['a', 'b', 'c'])
  })
})

describe('a part of a field', () => {
  it('holds the entrants with the newest results, still by name', () => {
    const field = fieldOf(
      ['a', 'b', 'c'].map((model, day) => sampleStanding({ model, latest: `2026-01-0${3 - day}T00:00:00.000Z` })),
    )
    expect(newestEntrants(field, 2).map(entrant => entrant.model)).toEqual(['a', 'b'])
  })

  it('has only the tasks of suites that are left', () => {
    const field = fieldOf([sampleStanding(), sampleStanding({ model: 'zed', task: 'sums', suite: 'coding' })])
    expect(narrowed(field, field.entrants.slice(0, 1)).tasks).toEqual([
      { id: 'debug_python', suite: 'agentic', suiteTitle: 'agentic' },
    ])
  })
})

describe('names', () => {
  it.each([
    ['/models/Qwen3-4B.gguf', 'Qwen3-4B'],
    ['C:\\models\\x.GGUF', 'x'],
    ['org/name', 'name'],
    ['/', '/'],
    ['.gguf', '.gguf'],
  ])('%s is called %s', (model, name) => {
    expect(shortModelName(model)).toBe(name)
  })

  it('are whole where two models are shortened alike', () => {
    const { entrants } = fieldOf([sampleStanding({ model: 'a/x' }), sampleStanding({ model: 'b/x' })])
    expect(entrantLabels(entrants).map(label => label.name)).toEqual(['a/x', 'b/x'])
  })
})

describe('readStandings', () => {
  const dir = folderOfEachTest()

  it('reads what comparisons need, and names files that cannot be used', () => {
    const plan = { runId: 'r', k: 2, trials: 2 }
    const records = [sampleRecord(), failedRecord(1, 'self_verify', 'no')]
    for (const summary of summarise(records, plan)) writeSummary(dir(), summary)
    dir.write({ 'result_broken.json': '[]' })
    const { standings, broken } = readStandings(dir())
    expect(broken).toEqual([{ file: 'result_broken.json', reason: 'it is not a JSON object' }])
    const note = '1 of the result files cannot be used: it is not a JSON object (result_broken.json).'
    expect(readField(dir()).notes).toEqual([note])
    const counts = { verdict: 'fail', n: 2, passes: 1, score: 0.75, seconds: 5, isWhole: true }
    expect(standings).toMatchObject([{ task: 'debug_python', driver: 'docker', ...counts }])
  })

  it('gives a run of nothing but faults no score', () => {
    const plan = { runId: 'r', k: 1, trials: 1 }
    for (const summary of summarise([infraRecord(0, 'server_5xx', 'down')], plan)) writeSummary(dir(), summary)
    expect(readStandings(dir()).standings).toMatchObject([{ n: 0, score: null }])
    expect(fieldOf(readStandings(dir()).standings).entrants).toEqual([])
  })

  it('reads the newest files when there are too many, and says how many are left', () => {
    for (const [day, model] of ['zed', 'ann'].entries()) {
      const plan = { runId: 'r', k: 1, trials: 1 }
      const [summary] = summarise([sampleRecord({ model })], plan)
      if (summary !== undefined) writeSummary(dir(), summary, new Date(Date.UTC(2026, 0, 2 - day)))
    }
    const { standings, unread } = readStandings(dir(), 1)
    expect(standings.map(standing => standing.model)).toEqual(['zed'])
    expect(unread).toBe(1)
  })

  it('finds nothing in a folder that is not there', () => {
    expect(readStandings(dir('absent'))).toEqual({ standings: [], broken: [], unread: 0 })
  })
})

it('results of two modes are two tasks, and results of another instance are compared with nothing', () => {
  const field = fieldOf([
    sampleStanding({ file: 'a', task: 'lru', row: 'lru (direct)', score: 0 }),
    sampleStanding({ file: 'b', task: 'lru', row: 'lru (agent)' }),
    sampleStanding({ file: 'c', task: 'lru', row: 'lru (agent, instance 3)', instance: 3 }),
  ])
  expect(field.tasks.map(({ id }) => id)).toEqual(['lru (agent)', 'lru (direct)'])
  expect([...(field.entrants[0]?.tasks.values() ?? [])].map(({ file }) => file).sort()).toEqual(['a', 'b'])
})

it('tasks without a sandbox belong to what the model did in one', () => {
  const alone = sampleStanding({ file: 'a', task: 'sum', driver: null })
  const [entrant, ...others] = fieldOf([alone, sampleStanding({ file: 'b' })]).entrants
  expect([entrant?.driver, entrant?.tasks.size, others.length]).toEqual(['docker', 2, 0])
  expect(fieldOf([alone]).entrants.map(({ driver, tasks }) => [driver, tasks.size])).toEqual([[null, 1]])
})
