import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import Docker from 'dockerode'
import { expect, it } from 'vitest'
import { sampleRecord } from '../src/results/sample-record.fixture.ts'
import { Keeper } from '../src/runner/keep.ts'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import { describeWith } from './needs.ts'

const TEXT = 'as the agent left it\n'
const sha256 = createHash('sha256').update(TEXT).digest('hex')
const left = { type: 'file', mode: 0o644, size: TEXT.length, sha256 } as const
const record = sampleRecord({
  final: { root: 'b', entries: [['notes/left.txt', left]], truncated: null },
  contents: { [sha256]: TEXT },
})

await describeWith(['docker'], 'a kept sandbox', () => {
  async function open(lines: string[], input: PassThrough, isWatching: boolean) {
    const prepared = await prepareSandbox('docker', { image: null, runId: 'keep-test', onProgress: () => undefined })
    const keeper = new Keeper(line => lines.push(line))
    const opening = (signal: AbortSignal) => openSandbox(prepared, { runId: 'keep-test', signal })
    const over = keeper.keep(record, { resultsDir: '/nowhere', open: opening, isWatching, input })
    await expect.poll(() => lines.at(-1), { timeout: 30_000 }).toMatch(/Press Enter|It is closed/)
    const container = new Docker().getContainer(/\b([0-9a-f]{12})\b/.exec(lines.join('\n'))?.[1] ?? '')
    return { keeper, over, container }
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
    const look = ['-c', 'cat notes/left.txt; id -u; touch mine && echo writable']
    expect(execFileSync('docker', ['exec', ...words, ...look], { encoding: 'utf8' })).toBe(`${TEXT}1000\nwritable\n`)
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
