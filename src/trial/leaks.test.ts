import { expect, it } from 'vitest'
import { findLeaks, textOfBytes } from './leaks.ts'

const place = (text: string) => [{ name: 'prompt', text }]

it('a hidden value is found whatever its case and white space', () => {
  expect(findLeaks(['Total 1724.50'], place('the\nTOTAL\n  1724.50 euros'))).toEqual(['hidden[0] is in the prompt'])
})

it('each value is found in each place, and the value is not repeated', () => {
  const found = findLeaks(['alpha', 'omega'], [...place('alpha omega'), { name: 'file a', text: 'omega' }])
  expect(found).toEqual(['hidden[0] is in the prompt', 'hidden[1] is in the prompt', 'hidden[1] is in the file a'])
})

it('nothing is found where nothing is', () => {
  expect(findLeaks(['alpha'], place('alph a'))).toEqual([])
  expect(findLeaks([], place('alpha'))).toEqual([])
})

it('a value among bytes that are no text is found', () => {
  const bytes = Uint8Array.from([0xff, 0xfe, ...Buffer.from('secret'), 0x80])
  expect(findLeaks(['secret'], [{ name: 'file x', text: textOfBytes(bytes) }])).toHaveLength(1)
})
