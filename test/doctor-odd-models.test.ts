/** A faultless server with a small or odd model: no probe holds against the server what the model happened to say. */
import { expect, test } from 'vitest'
import { type Examination, examine, quickExamination, statusOf, verdictLine } from '../src/doctor/index.ts'
import { planModel } from '../src/model/index.ts'
import { type Body, type Defect, doctorScript, propsRoutes, questionOf } from './doctor-server.ts'
import { type Completion, startScriptedServer } from './scripted-server.ts'

const never = new AbortController().signal

/** Examines a server whose model answers so; `bare` is one that says nothing of itself but the list of its models. */
async function examined(
  change: Defect,
  options: { readonly bare?: boolean; readonly workers?: number; readonly quick?: boolean } = {},
): Promise<Examination> {
  await using server = await startScriptedServer(
    doctorScript(change),
    options.bare === true ? {} : { routes: propsRoutes() },
  )
  const planned = await planModel({
    model: null,
    baseUrl: server.baseUrl,
    apiKey: null,
    sampling: { temperature: null, topP: null, maxTokens: 1_024, extraBody: null },
    idleTimeoutMs: 60_000,
  })
  if (planned === null) throw new Error('no plan')
  if (options.quick === true) return await quickExamination(planned.plan, never)
  return await examine(planned.plan, { signal: never, workers: options.workers ?? 1 })
}

const warningsOf = ({ findings }: Examination): readonly string[] =>
  findings
    .filter(({ verdict }) => verdict === 'degraded' || verdict === 'broken')
    .map(({ probe, verdict }) => `${probe} ${verdict}`)

/** `verdict: what was found`. */
function findingOf(examination: Examination, probe: string): string {
  const finding = examination.findings.find(candidate => candidate.probe === probe)
  return `${finding?.verdict}: ${finding?.found}`
}

/** Answers in so many tokens by itself, and goes on only where its end is forbidden. */
const answersIn =
  (tokens: number): Defect =>
  (reply, body) => {
    if (reply.calls !== undefined || body.ignore_eos === true) return reply
    const limit = typeof body.max_tokens === 'number' ? body.max_tokens : Number.POSITIVE_INFINITY
    const written = Math.min(tokens, limit)
    const { finishReason: _, ...whole } = reply
    return {
      ...whole,
      text: 'Hi!'.slice(0, written + 1),
      ...(limit < tokens ? { finishReason: 'length' } : {}),
      usage: { ...reply.usage, completion_tokens: written },
      timings: { predicted_per_second: 5.4, prompt_per_second: 900 },
    }
  }

test('a model whose whole answer is two tokens is slow only if it is slow where its end is forbidden', async () => {
  const examination = await examined(answersIn(2))
  expect(warningsOf(examination)).toEqual([])
  expect(findingOf(examination, 'length_stop')).toBe('ok: the output limit cuts, and the cut is reported')
  expect(findingOf(examination, 'speed')).toMatch(/^ok: .*writes 80 tokens/)
  expect(findingOf(examination, 'abort')).toMatch(/^ok: /)
})

test('where a server cannot forbid the end, two tokens tell neither speed, nor abort, nor slots', async () => {
  const examination = await examined(answersIn(2), { bare: true, workers: 2 })
  expect(warningsOf(examination)).toEqual([])
  expect(findingOf(examination, 'length_stop')).toMatch(/^ok: /)
  expect(findingOf(examination, 'speed')).toMatch(/^unclear: .*16 tokens are needed, 2 came/)
  expect(findingOf(examination, 'abort')).toMatch(/^unclear: /)
  expect(findingOf(examination, 'slots')).toMatch(/^unclear: .*too short/)
})

test('a model whose whole answer is one token shows nothing of the limit', async () => {
  const examination = await examined(answersIn(1))
  expect(warningsOf(examination)).toEqual([])
  expect(findingOf(examination, 'length_stop')).toMatch(/^unclear: .*as short as the limit/)
})

type Args = string | Record<string, unknown>
/** Other arguments in every call of this tool. */
const withArgs =
  (tool: string, args: Args): Defect =>
  reply => ({
    ...reply,
    ...(reply.calls === undefined
      ? {}
      : { calls: reply.calls.map(call => (call.name === tool ? { ...call, args } : call)) }),
  })

const leaked = ({ calls: _, ...reply }: Completion): Completion => ({
  ...reply,
  text: '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>',
})

