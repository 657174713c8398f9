/** Servers with one defect each, and the probe that must find it. */
import type { ProbeName, Verdict } from '../src/doctor/index.ts'
import {
  counting,
  type Defect,
  type doctorScript,
  messagesOf,
  promptTokensOf,
  propsRoutes,
  questionOf,
  WINDOW,
} from './doctor-server.ts'
import type { ScriptedServerOptions } from './scripted-server.ts'

export interface DoctorCase {
  readonly defect: string
  readonly probe: ProbeName
  readonly verdict: Verdict
  readonly change?: Defect
  readonly script?: Parameters<typeof doctorScript>[1]
  readonly server?: ScriptedServerOptions
  readonly args?: readonly string[]
  /** Other probes that notice the same defect. */
  readonly also?: readonly string[]
  readonly says: RegExp
}

export const error = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'server_error' } },
})
const isAbout = (body: Parameters<Defect>[1], words: string): boolean => questionOf(body).includes(words)
let isGivenUp = false

const shows = <const P extends ProbeName, const V extends Verdict>(defect: string, probe: P, verdict: V) => ({
  defect,
  probe,
  verdict,
})

export const CASES: readonly DoctorCase[] = [
  {
    ...shows('answers 500 to everything', 'readiness', 'broken'),
    change: () => error(500, 'boom'),
    says: /boom/,
  },
  {
    ...shows('serves another model', 'model', 'degraded'),
    server: { model: 'llama-70b', models: [{ id: 'qwen-4b' }] },
    says: /BENCH_MODEL=llama-70b/,
  },
  {
    ...shows('reports no usage', 'usage', 'degraded'),
    change: ({ timings: _, ...reply }) => ({ ...reply, usage: null }),
    says: /token counts/,
  },
  {
    ...shows('counts only new tokens of a prompt', 'usage', 'degraded'),
    change: reply => counting(reply, 30),
    also: ['tool_result broken'],
    says: /prompt_tokens/,
  },
  {
    ...shows('cuts prompts to 4,096 tokens in silence', 'window', 'broken'),
    change: (reply, body) => counting(reply, Math.min(4_096, promptTokensOf(body))),
    says: /cut to 4,096.*num_ctx/,
  },
  {
    ...shows('has a tiny window', 'window', 'broken'),
    script: { windowTokens: 1_024 },
    server: { routes: propsRoutes(1_024) },
    says: /1,024 tokens/,
  },
  {
    ...shows('has a small window', 'window', 'degraded'),
    script: { windowTokens: 4_096 },
    server: { routes: propsRoutes(4_096) },
    says: /4,096 tokens.*overflow/,
  },
  {
    ...shows('answers prompts that are too long', 'overflow', 'degraded'),
    script: { cutsSilently: true },
    change: (reply, body) => counting(reply, Math.min(WINDOW, promptTokensOf(body))),
    says: /in silence/,
  },
  {
    ...shows('writes calls as text', 'tool_call', 'broken'),
    change: ({ calls, ...reply }) =>
      calls === undefined ? reply : { ...reply, text: '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>' },
    also: ['several_calls broken', 'nested_arguments broken', 'long_arguments broken', 'tool_choice degraded'],
    says: /--jinja/,
  },
  {
    ...shows('leaves the tools out of the prompt', 'tool_call', 'broken'),
    change: ({ calls, ...reply }, body) =>
      counting(
        calls === undefined ? reply : { ...reply, text: 'I will read it.' },
        promptTokensOf(body, { withTools: false }),
      ),
    also: ['tool_choice degraded'],
    says: /do not reach the model/,
  },
  {
    ...shows('cannot use tools', 'tool_call', 'broken'),
    change: (reply, body) => (body.tools === undefined ? reply : error(500, 'tools param requires --jinja flag')),
    also: [
      'several_calls broken',
      'nested_arguments broken',
      'long_arguments broken',
      'replay broken',
      'tool_result broken',
      'tool_choice degraded',
    ],
    says: /--jinja/,
  },
  {
    ...shows('mixes the pieces of several calls', 'several_calls', 'broken'),
    change: ({ calls, ...reply }) =>
      calls === undefined || calls.length < 2
        ? { ...reply, ...(calls === undefined ? {} : { calls }) }
        : { ...reply, calls: [{ name: 'read_file', args: '{"path":"alpha.txt"}{"path":"beta.txt"}' }] },
    says: /run together/,
  },
  {
    ...shows('reads UTF-8 as Latin-1', 'nested_arguments', 'broken'),
    change: ({ calls, ...reply }) => ({
      ...reply,
      ...(calls === undefined
        ? {}
        : {
            calls: calls.map(call => ({
              ...call,
              args: typeof call.args === 'string' ? Buffer.from(call.args, 'utf8').toString('latin1') : call.args,
            })),
          }),
    }),
    says: /Zo/,
  },
  {
    ...shows('cuts long arguments', 'long_arguments', 'broken'),
    change: ({ calls, ...reply }) => ({
      ...reply,
      ...(calls === undefined
        ? {}
        : { calls: calls.map(call => ({ ...call, args: JSON.stringify(call.args).slice(0, 256) })) }),
      ...(calls?.[0]?.name === 'write_file' ? {} : { ...(calls === undefined ? {} : { calls }) }),
    }),
    says: /after 256 characters/,
  },
  {
    ...shows('refuses reasoning in the history', 'replay', 'broken'),
    change: (reply, body) =>
      messagesOf(body, 'assistant').some(message => 'reasoning_content' in message)
        ? error(400, 'unexpected field reasoning_content')
        : reply,
    says: /reasoning/,
  },
  {
    ...shows('refuses results of calls', 'replay', 'broken'),
    change: (reply, body) =>
      messagesOf(body, 'tool').length > 0 ? error(500, 'Jinja Exception: conversation roles must alternate') : reply,
    also: ['tool_call broken', 'tool_result broken'],
    says: /template/,
  },
  {
    ...shows('drops results of calls', 'tool_result', 'broken'),
    change: (reply, body) => counting(reply, promptTokensOf(body, { withResults: false })),
    says: /do not reach the model/,
  },
  {
    ...shows('ignores tool_choice', 'tool_choice', 'degraded'),
    change: (reply, body) =>
      body.tool_choice === 'none' ? { calls: [{ name: 'read_file', args: { path: 'a' } }] } : reply,
    says: /"none"/,
  },
  {
    ...shows('leaves reasoning in the text', 'reasoning', 'degraded'),
    change: reply =>
      reply.text === undefined || reply.finishReason === 'length'
        ? reply
        : { ...reply, text: `<think>hm</think>${reply.text}` },
    says: /--reasoning-format/,
  },
  {
    ...shows('ends streams without an end', 'stop_reason', 'broken'),
    change: (reply, body) =>
      isAbout(body, 'word yes') ? { chunks: [{ choices: [{ index: 0, delta: { content: 'yes' } }] }] } : reply,
    says: /proxy/,
  },
  {
    ...shows('says "stop" where the limit cut', 'length_stop', 'degraded'),
    change: reply => ({ ...reply, ...(reply.finishReason === 'length' ? { finishReason: 'stop' } : {}) }),
    says: /finish_reason "stop"/,
  },
  {
    ...shows('does not keep the output limit', 'length_stop', 'degraded'),
    change: (reply, body) =>
      body.max_tokens === 2
        ? { text: 'one two three four five six', usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 } }
        : reply,
    says: /not kept/,
  },
  {
    ...shows('goes on with requests that were given up', 'abort', 'degraded'),
    change: (reply, body) => {
      if (isAbout(body, 'Count from 1 to 1000')) isGivenUp = true
      else if (isGivenUp) {
        isGivenUp = false
        return { ...reply, delayMs: 2_500 }
      }
      return reply
    },
    says: /given up/,
  },
  {
    ...shows('answers differently each time', 'determinism', 'degraded'),
    change: (reply, _body, index) =>
      isAbout(_body, 'about the sea') ? { ...reply, text: `Sea number ${index}.` } : reply,
    says: /3 different answers/,
  },
  {
    ...shows('has one slot for two workers', 'slots', 'degraded'),
    server: { routes: propsRoutes(WINDOW, 1) },
    args: ['--workers', '2'],
    says: /--parallel 2/,
  },
  {
    ...shows('is slow', 'speed', 'degraded'),
    change: reply => ({ ...reply, timings: { predicted_per_second: 3, prompt_per_second: 40 } }),
    says: /34 minutes.*BENCH_TRIAL_TIMEOUT/,
  },
]
