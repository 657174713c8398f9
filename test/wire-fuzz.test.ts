/**
 * The wire layer under mutated streams. `npm run test:fuzz` runs 50,000 cases of each property instead of 500.
 * No sockets here: the bytes go straight into what reads a response.
 */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyReply } from '../src/model/classify.ts'
import { NO_STATS } from '../src/model/plan.fixture.ts'
import { readAnswer } from '../src/model/read-answer.ts'
import { classOf } from './reply-class.ts'
import { chunksOf } from './scripted-server.ts'
import { ROWS } from './wire/rows.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 500)
const TIMEOUT_MS = 60_000 + RUNS * 20

/** The rows whose stream is a stream that ends, with its data fields. */
const STREAMS = ROWS.flatMap(({ stream, becomes, plan, request, title }) => {
  if (stream === undefined || 'length' in stream || stream.encoding !== undefined) return []
  if ('status' in stream || 'drop' in stream || 'hang' in stream || 'rawBody' in stream) return []
  const items = 'chunks' in stream ? stream.chunks : [...chunksOf(stream), '[DONE]']
  const data = items.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
  const toolNames = request?.tools?.map(({ name }) => name) ?? []
  return { title, becomes, data, toolNames, contextTokens: plan?.server?.contextTokens ?? 4_096 }
})
type Stream = (typeof STREAMS)[number]

/** Reads these bytes as the body of a stream, and checks what holds for any reply, whatever came. */
async function classify(pieces: readonly Uint8Array[], { contextTokens, toolNames }: Stream) {
  const bytes = Readable.from(pieces)
  const raw = await readAnswer({ contentType: 'text/event-stream', bytes }, () => undefined, { toolNames })
  const reply = classifyReply(raw, { contextTokens, hasHistory: false, stats: NO_STATS })
  if (reply.kind === 'ok') {
    expect(reply.text.trim() !== '' || reply.toolCalls.length > 0, 'an answer says or calls something').toBe(true)
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(reply.toolCalls.length)
  } else expect(reply.detail.length).toBeLessThan(2_000)
  expect(JSON.stringify(reply)).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/)
  return reply
}

const bytesOf = (blocks: readonly string[]): Uint8Array => new TextEncoder().encode(blocks.join(''))
const eventsOf = (data: readonly string[]): Uint8Array => bytesOf(data.map(item => `data: ${item}\n\n`))

function cut(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

const stream = fc.constantFrom(...STREAMS)
const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 })
const positions = fc.array(fc.nat(12), { maxLength: 4 })
/** How a stream may be written differently and mean the same. */
const rewriting = fc.record({
  end: fc.constantFrom('\n', '\r\n', '\r'),
  pings: positions,
  empties: positions,
  hasSpace: fc.boolean(),
  hasUnknownFields: fc.boolean(),
})

function rewrite(data: readonly string[], how: typeof rewriting extends fc.Arbitrary<infer T> ? T : never): Uint8Array {
  const { end } = how
  const items = data.map(item =>
    how.hasUnknownFields && item.startsWith('{') ? `{"x_unknown":{"choices":[1]},${item.slice(1)}` : item,
  )
  // After [DONE] nothing is read, and the end of a stream that has none is the end.
  for (const at of how.empties) items.splice(Math.min(at, Math.max(0, items.length - 1)), 0, '{"choices":[]}')
  const blocks = items.map(item => `data:${how.hasSpace ? ' ' : ''}${item}${end}${end}`)
  for (const at of how.pings) blocks.splice(Math.min(at, blocks.length), 0, `: ping${end}${end}`)
  return bytesOf(blocks)
}

/** What may happen to bytes on their way: so many are left out, others put in, or said twice. */
const damage = fc.record({
  at: fc.nat(),
  leftOut: fc.nat(60),
  repeated: fc.nat(200),
  bytes: fc.uint8Array({ maxLength: 40 }),
  isEnd: fc.boolean(),
})

function hurt(bytes: Uint8Array, what: typeof damage extends fc.Arbitrary<infer T> ? T : never): Uint8Array {
  const at = what.at % (bytes.length + 1)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  const rest = what.isEnd ? [] : [after.subarray(0, what.repeated), after.subarray(what.leftOut)]
  return Buffer.concat([before, what.bytes, ...rest])
}

/** Puts another value somewhere into a parsed chunk: wrong types where a field is expected. */
function replaced(value: unknown, [step, ...rest]: readonly number[], by: unknown): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return by
  const entries = Object.entries(value)
  const target = step % Math.max(1, entries.length)
  const next = entries.map(([key, inner], at) => [key, at === target ? replaced(inner, rest, by) : inner] as const)
  return Array.isArray(value) ? next.map(([, inner]) => inner) : Object.fromEntries(next)
}

describe('a mutated stream', () => {
  const holds = <T>(given: fc.Arbitrary<T>, property: (value: T) => Promise<void>) =>
    fc.assert(fc.asyncProperty(given, property), { numRuns: RUNS })

  test('is of many classes to begin with', () => {
    expect(STREAMS.length).toBeGreaterThan(45)
    expect(new Set(STREAMS.map(({ becomes }) => becomes)).size).toBeGreaterThanOrEqual(7)
  })

  test('that means the same keeps its class', { timeout: TIMEOUT_MS }, () =>
    holds(fc.tuple(stream, rewriting, sizes), async ([from, how, parts]) => {
      expect(classOf(await classify(cut(rewrite(from.data, how), parts), from)), from.title).toBe(from.becomes)
    }),
  )

  test('that is damaged never throws and never hangs', { timeout: TIMEOUT_MS }, () =>
    holds(fc.tuple(stream, fc.array(damage, { minLength: 1, maxLength: 5 }), sizes), async ([from, damages, parts]) => {
      await classify(cut(damages.reduce(hurt, eventsOf(from.data)), parts), from)
    }),
  )

  const edit = fc.record({
    chunk: fc.nat(),
    path: fc.array(fc.nat(8), { minLength: 1, maxLength: 7 }),
    by: fc.jsonValue({ maxDepth: 2 }),
  })
  test('with values of other types, in another order, never throws and never hangs', { timeout: TIMEOUT_MS }, () =>
    holds(
      fc.tuple(stream, fc.array(edit, { minLength: 1, maxLength: 4 }), fc.boolean()),
      async ([from, edits, isReversed]) => {
        const data = [...from.data]
        for (const { chunk, path, by } of edits) {
          const at = chunk % data.length
          const item = data[at] ?? ''
          if (item.startsWith('{')) data[at] = JSON.stringify(replaced(JSON.parse(item), path, by))
        }
        await classify([eventsOf(isReversed ? data.toReversed() : data)], from)
      },
    ),
  )
})
