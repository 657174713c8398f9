/** A faultless server with a small or odd model: no probe holds against the server what the model happened to say. */
import { expect, test } from 'vitest'
import { type Examination, examine, quickExamination, statusOf, verdictLine } from '../src/doctor/index.ts'
import {
  type Defect,
  leaking,
  planFor,
  questionOf,
  saying,
  startDoctorServer,
  whereItCalls,
  withArgs,
} from './doctor-server.ts'

const { signal } = new AbortController()

/** Examines a server whose model answers so; `bare` is one that says nothing of itself but the list of its models. */
async function examined(
  change: Defect,
  options: { readonly bare?: boolean; readonly workers?: number; readonly quick?: boolean } = {},
): Promise<Examination> {
  await using server = await startDoctorServer(change, options.bare === true ? { routes: {} } : {})
  const plan = await planFor(server.baseUrl)
  return options.quick === true
    ? await quickExamination(plan, signal)
    : await examine(plan, { signal, workers: options.workers ?? 1 })
}

const warningsOf = ({ findings }: Examination) =>
  findings.filter(({ verdict }) => verdict === 'degraded' || verdict === 'broken')

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
    return {
      text: 'Hi!'.slice(0, written + 1),
      finishReason: limit < tokens ? 'length' : 'stop',
      usage: { ...reply.usage, completion_tokens: written },
      timings: { predicted_per_second: 5.4, prompt_per_second: 900 },
    }
  }

test.each<[string, number, Parameters<typeof examined>[1], Readonly<Record<string, RegExp>>]>([
  [
    'two tokens: slow only if slow where its end is forbidden',
    2,
    {},
    {
      length_stop: /^ok: the output limit cuts, and the cut is reported$/,
      speed: /^ok: .*writes 80 tokens/,
      abort: /^ok: /,
    },
  ],
  [
    'two tokens, where a server cannot forbid the end: neither speed, nor abort, nor slots show',
    2,
    { bare: true, workers: 2 },
    {
      length_stop: /^ok: /,
      speed: /^unclear: .*16 tokens are needed, 2 came/,
      abort: /^unclear: /,
      slots: /^unclear: .*too short/,
    },
  ],
  ['one token: nothing of the limit shows', 1, {}, { length_stop: /^unclear: .*as short as the limit/ }],
])('a model whose whole answer is %s', async (_title, tokens, options, expected) => {
  const examination = await examined(answersIn(tokens), options)
  expect(warningsOf(examination)).toEqual([])
  for (const [probe, found] of Object.entries(expected)) expect(findingOf(examination, probe)).toMatch(found)
})

/** Other text in answers to questions with these words. */
const answering =
  (words: string, text: string): Defect =>
  (reply, body) =>
    questionOf(body).includes(words) ? { ...reply, text } : reply

const OWN: Readonly<Record<string, readonly [Defect, probe: string, found: RegExp]>> = {
  'cannot repeat a code word': [
    answering('code word', 'No idea.'),
    'window',
    /^ok: .* arrived whole, .* \(the model did not repeat its first line when asked: that is about the model\)$/,
  ],
  'says the same call twice': [
    withArgs('read_file', { path: 'alpha.txt' }),
    'several_calls',
    /^unclear: the same call/,
  ],
  'writes an object as text': [
    withArgs('save_person', { person: '{"name":"x"}', note: 'y' }),
    'nested_arguments',
    /^unclear: an object .* as text/,
  ],
  'writes arguments that are not JSON': [
    withArgs('read_file', '{"path": notes.txt}'),
    'tool_call',
    /^unclear: a call to read_file arrives as a call, but .* the model may have written so/,
  ],
  'writes nested arguments that are not JSON': [
    withArgs('save_person', '{"person": {"name": }'),
    'nested_arguments',
    /^unclear: .* not a JSON object/,
  ],
  'does not know how to escape': [
    withArgs('write_file', `{"path":"copy.txt","content":"line 1: the "quick" fox${'\\jumps '.repeat(20)}"}`),
    'long_arguments',
    /^unclear: .* the model may have written so/,
  ],
  'stops in a text of its own': [
    withArgs('write_file', `{"path":"copy.txt","content":"${'Once upon a time. '.repeat(10)}`),
    'long_arguments',
    /^unclear: /,
  ],
  'writes half of a character': [
    withArgs('save_person', { person: { name: 'Zo\uFFFD', tags: ['\uFFFD'] }, note: 'She' }),
    'nested_arguments',
    /^unclear: text beyond ASCII .* may be the model's own/,
  ],
  'closes a thought that nobody opened, once': [
    answering('17 times 23', 'So it is.</think> 391'),
    'reasoning',
    /^unclear: one reply/,
  ],
  'writes one kind of call as text': [
    whereItCalls((reply, body) => (reply.calls[0]?.name === 'write_file' ? leaking(reply, body) : reply)),
    'long_arguments',
    /^unclear: the model wrote this call as text .* although others/,
  ],
  'writes its first call as text': [
    (reply, body) =>
      body.tool_choice === undefined && questionOf(body).startsWith('Read the file notes.txt')
        ? leaking(reply, body)
        : reply,
    'tool_call',
    /^ok: a call to read_file arrives as a call \(another was written as text by the model\)/,
  ],
  'sees the tools and answers with text': [
    saying('I would read the file.'),
    'tool_call',
    /^unclear: the tools reach the model, which answers with text .* the model's failures/,
  ],
}

test.each(Object.entries(OWN))(
  'a model that %s is not held against the server',
  async (_title, [change, probe, found]) => {
    const examination = await examined(change)
    expect(findingOf(examination, probe)).toMatch(found)
    const others = warningsOf(examination).filter(finding => finding.probe !== 'tool_choice')
    expect(others).toEqual([])
    expect(statusOf(examination)).toBe(0)
  },
)

const streamed =
  (change: (...given: Parameters<Defect>) => ReturnType<typeof leaking>): Defect =>
  (reply, body, index) =>
    body.stream === true ? change(reply, body, index) : reply

const UNFIT: Readonly<Record<string, readonly [Defect, verdict: string, says: RegExp]>> = {
  'every call arrives as text': [leaking, 'broken', /as text/],
  'no call comes and nothing shows whether the tools arrive': [
    (reply, body) => ({ ...saying('I would read the file.')(reply, body), usage: null, timings: {} }),
    'degraded',
    /do not arrive: .* may be about the server/,
  ],
  'nothing of a call arrives at all': [saying(''), 'degraded', /do not arrive: .* may be about the server/],
  'a streamed call loses its arguments': [
    streamed(withArgs('read_file', {})),
    'broken',
    /do not arrive.*BENCH_STREAM=0/,
  ],
  'a streamed call comes under half of its name': [
    streamed(whereItCalls(reply => ({ ...reply, calls: reply.calls.map(call => ({ ...call, name: 'file' })) }))),
    'broken',
    /do not arrive.*BENCH_STREAM=0/,
  ],
  'a streamed call is left in the text': [streamed(leaking), 'broken', /do not arrive.*BENCH_STREAM=0/],
}

test.each(Object.entries(UNFIT))('where %s, it is not fit to be measured', async (_title, [change, verdict, says]) => {
  const examination = await examined(change, { quick: true })
  expect(findingOf(examination, 'tool_call')).toMatch(new RegExp(`^${verdict}: `))
  expect(verdictLine(examination)).toMatch(/not fit to be measured until it is fixed: /)
  const remedy = examination.findings.find(({ probe }) => probe === 'tool_call')?.remedy
  expect(`${verdictLine(examination)} ${remedy}`).toMatch(says)
  expect(statusOf(examination)).toBe(1)
})
