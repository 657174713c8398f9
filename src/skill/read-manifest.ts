/** Reads a `bench_manifest.json`: JSON with comments and trailing commas, every mistake with file, line and column. */
import { isUtf8 } from 'node:buffer'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { didYouMean } from '../task/mistakes.ts'
import { type Manifest, manifestSchema } from './manifest-schema.ts'
import { type PlacedMistake, placedError, placeOf, type TextPlace } from './text-position.ts'

/** A manifest with the means to say where in its file something stands. */
export interface ReadManifest {
  readonly manifest: Manifest
  /** Place of a value, for example `['required_reads', 0]`; of the whole object when there is no such value. */
  placeOf(path: readonly (string | number)[]): TextPlace
}

/** What is wrong with a regular expression, or null. */
function patternProblem(source: string): string | null {
  try {
    new RegExp(source)
    return null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return error.message.replace(/^Invalid regular expression: /, '')
  }
}

const ajv = new Ajv({
  strict: true,
  allowUnionTypes: true,
  allErrors: true,
  formats: {
    'regular-expression': (source: string) => patternProblem(source) === null,
    'json-pointer': /^(?:\/(?:[^~/]|~[01])*)*$/,
  },
})
const isManifest: ValidateFunction<Manifest> = ajv.compile<Manifest>(manifestSchema)

/**
 * Parses and checks the bytes of a manifest.
 * @param file Its path, for messages.
 * @throws SpecError code `spec_invalid` with every mistake that was found.
 */
export function readManifest(bytes: Uint8Array, file: string): ReadManifest {
  if (!isUtf8(bytes)) {
    throw placedError(file, [mistake('(file)', 'is not UTF-8 text', 'Save it as UTF-8.', { line: 1, column: 1 })])
  }
  const text = new TextDecoder().decode(bytes) // removes a byte-order mark
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false })
  const first = errors[0]
  if (root === undefined || first !== undefined) {
    const place = placeOf(text, first?.offset ?? 0)
    const what =
      first === undefined ? 'is empty' : `is not JSON here (${describeParseError(printParseErrorCode(first.error))})`
    const remedy = 'Correct the JSON; comments and trailing commas are allowed, single quotes are not.'
    throw placedError(file, [mistake('(file)', what, remedy, place)])
  }
  const placed = (path: readonly (string | number)[]) => {
    const node = findNodeAtLocation(root, [...path]) ?? root
    return placeOf(text, node.offset)
  }
  const mistakes = [...repeatedKeys(root, text)]
  const value = plainValue(root)
  if (isManifest(value)) {
    if (mistakes.length > 0) throw placedError(file, mistakes)
    return { manifest: value, placeOf: placed }
  }
  for (const error of isManifest.errors ?? []) mistakes.push(inOurWords(error, root, text))
  throw placedError(file, mistakes)
}

/** The value of a node with ordinary objects: those of the parser have no prototype, and equal nothing that JSON gives. */
function plainValue(node: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(node)))
}

function mistake(field: string, problem: string, remedy: string, place: TextPlace): PlacedMistake {
  return { field, problem, remedy, place }
}

/** `PropertyNameExpected` as "property name expected". */
function describeParseError(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}

/** A key that is there twice: JSON parsers keep the last one silently. */
function* repeatedKeys(node: Node, text: string, path = ''): Generator<PlacedMistake> {
  const seen = new Set<string>()
  for (const child of node.children ?? []) {
    const [key, value] = child.type === 'property' ? (child.children ?? []) : []
    if (key === undefined) {
      yield* repeatedKeys(child, text, path)
      continue
    }
    const name = String(key.value)
    const field = path === '' ? name : `${path}.${name}`
    if (seen.has(name)) {
      yield mistake(field, 'is there twice', 'Keep one of the two.', placeOf(text, key.offset))
    }
    seen.add(name)
    if (value !== undefined) yield* repeatedKeys(value, text, field)
  }
}

/** The steps of an ajv `instancePath` (a JSON Pointer), indices as numbers where the value is a list. */
function stepsOf(pointer: string, root: Node): (string | number)[] {
  const steps: (string | number)[] = []
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    const parent = findNodeAtLocation(root, steps)
    steps.push(parent?.type === 'array' ? Number(step) : step)
  }
  return steps
}

/** `artifact_checks[0].file`, `stubs["scripts/send.sh"]` */
export function fieldName(steps: readonly (string | number)[]): string {
  const parts = steps.map(step =>
    /^[\w-]+$/.test(String(step)) && typeof step === 'string' ? `.${step}` : JSON.stringify([step]),
  )
  return parts.join('').replace(/^\./, '')
}

