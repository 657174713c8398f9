import type { CapturedStream, Evaluation, FunctionCall, ResetProof, Sandbox } from '../sandbox/sandbox.ts'
import type { FileContent, FileMap } from '../sandbox/snapshot.ts'
import type { CommandRun, SuiteResult } from '../task/verify.ts'
import type { Overlay, VerifyWork } from '../task/verify-tools.ts'
import { keyOfFiles } from './session-check.ts'
import { runSuite, runSuites, SUITE_TIMEOUT_MS } from './suite.ts'

const EVALUATE_TIMEOUT_MS = 10_000

/** What ran in clean workspaces: suites by the files they ran on, commands by these and the command. */
export interface KnownWork {
  readonly suites: Map<string, SuiteResult>
  readonly runs: Map<string, CommandRun>
}

export const newKnownWork = (): KnownWork => ({ suites: new Map(), runs: new Map() })

/**
 * The clean workspace in which checks are made. A check may ask for other files in it, for one request only: it is
 * written again whenever what is asked for differs from what is there. Requests wait for each other, so that checks which
 * ask for several things at once get each in the right room.
 */
export class VerifyRoom implements VerifyWork {
  readonly #sandbox: Sandbox
  readonly #files: FileMap
  readonly #signal: AbortSignal
  readonly #known: KnownWork
  #laid: string | null = null
  #last: Promise<unknown> = Promise.resolve()

  /** @param known What ran before on the same files is not run again. */
  constructor(sandbox: Sandbox, files: FileMap, signal: AbortSignal, known: KnownWork = newKnownWork()) {
    this.#sandbox = sandbox
    this.#files = files
    this.#signal = signal
    this.#known = known
  }

  /** Writes the files of the agent, and proves that nothing else is there. */
  async lay(files = this.#files): Promise<ResetProof> {
    this.#laid = null
    const { proof } = await this.#sandbox.reset(files, { room: 'verify', signal: this.#signal })
    this.#laid = keyOfFiles(files)
    return proof
  }

  evaluate(calls: readonly FunctionCall[], over: Overlay): Promise<Evaluation> {
    const options = { timeoutMs: EVALUATE_TIMEOUT_MS, signal: this.#signal }
    return this.#in(this.#with(over), () => this.#sandbox.evaluate(calls, options))
  }

  async run(command: string, over: Overlay): Promise<CommandRun> {
    const files = this.#with(over)
    const key = `${keyOfFiles(files)} ${command}`
    const earlier = this.#known.runs.get(key)
    if (earlier !== undefined) return earlier
    const ran = await this.#alone(files, async () => {
      const options = { timeoutMs: SUITE_TIMEOUT_MS, signal: this.#signal, snapshot: false }
      const { stdout, stderr, exitCode, stopped } = await this.#sandbox.exec(command, options)
      return { stdout: textOf(stdout), stderr: textOf(stderr), exitCode: stopped === null ? exitCode : null }
    })
    this.#known.runs.set(key, ran)
    return ran
  }

  /** One run stands in the workspace itself; several share a start of pytest, each in its own folder. */
  async suites(each: readonly Overlay[]): Promise<readonly SuiteResult[]> {
    const asked = each.map(over => this.#with(over))
    const open = [...new Map(asked.map(files => [keyOfFiles(files), files]))].filter(
      ([key]) => !this.#known.suites.has(key),
    )
    const [only] = open
    if (only !== undefined) {
      const folders = open.map((_, at) => `variant-${at}`)
      const results =
        each.length === 1
          ? await this.#alone(only[1], () => runSuite(this.#sandbox, this.#signal))
          : await this.#alone(inFolders(folders, open), () => runSuites(folders, this.#sandbox, this.#signal))
      for (const [at, [key]] of open.entries()) {
        const result = results[at]
        if (result !== undefined) this.#known.suites.set(key, result)
      }
    }
    return asked.flatMap(files => this.#known.suites.get(keyOfFiles(files)) ?? [])
  }

  #with(over: Overlay): FileMap {
    const files = new Map<string, FileContent>()
    for (const [path, file] of [...this.#files, ...over]) {
      if (file === null) files.delete(path)
      else files.set(path, file)
    }
    return files
  }

  /** For work that can write outside of the workspace: nothing of it is there for what comes next. */
  #alone<Result>(files: FileMap, work: () => Promise<Result>): Promise<Result> {
    return this.#in(files, async () => {
      this.#laid = null
      return work()
    })
  }

  #in<Result>(files: FileMap, work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(async () => {
      if (this.#laid !== keyOfFiles(files)) await this.lay(files)
      return work()
    })
    this.#last = result.catch(() => undefined) // whoever asked hears of it
    return result
  }
}

const inFolders = (folders: readonly string[], open: readonly (readonly [string, FileMap])[]): FileMap =>
  new Map(open.flatMap(([, files], at) => [...files].map(([path, file]) => [`${folders[at]}/${path}`, file])))

function textOf({ head, tail, totalBytes }: CapturedStream): string {
  const cut = totalBytes > head.length + tail.length ? ['\n…\n'] : []
  return Buffer.concat([head, ...cut.map(mark => Buffer.from(mark)), tail]).toString()
}
