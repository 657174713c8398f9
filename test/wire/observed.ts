/** Rows 1–23: seen on the wire of a llama-server. */
import {
  afterCall,
  body,
  both,
  called,
  calling,
  chunk,
  llamaError,
  message,
  refusing,
  row,
  says,
  streamOf,
  type WireRow,
  wireCall,
  withBody,
} from './row.ts'

const fa1 = { name: 'f', args: { a: 1 } }
const id = 'x'.repeat(32)
const usage = (prompt: number, completion: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})
const LOADING = { status: 503, body: llamaError(503, 'Loading model', 'unavailable_error') }

export const OBSERVED: readonly WireRow[] = [
  row('1 ignores a tool_choice that names a function: none is sent, and the call is taken by its presence', 'ok', {
    ...calling([fa1]),
    shows: called(['f', { a: 1 }]),
    absent: ['tool_choice'],
  }),
  row('2 lets a model talk until the limit although a call was required', 'model_error output_limit', {
    ...says('and so on and on', { finishReason: 'length' }),
    shows: { toolCalls: [] },
    ...withBody({ tool_choice: 'required' }),
    sent: { tool_choice: 'required' },
  }),
  row('3 sends several calls although parallel calls were turned off', 'ok', {
    ...calling([fa1, { name: 'f', args: { a: 2 } }, { name: 'g', args: {} }]),
    shows: called(['f', { a: 1 }], ['f', { a: 2 }], ['g', {}]),
    absent: ['parallel_tool_calls'],
  }),
  row('4 cuts the arguments of the last call at the output limit', 'model_error output_limit', {
    ...calling([fa1, { name: 'f', args: '{' }], { finishReason: 'length' }),
  }),
  row('4 leaves markup that was cut by the output limit in the text', 'model_error output_limit', {
    ...says('<tool_call>\n{"name": "read_f', { finishReason: 'length' }),
  }),
  row('5 sends empty content, ids without a prefix and no index with whole calls', 'ok', {
    ...streamOf(
      chunk({ role: 'assistant', content: null }),
      chunk({ tool_calls: [wireCall('f', '{"a":1}', { index: 0, id })] }),
      chunk({}, 'tool_calls'),
    ),
    whole: body({ content: '', tool_calls: [wireCall('f', '{"a":1}', { id })] }, 'tool_calls'),
    shows: { text: '', toolCalls: [{ id, name: 'f' }] },
  }),
  row('6 spaces its arguments oddly', 'ok', {
    ...calling([{ name: 'f', args: '{"path": "ls","limit": 7}' }]),
    shows: called(['f', { path: 'ls', limit: 7 }]),
  }),
  row('7 refuses a schema with a type it does not know', 'config request_refused', {
    ...refusing(400, 'Unrecognized schema: {"type":"file"}', 'invalid_request_error'),
  }),
  row(
    '8 answers 500 to invalid arguments, so none are sent; another 500 is no fault of the model',
    'infra server_error',
    {
      ...refusing(500, 'unexpected end of input'),
      ...afterCall('{"path'),
      sent: { messages: [{}, { tool_calls: [{ function: { arguments: '{}' } }] }, { role: 'tool' }] },
    },
  ),
  row('9 passes markup through as text where no tools were offered', 'model_error tool_markup_in_text', {
    ...says('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'),
    request: { tools: [] },
    absent: ['tools'],
  }),
  row('10 streams a call as name with "{", then pieces of arguments without name and id', 'ok', {
    ...streamOf(
      chunk({ role: 'assistant', content: null }),
      chunk({ tool_calls: [wireCall('f', '{', { index: 0 })] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"a":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
      chunk({ tool_calls: [wireCall('g', '{}', { index: 1, id: 'c2' })] }),
      chunk({}, 'tool_calls'),
    ),
    shows: called(['f', { a: 1 }], ['g', {}]),
  }),
  row('11 sends usage in a chunk without choices after the finish reason', 'ok', {
    ...streamOf(chunk({ content: 'hi' }), chunk({}, 'stop'), { choices: [], ...usage(7, 2) }),
    shows: { text: 'hi', stats: { promptTokens: 7, completionTokens: 2 } },
    sent: { stream_options: { include_usage: true } },
  }),
  row('11 sends only timings where usage was not asked for', 'ok', {
    ...message({ content: 'hi' }, 'stop', { timings: { prompt_n: 4, cache_n: 3, predicted_n: 2 } }),
    shows: { stats: { promptTokens: 7, completionTokens: 2, cachedTokens: 3 } },
  }),
  row('12 pings with comment lines while it reads a long prompt', 'ok', {
    stream: { text: 'late', delayMs: 500, pingEveryMs: 50 },
    plan: { idleTimeoutMs: 250 },
    shows: { text: 'late' },
  }),
  row('12 sends no headers to a queued request', 'ok', {
    ...both({ text: 'late', delayMs: 600 }),
    shows: { text: 'late' },
  }),
  row('13 repeats the role with its progress, and cuts a letter that it cannot finish', 'ok', {
    ...streamOf(
      chunk({ role: 'assistant', content: null }, null, { prompt_progress: { total: 9, processed: 4 } }),
      chunk({ role: 'assistant', content: null }, null, { prompt_progress: { total: 9, processed: 9 } }),
      chunk({ content: 'caf\uFFFD' }),
      chunk({}, 'stop'),
    ),
    whole: body({ content: 'caf\uFFFD' }, 'stop'),
    shows: { text: 'caf\uFFFD' },
  }),
  row('14 is killed in the middle of a stream', 'infra stream_dropped', {
    stream: { drop: true, after: [chunk({ content: 'hal' })] },
  }),
  row('14 is killed before a whole reply', 'infra connection_lost', { whole: { drop: true } }),
  row('15 answers a stream that does not fit with a plain JSON error', 'context_overflow', {
    ...refusing(400, 'too long', 'exceed_context_size_error', { n_prompt_tokens: 900, n_ctx: 512 }),
    shows: { contextTokens: 512 },
  }),
  row('16 counts cached tokens into the prompt, the end token into the answer; a rate of 0 is none', 'ok', {
    ...says('hi', {
      usage: { ...usage(30, 1).usage, prompt_tokens_details: { cached_tokens: 28 } },
      timings: { prompt_n: 2, cache_n: 28, predicted_n: 1, predicted_per_second: 0, prompt_per_second: 0 },
    }),
    shows: { stats: { promptTokens: 30, completionTokens: 1, cachedTokens: 28, promptTokensPerSecond: null } },
  }),
  row('17 tells the window of a slot when the prompt does not fit', 'context_overflow', {
    ...refusing(
      400,
      'request (25837 tokens) exceeds the available context size (25088 tokens)',
      'exceed_context_size_error',
      { n_prompt_tokens: 25_837, n_ctx: 25_088 },
    ),
    shows: { contextTokens: 25_088 },
  }),
  row('17 ends with "length" when the window is full: only the sum tells it from the limit', 'context_overflow', {
    ...says('hi', { finishReason: 'length', ...usage(4_000, 96) }),
    shows: { contextTokens: 4_096 },
  }),
  row('18 writes without a limit unless one is sent, and at least one token', 'model_error output_limit', {
    ...says('a', { finishReason: 'length', ...usage(5, 1) }),
    sent: { max_tokens: 100 },
  }),
  row('19 calls a mistake of the client a server error: it is not sent again', 'infra server_error', {
    ...refusing(500, 'Missing role'),
    shows: { detail: 'the server answered 500: Missing role' },
    requests: 1,
  }),
  row('20 answers 503 to everything while it loads, then answers', 'ok', {
    stream: [LOADING, LOADING, { text: 'ready' }],
    whole: [LOADING, { text: 'ready' }],
    shows: { text: 'ready' },
  }),
  row('21 ignores the name of the model and says the one it has', 'ok', {
    ...streamOf(chunk({ content: 'hi' }, null, { model: 'tiny' }), chunk({}, 'stop', { model: 'tiny' })),
    whole: body({ content: 'hi' }, 'stop', { model: 'tiny' }),
    shows: { servedModel: 'tiny' },
  }),
  row('21 refuses, as a router, a name it does not have', 'config unknown_model', {
    ...refusing(400, "model 'x' not found", 'invalid_request_error'),
  }),
  row('22 accepts what others refuse: what is sent stays within the protocol all the same', 'ok', {
    ...says('hi'),
    sent: { messages: [{ role: 'user', content: 'hi' }] },
  }),
  row('23 continues a last message of the assistant: the last one sent is never the assistant’s', 'ok', {
    ...says('hi'),
    ...afterCall({ a: 1 }),
    sent: { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }] },
  }),
]
