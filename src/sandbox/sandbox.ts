import type { FileMap, Snapshot, SnapshotDelta } from './snapshot.ts'

export type DriverName = 'docker' | 'namespace'

/** What a sandbox is, for the record. */
export interface SandboxInfo {
  readonly driver: DriverName
  /** Container id, or the executor's process id for drivers without containers. */
  readonly id: string
  readonly image: { readonly name: string; readonly digest: string } | null
  readonly engine: { readonly name: string; readonly version: string } | null
  /** Limits really in force, in the engine's own units; what the engine refused is absent. */
  readonly limits: Readonly<Record<string, string | number | boolean>>
}

/** Evidence that a reset left nothing of the trial before. */
export interface ResetProof {
  readonly processesLeft: number
  readonly leftovers: number
  readonly root: string
  /** The root the host computed from the files it sent. */
  readonly expectedRoot: string
  readonly durationMs: number
}

/** One stream of a command: what was kept of its beginning and end, and how many bytes it printed in all. */
export interface CapturedStream {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly totalBytes: number
}

/** What the pytest witness reported to the executor, and who reported it (peer credentials, /proc). Corroborated, not proved. */
export interface TestReport {
  readonly event: 'start' | 'finish'
  readonly sender: { readonly pid: number; readonly uid: number; readonly argv: readonly string[] | null }
  readonly cwd: string
  readonly collected: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
  readonly skipped: number
  /** pytest's exit status; null in a `start` report. */
  readonly status: number | null
  /** Node ids of failed tests, bounded. */
  readonly failures: readonly string[]
  /**
   * Digests of the tests that passed and failed, each over path, name and text of its file; null for more than 400.
   * Absent where the report named none.
   */
  readonly tests?: TestDigests | null
}

export interface TestDigests {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
}

/**
 * A stub said that it runs, and the executor looked who said so: the process that asked is a child of an interpreter whose
 * command line names that file. Corroborated, not proved.
 */
export interface StubReport {
  /** The script, relative to the workspace, with links resolved. */
  readonly path: string
  /** SHA-256 (hex) of the file when it reported; a stub of the setup has the setup's. */
  readonly sha256: string
  /** Its arguments as the kernel has them, without interpreter and script. */
  readonly args: readonly string[]
  /** File name of the interpreter, for example `bash`. */
  readonly interpreter: string
  readonly cwd: string
  readonly sender: { readonly pid: number; readonly uid: number }
  /** Exit status of a script that keeps its work, null when its end was not seen; absent for one that is replaced. */
  readonly status?: number | null
}

export type StopReason = 'timeout' | 'output' | 'cancelled'

export interface ExecResult {
  /** Exit status; negative is the number of the signal; null when the status was lost. */
  readonly exitCode: number | null
  /** Why the executor ended the command, or null when it ended on its own. */
  readonly stopped: StopReason | null
  readonly durationMs: number
  readonly stdout: CapturedStream
  readonly stderr: CapturedStream
  readonly testReports: readonly TestReport[]
  readonly stubReports: readonly StubReport[]
  /** Messages to the witness that were not reports, or too many. */
  readonly droppedReports?: number
  readonly delta: SnapshotDelta
}

/** Lines of a text file. Line numbers count from 1. */
export interface ReadResult {
  readonly bytes: Uint8Array
  readonly firstLine: number
  /** Number of lines in `bytes`. */
  readonly lineCount: number
  readonly totalLines: number
  readonly totalBytes: number
}

/** A file operation the sandbox refused (not found, not a regular file, permission): the model's to see, not a fault. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
}

/** A value computed by the model's code, typed and encoded by the evaluator. */
export type EvaluatedValue =
  | { readonly t: 'none' }
  | { readonly t: 'bool'; readonly v: boolean }
  /** Decimal text, so that no precision is lost; `int*` and `float*` are subclasses. */
  | { readonly t: 'int' | 'int*' | 'float' | 'float*'; readonly v: string }
  | { readonly t: 'str'; readonly v: string }
  | { readonly t: 'list' | 'tuple'; readonly v: readonly EvaluatedValue[] }
  | { readonly t: 'dict'; readonly v: readonly (readonly [EvaluatedValue, EvaluatedValue])[] }
  | { readonly t: 'other'; readonly v: string }

export interface FunctionCall {
  /** A name as Python imports it; for JavaScript a file, relative to the workspace. */
  readonly module: string
  readonly name: string
  /** JSON values; passed by position. */
  readonly args: readonly unknown[]
  /** The same for all calls of one evaluation. Default: Python. */
  readonly language?: 'javascript'
}

