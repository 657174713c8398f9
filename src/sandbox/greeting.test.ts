import { expect, it } from 'vitest'
import { readGreeting } from './greeting.ts'

const said = (fields: object) => ({
  header: { survivors: [], python: '3.10.2', shell: true, limits: { uid: 1000, odd: [] }, ...fields },
  body: new Uint8Array(),
})

it('a greeting names Python and the limits, and refuses a sandbox that lacks what every trial needs', () => {
  expect(readGreeting(said({}))).toEqual({ python: '3.10.2', limits: { uid: 1000 } })
  expect(() => readGreeting(said({ python: '3.9.18' }))).toThrow(/Python 3\.9\.18, which is older than 3\.10/)
  expect(() => readGreeting(said({ shell: false }))).toThrow(expect.objectContaining({ code: 'image_lacks' }))
  expect(() => readGreeting(said({ survivors: ['/data'] }))).toThrow(/no reset empties: \/data/)
})
