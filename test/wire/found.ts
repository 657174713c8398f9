/** Rows 84–90: found with streams, gateways and leaked calls that nobody had reported yet, and variations of them. */
import { expect } from 'vitest'
import type { ToolDefinition } from '../../src/model/chat-model.ts'
import {
  type Called,
  called,
  chunk,
  failing,
  llamaError,
  pieceOf,
  refusing,
  row,
  says,
  streamOf,
  type WireRow,
  withBody,
} from './row.ts'

const tool = (name: string): ToolDefinition => ({ name, description: 'd', parameters: { type: 'object' } })
const request = { tools: ['f', 'g', 'read', 'read_file'].map(tool) }
const text = (part: string): unknown => expect.stringContaining(part)

const m = { path: 'm' }
const n = { path: 'n' }
const STREAMS: readonly (readonly [does: string, pieces: readonly string[], ...Called[]])[] = [
  ['84 changes the id from piece to piece', ['0 A f {"pa', '0 B - th":"m"}'], ['f', m]],
  ['84 changes id and index from piece to piece', ['0 A f {"pa', '1 B - th":', '2 C - "m"}'], ['f', m]],
  ['84 changes the id and repeats the name with every piece', ['0 A f {"pa', '0 B f th":"m"}'], ['f', m]],
  [
    '84 changes the ids of two calls whose pieces come by turns',
    ['0 A f ', '1 B g ', '0 C - {"path":', '1 D - {"q":1}', '0 E - "m"}'],
    ['f', m],
    ['g', { q: 1 }],
  ],
  [
    '85 gives every piece the next index, and no id',
    ['0 A f', '1 - - {', '2 - - "path"', '3 - - :"m"', '4 - - }'],
    ['f', m],
  ],
  [
    '85 gives every piece of two calls the next index',
    ['0 A f', '1 - - {"path":"m"}', '2 B f', '3 - - {"path"', '4 - - :"n"}'],
    ['f', m],
    ['f', n],
  ],
  ['85 repeats id and name under the next index', ['0 A f {"pa', '1 A f th":', '2 A f "m"}'], ['f', m]],
  ['85 ends whole arguments with a line break under the next index', ['0 A f {"path":"m"}', '1 - - \n'], ['f', m]],
  [
    '85 begins a second call after one left open',
    ['0 A f {"path":"m', '1 B f {"path":"n"}'],
    ['f', '{"path":"m'],
    ['f', n],
  ],
  ['86 sends a name in pieces', ['0 A read_', '0 - file', '0 - - {"path":"m"}'], ['read_file', m]],
  ['86 sends it in pieces with ids that change', ['0 A read_', '0 B file', '0 C - {"path":"m"}'], ['read_file', m]],
  [
    '86 sends it in pieces without an index, the first of which is a tool, too',
    ['- A read', '- - _', '- - file {"path"', '- - - :"m"}'],
    ['read_file', m],
  ],
  ['86 sends it in pieces under a growing index', ['0 A read_', '1 - file', '2 - - {"path":"m"}'], ['read_file', m]],
  [
    '86 sends two calls without arguments, the name of one the beginning of the other',
    ['0 A read ', '1 B read_file '],
    ['read', {}],
    ['read_file', {}],
  ],
]

const DSML =
  '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="path" string="true">m</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'
const OVERFLOW = { status: 400, body: llamaError(400, 'x', 'exceed_context_size_error', { n_ctx: 512 }) }

export const FOUND: readonly WireRow[] = [
  ...STREAMS.map(([does, pieces, ...calls]) =>
    row(does, 'ok', {
      ...streamOf(...pieces.map(piece => chunk({ tool_calls: [pieceOf(piece)] })), chunk({}, 'tool_calls')),
      request,
      shows: called(...calls),
    }),
  ),
  ...['peg-native', 'peg-constructed', 'hermes-2'].map(format =>
    row(`87 llama-server answers 500 to output not in ${format}`, 'model_error malformed_by_server', {
      ...refusing(500, `The model produced output that does not match the expected ${format} format`),
      shows: { remedy: text('BENCH_STREAM=0') },
    }),
  ),
  ...[
    DSML,
    DSML.replaceAll('｜', '|'),
    'I read it.\n<|tool_call>call:f{path:<|"|>m<|"|>}<tool_call|>',
    '<start_function_call>call:f{path:<escape>m<escape>}<end_function_call>',
    'functools[{"name": "f", "arguments": {"path": "m"}}]',
  ].map(leaked =>
    row(`88 DeepSeek, Gemma and Phi leave in the text: ${leaked.slice(0, 30)}`, 'model_error tool_markup_in_text', {
      ...says(leaked),
      shows: { toolCalls: [], text: leaked },
    }),
  ),
  row('89 a strict gateway refuses the seed: what can be left out is said', 'config request_refused', {
    ...failing(422, { detail: 'unexpected field: seed' }),
    shows: { detail: text('unexpected field: seed'), remedy: text('BENCH_SEED=off') },
    sent: { seed: 7 },
  }),
  row('89 a strict gateway gets no field that is null in the extra body', 'ok', {
    ...says('hi'),
    ...withBody({ seed: null, max_tokens: null, temperature: null, stream_options: null, messages: null }, 0),
    sent: { messages: [{ role: 'user', content: 'hi' }] },
    absent: ['seed', 'max_tokens', 'temperature', 'stream_options'],
  }),
  ...(['gzip', 'br', 'deflate'] as const).map(encoding =>
    row(`90 a gateway compresses without being asked to: ${encoding}`, 'ok', {
      stream: { text: 'hi there', chunkDelayMs: 5, encoding },
      whole: { text: 'hi there', encoding },
      shows: { text: 'hi there' },
    }),
  ),
  row('90 a gateway compresses its errors, too', 'context_overflow', {
    stream: { ...OVERFLOW, encoding: 'gzip' },
    whole: { ...OVERFLOW, encoding: 'br' },
    shows: { contextTokens: 512 },
  }),
]