test.each<[string, Defect, string, RegExp]>([
  [
    'cannot repeat a code word',
    (reply, body) => (questionOf(body).includes('code word') ? { ...reply, text: 'No idea.' } : reply),
    'window',
    /^ok: .* arrived whole, .* \(the model did not repeat its first line when asked: that is about the model\)$/,
  ],
  [
    'says the same call twice',
    reply => ({
      ...reply,
      ...(reply.calls === undefined || reply.calls.length < 2
        ? {}
        : { calls: reply.calls.map((call, index) => ({ ...call, args: { path: 'alpha.txt' }, id: `x${index}` })) }),
    }),
    'several_calls',
    /^unclear: the same call/,
  ],
  [
    'writes an object as text',
    withArgs('save_person', { person: '{"name":"x"}', note: 'y' }),
    'nested_arguments',
    /^unclear: an object .* as text/,
  ],
  [
    'writes arguments that are not JSON',
    withArgs('read_file', '{"path": notes.txt}'),
    'tool_call',
    /^unclear: a call to read_file arrives as a call, but .* the model may have written so/,
  ],
  [
    'writes nested arguments that are not JSON',
    withArgs('save_person', '{"person": {"name": }'),
    'nested_arguments',
    /^unclear: .* not a JSON object/,
  ],
  [
    'does not know how to escape',
    withArgs('write_file', `{"path":"copy.txt","content":"line 1: the "quick" fox${'\\jumps '.repeat(20)}"}`),
    'long_arguments',
    /^unclear: .* the model may have written so/,
  ],
  [
    'stops in a text of its own',
    withArgs('write_file', `{"path":"copy.txt","content":"${'Once upon a time. '.repeat(10)}`),
    'long_arguments',
    /^unclear: /,
  ],
  [
    'writes half of a character',
    withArgs('save_person', { person: { name: 'Zo\uFFFD', tags: ['\uFFFD'] }, note: 'She' }),
    'nested_arguments',
    /^unclear: text beyond ASCII .* may be the model's own/,
  ],
  [
    'closes a thought that nobody opened, once',
    (reply, body) => (questionOf(body).includes('word yes') ? reply : slipOnce(reply, body)),
    'reasoning',
    /^unclear: one reply/,
  ],
  [
    'writes one kind of call as text',
    reply => (reply.calls?.[0]?.name === 'write_file' ? leaked(reply) : reply),
    'long_arguments',
    /^unclear: the model wrote this call as text .* although others/,
  ],
  [
    'writes its first call as text',
    (reply, body) => (isFree(body) && questionOf(body).startsWith('Read the file notes.txt') ? leaked(reply) : reply),
    'tool_call',
    /^ok: a call to read_file arrives as a call \(another was written as text by the model\)/,
  ],
])('a model that %s is not held against the server', async (_title, change, probe, found) => {
  const examination = await examined(change)
  expect(findingOf(examination, probe)).toMatch(found)
  expect(warningsOf(examination)).toEqual([])
  expect(statusOf(examination)).toBe(0)
})

/** A request that leaves the choice to the model. */
const isFree = (body: Body): boolean => body.tool_choice === undefined && Array.isArray(body.tools)

function slipOnce(reply: Completion, body: Body): Completion {
  return questionOf(body).includes('17 times 23') ? { ...reply, text: 'So it is.</think> 391' } : reply
}

const answersWithText: Defect = ({ calls, ...reply }) =>
  calls === undefined ? reply : { ...reply, text: 'I would read the file.' }

test('a model that sees the tools and answers with text fails by itself', async () => {
  const examination = await examined(answersWithText, { quick: true })
  expect(findingOf(examination, 'tool_call')).toMatch(
    /^unclear: the tools reach the model, which answers with text .* the model's failures/,
  )
  expect(verdictLine(examination)).toContain('fit to be measured (')
})

test.each<[string, Defect, string, RegExp]>([
  ['every call arrives as text', reply => (reply.calls === undefined ? reply : leaked(reply)), 'broken', /as text/],
  [
    'no call comes and nothing shows whether the tools arrive',
    (reply, body, index) => ({ ...answersWithText(reply, body, index), usage: null, timings: {} }),
    'degraded',
    /do not arrive: .* may be about the server/,
  ],
  [
    'what the model wrote for a call does not arrive at all',
    ({ calls, ...reply }) => (calls === undefined ? reply : { ...reply, text: '' }),
    'degraded',
    /do not arrive: .* may be about the server/,
  ],
  [
    'a streamed call loses its arguments and a whole one does not',
    (reply, body) => (body.stream === true ? withArgs('read_file', {})(reply, body, 0) : reply),
    'broken',
    /do not arrive/,
  ],
  [
    'a streamed call comes under half of its name and a whole one does not',
    ({ calls, ...reply }, body) => ({
      ...reply,
      ...(calls === undefined
        ? {}
        : { calls: calls.map(call => ({ ...call, name: body.stream === true ? 'file' : call.name })) }),
    }),
    'broken',
    /do not arrive/,
  ],
  [
    'a streamed call is left in the text and a whole one is not',
    (reply, body) => (body.stream === true && reply.calls !== undefined ? leaked(reply) : reply),
    'broken',
    /do not arrive/,
  ],
])('where %s, the server is not fit to be measured until it is fixed', async (title, change, verdict, says) => {
  const examination = await examined(change, { quick: true })
  expect(findingOf(examination, 'tool_call')).toMatch(new RegExp(`^${verdict}: `))
  expect(verdictLine(examination)).toMatch(/not fit to be measured until it is fixed: /)
  expect(verdictLine(examination)).toMatch(says)
  expect(statusOf(examination)).toBe(1)
  const remedy = examination.findings.find(({ probe }) => probe === 'tool_call')?.remedy
  if (title.includes('streamed')) expect(remedy).toContain('BENCH_STREAM=0')
})
