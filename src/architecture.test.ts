import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Which folders the code of a folder may import (besides its own and the leaf `src/errors.ts`). `types` are folders it
 * may only `import type` from.
 */
const MAY_IMPORT: Readonly<Record<string, { code: readonly string[]; types: readonly string[] }>> = {
  'src/task': { code: [], types: ['src/sandbox', 'src/tools'] },
  'src/skill': { code: ['src/task'], types: ['src/sandbox'] },
  'src/checks': { code: [], types: ['src/task'] },
  'src/proving': { code: ['src/task/dedent.ts'], types: ['src/task'] },
  // Globs mean the same in a spec and in the evidence: one implementation, in src/task/globs.ts.
  // A flag is called with the same deadline, and its mistakes get the same words, when it is examined and when it is judged.
  'src/evidence': {
    code: ['src/task/globs.ts', 'src/task/run.ts', 'src/task/run-within.ts', 'src/task/mistakes.ts'],
    types: ['src/task', 'src/sandbox'],
  },
  'src/score': { code: [], types: ['src/evidence'] },
  'src/sandbox': { code: [], types: [] },
  'src/model': { code: [], types: [] },
  'src/doctor': { code: ['src/model'], types: [] },
  'src/machine': { code: [], types: [] },
  'src/repair': { code: ['src/model'], types: [] },
  // A task's own tools are its author's code: called with the same deadline as flags, and told from faults by its errors.
  'src/tools': {
    code: ['src/sandbox', 'src/task/run-within.ts', 'src/task/tool.ts'],
    types: ['src/evidence', 'src/model'],
  },
  'src/agents': { code: ['src/model', 'src/repair'], types: ['src/task', 'src/tools'] },
  'src/results': { code: ['src/score'], types: ['src/evidence', 'src/sandbox', 'src/task', 'src/model', 'src/agents'] },
  'src/trial': {
    code: [
      'src/agents',
      'src/evidence',
      'src/model',
      'src/repair',
      'src/results',
      'src/sandbox',
      'src/score',
      'src/task',
      'src/tools',
    ],
    types: [],
  },
  'src/check': { code: ['src/agents', 'src/evidence', 'src/sandbox', 'src/task', 'src/trial'], types: [] },
  'src/runner': {
    code: [
      'src/agents',
      'src/doctor',
      'src/evidence',
      'src/model',
      'src/results',
      'src/sandbox',
      'src/score',
      'src/skill',
      'src/task',
      'src/trial',
      'reporters',
    ],
    types: ['src/trial'],
  },
  // The commands sit on top of everything.
  'src/cli': { code: ['src', 'reporters'], types: [] },
  reporters: { code: ['src/results', 'src/score'], types: [] },
  'src/index.ts': { code: ['src/task', 'src/skill', 'src/tools', 'src/runner/settings.ts'], types: ['src/runner'] },
}

interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const found: Import[] = []
  for (const match of text.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'"\n;]|\n(?!\s*import))*?from\s+'(\.[^']+)'/gm,
  )) {
    const [statement, type, target] = match
    if (target === undefined) continue
    const named = /\{([^}]*)\}/s.exec(statement)?.[1]
    const isOnlyTypes = named?.split(',').every(name => name.trim() === '' || name.trim().startsWith('type ')) ?? false
    found.push({
      from: file,
      to: relative(ROOT, resolve(ROOT, dirname(file), target)),
      isType: type !== undefined || isOnlyTypes,
    })
  }
  return found
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const filesOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map(file => `${folder}/${file}`)
    .filter(file => file.endsWith('.ts'))

const files = ['src', 'reporters'].flatMap(filesOf).filter(file => !file.endsWith('.test.ts'))

/** What a file imports, as it is written. */
const sourcesOf = (file: string) =>
  [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(
      /^(?:(?:import|export)\b[^'\n]*? from|\} from|import) '([^']+)'/gm,
    ),
  ].map(([, source = '']) => source)

describe('imports point one way', () => {
  it.each(Object.entries(MAY_IMPORT))('%s imports only what it may', (folder, allowed) => {
    const ours = files.filter(file => isBelow(file, folder))
    expect(ours.length).toBeGreaterThan(0)
    const wrong = ours
      .flatMap(importsOf)
      .filter(({ to }) => !isBelow(to, folder) && to !== 'src/errors.ts')
      .filter(
        ({ to, isType }) => !(isType ? [...allowed.code, ...allowed.types] : allowed.code).some(ok => isBelow(to, ok)),
      )
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  it('no files import each other in a circle', () => {
    const imports = new Map(files.map(file => [file, importsOf(file).map(({ to }) => to)]))
    const isDone = new Set<string>()
    const circleFrom = (file: string, path: readonly string[]): string | null => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ')
      if (isDone.has(file)) return null
      for (const to of imports.get(file) ?? []) {
        const circle = circleFrom(to, [...path, file])
        if (circle !== null) return circle
      }
      isDone.add(file)
      return null
    }
    expect(files.map(file => circleFrom(file, [])).filter(circle => circle !== null)).toEqual([])
  })

  it('tasks and skills import agent-bench and their own folder', () => {
    const wrong = ['tasks', 'skills'].flatMap(filesOf).flatMap(file => {
      const home = file.split('/').slice(0, 2).join('/')
      const isTest = file.endsWith('.test.ts')
      return sourcesOf(file)
        .filter(source =>
          source.startsWith('.')
            ? !isBelow(join(dirname(file), source), home)
            : !/^(?:agent-bench(?:\/checks|\/proving)?|node:.*)$/.test(source) &&
              !(isTest && ['vitest', 'fast-check'].includes(source)),
        )
        .map(source => `${file} -> ${source}`)
    })
    expect(wrong).toEqual([])
  })

  it('every source folder has a rule', () => {
    const folders = new Set(
      files.map(file => (file.startsWith('reporters/') ? 'reporters' : file.split('/').slice(0, 2).join('/'))),
    )
    folders.delete('src/errors.ts')
    expect([...folders].filter(folder => !(folder in MAY_IMPORT))).toEqual([])
  })

  it('no folder is a drawer', () => {
    expect(files.filter(file => /(^|\/)(utils?|helpers?|common|misc|lib)(\/|\.ts$)/.test(file))).toEqual([])
  })
})
