/** What a namespace sandbox looks like inside: which parts of the host can be seen, what is its own, and how large. */
import { lstatSync, realpathSync } from 'node:fs'
import { DEFAULT_EXECUTOR_CONFIG, type ExecutorConfig } from '../executor-config.ts'
import { imageFiles } from '../image-files.ts'
import type { HostInterpreter } from '../sandbox.ts'
import { TEMPORARY_PLACES, type TemporaryPlace, temporaryPlace } from '../temporary-places.ts'

/** The plan that enclose.py gets. Paths without a note are paths inside. */
export interface EnclosurePlan {
  /** Pairs (inside, outside) of user ids, where root makes the sandbox; null: the one id of an ordinary user. */
  readonly ids: readonly (readonly [number, number])[] | null
  /** Parts of the host, read-only: where they are there, and where inside. */
  readonly binds: readonly (readonly [source: string, target: string])[]
  readonly devices: readonly string[]
  readonly temporary: readonly TemporaryPlace[]
  readonly links: readonly (readonly [path: string, target: string])[]
  readonly files: readonly (readonly [path: string, mode: number, text: string])[]
  readonly readOnly: readonly string[]
  readonly hostname: string
}

/** The tools of the container image that a host may lack; which ones it lacks is part of the record. */
export const IMAGE_TOOLS = ['git', 'make', 'patch', 'ed', 'perl', 'less', 'xxd', 'jq', 'ps'] as const

/** Ids that no account has: far beyond what systems and containers hand out. */
const FIRST_ID = 1_900_000_000
const ROOT_IDS: EnclosurePlan['ids'] = [
  [0, FIRST_ID],
  [1000, FIRST_ID + 1],
  [1001, FIRST_ID + 2],
]

const TEMPORARY: readonly TemporaryPlace[] = [temporaryPlace('/dev', 0o755, 1, 200, false), ...TEMPORARY_PLACES]

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
const DEVICE_LINKS: EnclosurePlan['links'] = [
  ['/dev/fd', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd/0'],
  ['/dev/stdout', '/proc/self/fd/1'],
  ['/dev/stderr', '/proc/self/fd/2'],
  ['/dev/ptmx', 'pts/ptmx'],
]

const ETC_FILES: EnclosurePlan['files'] = [
  [
    '/etc/passwd',
    0o644,
    [
      'root:x:0:0:root:/root:/usr/sbin/nologin',
      'agent:x:1000:1000:agent:/home/agent:/bin/bash',
      'verify:x:1001:1001:verify:/home/agent:/bin/bash',
      'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
      '',
    ].join('\n'),
  ],
  ['/etc/group', 0o644, 'root:x:0:\nagent:x:1000:\nverify:x:1001:\nnogroup:x:65534:\n'],
  ['/etc/shadow', 0o000, 'root:*:::::::\n'],
  ['/etc/hostname', 0o644, 'sandbox\n'],
  ['/etc/hosts', 0o644, '127.0.0.1 localhost sandbox\n::1 localhost\n'],
  ['/etc/nsswitch.conf', 0o644, 'passwd: files\ngroup: files\nhosts: files\n'],
  [
    '/etc/gitconfig',
    0o644,
    '[user]\n\tname = agent\n\temail = agent@localhost\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n',
  ],
]

/** Files of the host below /etc that programs need: nothing personal is in them. */
const ETC_OF_HOST = ['/etc/alternatives', '/etc/ld.so.cache']

/** Where our own environment for Python lies: before everything in PATH, and where a Debian image has its own. */
const USUAL_ENVIRONMENT = '/usr/local'
/** For a host whose Python itself is in /usr/local. */
const OTHER_ENVIRONMENT = '/opt/agent-bench'
const PACKAGES = '/opt/python-packages'
const RELOCATED_PYTHON = '/opt/python'
/** Where the Node that runs the harness is shown: one file, which needs no more than libraries of the system. */
const NODE = '/opt/node'
const HOMEBREW = /^(.*\/\.linuxbrew)(\/|$)/

interface PythonLayout {
  readonly environment: string
  readonly executable: string
  readonly binds: EnclosurePlan['binds']
  readonly links: EnclosurePlan['links']
  readonly files: EnclosurePlan['files']
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/**
 * A virtual environment, written by hand, over the host's interpreter: so the witness is an installed plugin whatever
 * interpreter it is, also under `python3 -I` and without any variable.
 */
export function pythonLayout(interpreter: HostInterpreter): PythonLayout {
  const environment = isBelow(interpreter.prefix, USUAL_ENVIRONMENT) ? OTHER_ENVIRONMENT : USUAL_ENVIRONMENT
  const isCovered = TEMPORARY.some(({ path }) => isBelow(interpreter.prefix, path))
  const prefix = isCovered ? RELOCATED_PYTHON : interpreter.prefix
  const executable = isCovered
    ? prefix + interpreter.executable.slice(interpreter.prefix.length)
    : interpreter.executable
  const minor = interpreter.version.split('.').slice(0, 2).join('.')
  const site = `${environment}/lib/python${minor}/site-packages`
  // Homebrew's Python needs the libraries of its neighbours.
  const whole = HOMEBREW.exec(interpreter.prefix)?.[1] ?? interpreter.prefix
  const extra = interpreter.packages.filter(
    folder => !isBelow(folder, interpreter.prefix) || isBelow(folder, environment),
  )
  const runner = interpreter.pytest === null ? filesOf('minipytest/', site) : []
  return {
    environment,
    executable,
    binds: [
      ...(isBelow(interpreter.prefix, '/usr')
        ? []
        : [[isCovered ? interpreter.prefix : whole, isCovered ? prefix : whole] as const]),
      ...extra.map((folder, index) => [folder, `${PACKAGES}/${index}`] as const),
    ],
    links: [
      [`${environment}/bin/python3`, executable],
      [`${environment}/bin/python`, 'python3'],
      [`${environment}/bin/py.test`, 'pytest'],
    ],
    files: [
      [
        `${environment}/pyvenv.cfg`,
        0o644,
        `home = ${executable.slice(0, executable.lastIndexOf('/'))}\ninclude-system-site-packages = true\nversion = ${interpreter.version}\n`,
      ],
      [
        `${environment}/bin/pytest`,
        0o755,
        `#!${environment}/bin/python3\nimport sys\nfrom pytest import console_main\nsys.exit(console_main())\n`,
      ],
      ...(extra.length === 0
        ? []
        : [[`${site}/packages.pth`, 0o644, extra.map((_, index) => `${PACKAGES}/${index}\n`).join('')] as const]),
      ...filesOf('witness/', site),
      ...runner,
    ],
  }
}

/** Text files below a folder of the image, as files below `target`. */
function filesOf(folder: string, target: string): EnclosurePlan['files'] {
  return imageFiles(folder).map(({ path, content }) => [
    `${target}/${path.slice(folder.length)}`,
    0o644,
    content.toString('utf8'),
  ])
}

/** The host's programs: /usr, and /bin, /lib… as links into it or as directories of their own, as the host has them. */
function systemFolders(): Pick<EnclosurePlan, 'binds' | 'links'> {
  const binds: [string, string][] = [['/usr', '/usr']]
  const links: [string, string][] = []
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const status = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (status?.isSymbolicLink()) links.push([`/${name}`, `usr/${name}`])
    else if (status?.isDirectory()) binds.push([`/${name}`, `/${name}`])
  }
  for (const path of ETC_OF_HOST) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) binds.push([path, path])
  }
  return { binds, links }
}

