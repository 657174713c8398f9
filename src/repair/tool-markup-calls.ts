/**
 * Reads tool calls that a model wrote as text, in the grammars of `model/tool-markup.ts`. Only for the repaired
 * score, which is shown beside the strict one; a strict trial never runs what is found here.
 */
import type { ToolDefinition } from '../model/chat-model.ts'
import { isRecord, parseJson } from '../model/json.ts'
import { type CallForm, findLeak } from '../model/tool-markup.ts'
import { readPythonCalls } from './python-call.ts'
import { type JsonRepair, repairArguments, repairJson } from './repair-json.ts'

interface MarkupCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** What of its JSON had to be repaired besides. */
  readonly repairs: readonly JsonRepair[]
}

export interface MarkupCalls {
  /** As its table names it. */
  readonly grammar: string
  readonly calls: readonly MarkupCall[]
  /** What the model said before the first call. */
  readonly before: string
}

/** Calls of one text, or null: not read. */
type Read = readonly MarkupCall[] | null
type Reader = (text: string, tools: readonly ToolDefinition[]) => Read

/** Calls of a text that are one reply can hold at most; the agent runs no more of them either. */
const MAX_CALLS = 64

/**
 * The calls in a text, all of them or none: where one cannot be read, nothing is claimed about the others.
 * @returns null for a text without markup, or with markup that cannot be read
 */
export function readToolMarkup(text: string, tools: readonly ToolDefinition[]): MarkupCalls | null {
  const leak = findLeak(text)
  // What was only thought of was not called.
  if (leak === null || leak.at === null) return null
  const { form, name: grammar } = leak.grammar
  const read = typeof form === 'string' ? READERS[form] : readTagged(form.begin, form.end)
  const calls = read(text.slice(leak.at), tools)
  if (calls === null || calls.length === 0 || calls.length > MAX_CALLS) return null
  // The opening of a code fence that only a call was in is not said.
  const before = text.slice(0, leak.at).replace(/(?:```|~~~)[a-z_]*\s*$/, '')
  return { grammar, calls, before: before.trim() }
}

// --- Grammars ---------------------------------------------------------------------------------------------------

const READERS: Readonly<Record<Extract<CallForm, string>, Reader>> = {
  hermes: readHermes,
  'qwen-coder': readQwenCoder,
  mistral: readMistral,
  kimi: readKimi,
  deepseek: readDeepSeek,
  harmony: readHarmony,
  invoke: readInvoke,
  gemma: readGemma,
  json: text => callsOfJson(text.replace(/\n?\s*```\s*$/, '')),
}

/** What stands between an opening and its closing tag, or the end of the text. */
interface Body {
  readonly text: string
  /** Its closing tag is there, and no other one after it: what was read is all of it. */
  readonly isClosed: boolean
}

/** Tags that have a place inside a call only. Behind one they say that a value held what looked like the call's end. */
const INNER_TAG =
  /<\/(?:\w+:|[｜|]DSML[｜|])?(?:tool_call|function|parameter|arg_key|arg_value|invoke)>|<(?:\w+:|[｜|]DSML[｜|])?parameter\b|<arg_/

function bodies(text: string, begin: RegExp, end: RegExp): readonly Body[] {
  return text
    .split(begin)
    .slice(1)
    .map(part => {
      const inside = part.split(end)[0] ?? ''
      const closing = end.exec(part.slice(inside.length))?.[0]
      const after = part.slice(inside.length + (closing?.length ?? 0))
      return { text: inside, isClosed: closing !== undefined && !INNER_TAG.test(after) }
    })
}

/** Reads each body; null as soon as one cannot be read. */
function each<Part>(parts: readonly Part[], read: (part: Part) => Read): Read {
  const calls: MarkupCall[] = []
  for (const part of parts) {
    const found = read(part)
    if (found === null) return null
    calls.push(...found)
  }
  return calls
}

/** A call whose end is not there was cut, and a bracket that is missing may be one of many things that are. */
function whole(read: Read, isClosed: boolean): Read {
  return !isClosed && read?.some(({ repairs }) => repairs.includes('missing closing bracket')) ? null : read
}

/** Tags around JSON or around calls in Python's syntax. */
function readTagged(begin: RegExp, end: RegExp): Reader {
  return (text, tools) =>
    each(
      bodies(text, begin, end),
      part => whole(callsOfJson(part.text), part.isClosed) ?? callsOfPython(part.text, tools),
    )
}

function readHermes(text: string, tools: readonly ToolDefinition[]): Read {
  return each(bodies(text, /<tool_call>/, /<\/tool_call>/), part => {
    if (/^\s*<function=/.test(part.text)) return part.isClosed ? readQwenCoder(part.text, tools) : null
    if (part.text.includes('<arg_key>')) return part.isClosed ? readGlm(part.text, tools) : null
    return whole(callsOfJson(part.text), part.isClosed)
  })
}

