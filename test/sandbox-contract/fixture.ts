import type { CapturedStream, ExecResult, FileMap, Sandbox } from '../../src/sandbox/index.ts'

/** A setup out of texts. */
export function filesOf(texts: Readonly<Record<string, string>>): FileMap {
  return new Map(Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: 0o644 }]))
}

/** What was kept of a stream, as text. */
export function textOf(stream: CapturedStream): string {
  return Buffer.concat([stream.head, stream.tail]).toString('utf8')
}

/** Lays a setup for an agent. */
export async function lay(sandbox: Sandbox, texts: Readonly<Record<string, string>> = {}): Promise<void> {
  await sandbox.reset(filesOf(texts), { room: 'agent' })
}

export function run(sandbox: Sandbox, command: string, timeoutMs = 20_000): Promise<ExecResult> {
  return sandbox.exec(command, { timeoutMs })
}

/** Standard output of a command that must succeed. */
export async function outputOf(sandbox: Sandbox, command: string, timeoutMs?: number): Promise<string> {
  const result = await run(sandbox, command, timeoutMs)
  if (result.exitCode !== 0) throw new Error(`${command}: status ${result.exitCode}\n${textOf(result.stderr)}`)
  return textOf(result.stdout)
}

/** A python3 command line for a program of several lines. */
export function python(source: string): string {
  return `python3 - <<'END_OF_PROGRAM'\n${source}\nEND_OF_PROGRAM`
}
