// The evaluator for JavaScript: what evaluate.py is for Python, with the same frame. Started as `node -e … WORKSPACE`
// with the JSON list [[file, function, [arguments]], …] on its standard input.
const { readFileSync, writeSync } = require('node:fs')
const { pathToFileURL } = require('node:url')

const MAX_DEPTH = 20
const MAX_VALUES = 100_000
const MAX_DIGITS = 4_000
const { stringify, parse } = JSON
const { isArray } = Array
const { isInteger } = Number
const { is, getPrototypeOf, keys } = Object
const plain = Object.prototype
const calls = parse(readFileSync(0, 'utf8'))
const leave = process.reallyExit.bind(process)
let left = 0

const other = reason => ({ t: 'other', v: `${reason}`.slice(0, 100) })

function encodeNumber(value) {
  if (isInteger(value) && !is(value, -0)) return { t: 'int', v: `${BigInt(value)}` }
  if (is(value, -0)) return { t: 'float', v: '-0.0' }
  return { t: 'float', v: `${value}`.replace('Infinity', 'inf').replace('NaN', 'nan') }
}

function encode(value, depth = 0) {
  left -= 1
  if (left < 0) return other('too many values')
  if (depth > MAX_DEPTH) return other('nested too deep')
  const inner = item => encode(item, depth + 1)
  if (value === null) return { t: 'none' }
  if (typeof value === 'boolean') return { t: 'bool', v: value }
  if (typeof value === 'number') return encodeNumber(value)
  if (typeof value === 'string') return { t: 'str', v: value }
  if (typeof value === 'bigint' && value.toString().length <= MAX_DIGITS) return { t: 'int', v: `${value}` }
  if (typeof value !== 'object') return other(typeof value)
  if (isArray(value))
    return { t: 'list', v: Array.from({ length: Math.min(value.length, left + 1) }, (_, i) => inner(value[i])) }
  if (value instanceof Map) return { t: 'dict', v: [...value].map(pair => pair.map(inner)) }
  const prototype = getPrototypeOf(value)
  if (prototype !== plain && prototype !== null) return other(value.constructor?.name)
  return { t: 'dict', v: keys(value).map(key => [inner(key), inner(value[key])]) }
}

async function outcome([file, name, args]) {
  left = MAX_VALUES
  try {
    const module = await import(pathToFileURL(`${process.argv[1]}/${file}`).href)
    const named = module[name] ?? module.default?.[name]
    return { ok: true, value: encode(await named(...args)) }
  } catch (error) {
    return { ok: false, error: `${error?.constructor?.name ?? typeof error}`.slice(0, 100) }
  }
}

async function main() {
  const results = []
  for (const call of calls) results.push(await outcome(call))
  const text = Buffer.from(stringify(results))
  const frame = Buffer.concat([Buffer.alloc(4), text])
  frame.writeUInt32BE(text.length)
  for (let done = 0; done < frame.length; ) done += writeSync(3, frame, done)
  leave(0)
}

main()
