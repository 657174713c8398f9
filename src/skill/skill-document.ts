/**
 * Reads a SKILL.md: YAML front matter between `---` lines, then Markdown. Reading is lenient, as clients are: what can be
 * understood is given, and everything odd becomes a finding. The linter shows all findings, mounting only warns.
 * Rules: the Agent Skills specification, https://agentskills.io/specification.
 */
import { isUtf8 } from 'node:buffer'
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { DOCUMENT_NAME } from './spec-file.ts'
import { placeOf, type TextPlace } from './text-position.ts'

export interface LintFinding extends TextPlace {
  /** Path of the file, relative to the skill. */
  readonly file: string
  readonly level: 'error' | 'warning'
  /** Short stable name of the rule. */
  readonly rule: string
  readonly message: string
  readonly remedy: string
}

export interface SkillDocument {
  /** Fields of the front matter by name; null when there is none that can be read. */
  readonly fields: YAMLMap | null
  /** The whole text, without a byte-order mark. */
  readonly text: string
  /** Offset of the Markdown after the front matter. */
  readonly bodyOffset: number
  readonly findings: readonly LintFinding[]
}

type Report = (level: LintFinding['level'], rule: string, offset: number, message: string, remedy: string) => void

/** The specification's estimate: four characters a token. */
const CHARACTERS_PER_TOKEN = 4
const MAX_BODY_LINES = 500
const MAX_BODY_TOKENS = 5_000
const KNOWN_FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']

/** Parses the bytes of a SKILL.md and checks all that can be said without its directory. */
export function readSkillDocument(bytes: Uint8Array): SkillDocument {
  const findings: LintFinding[] = []
  const text = new TextDecoder().decode(bytes)
  const report: Report = (level, rule, offset, message, remedy) =>
    findings.push({ file: DOCUMENT_NAME, ...placeOf(text, offset), level, rule, message, remedy })
  if (!isUtf8(bytes)) report('error', 'encoding', 0, 'is not UTF-8 text', 'Save it as UTF-8.')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    report('warning', 'byte-order-mark', 0, 'begins with a byte-order mark', 'Save it as UTF-8 without one.')
  }

  const front = /^---[ \t]*(?:\r\n|\n|\r)([\s\S]*?)(?:^|\r\n|\n|\r)---[ \t]*(?:\r\n|\n|\r|$)/m.exec(text)
  if (front === null || front.index !== 0) {
    const message =
      front === null ? 'has no front matter between two --- lines' : 'has something before its front matter'
    report('error', 'front-matter', 0, message, 'Begin the file with ---, name, description, and --- again.')
    checkBody(text, 0, report)
    return { fields: null, text, bodyOffset: 0, findings }
  }
  const yamlOffset = front[0].indexOf(front[1] ?? '', 3)
  const fields = readFrontMatter(front[1] ?? '', yamlOffset, report)
  if (fields !== null) checkFields(fields, yamlOffset, report)
  checkBody(text, front[0].length, report)
  return { fields, text, bodyOffset: front[0].length, findings }
}

/** Text of a field, or null when it is missing or no text. */
export function fieldText(document: SkillDocument, name: string): string | null {
  const value = document.fields?.get(name)
  return typeof value === 'string' ? value : null
}

/** Offset of a field's value in the whole text; of the file's begin when there is none. */
function fieldOffset(fields: YAMLMap, name: string, yamlOffset: number): number {
  const pair = fields.items.find(item => keyOf(item) === name)
  const node = pair?.key
  return yamlOffset + (isScalar(node) ? (node.range?.[0] ?? 0) : 0)
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : ''
}

/** Parses the YAML; a value with an unquoted colon, the usual mistake, is quoted and tried again, and that is said. */
function readFrontMatter(yaml: string, yamlOffset: number, report: Report): YAMLMap | null {
  let document = parseDocument(yaml, { version: '1.2', prettyErrors: false })
  const error = document.errors[0]
  if (error !== undefined) {
    const quoted = quoteColons(yaml)
    const again = quoted === yaml ? null : parseDocument(quoted, { version: '1.2', prettyErrors: false })
    const offset = yamlOffset + error.pos[0]
    if (again === null || again.errors.length > 0) {
      const message = `the front matter is not YAML: ${error.message.split('\n')[0]}`
      report('error', 'front-matter', offset, message, 'Correct the YAML; quote values that hold ": " or " #".')
      return null
    }
    const message = 'a value holds an unquoted ": ", which YAML takes for a nested field'
    report('error', 'unquoted-colon', offset, message, 'Put the value in quotes.')
    document = again
  }
  for (const warning of document.warnings) {
    const message = warning.message.split('\n')[0] ?? ''
    report('warning', 'front-matter', yamlOffset + warning.pos[0], message, 'Correct the YAML.')
  }
  if (isMap(document.contents)) return document.contents
  const remedy = 'Write "name: …" and "description: …".'
  report('error', 'front-matter', yamlOffset, 'the front matter holds no fields', remedy)
  return null
}