/** `<function=name><parameter=key>value</parameter></function>`, or JSON inside. */
function readQwenCoder(text: string, tools: readonly ToolDefinition[]): Read {
  return each(bodies(text, /<(?=function=)/, /<\/function>/), part => {
    const head = /^function=([\w.-]+)\s*>/.exec(part.text)
    if (head?.[1] === undefined) return null
    const rest = part.text.slice(head[0].length)
    if (/^\s*\{/.test(rest)) return whole(ofArguments(head[1], rest), part.isClosed)
    if (!part.isClosed) return null
    return ofTexts(head[1], pairs(rest, /<parameter=([\w.-]+)\s*>/, /<\/parameter>/), tools)
  })
}

/** `name` and then `<arg_key>k</arg_key><arg_value>v</arg_value>`, as GLM writes it. */
function readGlm(text: string, tools: readonly ToolDefinition[]): Read {
  const name = /^\s*([\w.-]+)/.exec(text)
  if (name?.[1] === undefined) return null
  const found = pairs(
    text.slice(name[0].length),
    /<arg_key>((?:(?!<\/?arg_)[\s\S])*)<\/arg_key>\s*<arg_value>/,
    /<\/arg_value>/,
  )
  return ofTexts(name[1], found, tools)
}

/** `[TOOL_CALLS][{…}]`, `[TOOL_CALLS]name{…}`, `[TOOL_CALLS]name[ARGS]{…}`, `name[ARGS]{…}`. Nothing closes such a call. */
function readMistral(text: string): Read {
  const parts = text.split('[TOOL_CALLS]').filter(part => part.trim() !== '')
  return each(parts, part => {
    const named = /^\s*([\w.-]+)\s*(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\])?\s*(?=\{)/.exec(part)
    const calls = named?.[1] === undefined ? callsOfJson(part) : ofArguments(named[1], part.slice(named[0].length))
    return whole(calls, false)
  })
}

function readKimi(text: string): Read {
  return each(bodies(text, /<\|tool_call_begin\|>/, /<\|tool_call_end\|>|<\|tool_calls?_section_end\|>/), part => {
    const [head = '', args, ...more] = part.text.split('<|tool_call_argument_begin|>')
    return args === undefined || more.length > 0 ? null : ofBody(head, { ...part, text: args })
  })
}

/** `<｜tool▁call▁begin｜>function<｜tool▁sep｜>name` with JSON in a fence (V3, R1), or `name<｜tool▁sep｜>{…}` (V3.1). */
function readDeepSeek(text: string): Read {
  const unified = text.replace(/<[｜|]tool[▁_ ](calls?)[▁_ ](begin|end)[｜|]>/g, '<|tool_$1_$2|>')
  const parts = bodies(unified, /<\|tool_call_begin\|>/, /<\|tool_calls?_end\|>/)
  return each(parts, part => {
    const [head = '', rest, ...more] = part.text.split(/<[｜|]tool[▁_ ]sep[｜|]>/)
    if (rest === undefined || more.length > 0) return null
    const old = /^\s*([\w.-]+)\s*\n(?:```json\n)?([\s\S]*?)(?:\n```)?\s*$/.exec(rest)
    return head.trim() === 'function' && old?.[1] !== undefined
      ? ofBody(old[1], { ...part, text: old[2] ?? '' })
      : ofBody(head, { ...part, text: rest })
  })
}

/** `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`. */
function readHarmony(text: string): Read {
  const found = [...text.matchAll(/\bto=([\w.-]+)[^{]*?<\|message\|>([\s\S]*?)(<\|(?:call|end|start|channel)\|>|$)/g)]
  return each(found, ([, name = '', args = '', end = '']) => ofBody(name, { text: args, isClosed: end !== '' }))
}

/** `<invoke name="f"><parameter name="path">a</parameter></invoke>`, with a prefix in each tag or none. */
function readInvoke(text: string, tools: readonly ToolDefinition[]): Read {
  return each(bodies(text, /<(?:\w+:|[｜|]DSML[｜|])?(?=invoke\s)/, /<\/(?:\w+:|[｜|]DSML[｜|])?invoke>/), part => {
    const head = /^invoke\s+name="([^"]+)"[^>]*>/.exec(part.text)
    if (head?.[1] === undefined || !part.isClosed) return null
    const rest = part.text.slice(head[0].length)
    const found = pairs(
      rest,
      /<(?:\w+:|[｜|]DSML[｜|])?parameter\s+name="([^"]+)"[^>]*>/,
      /<\/(?:\w+:|[｜|]DSML[｜|])?parameter>/,
    )
    return ofTexts(head[1], found, tools)
  })
}

