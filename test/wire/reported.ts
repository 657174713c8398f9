/** Rows 50–83: reported by users of llama-server, ik_llama.cpp, Ollama, LocalAI, vLLM, LM Studio and gateways. */
import { expect } from 'vitest'
import { planFixture } from '../../src/model/plan.fixture.ts'
import {
  afterCall,
  body,
  both,
  called,
  chunk,
  failing,
  llamaError,
  message,
  refusing,
  row,
  says,
  sentAfterCall,
  streamOf,
  type WireRow,
  wireCall,
  withBody,
} from './row.ts'

const text = (part: string): unknown => expect.stringContaining(part)
const usage = (prompt: number, completion: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})
const OVERFLOW = 'exceed_context_size_error'
const LOADING = { status: 503, body: llamaError(503, 'Loading model', 'unavailable_error') }
const fa1 = (more = {}) => [wireCall('f', '{"a":1}', more)]
const [qa, qb] = [{ q: 'a' }, { q: 'b' }]
const [callA, callB] = ['{"q":"a"}', '{"q":"b"}']
const END_OF_CALLS = chunk({}, 'tool_calls')
const VLLM_TOOLS = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
const VLLM_SHOWS = {
  remedy: 'Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of this model.',
}

const leak = (from: string, leaked: string): WireRow =>
  row(`${from} leaves a call in the text: ${leaked.slice(0, 40)}`, 'model_error tool_markup_in_text', {
    ...says(leaked),
    shows: { toolCalls: [], text: leaked },
  })