/** Outcome of an evaluation. Everything but `values` is the model's failure, never an infra fault. */
export type Evaluation =
  | {
      readonly kind: 'values'
      /** One per call: the value, or the name of the exception it raised. */
      readonly results: readonly (
        | { readonly ok: true; readonly value: EvaluatedValue }
        | { readonly ok: false; readonly error: string }
      )[]
    }
  | { readonly kind: 'no-frame' | 'bad-frame' | 'extra-bytes' | 'too-big' | 'timeout' }

/**
 * One place where tool calls run. Operations are serialised by the implementation: one request is in flight.
 * Each method throws {@link InfraError} (code `sandbox_lost`) when the sandbox is gone; then it must be replaced.
 * While a command ran in the agent's room the code is `sandbox_lost_during_command`.
 * Times are in milliseconds, sizes in bytes. A signal that aborts makes the running operation end (everything killed) and throw its reason.
 */
export interface Sandbox extends AsyncDisposable {
  readonly info: SandboxInfo

  /**
   * Kills everything, empties every writable place, writes `files`, and proves it.
   * `room: 'verify'` makes the workspace unwritable to what runs in it.
   * @throws InfraError code `reset_unproved` when processes or files are left or the root differs.
   */
  reset(
    files: FileMap,
    options: { readonly room: 'agent' | 'verify'; readonly signal?: AbortSignal },
  ): Promise<{ readonly proof: ResetProof; readonly baseline: Snapshot }>

  /** Runs a bash command as the unprivileged user in the workspace; every process is killed before it returns. */
  exec(
    command: string,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly snapshot?: boolean },
  ): Promise<ExecResult>

  /** @throws FileRefusedError */
  readLines(
    path: string,
    options: {
      readonly offset?: number
      readonly limit?: number
      readonly maxBytes: number
      readonly signal?: AbortSignal
    },
  ): Promise<ReadResult>

  /** Creates parent directories. @throws FileRefusedError */
  writeFile(path: string, bytes: Uint8Array, options?: { readonly signal?: AbortSignal }): Promise<SnapshotDelta>

  /** Kills everything and takes a whole snapshot. Nothing runs afterwards. */
  freeze(options?: { readonly signal?: AbortSignal }): Promise<Snapshot>

  /** Reads regular files (never through a link) out of the workspace; what cannot be read is named with the reason. */
  collect(
    paths: readonly string[],
    options: { readonly maxFileBytes: number; readonly maxTotalBytes: number; readonly signal?: AbortSignal },
  ): Promise<{
    readonly files: FileMap
    readonly refused: readonly { readonly path: string; readonly reason: string }[]
  }>

  /** Imports the module in a child, calls the functions, returns what they gave: see `Evaluation`. */
  evaluate(
    calls: readonly FunctionCall[],
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<Evaluation>
}

/** What a driver found out and built in the main process; serialisable, handed to the workers. */
export interface PreparedSandbox {
  readonly driver: DriverName
  readonly image: { readonly name: string; readonly digest: string } | null
  readonly engine: { readonly name: string; readonly version: string; readonly socketPath: string } | null
  /** What runs test files in the sandbox: `pytest`, or the name of a stand-in. */
  readonly testRunner: string
  /** One line: which driver and why. */
  readonly why: string
  /** The host's Python, for a driver that uses it. */
  readonly interpreter?: HostInterpreter
}

/** A Python of the host. Paths have no links in them. */
export interface HostInterpreter {
  readonly version: string
  readonly executable: string
  /** Where it is installed; all of it has to be there for it to work. */
  readonly prefix: string
  /** Version of pytest, or null when it has none. */
  readonly pytest: string | null
  /** Directories with pytest and what it needs. */
  readonly packages: readonly string[]
}

/** A kind of sandbox. `prepare` runs in the main process and never runs a command in a sandbox; `open` runs in a worker. */
export interface SandboxDriver {
  readonly name: DriverName
  /** @throws ConfigError with a remedy when the driver cannot work here. */
  prepare(options: {
    readonly image: string | null
    readonly runId: string
    readonly onProgress: (line: string) => void
    readonly signal?: AbortSignal
  }): Promise<PreparedSandbox>
  open(prepared: PreparedSandbox, options: { readonly runId: string; readonly signal?: AbortSignal }): Promise<Sandbox>
}
