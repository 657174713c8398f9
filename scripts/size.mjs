// Prints lines per room, code and tests apart: npm run size
// A line is a line, comments and blanks included. Tests are *.test.ts, *.fixture.ts and everything below test/.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = /(\.(ts|tsx|mjs|cjs|js|py|sh|css)|Dockerfile)$/
const isTest = path => path.startsWith('test/') || /\.(test|fixture)\.ts$/.test(path)

/** `src/model`, `tasks/agentic`, `skills`: the folder whose size is of interest. */
function roomOf(path) {
  const parts = path.split('/')
  const depth = ['src', 'tasks'].includes(parts[0]) && parts.length > 2 ? 2 : 1
  return parts.length === 1 ? '(root)' : parts.slice(0, depth).join('/')
}

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
const rooms = new Map()
for (const path of listed.split('\0')) {
  if (!SOURCES.test(path)) continue
  let text
  try {
    text = readFileSync(`${root}${path}`, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') continue // removed, and not yet committed
    throw error
  }
  const room = rooms.get(roomOf(path)) ?? { code: 0, tests: 0 }
  room[isTest(path) ? 'tests' : 'code'] += text.split('\n').length - 1
  rooms.set(roomOf(path), room)
}

const line = (name, code, tests) => `${name.padEnd(18)}${String(code).padStart(9)}${String(tests).padStart(9)}`
const sum = (names, kind) => names.reduce((total, name) => total + rooms.get(name)[kind], 0)
const names = [...rooms.keys()].toSorted()
const inSrc = names.filter(name => name.startsWith('src'))
console.log(line('room', 'code', 'tests'))
for (const name of names) console.log(line(name, rooms.get(name).code, rooms.get(name).tests))
console.log(line('src, all', sum(inSrc, 'code'), sum(inSrc, 'tests')))
console.log(line('all', sum(names, 'code'), sum(names, 'tests')))
