import { isRecord, parseJson } from './json.ts'

/** How the calls of a grammar are written. Tags around JSON, or around calls in Python's syntax, are all there is to say of many. */
export type CallForm =
  | 'hermes'
  | 'qwen-coder'
  | 'mistral'
  | 'kimi'
  | 'deepseek'
  | 'harmony'
  | 'invoke'
  | 'gemma'
  | 'json'
  | { readonly begin: RegExp; readonly end: RegExp }

interface Grammar {
  /** For people, and for records. */
  readonly name: string
  /** Wants something that is called, so that an answer which merely mentions a tag is none. */
  readonly pattern: RegExp
  readonly form: CallForm
}

const row = (name: string, pattern: RegExp, form: CallForm): Grammar => ({ name, pattern, form })
const between = (begin: RegExp, end: RegExp): CallForm => ({ begin, end })

/**
 * The ways models write a tool call as text. Where a server's parser misses one it arrives as an answer (vllm#31871,
 * lmstudio-bug-tracker#1592, free-claude-code#979): a failure to say, never a call to run. What is special stands before
 * what would fit it, too. The repaired score reads the calls by their form.
 */
const GRAMMARS: readonly Grammar[] = [
  row('hermes <tool_call>', /<tool_call>\s*(?:\{|\[|<function|[\w.-]+\s*(?:[\n{(]|<arg))/, 'hermes'),
  // The whole text is one element, even an empty one: no answer, whatever is in it.
  row('hermes <tool_call>', /^\s*<tool_call>[\s\S]*<\/tool_call>\s*$/, 'hermes'),
  row('qwen-coder <function=…>', /<function=[\w.-]+\s*>/, 'qwen-coder'),
  row('mistral [TOOL_CALLS]', /\[TOOL_CALLS\]\s*(?:[[{]|[\w.-]+)/, 'mistral'),
  row('mistral Name[ARGS]{…}', /(?<![\w.-])[\w.-]+\[ARGS\]\s*\{/, 'mistral'),
  row(
    'lfm2 <|tool_call_start|>',
    /<\|tool_call_start\|>\s*(?:\[|\{|\w)/,
    between(/<\|tool_call_start\|>/, /<\|tool_call_end\|>/),
  ),
  row('llama <|python_tag|>', /<\|python_tag\|>\s*\S/, between(/<\|python_tag\|>/, /<\|(?:eom|eot)_id\|>/)),
  row('kimi <|tool_calls_section_begin|>', /<\|tool_calls?_section_begin\|>/, 'kimi'),
  row('deepseek <｜tool▁calls▁begin｜>', /<[｜|]tool[▁_ ]calls?[▁_ ]begin[｜|]>/, 'deepseek'),
  row('deepseek <｜DSML｜invoke name=…>', /(?:<[｜|]DSML[｜|]\w+>\s*)?<[｜|]DSML[｜|]invoke\s+name="[^"]+"/, 'invoke'),
  row('phi <|tool_call|>', /<\|tool_calls?\|>\s*[[{]/, between(/<\|tool_calls?\|>/, /<\|\/tool_calls?\|>/)),
  row('phi functools[…]', /\bfunctools\s*\[\s*\{/, between(/functools\s*(?=\[)/, /<\|end\|>/)),
  row('gemma <|tool_call>call:…', /<\|tool_call>\s*call:[\w.-]+\s*\{/, 'gemma'),
  row('gemma <start_function_call>', /<start_function_call>\s*call:[\w.-]+\s*\{/, 'gemma'),
  row(
    'gpt-oss <|channel|>commentary to=…',
    /(?:<\|start\|>assistant\s*)?<\|channel\|>\s*(?:commentary|analysis)\s+to=[\w.-]+/,
    'harmony',
  ),
  row(
    'gpt-oss <|start|>assistant to=…',
    /<\|start\|>assistant\s*(?:<\|channel\|>)?[^<]*\bto=functions\.\w+/,
    'harmony',
  ),
  row('anthropic <invoke name=…>', /(?:<(?:\w+:)?function_calls>\s*)?<(?:\w+:)?invoke\s+name="[^"]+"/, 'invoke'),
  row('gemma ```tool_code', /```tool_code\s*\n\s*(?:print\()?[\w.]+\(/, between(/```tool_code/, /```/)),
  row('<function_call>', /<function_call>\s*\{/, between(/<function_call>/, /<\/function_call>/)),
]

/** Llama 3 writes the call as a bare JSON object: only a text that is nothing else counts. */
const BARE_JSON: Grammar = { name: 'llama bare JSON {"name": …, "parameters": …}', pattern: /[{[]/, form: 'json' }

const CALL_KEYS = new Set(['name', 'parameters', 'arguments', 'type', 'id', 'function'])

function isBareCall(value: unknown): boolean {
  if (!isRecord(value)) return false
  const inner = isRecord(value.function) ? value.function : value
  return (
    Object.keys(value).every(key => CALL_KEYS.has(key)) &&
    typeof inner.name === 'string' &&
    (isRecord(inner.parameters) || isRecord(inner.arguments))
  )
}

function isBareJsonCall(text: string): boolean {
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text.trim())
  const body = (fenced?.[1] ?? text).trim()
  if (!/^[{[]/.test(body)) return false
  const parsed = parseJson(body)
  if (!parsed.ok) return false
  return Array.isArray(parsed.value)
    ? parsed.value.length > 0 && parsed.value.every(isBareCall)
    : isBareCall(parsed.value)
}

/** White space in the place of each letter, so that every position stays. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/**
 * The text without the reasoning that its server left in it. Some templates open it in the prompt, so that only its end, on a
 * line of its own, is there; a text that begins with it and never ends it is nothing else.
 */
function withoutThoughts(text: string): string {
  const first = text.indexOf('<think>')
  const ending = /^<\/think>[ \t]*$/m.exec(text)
  let kept = 0
  let said = ''
  const leaveOut = (from: number, to: number): void => {
    said += text.slice(kept, from) + blank(text.slice(from, to))
    kept = to
  }
  if (ending !== null && (first < 0 || ending.index < first)) leaveOut(0, ending.index + ending[0].length)
  for (let from = first; from >= 0; from = text.indexOf('<think>', kept)) {
    const end = text.indexOf('</think>', from)
    if (end < 0 && text.slice(0, from).trim() !== '') break
    leaveOut(from, end < 0 ? text.length : end + '</think>'.length)
  }
  return said + text.slice(kept)
}

const FENCED = /^[ \t]*(```|~~~)(?!tool_code)[^\n]*\n[\s\S]*?\n\1[ \t]*$/gm
const INLINE = /`[^`\n]+`/g

/** A tool call that was written as text. */
export interface Leak {
  readonly grammar: Grammar
  /** Where it begins in the text; null in a text that is nothing but reasoning. */
  readonly at: number | null
}

/**
 * Finds a tool call in a text. What is quoted (code fences) or thought is none, unless a quotation is all that was said:
 * models wrap a call like that and say nothing else. A text that is nothing but reasoning is looked at whole.
 */
export function findLeak(text: string): Leak | null {
  const thoughtless = withoutThoughts(text)
  const isThought = thoughtless.trim() === ''
  const said = isThought ? text : thoughtless
  const prose = said.replace(FENCED, blank).replace(INLINE, blank)
  const searched = prose.trim() === '' ? said : prose
  for (const grammar of GRAMMARS) {
    const at = searched.search(grammar.pattern)
    if (at >= 0) return { grammar, at: isThought ? null : at }
  }
  return isBareJsonCall(thoughtless) ? { grammar: BARE_JSON, at: thoughtless.search(BARE_JSON.pattern) } : null
}

/** Names the grammar of a tool call in a text, or null when there is none. */
export const findToolMarkup = (text: string): string | null => findLeak(text)?.grammar.name ?? null
