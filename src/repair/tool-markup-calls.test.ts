import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../model/chat-model.ts'
import { readPythonCalls } from './python-call.ts'
import { readToolMarkup } from './tool-markup-calls.ts'

const text = { type: 'string' }
const TOOLS: readonly ToolDefinition[] = [
  { name: 'execute_command', description: '', parameters: { properties: { command: text } } },
  {
    name: 'read_file',
    description: '',
    parameters: { properties: { path: text, offset: { type: 'integer' }, limit: { type: 'integer' } } },
  },
  { name: 'write_file', description: '', parameters: { properties: { path: text, content: text } } },
]

const read = (name: string, args: Readonly<Record<string, unknown>>) => ({ name, args, repairs: [] })
const readA = read('read_file', { path: 'a.txt' })

/** Ways to write the call of read_file with `a.txt`, once or as often as the number says. */
const READ_A: Readonly<Record<string, readonly (string | readonly [markup: string, times: number])[]>> = {
  hermes: [
    '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>',
    '<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}',
  ],
  'qwen-coder': ['<function=read_file>{"path":"a.txt"}</function>'],
  mistral: [
    '[TOOL_CALLS][{"name":"read_file","arguments":{"path":"a.txt"}}]',
    '[TOOL_CALLS]read_file{"path":"a.txt"}',
    ['[TOOL_CALLS]read_file[ARGS]{"path":"a.txt"}[TOOL_CALLS]read_file[CALL_ID]a1[ARGS]{"path":"a.txt"}', 2],
    'read_file[ARGS]{"path":"a.txt"}',
  ],
  lfm2: [['<|tool_call_start|>[read_file(path="a.txt"), read_file(path=\'a.txt\')]<|tool_call_end|>', 2]],
  python_tag: [
    '<|python_tag|>{"name":"read_file","parameters":{"path":"a.txt"}}<|eom_id|>',
    '<|python_tag|>read_file.call(path="a.txt")',
  ],
  deepseek: [
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a.txt"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a.txt"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  kimi: [
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path":"a.txt"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  phi: ['<|tool_call|>[{"name":"read_file","arguments":{"path":"a.txt"}}]<|/tool_call|>'],
  'gpt-oss': [
    '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a.txt"}<|call|>',
    '<|start|>assistant<|channel|>analysis to=functions.read_file code<|message|>{"path":"a.txt"}',
  ],
  gemma: [
    '```tool_code\nprint(default_api.read_file(path="a.txt"))\n```',
    '<start_function_call>call:read_file{path:<escape>a.txt<escape>}<end_function_call>',
  ],
  functools: ['functools[{"name": "read_file", "arguments": {"path": "a.txt"}}]'],
  '<function_call>': ['<function_call>{"name":"read_file","arguments":{"path":"a.txt"}}</function_call>'],
  'bare JSON': [
    '{"name": "read_file", "parameters": {"path": "a.txt"}}',
    '```json\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n```',
    '[{"type":"function","function":{"name":"read_file","arguments":{"path":"a.txt"}}}]',
  ],
}

/** The same with a limit of 3, which the schema of the tool says is a number. */
const READ_3 = {
  hermes:
    '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n<arg_key>limit</arg_key><arg_value>3</arg_value></tool_call>',
  'qwen-coder': '<function=read_file><parameter=path>a.txt</parameter><parameter=limit>3</parameter></function>',
  anthropic:
    '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.txt</parameter>\n<parameter name="limit">3</parameter>\n</invoke>\n</function_calls>',
  gemma: '```tool_code\nread_file("a.txt", limit=3)\n```',
  DSML: '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a.txt</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
}

const NOT_UNDERSTOOD = {
  'an answer': 'The file is fixed.',
  'a call that is only quoted':
    'Models write this:\n```\n<tool_call>{"name": "f", "arguments": {}}</tool_call>\n```\nThat is all.',
  'an element with nothing in it': '<tool_call>\n</tool_call>',
  'a call that was cut': 'Let me look.\n<tool_call>\n{"name": "read_f',
  'a call without a name': '<tool_call>{"arguments": {"path": "a"}}</tool_call>',
  'two calls, one of which cannot be read':
    '<tool_call>{"name":"a","arguments":{}}</tool_call><tool_call>{"name":"b", 1 2</tool_call>',
  'more positional arguments than there are': '```tool_code\nread_file("a", 1, 2, 3)\n```',
  'code that is not a call': '<|python_tag|>import os\nprint(os.listdir())',
  'a value that would have to be computed': '<|tool_call_start|>[read_file(path=name + ".txt")]<|tool_call_end|>',
  'a parameter that was cut': '<function=write_file><parameter=path>a</parameter><parameter=content>cut off',
  'a call that was cut behind a parameter': '<function=write_file><parameter=path>a</parameter>',
  'a parameter that was cut, in its element':
    '<tool_call><function=write_file><parameter=path>a</parameter><parameter=content>cut off</function></tool_call>',
  'a value that was cut':
    '<tool_call>write_file<arg_key>path</arg_key><arg_value>a</arg_value><arg_key>content</arg_key><arg_value>cut',
  'a call that was cut behind a value': '<tool_call>write_file<arg_key>path</arg_key><arg_value>a</arg_value>',
  'a key that was cut': '<tool_call>write_file<arg_key>path</arg_key><arg_value>a</arg_value><arg_key>con</tool_call>',
  'a parameter of an invocation that was cut':
    '<invoke name="write_file"><parameter name="path">a</parameter><parameter name="content">cut',
  'an invocation that was cut': '<invoke name="write_file"><parameter name="path">a</parameter>',
  'JSON that was cut between two members': '<tool_call>{"name":"write_file","arguments":{"path":"a"',
  'JSON that was cut, in a grammar without an end': '[TOOL_CALLS]write_file[ARGS]{"path":"a"',
  'arguments that were cut before they began':
    '<|tool_calls_section_begin|><|tool_call_begin|>read_file:0<|tool_call_argument_begin|>',
  'a value that holds its own end':
    '<function=write_file><parameter=path>a</parameter><parameter=content>x</parameter>y</parameter></function>',
  "a value that holds the call's end":
    '<function=write_file><parameter=content>x</parameter></function>y</parameter></function>',
  'a value of an element that holds its own end':
    '<tool_call>write_file<arg_key>content</arg_key><arg_value>x</arg_value>y</arg_value></tool_call>',
  'a value that holds the beginning of another':
    '<function=write_file><parameter=content>x<parameter=path>a</parameter></function>',
  'a value of an invocation that holds its own end':
    '<invoke name="write_file"><parameter name="content">x</parameter>y</parameter></invoke>',
  'a parameter that comes twice':
    '<function=read_file><parameter=path>a</parameter><parameter=path>b</parameter></function>',
  'a key that comes twice':
    '<tool_call>read_file<arg_key>path</arg_key><arg_value>a</arg_value><arg_key>path</arg_key><arg_value>b</arg_value></tool_call>',
  'a parameter of an invocation that comes twice':
    '<invoke name="read_file"><parameter name="path">a</parameter><parameter name="path">b</parameter></invoke>',
  'an argument that comes twice': '<|python_tag|>read_file(path="a", path="b")',
  'an argument that comes twice, once by its place': '<|python_tag|>read_file("a", path="b")',
  'a call with code behind it': '<|python_tag|>read_file("a").upper()',
  'arguments under two names': '<tool_call>{"name":"f","arguments":{"a":1},"parameters":{"a":2}}</tool_call>',
  'a call that was only thought of': '<think>I could <tool_call>{"name":"f","arguments":{}}</tool_call></think>\nDone.',
  'a call that was only thought of, and nothing said':
    '<think><tool_call>{"name":"f","arguments":{}}</tool_call></think>',
  'a thought without an end': '<think>Now <tool_call>{"name":"f","arguments":{}}</tool_call>',
  'a call that was only thought of, where the template had begun the thought':
    'Perhaps <tool_call>{"name":"f","arguments":{}}</tool_call>\n</think>\n\nDone.',
  'more calls than a turn has': '<tool_call>{"name":"a","arguments":{}}</tool_call>'.repeat(65),
}

const UNDERSTOOD = [
  ...Object.entries(READ_A).flatMap(([grammar, ways]) =>
    ways.map(way => {
      const [markup, times] = typeof way === 'string' ? [way, 1] : way
      return [grammar, markup, Array.from({ length: times }, () => readA)] as const
    }),
  ),
  ...Object.entries(READ_3).map(
    ([grammar, markup]) => [grammar, markup, [read('read_file', { path: 'a.txt', limit: 3 })]] as const,
  ),
  [
    'hermes',
    '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>\n<tool_call>{"name":"execute_command","arguments":{"command":"ls"}}</tool_call>',
    [readA, read('execute_command', { command: 'ls' })],
  ],
  [
    'hermes',
    '<tool_call>\n<function=write_file>\n<parameter=content>\n1\n\n2\n</parameter>\n</function>\n</tool_call>',
    [read('write_file', { content: '1\n\n2' })],
  ],
  [
    'gemma',
    '<|tool_call>call:read_file{path:<|"|>a, {b:1}.txt<|"|>,limit:3}<tool_call|>',
    [read('read_file', { path: 'a, {b:1}.txt', limit: 3 })],
  ],
] as const

describe('calls written as text', () => {
  it.each(UNDERSTOOD)('%s: %s', (grammar, markup, calls) => {
    expect(readToolMarkup(markup, TOOLS)).toEqual({ grammar: expect.stringContaining(grammar), calls, before: '' })
    // Said before a call in a grammar of its own, text is kept; bare JSON with text beside it is not a call.
    if (grammar === 'bare JSON') return
    expect(readToolMarkup(`Let me look.\n${markup}`, TOOLS)).toMatchObject({ calls, before: 'Let me look.' })
  })

  it.each(Object.entries(NOT_UNDERSTOOD))('not understood: %s', (_, markup) => {
    expect(readToolMarkup(markup, TOOLS)).toBeNull()
  })

  const CALL_A = '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>'
  it.each([
    '<think>I could <tool_call>{"name":"f","arguments":{}}</tool_call></think>\n',
    'Perhaps <tool_call>{"name":"f","arguments":{}}</tool_call>\n</think>\n',
    'Well.\n<think>Or `this` <function=f></function></think>\n',
    'As `<tool_call>{"name":"x","arguments":{}}` says:\n',
  ])('reads the call that was made beside a thought or a quotation: %j', said => {
    expect(readToolMarkup(said + CALL_A, TOOLS)?.calls).toEqual([readA])
  })

  it.each(['<think>\n</think>\n', 'echo `date` "</p>" ```x```'])('keeps in arguments: %j', content => {
    const markup = `<tool_call>${JSON.stringify({ name: 'write_file', arguments: { content } })}</tool_call>`
    expect(readToolMarkup(markup, TOOLS)?.calls).toEqual([read('write_file', { content })])
  })

  it('says what of the JSON it repaired besides', () => {
    const markup = "<tool_call>{'name': 'read_file', 'arguments': {'path': 'a.txt',}}</tool_call>"
    expect(readToolMarkup(markup, TOOLS)?.calls).toEqual([{ ...readA, repairs: ['single quotes', 'trailing comma'] }])
  })
})

describe('calls in the syntax of Python', () => {
  it.each([
    ['f()', [], {}],
    ['f(1, -2.5, True, None)', [1, -2.5, true, null], {}],
    [
      `f(a='it\\'s', b="x\\n", c=r"\\d", d="""two\nlines""", e="one" "two")`,
      [],
      { a: "it's", b: 'x\n', c: '\\d', d: 'two\nlines', e: 'onetwo' },
    ],
    ['f(a=[1, "b", []], c={"d": {"e": False}},)', [], { a: [1, 'b', []], c: { d: { e: false } } }],
  ])('%s', (source, positional, named) => {
    const [call, ...more] = readPythonCalls(source) ?? []
    expect(more).toEqual([])
    expect([call?.name, call?.positional, Object.fromEntries(call?.named ?? [])]).toEqual(['f', positional, named])
  })

  const NOT_CALLS = ['', 'f', 'f(', 'f(a=)', 'f("a)', 'f(x)', 'f(a b)', '[f()', 'f({1: 2})', 'f() + 1', 'f(a=1, a=2)']
  it.each([...NOT_CALLS, 'f({"a": 1, "a": 2})', 'f("\\x41")', `f(${'['.repeat(100)})`])('not: %s', source => {
    expect(readPythonCalls(source)).toBeNull()
  })
})