const PATTERN_REMEDY = 'Give 1 to 100 letters, digits, _ and - (a letter or digit first): the id is part of file names.'

function inOurWords(error: ErrorObject, root: Node, text: string): PlacedMistake {
  const steps = stepsOf(error.instancePath, root)
  const params: Readonly<Record<string, unknown>> = error.params
  const node = findNodeAtLocation(root, steps) ?? root
  const field = steps.length === 0 ? '(manifest)' : fieldName(steps)
  const value = plainValue(node)
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : JSON.stringify(value)
  const found = (shown ?? 'nothing').slice(0, 80)
  const place = placeOf(text, node.offset)
  switch (error.keyword) {
    case 'additionalProperties': {
      const name = String(params.additionalProperty)
      const known = knownFields(error.parentSchema ?? schemaAt(steps))
      const key = node.children?.find(child => child.children?.[0]?.value === name)
      const at = placeOf(text, key?.offset ?? node.offset)
      return mistake(fieldName([...steps, name]), 'is not a field of a manifest', didYouMean(name, known), at)
    }
    case 'required': {
      const name = String(params.missingProperty)
      return mistake(fieldName([...steps, name]), 'is missing', `Add "${name}".`, place)
    }
    case 'type':
      return mistake(field, `is ${kindOf(value)}, not ${wanted(params.type)}`, remedyFor(steps, params.type), place)
    case 'enum': {
      const allowed = Array.isArray(params.allowedValues) ? params.allowedValues.map(String) : []
      return mistake(field, `${found} is not one of what can be asked for`, didYouMean(String(value), allowed), place)
    }
    case 'const':
      return mistake(field, `is ${found}, and can only be true`, 'Write true, or leave it out.', place)
    case 'format': {
      if (params.format === 'json-pointer') {
        const remedy = 'Write a JSON Pointer: "" for the whole, or "/items/0/name".'
        return mistake(field, `${found} is not a JSON Pointer`, remedy, place)
      }
      const problem = patternProblem(String(value)) ?? 'it does not compile'
      const remedy = 'Write a JavaScript regular expression; in JSON every backslash is doubled: "make\\\\.sh".'
      return mistake(field, `is not a regular expression: ${problem}`, remedy, place)
    }
    case 'pattern':
      return mistake(field, `is ${found}`, PATTERN_REMEDY, place)
    default: {
      const problem = `${found} ${error.message ?? 'is wrong'}`
      return mistake(field, problem, 'Give a value within these bounds.', place)
    }
  }
}

/** The object schema that rules the value at a place of the manifest. */
function schemaAt(steps: readonly (string | number)[]): unknown {
  let schema: unknown = manifestSchema
  for (const step of steps) {
    schema =
      typeof step === 'number'
        ? property(schema, 'items')
        : (property(property(schema, 'properties'), step) ?? property(schema, 'additionalProperties'))
  }
  return schema
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

function knownFields(schema: unknown): string[] {
  const properties = property(schema, 'properties')
  return typeof properties === 'object' && properties !== null
    ? Object.keys(properties).filter(name => !name.startsWith('$'))
    : []
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
}

/** How the fields are written that are often given as something else. */
const EXAMPLES: Readonly<Record<string, string>> = {
  required_reads: '["skill/SKILL.md"]',
  required_commands: '["make_report\\\\.sh"]',
  expected_artifacts: '["output/report.txt"]',
  allowed_writes: '["output/**"]',
  requires: '["python"]',
  artifact_checks: '[{ "file": "output/report.txt", "contains": ["Total"] }]',
  'artifact_checks.contains': '["Total"]',
  'artifact_checks.not_contains': '["TODO"]',
  'artifact_checks.regex': '["^Total: \\\\d+$"]',
  'artifact_checks.json': '[{ "pointer": "/items/0/name", "equals": "pear" }]',
  stubs: '{ "scripts/send.sh": { "stdout": "sent\\n" } }',
  'required_commands.arguments': '["Week 32"]',
  'required_commands.options': '{ "--input": "data.csv" }',
}

/** The kind that is asked for, with an example where there is one. */
function remedyFor(steps: readonly (string | number)[], type: unknown): string {
  const name = steps.filter(step => typeof step === 'string').join('.')
  const isField = typeof steps.at(-1) === 'string'
  const example = isField ? EXAMPLES[name] : undefined
  return example === undefined
    ? `Write ${wanted(type)}.`
    : `Write ${wanted(type)}: ${JSON.stringify(steps.at(-1))}: ${example}.`
}

function wanted(type: unknown): string {
  const kinds = Array.isArray(type) ? type : [type]
  return kinds.map(kind => KINDS[String(kind)] ?? String(kind)).join(' or ')
}
