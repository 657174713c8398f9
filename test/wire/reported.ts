/** Rows 50–66: reported by users of llama-server, ik_llama.cpp, Ollama and LocalAI. */
import { expect } from 'vitest'
import { afterCall, body, chunk, failing, llamaError, message, seen, usual, type WireRow, wireCall } from './row.ts'

const OLLAMA = 'Ollama'
const one = (name: string, value: unknown) => ({ toolCalls: [{ name, arguments: { valid: true, value } }] })
const two = {
  toolCalls: [
    { name: 'f', arguments: { valid: true, value: { q: 'a' } } },
    { name: 'f', arguments: { valid: true, value: { q: 'b' } } },
  ],
}

export const REPORTED: readonly WireRow[] = [
  {
    ...seen(50, 'llama-server b8233 (llama.cpp#20198)', 'sends arguments as an object'),
    ...message({ content: '', tool_calls: [wireCall('f', { a: { b: [1] } }, { index: 0 })] }, 'tool_calls'),
    becomes: 'ok',
    shows: one('f', { a: { b: [1] } }),
  },
  {
    ...seen(51, 'llama-server (llama.cpp#22072)', 'answers 500 because it cannot parse the arguments the model wrote'),
    ...failing(
      500,
      llamaError(500, 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]', 'server_error'),
    ),
    becomes: 'model_error malformed_by_server',
    shows: { remedy: expect.stringContaining('Update the server') },
  },
  {
    id: 52,
    from: 'llama-server (llama.cpp#25510)',
    does: 'is wedged by invalid arguments in the history: {} is sent in their place',
    ...usual({ text: 'on we go' }),
    request: afterCall('{'),
    becomes: 'ok',
    sent: { messages: [{}, { tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }, {}] },
  },
  ...[400, 500, 200].map(
    (status): WireRow => ({
      ...seen(53, 'llama-server (llama.cpp#15780)', `reports an overflow by its type, under status ${status}`),
      ...failing(status, llamaError(status, 'try increasing it', 'exceed_context_size_error', { n_ctx: 25_088 })),
      becomes: 'context_overflow',
      shows: { contextTokens: 25_088 },
    }),
  ),
  {
    ...seen(54, 'ik_llama.cpp (#2420)', 'reports an overflow as a bare server error'),
    ...failing(
      500,
      llamaError(500, 'the request exceeds the available context size. try increasing it', 'server_error'),
    ),
    becomes: 'context_overflow',
  },
  {
    id: 55,
    from: 'llama-server (llama.cpp#9056)',
    does: 'answers 503 while it loads although its list of models is there already',
    stream: [{ status: 503, body: llamaError(503, 'Loading model', 'unavailable_error') }, { text: 'hi' }],
    whole: [{ status: 503, body: llamaError(503, 'Loading model', 'unavailable_error') }, { text: 'hi' }],
    becomes: 'ok',
    shows: { stats: { attempts: 2 } },
    requests: 2,
  },
  ...['tools param requires --jinja flag', 'Unsupported param: tools'].map(
    (text): WireRow => ({
      ...seen(56, 'llama-server without --jinja (llama.cpp#10920)', `refuses tools: ${text}`),
      ...failing(500, llamaError(500, text, 'server_error')),
      becomes: 'config tools_unsupported',
      shows: { remedy: 'Start llama-server with --jinja.' },
    }),
  ),
  ...[
    'Jinja Exception: System message must be at the beginning.',
    'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...',
    'Only user, system and assistant roles are supported!',
  ].map(
    (text): WireRow => ({
      ...seen(57, 'llama-server with a strict template (llama.cpp#20733, #11402)', `refuses the conversation: ${text}`),
      ...failing(500, llamaError(500, text, 'server_error')),
      becomes: 'config template_error',
    }),
  ),
  {
    id: 58,
    from: 'llama-server --parallel (unsloth#6164)',
    does: 'divides its context by its slots: the window of a slot is what counts',
    ...usual({
      text: 'hi',
      finishReason: 'length',
      usage: { prompt_tokens: 24_000, completion_tokens: 576, total_tokens: 24_576 },
    }),
    plan: {
      server: {
        kind: 'llama-server',
        baseUrl: 'http://127.0.0.1:1/v1',
        build: null,
        modelPath: null,
        contextTokens: 24_576,
        slots: 4,
        chatTemplateSha256: null,
        defaultSampling: null,
      },
    },
    becomes: 'context_overflow',
    shows: { contextTokens: 24_576 },
  },
  {
    id: 59,
    from: 'llama-server (llama.cpp#7052)',
    does: 'answers differently with its prompt cache: the switch reaches the request',
    ...usual({ text: 'hi' }),
    plan: { sampling: { temperature: 0, topP: null, maxTokens: 100, extraBody: { cache_prompt: false } } },
    becomes: 'ok',
    sent: { cache_prompt: false, temperature: 0, seed: 7 },
  },
  {
    ...seen(60, `${OLLAMA} ≤ 0.5 (ollama#7881)`, 'streams calls without an index'),
    stream: {
      chunks: [
        chunk({ tool_calls: [wireCall('f', '{"q":"a"}', { id: 'c1' }), wireCall('f', '{"q":"b"}', { id: 'c2' })] }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ],
    },
    becomes: 'ok',
    shows: two,
  },
  {
    ...seen(61, `${OLLAMA} behind LiteLLM (smolagents#1958)`, 'gives every call the index 0'),
    stream: {
      chunks: [
        chunk({ tool_calls: [wireCall('f', '{"q":"a"}', { index: 0, id: 'c1' })] }),
        chunk({ tool_calls: [wireCall('f', '{"q":"b"}', { index: 0, id: 'c2' })] }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ],
    },
    becomes: 'ok',
    shows: two,
  },
  {
    ...seen(62, 'LocalAI (#9722)', 'repeats a call at several indexes'),
    ...message({ tool_calls: [0, 1, 2].map(index => wireCall('f', '{"q":"a"}', { index, id: 'c1' })) }, 'tool_calls'),
    becomes: 'ok',
    shows: { toolCalls: [{ id: 'c1', name: 'f' }] },
  },
  {
    ...seen(63, `${OLLAMA} before 0.12.10 (haystack#3321)`, 'gives calls no id and their arguments as an object'),
    ...message(
      {
        content: '',
        tool_calls: [
          { function: { name: 'f', arguments: { q: 'a' } } },
          { function: { name: 'f', arguments: { q: 'b' } } },
        ],
      },
      'tool_calls',
    ),
    becomes: 'ok',
    shows: {
      toolCalls: [
        { id: 'call_1', ...two.toolCalls[0] },
        { id: 'call_2', ...two.toolCalls[1] },
      ],
    },
  },
  {
    ...seen(64, `${OLLAMA} (litellm#35663)`, 'ends with "stop" and an empty message after its calls'),
    stream: {
      chunks: [
        chunk({ tool_calls: [wireCall('f', '{"a":1}', { index: 0 })] }),
        chunk({ role: 'assistant', content: '' }, 'stop'),
        '[DONE]',
      ],
    },
    whole: body({ content: '', tool_calls: [wireCall('f', '{"a":1}')] }, 'stop'),
    becomes: 'ok',
    shows: { finishReason: 'stop', ...one('f', { a: 1 }) },
  },
  {
    id: 65,
    from: `${OLLAMA} /v1`,
    does: 'calls its reasoning `reasoning`, sends whole calls in one delta, and usage in a chunk without choices',
    stream: {
      chunks: [
        chunk({ role: 'assistant', content: '', reasoning: 'hm' }),
        chunk({ content: '', tool_calls: [wireCall('f', '{"a":1}', { index: 0 })] }),
        chunk({}, 'tool_calls'),
        { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
        '[DONE]',
      ],
    },
    whole: body({ content: '', reasoning: 'hm', tool_calls: [wireCall('f', '{"a":1}')] }, 'tool_calls', {
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    }),
    becomes: 'ok',
    shows: { reasoning: { field: 'reasoning', text: 'hm' }, stats: { promptTokens: 3 }, ...one('f', { a: 1 }) },
    absent: ['tool_choice', 'parallel_tool_calls', 'num_ctx', 'top_k', 'min_p'],
  },
  {
    ...seen(66, OLLAMA, 'sends empty arguments where it has none'),
    ...message({ tool_calls: [wireCall('f', '', { index: 0 })] }, 'tool_calls'),
    becomes: 'ok',
    shows: one('f', {}),
  },
]