/** `call:name{key:<|"|>text<|"|>,n:3}`: JSON with bare keys, and with special marks around strings. */
function readGemma(text: string): Read {
  return each(bodies(text, /<\|tool_call>|<start_function_call>/, /<tool_call\|>|<end_function_call>/), part => {
    const call = /^\s*call:([\w.-]+)\s*(\{[\s\S]*)$/.exec(part.text)
    if (call?.[1] === undefined || call[2] === undefined || !part.isClosed) return null
    const pieces = call[2].split(/<\|"\|>|<escape>/)
    const json = pieces.map((piece, at) =>
      at % 2 === 1 ? JSON.stringify(piece) : piece.replaceAll(/(?<=[{,]\s*)([A-Za-z_]\w*)(?=\s*:)/g, '"$1"'),
    )
    return pieces.length % 2 === 0 ? null : ofArguments(call[1], json.join(''))
  })
}

// --- Calls ------------------------------------------------------------------------------------------------------

/** `functions.read_file:0` and `default_api.read_file` name read_file. */
const toolName = (name: string) =>
  name
    .trim()
    .replace(/:\d+$/, '')
    .replace(/^(?:functions|default_api|tools)\./, '')
    .replace(/\.call$/, '')

/** A call whose arguments are JSON; none at all only where it is closed. */
function ofBody(name: string, { text, isClosed }: Body): Read {
  return text.trim() === '' && !isClosed ? null : whole(ofArguments(name, text), isClosed)
}

function ofArguments(name: string, text: string): Read {
  const found = text.trim() === '' ? { value: {}, repairs: [] } : repairArguments(text)
  return found === null ? null : [{ name: toolName(name), args: found.value, repairs: found.repairs }]
}

/** One call object or a list of them, in all the names that are in use for its two parts. */
function callsOfJson(text: string): Read {
  const body = text.trim()
  if (!/^[{[]/.test(body)) return null
  // Some write several objects side by side, on lines or with a semicolon between.
  const found = repairJson(body)
  if (!found.ok) {
    const parts = body.split(/(?<=\})\s*[;\n]\s*(?=\{)/)
    return parts.length < 2 ? null : each(parts, callsOfJson)
  }
  const list = Array.isArray(found.value) ? found.value : [found.value]
  const calls: MarkupCall[] = []
  for (const value of list) {
    const call = callOfObject(value)
    if (call === null) return null
    calls.push({ ...call, repairs: [...found.repairs, ...call.repairs] })
  }
  return calls
}

function callOfObject(value: unknown): MarkupCall | null {
  if (!isRecord(value)) return null
  const { name, arguments: args, parameters } = isRecord(value.function) ? value.function : value
  if (typeof name !== 'string' || name === '') return null
  if (args !== undefined && parameters !== undefined) return null
  const given = args ?? parameters ?? {}
  if (isRecord(given)) return { name: toolName(name), args: given, repairs: [] }
  // Arguments as text are what the protocol has: sound JSON there is no repair.
  const read = typeof given === 'string' ? repairArguments(given) : null
  return read === null ? null : { name: toolName(name), args: read.value, repairs: read.repairs }
}

function callsOfPython(text: string, tools: readonly ToolDefinition[]): Read {
  const calls: MarkupCall[] = []
  for (const call of readPythonCalls(text) ?? []) {
    const name = toolName(call.name)
    const names = Object.keys(propertiesOf(name, tools))
    if (call.positional.length > names.length) return null
    const positional = call.positional.map((value, at): [string, unknown] => [names[at] ?? '', value])
    if (positional.some(([key]) => call.named.has(key))) return null
    calls.push({ name, args: Object.fromEntries([...positional, ...call.named]), repairs: [] })
  }
  return calls.length === 0 ? null : calls
}

/**
 * Keys and values between tags, one pair after the other. Null where anything but white space is left over: the call was cut,
 * or a value holds what looks like its own end, and where it ends cannot be known. Null, too, for a key that comes twice.
 * @param opens captures the key
 */
function pairs(text: string, opens: RegExp, closes: RegExp): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>()
  let rest = text.trimStart()
  while (rest !== '') {
    const opening = opens.exec(rest)
    const key = opening?.[1]?.trim()
    if (opening === null || opening.index > 0 || key === undefined || found.has(key)) return null
    rest = rest.slice(opening[0].length)
    const closing = closes.exec(rest)
    if (closing === null) return null
    const value = rest.slice(0, closing.index)
    if (opens.test(value)) return null
    found.set(key, value)
    rest = rest.slice(closing.index + closing[0].length).trimStart()
  }
  return found
}

/** Arguments written as text between tags: the tool's schema says what is not text. One line break at each end is layout. */
function ofTexts(name: string, found: ReadonlyMap<string, string> | null, tools: readonly ToolDefinition[]): Read {
  if (found === null) return null
  const tool = toolName(name)
  const properties = propertiesOf(tool, tools)
  const args = [...found].map(([key, value]): [string, unknown] => {
    const text = value.replace(/^\n/, '').replace(/\n$/, '')
    const schema = properties[key]
    if (!isRecord(schema) || schema.type === 'string') return [key, text]
    const parsed = parseJson(text.trim())
    return [key, parsed.ok ? parsed.value : text]
  })
  return [{ name: tool, args: Object.fromEntries(args), repairs: [] }]
}

function propertiesOf(name: string, tools: readonly ToolDefinition[]): Readonly<Record<string, unknown>> {
  const properties = tools.find(tool => tool.name === name)?.parameters.properties
  return isRecord(properties) ? properties : {}
}
