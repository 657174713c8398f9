/** Remembers that a task was proved, so that the proof of an unchanged task on an unchanged core and engine is not made twice. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileMap, PreparedSandbox } from '../sandbox/index.ts'
import type { Task } from '../task/task.ts'
import { keyOfFiles } from '../trial/session-check.ts'
import type { TaskCheck } from './check-task.ts'

/** The source of this package, as `.ts` or built. */
const CORE = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE_FILES = ['../package.json', '../package-lock.json', '../../package.json']

/** SHA-256 over the code of this package and the versions of what it depends on. */
function hashOfCore(): string {
  const hash = createHash('sha256').update(process.version)
  const paths = readdirSync(CORE, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !/\.test\.|\.d\.ts$|\.pyc$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
  for (const path of [...paths.sort(), ...PACKAGE_FILES.map(file => join(CORE, file)).filter(existsSync)]) {
    hash.update(`${path}\0`).update(createHash('sha256').update(readFileSync(path)).digest())
  }
  return hash.digest('hex')
}

export class ProofCache {
  readonly #folder: string | null
  readonly #core: string

  private constructor(folder: string | null) {
    this.#folder = folder
    this.#core = folder === null ? '' : hashOfCore()
  }

  /**
   * The cache of a project, below its `node_modules`; without these, in CI (`CI` is set) or when it is not wanted nothing is
   * remembered.
   */
  static of(root: string, env: Readonly<Record<string, string | undefined>>, isWanted = true): ProofCache {
    const modules = join(root, 'node_modules')
    const isCi = env.CI !== undefined && !['', '0', 'false'].includes(env.CI)
    return new ProofCache(isWanted && !isCi && existsSync(modules) ? join(modules, '.cache/agent-bench/proofs') : null)
  }

  /**
   * The check that was made before with the same task, plays, core and sandbox; otherwise makes it, and remembers it
   * when all is proved.
   */
  async once(
    given: {
      readonly task: Task
      readonly instances: readonly Task[]
      readonly skillFiles: FileMap
      /** null for tasks that need none. */
      readonly sandbox: PreparedSandbox | null
      readonly k: number
    },
    make: () => Promise<TaskCheck>,
  ): Promise<TaskCheck> {
    if (this.#folder === null) return make()
    const { driver = null, image = null, testRunner, interpreter } = given.sandbox ?? {}
    const fingerprints = [given.task, ...given.instances].map(({ fingerprint }) => fingerprint)
    const parts = [this.#core, ...fingerprints, keyOfFiles(given.skillFiles), given.k]
    const key = JSON.stringify([...parts, driver, image?.digest, testRunner, interpreter])
    const path = join(this.#folder, `${createHash('sha256').update(key).digest('hex')}.json`)
    if (existsSync(path)) return { ...(JSON.parse(readFileSync(path, 'utf8')) as TaskCheck), isKnown: true }
    const check = await make()
    if (check.status === 'ok') {
      mkdirSync(this.#folder, { recursive: true })
      writeFileSync(`${path}.${process.pid}`, JSON.stringify(check))
      renameSync(`${path}.${process.pid}`, path)
    }
    return check
  }
}
