import { describe, expect, it } from 'vitest'
import { type CallFixture, makeLog } from './log.fixture.ts'
import { mostRepeated } from './reading-repeats.ts'

const OFFERS =
  '"""Written offers to groups."""\n# Copied from a sheet.\nRATE = 0.18\n\n\ndef total(amount):\n    return amount * RATE\n'
const VOUCHERS = '"""Gift vouchers."""\n# As printed.\nRATE = 0.12\n\n\ndef total(amount):\n    return amount * RATE\n'
const setup = { 'services/offers.py': OFFERS, 'services/vouchers.py': VOUCHERS }
const PATH = 'services/offers.py'

const cat = (text = OFFERS): CallFixture => ({ sh: `cat ${PATH}`, delivered: text })
const times = (calls: readonly CallFixture[], lines = 2, path = PATH) =>
  mostRepeated(makeLog({ setup, calls }), path, lines).times
const four = (call: CallFixture) => [call, call, call, call]
const numbered = OFFERS.split('\n')
  .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
  .join('\n')

describe('a passage is shown as often as it stands in results', () => {
  it.each<[string, string, number]>([
    ['cat', OFFERS, 4],
    ['cat -n', numbered, 4],
    ['grep -n with the path', OFFERS.replace(/^/gm, `${PATH}:1:`), 4],
    ['head', OFFERS.split('\n').slice(0, 2).join('\n'), 4],
    ['twice in one command', OFFERS + VOUCHERS + OFFERS, 8],
    ['base64', Buffer.from(OFFERS).toString('base64').replace(/.{76}/g, '$&\n'), 4],
    ['a printed string', JSON.stringify(OFFERS), 4],
    ['a search for single lines', 'RATE = 0.18\n    return amount * RATE', 0],
    [
      'its lines far from one another',
      OFFERS.replace('# Copied', 'x = 1\ny = 2\n# Copied').replace('RATE = 0.18', ''),
      0,
    ],
    ['another file with lines of the same text', VOUCHERS, 0],
    ['names and sizes', `-rw-r--r-- 1 agent agent 312 ${PATH}\n 8 20 122 ${PATH}`, 0],
    ['base64 of something else', Buffer.from('x'.repeat(200)).toString('base64'), 0],
  ])('%s', (_how, delivered, expected) => {
    expect(times(four({ sh: 'x', delivered }))).toBe(expected)
  })

  it('also when the agent has typed it', () => {
    const write = { sh: `cat > ${PATH} <<'E'\n${OFFERS}E`, writes: { [PATH]: OFFERS.replace('0.18', '0.15') } }
    expect(times([write, ...four(cat(OFFERS.replace('0.18', '0.15')))])).toBe(4)
  })

  it('and names the calls', () => {
    const { calls } = mostRepeated(makeLog({ setup, calls: [cat(), { sh: 'ls' }, cat()] }), PATH, 2)
    expect(calls.map(({ call }) => call)).toEqual([1, 3])
  })
})

describe('reading on is no repetition', () => {
  it('in parts', () => {
    const lines = OFFERS.split('\n')
    expect(times([0, 2, 5].map(from => cat(lines.slice(from, from + 2).join('\n'))))).toBe(1)
  })

  it('of a file that does not exist', () => {
    expect(times(four(cat()), 2, 'services/none.py')).toBe(0)
  })
})

describe('single lines', () => {
  it('count when they are asked for', () => {
    expect(times(four({ sh: 'grep RATE', delivered: 'RATE = 0.18' }), 1)).toBe(4)
  })

  it('not those that another file holds', () => {
    expect(times(four({ sh: 'grep def', delivered: 'def total(amount):' }), 1)).toBe(0)
  })
})

describe('counting begins anew', () => {
  const change = (text: string, path = PATH): CallFixture => ({ sh: 'sed -i', writes: { [path]: text } })
  const repaired = OFFERS.replace('RATE = 0.18', 'from config import RATE')

  it.each<[string, CallFixture, number]>([
    ['with a change of the file', change(repaired), 3],
    ['with a change of another file of the setup', change(VOUCHERS.replace('0.12', '0.1'), 'services/vouchers.py'), 3],
    ['not with a new file', change('x = 1\n', 'notes.py'), 6],
    ['not with an empty line', change(`${OFFERS}\n`), 6],
    ['not with one in the middle', change(OFFERS.replace('\n\n\n', '\n\n\n\n')), 6],
    ['not with spaces at the ends of lines', change(OFFERS.replaceAll('\n', '  \n')), 6],
    ['with other indentation', change(OFFERS.replace('    return', '\treturn')), 3],
  ])('%s', (_how, between, expected) => {
    expect(times([cat(), cat(), cat(), between, cat(), cat(), cat()])).toBe(expected)
  })

  it('and a call that changes something stands by itself', () => {
    const text = (rate: string) => OFFERS.replace('0.18', rate)
    const both = (rate: string): CallFixture => ({
      sh: 'sed -i; cat',
      delivered: text(rate),
      writes: { [PATH]: text(rate) },
    })
    expect(times([cat(), both('0.2'), both('0.3'), both('0.4'), cat(text('0.4'))])).toBe(1)
  })
})

describe('tracebacks of pytest', () => {
  const traceback = `=== FAILURES ===\n____ test_total ____\n\n    def total(amount):\n>       return amount * RATE\nE       NameError: RATE\n\n${PATH}:7: NameError\n`

  it('do not count', () => {
    expect(
      times(
        four({
          sh: 'pytest',
          delivered: traceback.replace(
            'def total(amount):',
            '"""Written offers to groups."""\n    # Copied from a sheet.',
          ),
        }),
      ),
    ).toBe(0)
  })

  it('but what was printed above them does', () => {
    expect(times(four({ sh: 'cat; pytest', delivered: OFFERS + traceback }))).toBe(4)
  })
})
