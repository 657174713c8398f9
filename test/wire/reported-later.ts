/** Rows 67–83: reported by users of Ollama, vLLM, LM Studio and of several servers. */
import { expect } from 'vitest'
import { afterCall, body, chunk, failing, llamaError, message, seen, usual, type WireRow, wireCall } from './row.ts'

const one = { toolCalls: [{ name: 'f', arguments: { valid: true, value: { a: 1 } } }] }
const text = (part: string): unknown => expect.stringContaining(part)
const VLLM_TOOLS = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
const VLLM_REMEDY = 'Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of this model.'

const leak = (id: number, from: string, text: string): WireRow => ({
  id,
  from,
  does: `leaves a call in the text: ${text.slice(0, 40)}`,
  ...usual({ text }),
  becomes: 'model_error tool_markup_in_text',
  shows: { toolCalls: [], text },
})

export const REPORTED_LATER: readonly WireRow[] = [
  {
    id: 67,
    from: 'Ollama (ollama#3839)',
    does: 'drops the front of a prompt in silence: the count it reports is kept as it is, for the doctor to see',
    ...usual({ text: 'hi', usage: { prompt_tokens: 2_051, completion_tokens: 1, total_tokens: 2_052 } }),
    request: { messages: [{ role: 'user', content: 'word '.repeat(15_000) }] },
    becomes: 'ok',
    shows: { stats: { promptTokens: 2_051 } },
  },
  {
    ...seen(68, 'Ollama with a Qwen renderer (ollama#18107)', 'has dropped the question itself'),
    ...failing(500, {
      error: { message: 'no user query found in messages', type: 'api_error', param: null, code: null },
    }),
    becomes: 'context_overflow',
  },
  {
    ...seen(69, 'vLLM without flags (vllm#9986)', 'refuses tools in a flat envelope'),
    ...failing(400, { object: 'error', message: VLLM_TOOLS, type: 'BadRequestError', param: null, code: 400 }),
    becomes: 'config tools_unsupported',
    shows: { remedy: VLLM_REMEDY },
  },
  {
    ...seen(69, 'vLLM without flags, newer (QwenPaw#1449)', 'refuses tools in a nested envelope with its code as text'),
    ...failing(400, { error: { message: VLLM_TOOLS, type: 'BadRequestError', param: null, code: '400' } }),
    becomes: 'config tools_unsupported',
    shows: { remedy: VLLM_REMEDY },
  },
  leak(70, 'vLLM, hermes parser (vllm#31871)', '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'),
  {
    ...seen(71, 'vLLM with a required call (vllm#20662)', 'ends calls with "stop" and reasoning of null'),
    ...message({ content: '', reasoning_content: null, tool_calls: [wireCall('f', '{"a":1}', { index: 0 })] }, 'stop'),
    becomes: 'ok',
    shows: { reasoning: null, finishReason: 'stop', ...one },
  },
  ...(['reasoning', 'reasoning_content'] as const).map(
    (field): WireRow => ({
      ...seen(72, 'vLLM (vllm#27755)', `has its reasoning in ${field}, and reads it only there`),
      ...message({ content: 'hi', [field]: 'hm' }),
      request: afterCall({ a: 1 }, { field, text: 'before' }),
      becomes: 'ok',
      shows: { reasoning: { field, text: 'hm' } },
      sent: {
        messages: [
          {},
          {
            [field]: 'before',
            tool_calls: [{ function: { arguments: '{"a":1}' } }],
          },
          {},
        ],
      },
      absent: [field === 'reasoning' ? 'reasoning_content' : 'reasoning'],
    }),
  ),
  {
    ...seen(73, 'LM Studio 0.3.23 (#942)', 'leaves a call out that it could not parse'),
    ...message({ content: '', tool_calls: [] }),
    becomes: 'model_error empty_reply',
  },
  leak(74, 'LM Studio 0.4 (#1358)', '<|tool_call_start|>[f(a=1)]<|tool_call_end|>'),
  {
    ...seen(74, 'LM Studio 0.4 (#1592)', 'looks for calls inside of reasoning'),
    ...message({ content: '', reasoning_content: 'I call <tool_call>{"name": "f", "arguments": {}}</tool_call>' }),
    becomes: 'model_error empty_reply',
    shows: { toolCalls: [] },
  },
  leak(
    75,
    'LM Studio 0.4.18 (#2115)',
    '<tool_call><function=read><parameter=path>a</parameter></function></tool_call>',
  ),
  {
    ...seen(76, 'LM Studio (#237)', 'reports an overflow in its own words'),
    ...failing(400, {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length',
    }),
    becomes: 'context_overflow',
  },
  {
    ...seen(76, 'LM Studio 0.4.21 (#2256)', 'reports an overflow under status 200'),
    ...failing(200, { error: { message: 'Context length exceeded', type: 'invalid_request_error' } }),
    becomes: 'context_overflow',
  },
  {
    ...seen(76, 'LM Studio 0.3 (#546)', 'ends a stream without having said anything'),
    stream: { chunks: ['[DONE]'] },
    whole: body({}, null),
    becomes: 'infra empty_stream',
  },
  {
    ...seen(77, 'LM Studio, llama-server (#1990)', 'spends the whole output limit on reasoning'),
    ...usual({ text: '', reasoning: 'hm, hm, hm', finishReason: 'length' }),
    becomes: 'model_error reasoning_exhausted',
    shows: { remedy: text('BENCH_MAX_TOKENS') },
  },
  ...['', null].map(
    (content): WireRow => ({
      ...seen(78, 'any server (localforge#32)', `has content of ${JSON.stringify(content)} beside calls`),
      ...message({ content, tool_calls: [wireCall('f', '{"a":1}', { index: 0 })] }, 'tool_calls'),
      becomes: 'ok',
      shows: { text: '', ...one },
    }),
  ),
  {
    ...seen(79, 'any server (litellm#27971)', 'sends chunks with empty or missing choices in between'),
    stream: {
      chunks: [
        { choices: [] },
        chunk({ content: 'h' }),
        { id: 'x' },
        chunk({ content: 'i' }),
        { choices: null },
        chunk({}, 'stop'),
        '[DONE]',
      ],
    },
    becomes: 'ok',
    shows: { text: 'hi' },
  },
  {
    id: 80,
    from: 'Ollama Cloud (openclaw#97834)',
    does: 'refuses arguments that are objects in the history: they are sent as text',
    ...usual({ text: 'hi' }),
    request: afterCall({ a: { b: 1 } }),
    becomes: 'ok',
    sent: { messages: [{}, { tool_calls: [{ function: { arguments: '{"a":{"b":1}}' } }] }, {}] },
  },
  leak(81, 'LM Studio with devstral (free-claude-code#979)', 'Read[ARGS]{"file_path": "main.py"}'),
  {
    id: 82,
    from: 'any slow server (ollama-js#72)',
    does: 'sends its headers after a long time: nothing but the deadlines of the plan ends the wait',
    stream: { text: 'late', delayMs: 700 },
    whole: { text: 'late', delayMs: 700 },
    plan: { idleTimeoutMs: 1_500 },
    becomes: 'ok',
    shows: { text: 'late', stats: { attempts: 1 } },
  },
  {
    ...seen(83, 'any server without include_usage', 'does not count: nothing is estimated'),
    ...message({ content: 'some words' }),
    becomes: 'ok',
    shows: {
      stats: { promptTokens: null, completionTokens: null, cachedTokens: null, decodeTokensPerSecond: null },
    },
  },
  {
    ...seen(83, 'a server that is asked for whole replies', 'counts without being asked to'),
    whole: { text: 'hi', usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } },
    becomes: 'ok',
    shows: { stats: { promptTokens: 3, completionTokens: 1 } },
    absent: ['stream_options'],
  },
  {
    id: 69,
    from: 'vLLM (any)',
    does: 'counts the output limit into the window: on a first request the limit is what does not fit',
    ...failing(400, {
      object: 'error',
      message:
        "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192 tokens and your request has 50 input tokens",
      type: 'BadRequestError',
      code: 400,
    }),
    becomes: 'config output_limit_too_large',
    shows: { remedy: text('BENCH_MAX_TOKENS') },
  },
  {
    ...seen(53, 'llama-server behind a proxy', 'reports an overflow inside of a stream that had begun'),
    stream: { chunks: [chunk({ content: 'h' }), llamaError(400, 'x', 'exceed_context_size_error', { n_ctx: 512 })] },
    becomes: 'context_overflow',
    shows: { contextTokens: 512 },
  },
  {
    id: 79,
    from: 'servers with a filter (Azure OpenAI and gateways)',
    does: 'withholds a reply by its filter: nothing of the model can be judged',
    ...usual({ text: '', finishReason: 'content_filter' }),
    becomes: 'infra content_filtered',
    shows: { remedy: text('filter') },
  },
]
