import { expect, it } from 'vitest'
import { findLeaks, placesOf, textOfBytes } from './leaks.ts'

const place = (text: string) => [{ name: 'prompt', text }]

it('a hidden value is found whatever its case and white space', () => {
  expect(findLeaks(['Total 1724.50'], place('the\nTOTAL\n  1724.50 euros'))).toEqual(['hidden[0] is in the prompt'])
})

it('each value is found in each place, and the value is not repeated', () => {
  const found = findLeaks(['alpha', 'omega'], [...place('alpha omega'), { name: 'file a', text: 'omega' }])
  expect(found).toEqual(['hidden[0] is in the prompt', 'hidden[1] is in the prompt', 'hidden[1] is in the file a'])
})

it('a value among bytes that are not text is found', () => {
  const bytes = Uint8Array.from([0xff, 0xfe, ...Buffer.from('secret'), 0x80])
  expect(findLeaks(['secret'], [{ name: 'file x', text: textOfBytes(bytes) }])).toHaveLength(1)
})

it('prompt, environment, files, their names and what a stub replaced are looked at, the same file once', () => {
  const file = (text: string) => ({ bytes: Buffer.from(text), mode: 0o644 })
  const task = {
    prompt: 'alpha',
    system: null,
    setup: new Map(Object.entries({ 'skill/SKILL.md': file('beta'), 'skill/run.sh': file('a stub') })),
  }
  const directory = new Map(Object.entries({ 'SKILL.md': file('beta'), 'run.sh': file('gamma') }))
  const found = findLeaks(['alpha', 'beta', 'gamma', 'delta', 'run.sh'], placesOf(task, 'X=delta', directory))
  expect(found).toEqual([
    'hidden[0] is in the prompt',
    'hidden[3] is in the environment',
    'hidden[1] is in the file skill/SKILL.md',
    'hidden[4] is in the name of the file skill/run.sh',
    "hidden[2] is in the skill directory's file run.sh",
    "hidden[4] is in the name of the skill directory's file run.sh",
  ])
})
