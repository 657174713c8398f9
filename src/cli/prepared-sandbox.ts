/** The sandbox of a command: prepared when it is first needed, so that tasks without one need no engine. */
import { randomBytes } from 'node:crypto'
import type { Settings } from '../runner/settings.ts'
import type { PreparedSandbox, Sandbox } from '../sandbox/index.ts'
import type { CliContext } from './command.ts'

export class CommandSandbox {
  readonly runId: string
  readonly #settings: Pick<Settings, 'sandbox' | 'image'>
  readonly #context: CliContext
  #prepared: Promise<PreparedSandbox> | null = null

  /** @param command its name, part of the id of its sandboxes */
  constructor(command: string, settings: Pick<Settings, 'sandbox' | 'image'>, context: CliContext) {
    this.runId = `${command}-${randomBytes(4).toString('hex')}`
    this.#settings = settings
    this.#context = context
  }

  /** @throws ConfigError when there is none here */
  prepared(): Promise<PreparedSandbox> {
    this.#prepared ??= this.#prepare()
    return this.#prepared
  }

  async #prepare(): Promise<PreparedSandbox> {
    const { prepareSandbox } = await import('../sandbox/index.ts')
    const sandbox = await prepareSandbox(this.#settings.sandbox, {
      image: this.#settings.image,
      runId: this.runId,
      onProgress: line => this.#context.writeError(`${line}\n`),
      signal: this.#context.signal,
    })
    this.#context.writeError(`sandbox  ${sandbox.why}\n`)
    return sandbox
  }

  async open(options: { readonly runId: string; readonly signal?: AbortSignal }): Promise<Sandbox> {
    const { openSandbox } = await import('../sandbox/index.ts')
    return openSandbox(await this.prepared(), options)
  }
}