export const REPORTED: readonly WireRow[] = [
  row('50 llama-server b8233 (llama.cpp#20198) sends arguments as an object', 'ok', {
    ...message({ content: '', tool_calls: [wireCall('f', { a: { b: [1] } }, { index: 0 })] }, 'tool_calls'),
    shows: called(['f', { a: { b: [1] } }]),
  }),
  row('51 llama-server (llama.cpp#22072) cannot parse the arguments: 500', 'model_error malformed_by_server', {
    ...refusing(500, 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]'),
    shows: { remedy: text('Update the server') },
  }),
  row('52 llama-server (llama.cpp#25510) is wedged by invalid arguments in the history: {} is sent', 'ok', {
    ...says('on we go'),
    ...afterCall('{'),
    sent: { messages: [{}, { tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }, {}] },
  }),
  ...[400, 500, 200].map(status =>
    row(`53 llama-server (llama.cpp#15780) reports an overflow by its type, under ${status}`, 'context_overflow', {
      ...refusing(status, 'try increasing it', OVERFLOW, { n_ctx: 25_088 }),
      shows: { contextTokens: 25_088 },
    }),
  ),
  row('53 llama-server behind a proxy reports an overflow inside of a stream that had begun', 'context_overflow', {
    stream: { chunks: [chunk({ content: 'h' }), llamaError(400, 'x', OVERFLOW, { n_ctx: 512 })] },
    shows: { contextTokens: 512 },
  }),
  row('54 ik_llama.cpp (#2420) reports an overflow as a bare server error', 'context_overflow', {
    ...refusing(500, 'the request exceeds the available context size. try increasing it'),
  }),
  row('55 llama-server (llama.cpp#9056) answers 503 while it loads although it lists its models', 'ok', {
    ...both([LOADING, { text: 'hi' }]),
    shows: { stats: { attempts: 2 } },
    requests: 2,
  }),
  ...['tools param requires --jinja flag', 'Unsupported param: tools'].map(said =>
    row(`56 llama-server without --jinja (llama.cpp#10920) refuses tools: ${said}`, 'config tools_unsupported', {
      ...refusing(500, said),
      shows: { remedy: 'Start llama-server with --jinja.' },
    }),
  ),
  ...[
    'Jinja Exception: System message must be at the beginning.',
    'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...',
    'Only user, system and assistant roles are supported!',
  ].map(said =>
    row(`57 llama-server with a strict template (llama.cpp#20733, #11402): ${said}`, 'config template_error', {
      ...refusing(500, said),
    }),
  ),
  row('58 llama-server --parallel (unsloth#6164): the window of a slot is what counts', 'context_overflow', {
    ...says('hi', { finishReason: 'length', ...usage(24_000, 576) }),
    plan: { server: { ...planFixture().server, contextTokens: 24_576, slots: 4 } },
    shows: { contextTokens: 24_576 },
  }),
  row('59 llama-server (llama.cpp#7052) answers differently with its prompt cache: the switch is sent', 'ok', {
    ...says('hi'),
    ...withBody({ cache_prompt: false }, 0),
    sent: { cache_prompt: false, temperature: 0, seed: 7 },
  }),
  row('60 Ollama ≤ 0.5 (ollama#7881) streams calls without an index', 'ok', {
    ...streamOf(
      chunk({ tool_calls: [wireCall('f', callA, { id: 'c1' }), wireCall('f', callB, { id: 'c2' })] }),
      END_OF_CALLS,
    ),
    shows: called(['f', qa], ['f', qb]),
  }),
  row('61 Ollama behind LiteLLM (smolagents#1958) gives every call the index 0', 'ok', {
    ...streamOf(
      chunk({ tool_calls: [wireCall('f', callA, { index: 0, id: 'c1' })] }),
      chunk({ tool_calls: [wireCall('f', callB, { index: 0, id: 'c2' })] }),
      END_OF_CALLS,
    ),
    shows: called(['f', qa], ['f', qb]),
  }),
  row('62 LocalAI (#9722) repeats a call at several indexes', 'ok', {
    ...message({ tool_calls: [0, 1, 2].map(index => wireCall('f', callA, { index, id: 'c1' })) }, 'tool_calls'),
    shows: { toolCalls: [{ id: 'c1', name: 'f' }] },
  }),
  row('63 Ollama before 0.12.10 (haystack#3321) gives calls no id and their arguments as an object', 'ok', {
    ...message(
      { content: '', tool_calls: [qa, qb].map(args => ({ function: { name: 'f', arguments: args } })) },
      'tool_calls',
    ),
    shows: { toolCalls: called(['f', qa], ['f', qb]).toolCalls.map((one, at) => ({ id: `call_${at + 1}`, ...one })) },
  }),
  row('64 Ollama (litellm#35663) ends with "stop" and an empty message after its calls', 'ok', {
    ...streamOf(chunk({ tool_calls: fa1({ index: 0 }) }), chunk({ role: 'assistant', content: '' }, 'stop')),
    whole: body({ content: '', tool_calls: fa1() }, 'stop'),
    shows: { finishReason: 'stop', ...called(['f', { a: 1 }]) },
  }),
  row('65 Ollama /v1 says `reasoning`, sends calls in one delta, and usage in a chunk without choices', 'ok', {
    ...streamOf(
      chunk({ role: 'assistant', content: '', reasoning: 'hm' }),
      chunk({ content: '', tool_calls: fa1({ index: 0 }) }),
      END_OF_CALLS,
      { choices: [], ...usage(3, 2) },
    ),
    whole: body({ content: '', reasoning: 'hm', tool_calls: fa1() }, 'tool_calls', usage(3, 2)),
    shows: {
      reasoning: { field: 'reasoning', text: 'hm' },
      stats: { promptTokens: 3 },
      ...called(['f', { a: 1 }]),
    },
    absent: ['tool_choice', 'parallel_tool_calls', 'num_ctx', 'top_k', 'min_p'],
  }),
  row('66 Ollama sends empty arguments where it has none', 'ok', {
    ...message({ tool_calls: [wireCall('f', '', { index: 0 })] }, 'tool_calls'),
    shows: called(['f', {}]),
  }),
  row('67 Ollama (ollama#3839) drops the front of a prompt in silence: its count is kept for the doctor', 'ok', {
    ...says('hi', usage(2_051, 1)),
    request: { messages: [{ role: 'user', content: 'word '.repeat(15_000) }] },
    shows: { stats: { promptTokens: 2_051 } },
  }),
  row('68 Ollama with a Qwen renderer (ollama#18107) has dropped the question itself', 'context_overflow', {
    ...failing(500, {
      error: { message: 'no user query found in messages', type: 'api_error', param: null, code: null },
    }),
  }),
  row('69 vLLM without flags (vllm#9986) refuses tools in a flat envelope', 'config tools_unsupported', {
    ...failing(400, { object: 'error', message: VLLM_TOOLS, type: 'BadRequestError', param: null, code: 400 }),
    shows: VLLM_SHOWS,
  }),
  row('69 vLLM, newer (QwenPaw#1449), refuses tools in a nested envelope', 'config tools_unsupported', {
    ...failing(400, { error: { message: VLLM_TOOLS, type: 'BadRequestError', param: null, code: '400' } }),
    shows: VLLM_SHOWS,
  }),
  row('69 vLLM counts the output limit into the window of a first request', 'config output_limit_too_large', {
    ...failing(400, {
      object: 'error',
      message:
        "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192 tokens and your request has 50 input tokens",
      type: 'BadRequestError',
      code: 400,
    }),
    shows: { remedy: text('BENCH_MAX_TOKENS') },
  }),
  leak('70 vLLM, hermes parser (vllm#31871)', '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'),
  row('71 vLLM with a required call (vllm#20662) ends calls with "stop" and reasoning of null', 'ok', {
    ...message({ content: '', reasoning_content: null, tool_calls: fa1({ index: 0 }) }, 'stop'),
    shows: { reasoning: null, finishReason: 'stop', ...called(['f', { a: 1 }]) },
  }),
  ...(['reasoning', 'reasoning_content'] as const).map(field =>
    row(`72 vLLM (vllm#27755) has its reasoning in ${field}, and reads it only there`, 'ok', {
      ...message({ content: 'hi', [field]: 'hm' }),
      ...afterCall({ a: 1 }, { field, text: 'before' }),
      shows: { reasoning: { field, text: 'hm' } },
      ...sentAfterCall('{"a":1}', { [field]: 'before' }),
      absent: [field === 'reasoning' ? 'reasoning_content' : 'reasoning'],
    }),
  ),
  row('73 LM Studio 0.3.23 (#942) leaves a call out that it could not parse', 'model_error empty_reply', {
    ...message({ content: '', tool_calls: [] }),
  }),
  leak('74 LM Studio 0.4 (#1358)', '<|tool_call_start|>[f(a=1)]<|tool_call_end|>'),
  row('74 LM Studio 0.4 (#1592) looks for calls inside of reasoning', 'model_error empty_reply', {
    ...message({ content: '', reasoning_content: 'I call <tool_call>{"name": "f", "arguments": {}}</tool_call>' }),
    shows: { toolCalls: [] },
  }),
  leak('75 LM Studio 0.4.18 (#2115)', '<tool_call><function=read><parameter=path>a</parameter></function></tool_call>'),
  row('76 LM Studio (#237) reports an overflow in its own words', 'context_overflow', {
    ...failing(400, {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length',
    }),
  }),
  row('76 LM Studio 0.4.21 (#2256) reports an overflow under status 200', 'context_overflow', {
    ...failing(200, { error: { message: 'Context length exceeded', type: 'invalid_request_error' } }),
  }),
  row('76 LM Studio 0.3 (#546) ends a stream without having said anything', 'infra empty_stream', {
    ...streamOf(),
    whole: body({}, null),
  }),
  row('77 LM Studio, llama-server (#1990): the whole limit is reasoning', 'model_error reasoning_exhausted', {
    ...says('', { reasoning: 'hm, hm, hm', finishReason: 'length' }),
    shows: { remedy: text('BENCH_MAX_TOKENS') },
  }),
  ...['', null].map(content =>
    row(`78 any server (localforge#32) has content of ${JSON.stringify(content)} beside calls`, 'ok', {
      ...message({ content, tool_calls: fa1({ index: 0 }) }, 'tool_calls'),
      shows: { text: '', ...called(['f', { a: 1 }]) },
    }),
  ),
  row('79 any server (litellm#27971) sends chunks with empty or missing choices in between', 'ok', {
    ...streamOf(
      { choices: [] },
      chunk({ content: 'h' }),
      { id: 'x' },
      chunk({ content: 'i' }),
      { choices: null },
      chunk({}, 'stop'),
    ),
    shows: { text: 'hi' },
  }),
  row('79 servers with a filter (Azure OpenAI, gateways) withhold a reply', 'infra content_filtered', {
    ...says('', { finishReason: 'content_filter' }),
    shows: { remedy: text('filter') },
  }),
  row('80 Ollama Cloud (openclaw#97834) refuses objects as arguments in the history: text is sent', 'ok', {
    ...says('hi'),
    ...afterCall({ a: { b: 1 } }),
    ...sentAfterCall('{"a":{"b":1}}'),
  }),
  leak('81 LM Studio with devstral (free-claude-code#979)', 'Read[ARGS]{"file_path": "main.py"}'),
  row('82 any slow server (ollama-js#72): only the deadlines of the plan end the wait for headers', 'ok', {
    ...both({ text: 'late', delayMs: 700 }),
    plan: { idleTimeoutMs: 1_500 },
    shows: { text: 'late', stats: { attempts: 1 } },
  }),
  row('83 any server without include_usage does not count: nothing is estimated', 'ok', {
    ...message({ content: 'some words' }),
    shows: {
      stats: { promptTokens: null, completionTokens: null, cachedTokens: null, decodeTokensPerSecond: null },
    },
  }),
  row('83 a server that is asked for whole replies counts without being asked to', 'ok', {
    whole: { text: 'hi', ...usage(3, 1) },
    shows: { stats: { promptTokens: 3, completionTokens: 1 } },
    absent: ['stream_options'],
  }),
]
