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
  report(
    'error',
    'front-matter',
    yamlOffset,
    'the front matter holds no fields',
    'Write "name: …" and "description: …".',
  )
  return null
}

/** `key: a: b` as `key: "a: b"`, on lines at the left margin. */
function quoteColons(yaml: string): string {
  return yaml.replace(
    /^([A-Za-z][\w-]*):[ \t]+((?!["'[{|>&*!%@`#]).*: .*?)[ \t]*$/gm,
    (_, key: string, value: string) => {
      return `${key}: ${JSON.stringify(value)}`
    },
  )
}

function checkFields(fields: YAMLMap, yamlOffset: number, report: Report): void {
  const at = (name: string) => fieldOffset(fields, name, yamlOffset)
  const value = (name: string): unknown => fields.get(name)
  checkText(value('name'), { name: 'name', max: 64, isRequired: true }, at('name'), report)
  checkText(value('description'), { name: 'description', max: 1_024, isRequired: true }, at('description'), report)
  checkText(value('compatibility'), { name: 'compatibility', max: 500, isRequired: false }, at('compatibility'), report)
  const name = value('name')
  if (typeof name === 'string' && name !== '' && !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    const message = `name is ${JSON.stringify(name.slice(0, 80))}`
    report('error', 'name', at('name'), message, 'Use a-z, 0-9 and single hyphens, none at the begin or end.')
  }
  const license = value('license')
  if (license !== undefined && typeof license !== 'string') {
    report('error', 'license', at('license'), 'license is not text', 'Name the licence, or its file.')
  }
  checkMetadata(value('metadata'), at('metadata'), report)
  const tools = value('allowed-tools')
  if (tools !== undefined && typeof tools !== 'string') {
    const message = 'allowed-tools is not text'
    report('warning', 'allowed-tools', at('allowed-tools'), message, 'Write the tools in one line with spaces between.')
  }
  if (typeof tools === 'string' && /,/.test(tools.replaceAll(/\([^)]*\)/g, ''))) {
    const message = 'allowed-tools has commas, which become a part of the names'
    report('warning', 'allowed-tools', at('allowed-tools'), message, 'Write spaces between the tools.')
  }
  for (const pair of fields.items) {
    const key = keyOf(pair)
    if (isScalar(pair.value) && pair.value.type === 'PLAIN' && pair.value.comment) {
      const message = `${key} ends before " #": YAML takes the rest for a comment`
      report('warning', 'comment', at(key), message, 'Put the value in quotes, or the comment on its own line.')
    }
    if (KNOWN_FIELDS.includes(key)) continue
    const remedy = 'Move it below metadata, where clients keep what they do not know.'
    report('warning', 'unknown-field', at(key), `${JSON.stringify(key)} is not a field of the specification`, remedy)
  }
}

/** Lengths are counted in code points. */
function checkText(
  value: unknown,
  { name, max, isRequired }: { readonly name: string; readonly max: number; readonly isRequired: boolean },
  offset: number,
  report: Report,
): void {
  if (value === undefined || value === null) {
    if (isRequired) report('error', name, offset, `${name} is missing`, `Add "${name}: …" to the front matter.`)
    return
  }
  if (typeof value !== 'string') {
    const remedy = 'Put the value in quotes: YAML does not read it as text.'
    report(
      'error',
      name,
      offset,
      `${name} is ${typeof value === 'object' ? 'no text' : `the ${typeof value} ${value}`}`,
      remedy,
    )
    return
  }
  const length = [...value].length
  if (value.trim() === '') report('error', name, offset, `${name} is empty`, 'Write it.')
  else if (length > max) {
    report('error', name, offset, `${name} has ${length} characters; the most are ${max}`, 'Make it shorter.')
  }
}

function checkMetadata(value: unknown, offset: number, report: Report): void {
  if (value === undefined) return
  if (!isMap(value)) {
    report(
      'error',
      'metadata',
      offset,
      'metadata is not a map of texts',
      'Write it as "key: value" lines below metadata:.',
    )
    return
  }
  for (const pair of value.items) {
    if (isScalar(pair.value) && typeof pair.value.value === 'string') continue
    const message = `metadata.${keyOf(pair)} is not text`
    report('error', 'metadata', offset, message, 'Put the value in quotes: dates and numbers are not texts in YAML.')
  }
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
