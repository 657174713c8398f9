import { describe, expect, test } from 'vitest'
import { findToolMarkup } from './tool-markup.ts'

describe('tool-call markup in a text', () => {
  // Each grammar, read or not: src/repair/tool-markup-calls.test.ts. These are named although they cannot be read.
  test.each([
    ['hermes', 'Let me look.\n<tool_call>\n{"name": "read_f'],
    ['hermes', '<tool_call>\n</tool_call>'],
    ['deepseek', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file'],
    ['kimi', '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0'],
  ])('%s: %s', (grammar, text) => {
    expect(findToolMarkup(text)).toContain(grammar)
  })

  test.each([
    'The file is fixed.',
    'The parser looks for <tool_call> tags and [ARGS].',
    'I used the `<tool_call>` tag.',
    '{"name": "Ada", "age": 36}',
    '{"name": "job", "parameters": {"a": 1}, "schedule": "daily"}',
    'The result is {"name": "read_file", "parameters": {"path": "a"}} as asked.',
    '[]',
    'f(x) = [TOOL]',
    'Hermes models write this:\n```xml\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n```\nThe server parses it.',
    'A call looks like `[TOOL_CALLS]read_file{"path":"a"}` there.',
    'Example:\n~~~\n<function=f>\n~~~',
    '<think>I could <tool_call>{"name": "f"}</tool_call></think>\nThe file is fixed.',
    'I could <tool_call>{"name": "f"}</tool_call>\n</think>\nThe file is fixed.',
  ])('is not seen in an ordinary answer: %s', text => {
    expect(findToolMarkup(text)).toBeNull()
  })

  test.each([
    '```xml\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n```',
    'I call it.\n```tool_code\nprint(read_file("a"))\n```',
    'I call it.\n```\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    '<think><tool_call>{"name": "f"}</tool_call></think>',
    '<think>Now <tool_call>{"name": "f"}</tool_call>',
    '<think>Now.</think>\n{"name": "f", "arguments": {}}',
    '<tool_call>{"name": "f", "arguments": {"text": "<think>"}}</tool_call>',
    'As `f` says:\n<tool_call>{"name": "f"}</tool_call>',
  ])('is seen where nothing but a quotation, an open fence, or text beside one holds it: %j', text => {
    expect(findToolMarkup(text)).not.toBeNull()
  })

  // Backtracking over such texts would not end within the time any test has.
  test.each(['a', '```\n', '`', '~~~\nx', '<think>', 'a<think>', '</think>', '\n</think>', '<think></think>'])(
    'endless repetitions of %j are not markup, and are read to their end',
    piece => {
      expect(findToolMarkup(piece.repeat(100_000))).toBeNull()
    },
  )
})
