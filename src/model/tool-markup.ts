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

type Range = readonly [from: number, to: number]

/**
 * Reasoning that its server left in the text. Some templates open it in the prompt, so that only its end, on a line of its own, is
 * there; a text that begins with it and never ends it is nothing else.
 */
function thoughtsIn(text: string): readonly Range[] {
  if (!text.includes('think>')) return []
  const thoughts: Range[] = []
  const ending = /^<\/think>[ \t]*$/m.exec(text)
  const firstOpening = text.indexOf('<think>')
  if (ending !== null && (firstOpening < 0 || ending.index < firstOpening))
    thoughts.push([0, ending.index + ending[0].length])
  for (let from = firstOpening; from >= 0; from = text.indexOf('<think>', thoughts.at(-1)?.[1])) {
    const end = text.indexOf('</think>', from)
    if (end < 0 && text.slice(0, from).trim() !== '') break
    thoughts.push([from, end < 0 ? text.length : end + '</think>'.length])
  }
  return thoughts
}

function without(text: string, ranges: readonly Range[]): string {
  const begins = [0, ...ranges.map(([, to]) => to)]
  return begins.map((begin, at) => text.slice(begin, ranges[at]?.[0])).join('')
}

/**
 * The text without its reasoning and without what it quotes. A text that is nothing but one quotation is no quotation: models
 * wrap a call like that and say nothing else. Nor is one that is nothing but reasoning an answer.
 */
function withoutQuotations(text: string): string {
  const said = without(text, thoughtsIn(text))
  if (said.trim() === '') return text
  if (!said.includes('`') && !said.includes('~~~')) return said
  const prose = said.replace(FENCED, '').replace(INLINE, '')
  return prose.trim() === '' ? said : prose
}

/** Where no call can begin: in reasoning, in code fences and in inline code, unless a quotation is all that was said. */
export function quotationsIn(text: string): readonly Range[] {
  const thoughts = thoughtsIn(text)
  const said = without(text, thoughts)
  if (said.trim() === '' || withoutQuotations(text) === said) return thoughts
  const places = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map((found): Range => [found.index, found.index + found[0].length])
  return [...thoughts, ...places(FENCED), ...places(INLINE)]
}

/** Names the grammar of tool-call markup in a text, or null when there is none. What is quoted (code fences) or thought is none. */
export function findToolMarkup(text: string): string | null {
  const unquoted = withoutQuotations(text)
  const grammar = GRAMMARS.find(({ pattern }) => pattern.test(unquoted))
  if (grammar !== undefined) return grammar.name
  return isBareJsonCall(without(text, thoughtsIn(text))) ? 'llama bare JSON {"name": …, "parameters": …}' : null
}