/** @param isRoot Root gives the sandbox separate users; an ordinary user has only one id. */
export function enclosurePlan(interpreter: HostInterpreter, isRoot: boolean): EnclosurePlan {
  const system = systemFolders()
  const python = pythonLayout(interpreter)
  return {
    ids: isRoot ? ROOT_IDS : null,
    binds: [...system.binds, ...python.binds, [realpathSync(process.execPath), NODE]],
    devices: DEVICES,
    temporary: [...TEMPORARY, temporaryPlace(python.environment, 0o755, 8, 1_000)],
    links: [...system.links, ...DEVICE_LINKS, ...python.links, [`${python.environment}/bin/node`, NODE]],
    files: [...ETC_FILES, ...python.files],
    readOnly: ['/', '/dev', python.environment],
    hostname: 'sandbox',
  }
}

/** Most processes and threads of one command. */
const MAX_PROCESSES = 256
/** Most memory that one process may take for its data, in bytes. There is no limit for all processes together. */
const MAX_DATA_BYTES = 1024 ** 3

export function executorConfig(interpreter: HostInterpreter, isRoot: boolean): ExecutorConfig {
  const { environment } = pythonLayout(interpreter)
  const room = (uid: number) => ({
    uid,
    gid: uid,
    setUser: isRoot,
    namespaces: isRoot ? ('ipc' as const) : ('own' as const),
  })
  const path = DEFAULT_EXECUTOR_CONFIG.environment.PATH ?? ''
  return {
    ...DEFAULT_EXECUTOR_CONFIG,
    rooms: { agent: room(1000), verify: room(1001) },
    python: `${environment}/bin/python3`,
    environment: {
      ...DEFAULT_EXECUTOR_CONFIG.environment,
      PATH: environment === USUAL_ENVIRONMENT ? path : `${environment}/bin:${path}`,
      // Plugins of the host would change what pytest does, and double its start.
      PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
    },
    resourceLimits: { CORE: 0, NPROC: MAX_PROCESSES, DATA: MAX_DATA_BYTES, NOFILE: 4096 },
  }
}
