import { expect, it } from 'vitest'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { VerifyRoom } from './verify-room.ts'

const filesOf = (texts: Readonly<Record<string, string>>): FileMap =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: 0o644 }]))

/** A sandbox that says after a while which files lay in it when it was asked. */
function showing() {
  let laid: FileMap = new Map()
  const resets: string[][] = []
  const proof = { processesLeft: 0, leftovers: 0, root: 'r', expectedRoot: 'r', durationMs: 1 }
  const textsLaid = () => [...laid].map(([path, { bytes }]) => `${path}=${Buffer.from(bytes)}`)
  const sandbox = {
    reset: async (files: FileMap) => {
      laid = files
      resets.push(textsLaid())
      return { proof, baseline: { root: 'r', entries: new Map(), truncated: null } }
    },
    evaluate: async () => {
      await new Promise(setImmediate)
      return { kind: 'values', results: textsLaid().map(v => ({ ok: true, value: { t: 'str', v } })) }
    },
  } as unknown as Sandbox
  return { sandbox, resets }
}

it('gives each request its own files, also when several are made at once, and lays the room only when it must', async () => {
  const { sandbox, resets } = showing()
  const room = new VerifyRoom(sandbox, filesOf({ 'a.py': '1', 'b.py': '1' }), AbortSignal.timeout(5_000))
  await room.lay()
  const overs = [filesOf({}), filesOf({ 'b.py': '2' }), filesOf({ 'b.py': '2' }), filesOf({ 'c.py': '3' }), filesOf({})]
  const answers = await Promise.all(overs.map(over => room.evaluate([], over)))
  const seen = answers.map(answer =>
    answer.kind === 'values' ? answer.results.map(one => (one.ok && one.value.t === 'str' ? one.value.v : '')) : [],
  )
  expect(seen).toEqual([
    ['a.py=1', 'b.py=1'],
    ['a.py=1', 'b.py=2'],
    ['a.py=1', 'b.py=2'],
    ['a.py=1', 'b.py=1', 'c.py=3'],
    ['a.py=1', 'b.py=1'],
  ])
  expect(resets).toHaveLength(4)
})
