import { describe, expect, it } from 'vitest'
import type { HostInterpreter } from '../sandbox.ts'
import { enclosurePlan, executorConfig, pythonLayout } from './layout.ts'

const HOME = '/home/me/.pyenv/versions/3.11.7'
const interpreter = (over: Partial<HostInterpreter>): HostInterpreter => ({
  ...{ version: '3.11.7', executable: `${HOME}/bin/python3.11`, prefix: HOME, pytest: '9.0.3' },
  packages: [`${HOME}/lib/python3.11/site-packages`],
  ...over,
})
const SYSTEM = { executable: '/usr/bin/python3.11', prefix: '/usr', packages: ['/usr/lib/python3/dist-packages'] }
const fileOf = (layout: ReturnType<typeof pythonLayout>, end: string) =>
  layout.files.find(([path]) => path.endsWith(end))

describe('the layout of Python', () => {
  it('binds an interpreter where it lives, and nothing more of that home', () => {
    expect(pythonLayout(interpreter({})).binds).toEqual([[HOME, HOME]])
  })

  it('needs no bind for the system interpreter, and has the witness beside it', () => {
    const layout = pythonLayout(interpreter(SYSTEM))
    expect(layout.binds).toEqual([])
    expect(fileOf(layout, 'pyvenv.cfg')?.[2]).toContain('home = /usr/bin\n')
    expect(fileOf(layout, '/usr/local/lib/python3.11/site-packages/bench_witness.py')).toBeDefined()
    expect(fileOf(layout, 'site-packages/pytest/__init__.py')).toBeUndefined()
  })

  it('puts the stand-in where pytest is missing', () => {
    const layout = pythonLayout(interpreter({ ...SYSTEM, pytest: null, packages: [] }))
    expect(fileOf(layout, 'site-packages/pytest/__init__.py')).toBeDefined()
  })

  it('binds packages that lie elsewhere: of a virtual environment, or under what our own environment hides', () => {
    for (const folder of ['/home/me/.venv/lib/python3.11/site-packages', '/usr/local/lib/python3.11/dist-packages']) {
      const layout = pythonLayout(interpreter({ ...SYSTEM, packages: [folder] }))
      expect(layout.binds).toEqual([[folder, '/opt/python-packages/0']])
      expect(fileOf(layout, '.pth')?.[2]).toBe('/opt/python-packages/0\n')
    }
  })

  it('makes way for an interpreter in /usr/local', () => {
    const local = interpreter({ executable: '/usr/local/bin/python3.11', prefix: '/usr/local', packages: [] })
    expect(pythonLayout(local)).toMatchObject({ environment: '/opt/agent-bench', binds: [] })
    expect(executorConfig(local, true).environment.PATH).toBe('/opt/agent-bench/bin:/usr/local/bin:/usr/bin:/bin')
  })

  it('moves an interpreter that lies below a place of the sandbox itself', () => {
    const hidden = { executable: '/tmp/py/bin/python3.11', prefix: '/tmp/py', packages: ['/tmp/py/lib/site'] }
    const moved = { executable: '/opt/python/bin/python3.11', binds: [['/tmp/py', '/opt/python']] }
    expect(pythonLayout(interpreter(hidden))).toMatchObject(moved)
  })

  it('binds all of Homebrew, as its programs need each other', () => {
    const prefix = '/home/linuxbrew/.linuxbrew/Cellar/python@3.12/3.12.1'
    const brewed = interpreter({ executable: `${prefix}/bin/python3.12`, prefix, packages: [] })
    expect(pythonLayout(brewed).binds).toEqual([['/home/linuxbrew/.linuxbrew', '/home/linuxbrew/.linuxbrew']])
  })
})

describe('the plan of an enclosure', () => {
  it('gives root ids that nobody has, and an ordinary user its own', () => {
    const outside = enclosurePlan(interpreter(SYSTEM), true).ids?.map(([, id]) => id) ?? []
    expect(outside).toHaveLength(3)
    expect(Math.min(...outside)).toBeGreaterThan(1_000_000)
    expect(enclosurePlan(interpreter(SYSTEM), false).ids).toBeNull()
    expect(executorConfig(interpreter(SYSTEM), false).rooms.agent).toMatchObject({ setUser: false, namespaces: 'own' })
  })

  it('shows the Node that runs the harness, before any other on PATH', () => {
    expect(enclosurePlan(interpreter(SYSTEM), true).links).toContainEqual(['/usr/local/bin/node', '/opt/node'])
  })
})
