import { describe, expect, test } from 'vitest'
import { InfraError } from '../errors.ts'
import type { Play } from '../task/task.ts'
import type { ToolArguments } from '../tools/tool-set.ts'
import type { Session } from './agent.ts'
import { createAgent } from './index.ts'
import { createNopAgent } from './nop-agent.ts'
import { createScriptedAgent } from './scripted-agent.ts'
import { sessionOf as madeSession } from './session.fixture.ts'

const sessionOf = (script: Play | null, options: Partial<Session> = {}) => madeSession({ script, ...options })
const valid = (value: Readonly<Record<string, unknown>>): ToolArguments => ({ valid: true, value })

function play(script: Play | null, options: Partial<Session> = {}) {
  const made = sessionOf(script, options)
  return { ...made, ended: createScriptedAgent('reference').run(made.session) }
}

describe('the scripted agent', () => {
  test('plays every kind of call through the toolbox, each in a turn of its own', async () => {
    const seen: string[] = []
    const { ended, calls, notes } = play(async hands => {
      seen.push(await hands.read('a', { offset: 2 }))
      await hands.write('b', 'text')
      await hands.sh('ls')
      await hands.call('no_such_tool', { x: 1 })
      await hands.callMalformed('read_file', '{')
      return 'done'
    })
    expect(await ended).toEqual({ reason: 'answered', finalText: 'done', detail: null, servedModel: null })
    expect(calls).toEqual([
      { name: 'read_file', args: valid({ path: 'a', offset: 2 }), turn: 1 },
      { name: 'write_file', args: valid({ path: 'b', content: 'text' }), turn: 2 },
      { name: 'execute_command', args: valid({ command: 'ls' }), turn: 3 },
      { name: 'no_such_tool', args: valid({ x: 1 }), turn: 4 },
      { name: 'read_file', args: { valid: false, raw: '{', problem: 'not JSON' }, turn: 5 },
    ])
    expect(seen).toEqual(['result 1'])
    expect(notes.map(note => note.turn)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('groups the calls made inside turn(), and makes optional calls like any others', async () => {
    const { ended, calls } = play(async hands => {
      await hands.turn(async () => {
        await hands.sh('a')
        await hands.sh('b')
      })
      await hands.optional('looks at the result', async () => void (await hands.sh('c')))
    })
    await ended
    expect(calls.map(({ args, turn }) => [args, turn])).toEqual([
      [valid({ command: 'a' }), 1],
      [valid({ command: 'b' }), 1],
      [valid({ command: 'c' }), 2],
    ])
  })

  test('plays what it was made with rather than the reference of the session', async () => {
    const { session, calls } = sessionOf(async hands => void (await hands.sh('reference')))
    await createScriptedAgent('cheat', async hands => void (await hands.sh('cheat'))).run(session)
    expect(calls.map(({ args }) => args)).toEqual([valid({ command: 'cheat' })])
  })

  test('ends with the turn limit, even when the play catches the refusal', async () => {
    const script: Play = async hands => {
      for (let step = 0; step < 5; step += 1) await hands.sh('x').catch(() => 'ignored')
      return 'done'
    }
    const { ended, calls } = play(script, { maxTurns: 2 })
    expect(await ended).toMatchObject({ reason: 'max_turns', finalText: null })
    expect(calls).toHaveLength(2)
  })

  const throwing =
    (error: Error): Play =>
    () =>
      Promise.reject(error)
  const lost = new InfraError('gone', { code: 'sandbox_lost', remedy: 'x' })
  test.each<[string, Play | null, object]>([
    ['throws: a mistake of the task', throwing(new TypeError('oops')), { name: 'SpecError', code: 'play_failed' }],
    ['meets a fault of the sandbox, which stays one', throwing(lost), lost],
    ['is not there', null, { code: 'no_reference' }],
    [
      'gives no reason for optional calls',
      hands => hands.optional(' ', async () => undefined),
      { code: 'play_failed' },
    ],
  ])('a play that %s', async (_title, script, error) => {
    await expect(play(script).ended).rejects.toMatchObject(error)
  })

  test('an aborted signal stops it with the reason', async () => {
    const controller = new AbortController()
    const reason = new Error('deadline')
    const script: Play = async hands => {
      await hands.sh('a')
      controller.abort(reason)
      await hands.sh('b')
    }
    const { ended, calls } = play(script, { signal: controller.signal })
    await expect(ended).rejects.toBe(reason)
    expect(calls).toHaveLength(1)
  })
})

describe('agents by name', () => {
  test('nop answers without a call', async () => {
    const { session, calls, notes } = sessionOf(null)
    expect(await createNopAgent().run(session)).toMatchObject({ reason: 'answered' })
    expect(calls).toHaveLength(0)
    expect(notes).toHaveLength(1)
  })

  test('an unknown name is refused with the known ones', () => {
    expect(() => createAgent('toolz', { model: null })).toThrow(
      expect.objectContaining({ code: 'unknown_agent', remedy: expect.stringContaining('tools | reference | nop') }),
    )
  })

  test('tools needs a model, the others do not', () => {
    expect(() => createAgent('tools', { model: null })).toThrow(expect.objectContaining({ code: 'no_model' }))
    expect(createAgent('reference', { model: null }).name).toBe('reference')
    expect(createAgent('nop', { model: null }).name).toBe('nop')
  })
})
