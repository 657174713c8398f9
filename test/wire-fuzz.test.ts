/**
 * The wire layer under mutated streams. `npm run test:fuzz` runs 50,000 cases of each property instead of 2,000.
 * No sockets here: the bytes go straight into what reads a response.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyReply, type ReplyContext } from '../src/model/classify.ts'
import { readAnswer } from '../src/model/read-answer.ts'
import { classOf } from './reply-class.ts'
import { chunksOf } from './scripted-server.ts'
import { OBSERVED } from './wire/observed.ts'
import { REPORTED } from './wire/reported.ts'
import { REPORTED_LATER } from './wire/reported-later.ts'
import type { WireRow } from './wire/row.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 2_000)
const TIMEOUT_MS = 60_000 + RUNS * 20

interface Stream {
  readonly title: string
  readonly becomes: string
  /** Data fields. */
  readonly data: readonly string[]
  readonly contextTokens: number | null
}

/** The rows whose stream is a stream that ends, as data fields. */
function streamOf(row: WireRow): readonly Stream[] {
  const wire = row.stream
  if (wire === undefined || 'length' in wire) return []
  if ('status' in wire || 'drop' in wire || 'hang' in wire || 'rawBody' in wire) return []
  const items = 'chunks' in wire ? wire.chunks : [...chunksOf(wire), '[DONE]']
  return [
    {
      title: `${row.id} ${row.from} ${row.does}`,
      becomes: row.becomes,
      data: items.map(item => (typeof item === 'string' ? item : JSON.stringify(item))),
      contextTokens: row.plan?.server?.contextTokens ?? 4_096,
    },
  ]
}

const STREAMS = [...OBSERVED, ...REPORTED, ...REPORTED_LATER].flatMap(streamOf)

/** Reads these bytes as the body of a stream and classifies what they come to. */
async function classify(pieces: readonly Uint8Array[], contextTokens: number | null) {
  const context: ReplyContext = {
    contextTokens,
    hasHistory: false,
    stats: {
      promptTokens: null,
      completionTokens: null,
      cachedTokens: null,
      reasoningTokens: null,
      elapsedMs: 1,
      firstTokenMs: null,
      promptTokensPerSecond: null,
      decodeTokensPerSecond: null,
      attempts: 1,
    },
  }
  const response = new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } })
  return classifyReply(await readAnswer(response, () => undefined), context)
}

function cut(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

/** How a stream may be written differently and mean the same. */
interface Rewriting {
  readonly sizes: readonly number[]
  readonly lineEnd: '\n' | '\r\n' | '\r'
  /** Positions at which a comment line stands. */
  readonly pings: readonly number[]
  /** Positions at which a chunk without choices stands. */
  readonly empties: readonly number[]
  readonly hasSpace: boolean
  readonly hasUnknownFields: boolean
}

const rewriting: fc.Arbitrary<Rewriting> = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 }),
  lineEnd: fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const),
  pings: fc.array(fc.nat(12), { maxLength: 4 }),
  empties: fc.array(fc.nat(12), { maxLength: 4 }),
  hasSpace: fc.boolean(),
  hasUnknownFields: fc.boolean(),
})

function rewrite(data: readonly string[], how: Rewriting): readonly Uint8Array[] {
  const end = how.lineEnd
  const items = data.map(item =>
    how.hasUnknownFields && item.startsWith('{') ? `{"x_unknown":{"choices":[1]},${item.slice(1)}` : item,
  )
  // After [DONE] nothing is read, and the end of a stream that has none is the end.
  for (const at of how.empties) items.splice(Math.min(at, Math.max(0, items.length - 1)), 0, '{"choices":[]}')
  const blocks = items.map(item => `data:${how.hasSpace ? ' ' : ''}${item}${end}${end}`)
  for (const at of how.pings) blocks.splice(Math.min(at, blocks.length), 0, `: ping${end}${end}`)
  return cut(new TextEncoder().encode(blocks.join('')), how.sizes)
}

/** What may happen to bytes on their way, or in a server that is broken. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), with: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('end' as const), at: fc.nat() }),
)

function hurt(bytes: Uint8Array, what: typeof damage extends fc.Arbitrary<infer T> ? T : never): Uint8Array {
  const at = what.at % (bytes.length + 1)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (what.kind) {
    case 'flip':
      return Buffer.concat([before, new Uint8Array([what.with]), after.subarray(1)])
    case 'drop':
      return Buffer.concat([before, after.subarray(what.count)])
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, what.count), after])
    case 'insert':
      return Buffer.concat([before, what.bytes, after])
    case 'end':
      return before
  }
}

/** Puts another value somewhere into a parsed chunk: wrong types where a field is expected. */
function replaced(value: unknown, path: readonly number[], by: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== 'object' || value === null) return by
  const entries = Object.entries(value)
  if (entries.length === 0) return by
  const target = step % entries.length
  const next = entries.map(
    ([key, inner], index) => [key, index === target ? replaced(inner, rest, by) : inner] as const,
  )
  return Array.isArray(value) ? next.map(([, inner]) => inner) : Object.fromEntries(next)
}

/** What holds for any reply, whatever came. */
function check(reply: Awaited<ReturnType<typeof classify>>): void {
  if (reply.kind === 'ok') {
    expect(reply.text.trim() !== '' || reply.toolCalls.length > 0, 'an answer says or calls something').toBe(true)
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(reply.toolCalls.length)
  } else {
    expect(reply.detail.length).toBeLessThan(2_000)
  }
  expect(JSON.stringify(reply)).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/)
}

const bytesOf = (data: readonly string[]): Uint8Array =>
  new TextEncoder().encode(data.map(item => `data: ${item}\n\n`).join(''))

describe('a mutated stream', () => {
  test('there are streams of many classes to begin with', () => {
    expect(STREAMS.length).toBeGreaterThan(30)
    expect(new Set(STREAMS.map(({ becomes }) => becomes)).size).toBeGreaterThanOrEqual(7)
  })

  test(
    'that means the same keeps its class',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...STREAMS), rewriting, async (stream, how) => {
          const reply = await classify(rewrite(stream.data, how), stream.contextTokens)
          check(reply)
          expect(classOf(reply), stream.title).toBe(stream.becomes)
        }),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )

  test(
    'that is damaged never throws and never hangs',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...STREAMS),
          fc.array(damage, { minLength: 1, maxLength: 5 }),
          fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 }),
          async (stream, damages, sizes) => {
            check(await classify(cut(damages.reduce(hurt, bytesOf(stream.data)), sizes), stream.contextTokens))
          },
        ),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )

  test(
    'with values of other types, in another order, never throws and never hangs',
    async () => {
      const edit = fc.record({
        chunk: fc.nat(),
        path: fc.array(fc.nat(8), { minLength: 1, maxLength: 7 }),
        by: fc.jsonValue({ maxDepth: 2 }),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...STREAMS),
          fc.array(edit, { minLength: 1, maxLength: 4 }),
          fc.boolean(),
          async (stream, edits, isReversed) => {
            const data = [...stream.data]
            for (const { chunk, path, by } of edits) {
              const at = chunk % data.length
              const item = data[at] ?? '{}'
              if (item.startsWith('{')) data[at] = JSON.stringify(replaced(JSON.parse(item), path, by))
            }
            check(await classify([bytesOf(isReversed ? data.toReversed() : data)], stream.contextTokens))
          },
        ),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )
})
