/** Why this machine gives no namespaces, and what its user can do about it. */
import { existsSync, readFileSync } from 'node:fs'
import { ConfigError } from '../../errors.ts'

/** The step that the kernel refused, as enclose.py says it. */
export interface RefusedStep {
  readonly step: string
  readonly errno: string
}

/** Reads a file of the kernel; null where there is none. */
export type ReadSetting = (path: string) => string | null

const readSetting: ReadSetting = path => {
  if (!existsSync(path)) return null
  return readFileSync(path, 'utf8').trim()
}

const DOCKER = 'or install a Docker or Podman engine'

/** What usually stands in the way, most specific first. */
const OBSTACLES: readonly { readonly path: string; readonly value: string; readonly remedy: string }[] = [
  {
    path: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    value: '1',
    remedy: `AppArmor keeps ordinary users from namespaces here: \`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0\`, run as root, ${DOCKER}.`,
  },
  {
    path: '/proc/sys/kernel/unprivileged_userns_clone',
    value: '0',
    remedy: `This kernel keeps ordinary users from namespaces: \`sudo sysctl kernel.unprivileged_userns_clone=1\`, ${DOCKER}.`,
  },
  {
    path: '/proc/sys/user/max_user_namespaces',
    value: '0',
    remedy: `This system allows no user namespaces: \`sudo sysctl user.max_user_namespaces=10000\`, ${DOCKER}.`,
  },
]

/** The error for a refused step, with the remedy for this machine. */
export function explainRefusal(refused: RefusedStep, read: ReadSetting = readSetting): ConfigError {
  const obstacle = OBSTACLES.find(({ path, value }) => read(path) === value)
  const isInContainer = read('/.dockerenv') !== null || read('/run/.containerenv') !== null
  const container = `This is a container, which is not allowed to make namespaces: give it an engine's socket (DOCKER_HOST), or start it with \`--security-opt seccomp=unconfined --security-opt systempaths=unconfined\`.`
  return new ConfigError(`the kernel refused a namespace sandbox (${refused.step}: ${refused.errno})`, {
    code: 'namespaces_refused',
    remedy:
      obstacle?.remedy ??
      (isInContainer ? container : `See docs/sandboxes.md for what a namespace sandbox needs, ${DOCKER}.`),
  })
}

/** The step in a line that enclose.py wrote, or null when the line says something else. */
export function parseStep(line: string): RefusedStep | null {
  const said = parse(line)
  return typeof said?.step === 'string' && typeof said.errno === 'string'
    ? { step: said.step, errno: said.errno }
    : null
}

/** The process id in a line that enclose.py wrote, or null. */
export function parsePid(line: string): number | null {
  const said = parse(line)
  return typeof said?.pid === 'number' ? said.pid : null
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch (error) {
    // Part of a line, when the process was killed while it wrote.
    if (error instanceof SyntaxError) return null
    throw error
  }
}
