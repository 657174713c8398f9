/** Every row of the list of what servers send, over a real socket, streamed and whole. */
import { describe, expect, test } from 'vitest'
import type { ChatRequest, ModelPlan } from '../src/model/chat-model.ts'
import { createChatModel } from '../src/model/index.ts'
import { classOf } from './reply-class.ts'
import { startScriptedServer } from './scripted-server.ts'
import type { Wire, WireRow } from './wire/row.ts'
import { ROWS } from './wire/rows.ts'

const planFor = (baseUrl: string, row: WireRow, stream: boolean): ModelPlan => ({
  model: 'scripted',
  baseUrl,
  apiKey: null,
  sampling: { temperature: null, topP: null, maxTokens: 100, extraBody: null },
  idleTimeoutMs: 5_000,
  server: {
    kind: 'openai-compatible',
    baseUrl,
    build: null,
    modelPath: null,
    contextTokens: 4_096,
    slots: null,
    chatTemplateSha256: null,
    defaultSampling: null,
  },
  ...row.plan,
  stream,
})
const request: ChatRequest = {
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
  seed: 7,
}

/** Rows without a wire form of their own, or with one form that the protocol does not have in the other. */
const FORMS = ROWS.flatMap(row =>
  (['stream', 'whole'] as const).flatMap(form => {
    const wire = row[form]
    return wire === undefined ? [] : [{ row, form, wire, title: `${row.id} ${row.from} ${row.does} (${form})` }]
  }),
)

async function play(row: WireRow, form: 'stream' | 'whole', wire: Wire) {
  await using server = await startScriptedServer('length' in wire ? wire : [wire])
  const model = createChatModel(planFor(server.baseUrl, row, form === 'stream'), {
    retry: { firstDelayMs: 5, maxDelayMs: 20, budgetMs: 2_000, refusedAttempts: 2 },
  })
  const reply = await model.complete({ ...request, ...row.request }, new AbortController().signal)
  return { reply, requests: server.requests }
}

describe('a server', () => {
  test.each(FORMS)('$title', async ({ row, form, wire }) => {
    const { reply, requests } = await play(row, form, wire)
    expect(classOf(reply)).toBe(row.becomes)
    expect(reply).toMatchObject(row.shows ?? {})
    const { toolCalls } = row.shows ?? {}
    if (Array.isArray(toolCalls) && 'toolCalls' in reply) expect(reply.toolCalls).toHaveLength(toolCalls.length)
    const body = requests.at(-1)?.body
    expect(body).toMatchObject({ stream: form === 'stream', ...row.sent })
    expect((row.absent ?? []).filter(name => JSON.stringify(body).includes(`"${name}":`))).toEqual([])
    expect(requests).toHaveLength(row.requests ?? ('length' in wire ? wire.length : 1))
    if (reply.kind === 'infra' || reply.kind === 'config' || reply.kind === 'context_overflow') {
      expect(reply.remedy.length).toBeGreaterThan(10)
      expect(reply.detail.length).toBeLessThan(1_000)
    }
  })
})

describe('the list', () => {
  const numbers = [...range(1, 23), ...range(50, 90)]

  test('has a fixture for every row', () => {
    const known = new Set(ROWS.map(({ id }) => id))
    expect(numbers.filter(number => !known.has(number))).toEqual([])
    expect([...known].filter(id => !numbers.includes(id))).toEqual([])
  })

  test('has both forms but where the protocol, or the row, has one only', () => {
    const onlyOne = new Set(ROWS.filter(row => row.stream === undefined || row.whole === undefined).map(({ id }) => id))
    // Streamed pieces, pings and index are of streams alone; 14 and 83 have a fixture for each form.
    expect([...onlyOne].toSorted((a, b) => a - b)).toEqual([10, 11, 12, 14, 53, 60, 61, 79, 83, 84, 85, 86])
  })
})

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
