import { isRecord, parseJson } from './json.ts'

/**
 * The ways models write a tool call as text. Where a server's parser misses one it arrives as an answer
 * (vllm#31871, lmstudio-bug-tracker#1592, free-claude-code#979): a failure to say, never a call to run.
 * Each pattern wants something that is called, so that an answer which merely mentions a tag is none.
 */
const GRAMMARS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'hermes <tool_call>', pattern: /<tool_call>\s*(?:\{|\[|<function|[\w.-]+\s*(?:[\n{(]|<arg))/ },
  // The whole text is one element, even an empty one: no answer, whatever is in it.
  { name: 'hermes <tool_call>', pattern: /^\s*<tool_call>[\s\S]*<\/tool_call>\s*$/ },
  { name: 'qwen-coder <function=…>', pattern: /<function=[\w.-]+\s*>/ },
  { name: 'mistral [TOOL_CALLS]', pattern: /\[TOOL_CALLS\]\s*(?:[[{]|[\w.-]+)/ },
  { name: 'mistral Name[ARGS]{…}', pattern: /\w\[ARGS\]\s*\{/ },
  { name: 'lfm2 <|tool_call_start|>', pattern: /<\|tool_call_start\|>\s*(?:\[|\{|\w)/ },
  { name: 'llama <|python_tag|>', pattern: /<\|python_tag\|>\s*\S/ },
  { name: 'kimi <|tool_calls_section_begin|>', pattern: /<\|tool_calls?_section_begin\|>/ },
  { name: 'deepseek <｜tool▁calls▁begin｜>', pattern: /<[｜|]tool[▁_ ]calls?[▁_ ]begin[｜|]>/ },
  { name: 'phi <|tool_call|>', pattern: /<\|tool_calls?\|>\s*[[{]/ },
  { name: 'gpt-oss <|channel|>commentary to=…', pattern: /<\|channel\|>\s*(?:commentary|analysis)\s+to=[\w.-]+/ },
  {
    name: 'gpt-oss <|start|>assistant to=…',
    pattern: /<\|start\|>assistant\s*(?:<\|channel\|>)?[^<]*\bto=functions\.\w+/,
  },
  { name: 'anthropic <invoke name=…>', pattern: /<(?:\w+:)?invoke\s+name="[^"]+"/ },
  { name: 'gemma ```tool_code', pattern: /```tool_code\s*\n\s*(?:print\()?[\w.]+\(/ },
  { name: '<function_call>', pattern: /<function_call>\s*\{/ },
]

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

/** Llama 3 writes the call as a bare JSON object: only a text that is nothing else counts. */
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

const FENCED = /^(```|~~~)(?!tool_code)[^\n]*\n[\s\S]*?\n\1[ \t]*$/gm
const INLINE = /`[^`\n]+`/g

/**
 * The text without what it quotes. A text that is nothing but one quotation is no quotation: models wrap a call like
 * that and say nothing else.
 */
function withoutQuotations(text: string): string {
  if (!text.includes('`') && !text.includes('~~~')) return text
  const prose = text.replace(FENCED, '').replace(INLINE, '')
  return prose.trim() === '' ? text : prose
}

/** Where a text quotes: begin and end of each fence and of each piece of inline code. None where it is nothing but one. */
export function quotationsIn(text: string): readonly (readonly [number, number])[] {
  if (withoutQuotations(text) === text) return []
  const places = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map((found): readonly [number, number] => [found.index, found.index + found[0].length])
  return [...places(FENCED), ...places(INLINE)]
}

/** Names the grammar of tool-call markup in a text, or null when there is none. Quoted calls (code fences) are none. */
export function findToolMarkup(text: string): string | null {
  const unquoted = withoutQuotations(text)
  const grammar = GRAMMARS.find(({ pattern }) => pattern.test(unquoted))
  if (grammar !== undefined) return grammar.name
  return isBareJsonCall(text) ? 'llama bare JSON {"name": …, "parameters": …}' : null
}
