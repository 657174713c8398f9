/** Every row of the list of what servers send, over a real socket, streamed and whole. */
import { expect, test } from 'vitest'
import type { ChatRequest } from '../src/model/chat-model.ts'
import { createChatModel } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import { classOf } from './reply-class.ts'
import { startScriptedServer } from './scripted-server.ts'
import { ROWS } from './wire/rows.ts'

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
  seed: 7,
}
const server = { ...planFixture().server, kind: 'openai-compatible' as const, contextTokens: 4_096 }
const sampling = { ...planFixture().sampling, maxTokens: 100 }

const FORMS = ROWS.flatMap(row =>
  (['stream', 'whole'] as const).flatMap(form => {
    const wire = row[form]
    return wire === undefined ? [] : [{ row, form, wire, title: `${row.title} (${form})` }]
  }),
)

test.each(FORMS)('$title', async ({ row, form, wire }) => {
  await using scripted = await startScriptedServer('length' in wire ? wire : [wire])
  const plan = { server, sampling, baseUrl: scripted.baseUrl, idleTimeoutMs: 5_000, ...row.plan }
  const model = createChatModel(planFixture({ ...plan, stream: form === 'stream' }), {
    retry: { firstDelayMs: 5, maxDelayMs: 20, budgetMs: 2_000, refusedAttempts: 2 },
  })
  const reply = await model.complete({ ...request, ...row.request }, new AbortController().signal)
  expect(classOf(reply)).toBe(row.becomes)
  expect(reply).toMatchObject(row.shows ?? {})
  const { toolCalls } = row.shows ?? {}
  if (Array.isArray(toolCalls) && 'toolCalls' in reply) expect(reply.toolCalls).toHaveLength(toolCalls.length)
  const body = scripted.requests.at(-1)?.body
  expect(body).toMatchObject({ stream: form === 'stream', ...row.sent })
  expect((row.absent ?? []).filter(name => JSON.stringify(body).includes(`"${name}":`))).toEqual([])
  expect(scripted.requests).toHaveLength(row.requests ?? ('length' in wire ? wire.length : 1))
  if (reply.kind === 'infra' || reply.kind === 'config' || reply.kind === 'context_overflow') {
    expect(reply.remedy.length).toBeGreaterThan(10)
    expect(reply.detail.length).toBeLessThan(1_000)
  }
})

test('no number of the list is missing, and only these have one form', () => {
  const numbers = Array.from({ length: 90 }, (_, index) => index + 1).filter(number => number < 24 || number > 49)
  expect([...new Set(ROWS.map(({ id }) => id))].toSorted((a, b) => a - b)).toEqual(numbers)
  const onlyOne = new Set(ROWS.filter(row => row.stream === undefined || row.whole === undefined).map(({ id }) => id))
  // Streamed pieces, pings and index are of streams alone; 14 and 83 have a fixture for each form.
  expect([...onlyOne].toSorted((a, b) => a - b)).toEqual([10, 11, 12, 14, 53, 60, 61, 79, 83, 84, 85, 86])
})
