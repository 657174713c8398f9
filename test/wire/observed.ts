/** Rows 1–23: seen on the wire of a llama-server. */
import { afterCall, body, chunk, failing, llamaError, message, seen, usual, type WireRow, wireCall } from './row.ts'

const LLAMA = 'llama-server'
const calls = (...list: readonly { readonly name: string; readonly value: unknown }[]) => ({
  toolCalls: list.map(({ name, value }) => ({ name, arguments: { valid: true, value } })),
})
const a1 = { name: 'f', value: { a: 1 } }

export const OBSERVED: readonly WireRow[] = [
  {
    id: 1,
    from: LLAMA,
    does: 'ignores a tool_choice that names a function: none is sent, and the call is taken by its presence',
    ...usual({ calls: [{ name: 'f', args: { a: 1 } }] }),
    becomes: 'ok',
    shows: calls(a1),
    absent: ['tool_choice'],
  },
  {
    ...seen(2, LLAMA, 'lets a model talk until the limit although a call was required'),
    ...usual({ text: 'and so on and on', finishReason: 'length' }),
    becomes: 'model_error output_limit',
    shows: { toolCalls: [] },
    plan: { sampling: { temperature: null, topP: null, maxTokens: 100, extraBody: { tool_choice: 'required' } } },
    sent: { tool_choice: 'required' },
  },
  {
    ...seen(3, LLAMA, 'sends several calls although parallel calls were turned off'),
    ...usual({
      calls: [
        { name: 'f', args: { a: 1 } },
        { name: 'f', args: { a: 2 } },
        { name: 'g', args: {} },
      ],
    }),
    becomes: 'ok',
    shows: calls(a1, { name: 'f', value: { a: 2 } }, { name: 'g', value: {} }),
    absent: ['parallel_tool_calls'],
  },
  {
    ...seen(4, LLAMA, 'cuts the arguments of the last call at the output limit'),
    ...usual({
      calls: [
        { name: 'f', args: { a: 1 } },
        { name: 'f', args: '{' },
      ],
      finishReason: 'length',
    }),
    becomes: 'model_error output_limit',
  },
  {
    ...seen(4, LLAMA, 'leaves markup that was cut by the output limit in the text'),
    ...usual({ text: '<tool_call>\n{"name": "read_f', finishReason: 'length' }),
    becomes: 'model_error output_limit',
  },
  {
    ...seen(5, LLAMA, 'sends empty content, ids without a prefix and no index with whole calls'),
    stream: {
      chunks: [
        chunk({ role: 'assistant', content: null }),
        chunk({ tool_calls: [wireCall('f', '{"a":1}', { index: 0, id: 'x'.repeat(32) })] }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ],
    },
    whole: body({ content: '', tool_calls: [wireCall('f', '{"a":1}', { id: 'x'.repeat(32) })] }, 'tool_calls'),
    becomes: 'ok',
    shows: { text: '', toolCalls: [{ id: 'x'.repeat(32), name: 'f' }] },
  },
  {
    ...seen(6, LLAMA, 'spaces its arguments oddly'),
    ...usual({ calls: [{ name: 'f', args: '{"path": "ls","limit": 7}' }] }),
    becomes: 'ok',
    shows: calls({ name: 'f', value: { path: 'ls', limit: 7 } }),
  },
  {
    ...seen(7, LLAMA, 'refuses a schema with a type it does not know'),
    ...failing(400, llamaError(400, 'Unrecognized schema: {"type":"file"}', 'invalid_request_error')),
    becomes: 'config request_refused',
  },
  {
    id: 8,
    from: LLAMA,
    does: 'answers 500 to a history with invalid arguments, so none is sent; another 500 then is not a fault of the model',
    ...failing(500, llamaError(500, 'unexpected end of input', 'server_error')),
    request: afterCall('{"path'),
    becomes: 'infra server_error',
    sent: { messages: [{}, { tool_calls: [{ function: { arguments: '{}' } }] }, { role: 'tool' }] },
  },
  {
    ...seen(9, LLAMA, 'passes markup through as text where no tools were offered'),
    ...usual({ text: '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>' }),
    request: { tools: [] },
    becomes: 'model_error tool_markup_in_text',
    absent: ['tools'],
  },
  {
    ...seen(10, LLAMA, 'streams a call as name with "{", then pieces of arguments without name and id'),
    stream: {
      chunks: [
        chunk({ role: 'assistant', content: null }),
        chunk({ tool_calls: [wireCall('f', '{', { index: 0 })] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"a":' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
        chunk({ tool_calls: [wireCall('g', '{}', { index: 1, id: 'c2' })] }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ],
    },
    becomes: 'ok',
    shows: calls(a1, { name: 'g', value: {} }),
  },
  {
    ...seen(11, LLAMA, 'sends usage in a chunk without choices after the finish reason'),
    stream: {
      chunks: [
        chunk({ content: 'hi' }),
        chunk({}, 'stop'),
        { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } },
        '[DONE]',
      ],
    },
    becomes: 'ok',
    shows: { text: 'hi', stats: { promptTokens: 7, completionTokens: 2 } },
    sent: { stream_options: { include_usage: true } },
  },
  {
    ...seen(11, LLAMA, 'sends only timings where usage was not asked for'),
    ...message({ content: 'hi' }, 'stop', { timings: { prompt_n: 4, cache_n: 3, predicted_n: 2 } }),
    becomes: 'ok',
    shows: { stats: { promptTokens: 7, completionTokens: 2, cachedTokens: 3 } },
  },
  {
    ...seen(12, LLAMA, 'pings with comment lines while it reads a long prompt'),
    stream: { text: 'late', delayMs: 500, pingEveryMs: 50 },
    plan: { idleTimeoutMs: 250 },
    becomes: 'ok',
    shows: { text: 'late' },
  },
  {
    ...seen(12, LLAMA, 'sends no headers to a queued request'),
    stream: { text: 'late', delayMs: 600 },
    whole: { text: 'late', delayMs: 600 },
    becomes: 'ok',
    shows: { text: 'late' },
  },
  {
    ...seen(13, LLAMA, 'repeats the role with its progress, and cuts a letter that it cannot finish'),
    stream: {
      chunks: [
        chunk({ role: 'assistant', content: null }, null, { prompt_progress: { total: 9, processed: 4 } }),
        chunk({ role: 'assistant', content: null }, null, { prompt_progress: { total: 9, processed: 9 } }),
        chunk({ content: 'caf\uFFFD' }),
        chunk({}, 'stop'),
        '[DONE]',
      ],
    },
    whole: body({ content: 'caf\uFFFD' }, 'stop'),
    becomes: 'ok',
    shows: { text: 'caf\uFFFD' },
  },
  {
    ...seen(14, LLAMA, 'is killed in the middle of a stream'),
    stream: { drop: true, after: [chunk({ content: 'hal' })] },
    becomes: 'infra stream_dropped',
  },
  {
    ...seen(14, LLAMA, 'is killed before a whole reply'),
    whole: { drop: true },
    becomes: 'infra connection_lost',
  },
  {
    ...seen(15, LLAMA, 'answers a stream that does not fit with a plain JSON error'),
    ...failing(400, llamaError(400, 'too long', 'exceed_context_size_error', { n_prompt_tokens: 900, n_ctx: 512 })),
    becomes: 'context_overflow',
    shows: { contextTokens: 512 },
  },
  {
    ...seen(16, LLAMA, 'counts cached tokens into the prompt and the end token into the answer; a rate of 0 is none'),
    ...usual({
      text: 'hi',
      usage: {
        prompt_tokens: 30,
        completion_tokens: 1,
        total_tokens: 31,
        prompt_tokens_details: { cached_tokens: 28 },
      },
      timings: { prompt_n: 2, cache_n: 28, predicted_n: 1, predicted_per_second: 0, prompt_per_second: 0 },
    }),
    becomes: 'ok',
    shows: { stats: { promptTokens: 30, completionTokens: 1, cachedTokens: 28, promptTokensPerSecond: null } },
  },
  {
    ...seen(17, LLAMA, 'tells the window of a slot when the prompt does not fit'),
    ...failing(
      400,
      llamaError(
        400,
        'request (25837 tokens) exceeds the available context size (25088 tokens)',
        'exceed_context_size_error',
        {
          n_prompt_tokens: 25_837,
          n_ctx: 25_088,
        },
      ),
    ),
    becomes: 'context_overflow',
    shows: { contextTokens: 25_088 },
  },
  {
    id: 17,
    from: LLAMA,
    does: 'ends with "length" when the window is full: only the sum of tokens tells it from the output limit',
    ...usual({
      text: 'hi',
      finishReason: 'length',
      usage: { prompt_tokens: 4_000, completion_tokens: 96, total_tokens: 4_096 },
    }),
    becomes: 'context_overflow',
    shows: { contextTokens: 4_096 },
  },
  {
    ...seen(18, LLAMA, 'writes without a limit unless one is sent, and at least one token'),
    ...usual({ text: 'a', finishReason: 'length', usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 } }),
    becomes: 'model_error output_limit',
    sent: { max_tokens: 100 },
  },
  {
    ...seen(19, LLAMA, 'calls a mistake of the client a server error: it is not sent again'),
    ...failing(500, { error: { message: 'Missing role', type: 'server_error', code: 500 } }),
    becomes: 'infra server_error',
    shows: { detail: 'the server answered 500: Missing role' },
    requests: 1,
  },
  {
    ...seen(20, LLAMA, 'answers 503 to everything while it loads, then answers'),
    stream: [
      { status: 503, body: llamaError(503, 'Loading model', 'unavailable_error') },
      { status: 503, body: llamaError(503, 'Loading model', 'unavailable_error') },
      { text: 'ready' },
    ],
    whole: [{ status: 503, body: llamaError(503, 'Loading model', 'unavailable_error') }, { text: 'ready' }],
    becomes: 'ok',
    shows: { text: 'ready' },
  },
  {
    ...seen(21, LLAMA, 'ignores the name of the model and says the one it has'),
    stream: {
      chunks: [chunk({ content: 'hi' }, null, { model: 'tiny' }), chunk({}, 'stop', { model: 'tiny' }), '[DONE]'],
    },
    whole: body({ content: 'hi' }, 'stop', { model: 'tiny' }),
    becomes: 'ok',
    shows: { servedModel: 'tiny' },
  },
  {
    ...seen(21, 'llama-server as a router', 'refuses a name it does not have'),
    ...failing(400, llamaError(400, "model 'x' not found", 'invalid_request_error')),
    becomes: 'config unknown_model',
  },
  {
    ...seen(22, LLAMA, 'accepts what others refuse: what is sent stays within the protocol all the same'),
    ...usual({ text: 'hi' }),
    becomes: 'ok',
    sent: { messages: [{ role: 'user', content: 'hi' }] },
  },
  {
    ...seen(23, LLAMA, 'continues a last message of the assistant: the last one sent is never the assistant’s'),
    ...usual({ text: 'hi' }),
    request: afterCall({ a: 1 }),
    becomes: 'ok',
    sent: { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }] },
  },
]