/** `key: a: b` as `key: "a: b"`, on lines at the left margin. */
function quoteColons(yaml: string): string {
  const line = /^([A-Za-z][\w-]*):[ \t]+((?!["'[{|>&*!%@`#]).*: .*?)[ \t]*$/gm
  return yaml.replace(line, (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`)
}

/** Fields that are texts, with the most characters they may have. */
const TEXTS = { name: 64, description: 1_024, compatibility: 500 }

function checkFields(fields: YAMLMap, yamlOffset: number, report: Report): void {
  const tell = (level: LintFinding['level'], field: string, message: string, remedy: string, rule = field) =>
    report(level, rule, fieldOffset(fields, field, yamlOffset), message, remedy)
  for (const [field, max] of Object.entries(TEXTS)) {
    const problem = textProblem(field, fields.get(field), max)
    if (problem !== null) tell('error', field, ...problem)
  }
  const name: unknown = fields.get('name')
  if (typeof name === 'string' && name !== '' && !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    const remedy = 'Use a-z, 0-9 and single hyphens, none at the begin or end.'
    tell('error', 'name', `name is ${JSON.stringify(name.slice(0, 80))}`, remedy)
  }
  const license: unknown = fields.get('license')
  if (license !== undefined && typeof license !== 'string') {
    tell('error', 'license', 'license is not text', 'Name the licence, or its file.')
  }
  const metadata: unknown = fields.get('metadata')
  if (metadata !== undefined && !isMap(metadata)) {
    tell('error', 'metadata', 'metadata is not a map of texts', 'Write it as "key: value" lines below metadata:.')
  }
  for (const pair of isMap(metadata) ? metadata.items : []) {
    if (isScalar(pair.value) && typeof pair.value.value === 'string') continue
    const remedy = 'Put the value in quotes: dates and numbers are not texts in YAML.'
    tell('error', 'metadata', `metadata.${keyOf(pair)} is not text`, remedy)
  }
  const tools: unknown = fields.get('allowed-tools')
  if (tools !== undefined && typeof tools !== 'string') {
    const remedy = 'Write the tools in one line with spaces between.'
    tell('warning', 'allowed-tools', 'allowed-tools is not text', remedy)
  } else if (tools?.replaceAll(/\([^)]*\)/g, '').includes(',')) {
    const message = 'allowed-tools has commas, which become a part of the names'
    tell('warning', 'allowed-tools', message, 'Write spaces between the tools.')
  }
  for (const pair of fields.items) {
    const key = keyOf(pair)
    if (isScalar(pair.value) && pair.value.type === 'PLAIN' && pair.value.comment) {
      const message = `${key} ends before " #": YAML takes the rest for a comment`
      tell('warning', key, message, 'Put the value in quotes, or the comment on its own line.', 'comment')
    }
    if (KNOWN_FIELDS.includes(key)) continue
    const remedy = 'Move it below metadata, where clients keep what they do not know.'
    tell('warning', key, `${JSON.stringify(key)} is not a field of the specification`, remedy, 'unknown-field')
  }
}

/** What is wrong with a text, and the remedy. Lengths are counted in code points. */
function textProblem(field: string, value: unknown, max: number): readonly [string, string] | null {
  if (value === undefined || value === null) {
    const isRequired = field === 'name' || field === 'description'
    return isRequired ? [`${field} is missing`, `Add "${field}: …" to the front matter.`] : null
  }
  if (typeof value !== 'string') {
    const kind = typeof value === 'object' ? 'no text' : `the ${typeof value} ${value}`
    return [`${field} is ${kind}`, 'Put the value in quotes: YAML does not read it as text.']
  }
  if (value.trim() === '') return [`${field} is empty`, 'Write it.']
  const { length } = [...value]
  return length > max ? [`${field} has ${length} characters; the most are ${max}`, 'Make it shorter.'] : null
}

function checkBody(text: string, offset: number, report: Report): void {
  const body = text.slice(offset)
  const lines = body.trimEnd().split(/\r\n|\n|\r/).length
  if (lines > MAX_BODY_LINES) {
    const message = `the text has ${lines} lines; more than ${MAX_BODY_LINES} crowd a context window`
    report('warning', 'body-length', offset, message, 'Move details into files of their own and link them.')
  }
  const tokens = Math.ceil([...body].length / CHARACTERS_PER_TOKEN)
  if (tokens > MAX_BODY_TOKENS) {
    const message = `the text has about ${tokens} tokens; more than ${MAX_BODY_TOKENS} crowd a context window`
    report('warning', 'body-length', offset, message, 'Move details into files of their own and link them.')
  }
  if (body.trim() === '') report('warning', 'body-length', offset, 'there is no text', 'Say what to do.')
}
