import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import Docker from 'dockerode'
import { expect, it } from 'vitest'
import { sampleRecord } from '../src/results/sample-record.fixture.ts'
import { Keeper } from '../src/runner/keep.ts'
import { openSandbox, prepareSandbox, type Sandbox } from '../src/sandbox/index.ts'
import { describeWith } from './needs.ts'

const TEXT = 'as the agent left it\n'
const record = sampleRecord({
  final: {
    root: 'b',
    entries: [
      [
        'notes/left.txt',
        { type: 'file', mode: 0o644, size: TEXT.length, sha256: createHash('sha256').update(TEXT).digest('hex') },
      ],
    ],
    truncated: null,
  },
  contents: { [createHash('sha256').update(TEXT).digest('hex')]: TEXT },
})

await describeWith(['docker'], 'a kept sandbox', () => {
  async function open(lines: string[], input: PassThrough, isWatching: boolean) {
    const prepared = await prepareSandbox('docker', { image: null, runId: 'keep-test', onProgress: () => undefined })
    let sandbox: Sandbox | null = null
    const keeper = new Keeper(line => lines.push(line))
    const over = keeper.keep(record, {
      resultsDir: '/nowhere',
      open: async signal => {
        sandbox = await openSandbox(prepared, { runId: 'keep-test', signal })
        return sandbox
      },
      isWatching,
      input,
    })
    await expect.poll(() => lines.at(-1), { timeout: 30_000 }).toMatch(/Press Enter|It is closed/)
    return {
      keeper,
      over,
      container: new Docker().getContainer(/\b([0-9a-f]{12})\b/.exec(lines.join('\n'))?.[1] ?? ''),
    }
  }

  const stateOf = (container: Docker.Container) =>
    container.inspect().then(
      () => 'there',
      (error: unknown) =>
        error instanceof Error && 'statusCode' in error && error.statusCode === 404 ? 'gone' : 'unknown',
    )

  it('holds the workspace of the trial, can be entered as the agent, and is gone after Enter', async () => {
    const lines: string[] = []
    const input = new PassThrough()
    const { over, container } = await open(lines, input, false)
    const words = /docker exec -it (.*)/.exec(lines.join('\n'))?.[1]?.split(' ') ?? []
    const exec = await container.exec({
      Cmd: ['/bin/bash', '-c', 'cat notes/left.txt; id -u; touch mine && echo writable'],
      User: words[1] ?? '',
      WorkingDir: words[3] ?? '',
      AttachStdout: true,
      Tty: true,
    })
    const stream = await exec.start({ Tty: true })
    let shown = ''
    for await (const chunk of stream) shown += String(chunk)
    expect(shown.replaceAll('\r', '')).toBe(`${TEXT}1000\nwritable\n`)
    input.write('\n')
    await over
    await expect.poll(() => stateOf(container), { timeout: 30_000 }).toBe('gone')
  })

  it('is not waited for while watching, and is gone once it is closed', async () => {
    const { keeper, over, container } = await open([], new PassThrough(), true)
    await over
    expect(await stateOf(container)).toBe('there')
    await keeper.close()
    await expect.poll(() => stateOf(container), { timeout: 30_000 }).toBe('gone')
  })
})
