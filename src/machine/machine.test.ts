import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ggufKeys } from './gguf.ts'
import { hardwareLine } from './hardware.ts'
import { modelFile, recommendedSampling } from './model-file.ts'
import { serverMemory, serverProcess } from './server-process.ts'

const dir = mkdtempSync(join(tmpdir(), 'agent-bench-machine-'))
afterAll(() => rmSync(dir, { recursive: true }))

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer)
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)])
const f32 = (value: number) => Buffer.from(Float32Array.of(value).buffer)
const pair = (name: string, type: number, ...value: Buffer[]) => Buffer.concat([text(name), u32(type), ...value])

function gguf(name: string, pairs: readonly Buffer[], magic = 'GGUF'): string {
  const path = join(dir, name)
  writeFileSync(path, Buffer.concat([Buffer.from(magic), u32(3), u64(0), u64(pairs.length), ...pairs]))
  return path
}

const SAMPLING = [
  pair('general.name', 8, text('tiny')),
  pair('tokenizer.ggml.tokens', 9, u32(8), u64(3), text('a'), text('b'.repeat(20_000)), text('c')),
  pair('tokenizer.ggml.scores', 9, u32(6), u64(2), f32(1), f32(2)),
  pair('tokenizer.chat_template', 8, text('x'.repeat(20_000))),
  pair('general.sampling.temp', 6, f32(0.7)),
  pair('general.sampling.top_k', 5, u32(20)),
]

test('the keys of a GGUF file, with lists and long texts passed over', () => {
  expect([...(ggufKeys(gguf('a.gguf', SAMPLING)) ?? [])]).toEqual([
    ['general.name', 'tiny'],
    ['general.sampling.temp', expect.closeTo(0.7, 6)],
    ['general.sampling.top_k', 20],
  ])
})

test.each([
  ['another kind of file', () => gguf('b.gguf', [], 'GGML'), null],
  ['no file', () => join(dir, 'none'), null],
  ['a folder', () => dir, undefined],
  ['a file that ends early', () => gguf('c.gguf', [pair('a', 8, u64(5_000))]), []],
  ['a length beyond all', () => gguf('d.gguf', [pair('a', 9, u32(0), u64(2 ** 50)), pair('b', 0)]), []],
])('%s gives no keys', (_, path, expected) => {
  if (expected === undefined) expect(() => ggufKeys(path())).toThrow('EISDIR')
  else expect(ggufKeys(path())).toEqual(expected === null ? null : new Map(expected as []))
})

test('what a model file recommends, rounded; nothing where it says nothing', () => {
  expect(recommendedSampling(gguf('e.gguf', SAMPLING))).toEqual({ temperature: 0.7, top_k: 20 })
  expect(recommendedSampling(gguf('f.gguf', SAMPLING.slice(0, 1)))).toBeNull()
  expect(recommendedSampling(null)).toBeNull()
})

test('a model file is hashed once, and again when it changes', async () => {
  const [path, cache] = [join(dir, 'm.bin'), join(dir, 'cache/hashes.json')]
  writeFileSync(path, 'weights')
  const sha256 = createHash('sha256').update('weights').digest('hex')
  expect(await modelFile(path, cache)).toEqual({ name: 'm.bin', sizeBytes: 7, sha256 })
  writeFileSync(cache, readFileSync(cache, 'utf8').replace(sha256, 'f'.repeat(64)))
  expect(await modelFile(path, cache)).toMatchObject({ sha256: 'f'.repeat(64) })
  writeFileSync(path, 'other weights')
  expect(await modelFile(path, cache)).toMatchObject({ sha256: expect.not.stringMatching(/^f+$/) })
  expect(await modelFile(join(dir, 'none'), cache)).toBeNull()
  expect(await modelFile(dir, cache)).toBeNull()
})

test('a machine in one line, with the graphics card that its system names', () => {
  const card = join(dir, 'proc/driver/nvidia/gpus/0000:01:00.0')
  mkdirSync(card, { recursive: true })
  writeFileSync(join(card, 'information'), 'Model: \t\t NVIDIA GeForce RTX 4090\nIRQ: 1\n')
  expect(hardwareLine(dir)).toMatch(/^.+, \d+ cores, \d+ GiB, \w+ \S+, NVIDIA GeForce RTX 4090$/)
  expect(hardwareLine(join(dir, 'none'))).not.toContain('NVIDIA')
})

test('the memory of the process that listens on a port', async () => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`
  expect(serverProcess(url)).toEqual({ pid: process.pid })
  expect(serverMemory(url)).toEqual({ peakBytes: expect.any(Number), swapBytes: expect.any(Number), reason: null })
  expect(serverMemory(url).peakBytes).toBeGreaterThan(10_000_000)
  await new Promise(resolve => server.close(resolve))
  expect(serverMemory(url).reason).toMatch('not visible here')
  expect(serverMemory('http://192.0.2.1:8080').reason).toBe('the server runs on another machine')
})
