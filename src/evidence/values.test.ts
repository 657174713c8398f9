import { describe, expect, it } from 'vitest'
import { type CallFixture, makeLog } from './log.fixture.ts'
import { findValue } from './values.ts'

const setup = {
  'services/offers.py': 'RATE = 0.18\n',
  'services/special_offers.py': 'RATE = 0.3\n',
  'services/vouchers.py': 'RATE = 0.12\n',
  'config.py': 'CHARGE = 0.15\n',
}
const PATH = 'services/offers.py'
const callsOf = (...calls: CallFixture[]) =>
  findValue(makeLog({ prompt: 'Find the rates.', setup, calls }), PATH, '0.18').calls.map(({ call }) => call)

describe('a value of a file is shown', () => {
  it.each<[string, string, string]>([
    ['grep -o with the path', "grep -rno '0\\.[0-9]*' .", './services/offers.py:1:0.18\n./services/vouchers.py:1:0.12'],
    ['a bare name before it', 'for f in *; do :; done', 'offers 0.18'],
    ['the name of the module', 'python3 show.py', 'services.offers 0.18'],
    ['a dictionary', 'python3 show.py', "{'special_offers': 0.3, 'offers': 0.18}"],
    ['a heading above it', 'sh show.sh', '== services/offers.py\n\n0.18\n== services/vouchers.py\n0.12'],
    ['the file in the command', "grep -o '[0-9.]*' services/offers.py", '0.18'],
    ['the folder in the command', "awk '{ print $3 }' services/*.py", '0.18\n0.3\n0.12'],
    ['an import in the command', 'python3 -c "from services import offers; print(offers.RATE)"', '0.18'],
    ['the end of a sentence', 'x', 'The rate of offers.py is 0.18.'],
  ])('by %s', (_how, sh, delivered) => {
    expect(callsOf({ sh, delivered })).toEqual([1])
  })

  it.each<[string, string, string]>([
    ['it is a time', 'pytest services/offers.py', '1 passed in 0.18s'],
    ['it is a part of a number', 'cat services/offers.py', '10.18 and 0.185 and 0.18.2'],
    ['it is a share', 'x services/offers.py', '0.18%'],
    ['nothing says whose it is', 'uptime', 'load average: 0.18'],
    ['the name belongs to another file', 'x', 'special_offers 0.18'],
    ['another file was named last', 'x', 'services/offers.py\nservices/vouchers.py\n0.18'],
    ['the agent types it', 'echo services/offers.py 0.18', 'services/offers.py 0.18'],
    ['only the name is shown', 'ls services', 'offers.py'],
  ])('not where %s', (_why, sh, delivered) => {
    expect(callsOf({ sh, delivered })).toEqual([])
  })

  it('not when the agent had said it before, nor when the prompt does', () => {
    const grep = { sh: 'grep -o x services/offers.py', delivered: '0.18' }
    expect(callsOf({ sh: 'echo 0.18' }, grep)).toEqual([])
    expect(callsOf(grep, { sh: 'echo 0.18' })).toEqual([1])
    expect(findValue(makeLog({ prompt: 'It is 0.18.', setup, calls: [grep] }), PATH, '0.18').calls).toEqual([])
  })

  it('not when the file does not hold it any more, or another one does too', () => {
    const grep = { sh: 'grep -o x services/offers.py', delivered: '0.18' }
    expect(callsOf({ sh: 'x', writes: { [PATH]: 'from config import CHARGE' } }, grep)).toEqual([])
    const both = { ...setup, 'old.py': 'RATE = 0.18' }
    expect(findValue(makeLog({ setup: both, calls: [grep] }), PATH, '0.18').nearest).toMatch(/other files hold it too/)
  })

  describe('not in a list of all there may be', () => {
    const listed = (values: readonly string[], line: (value: string) => string) => values.map(line).join('\n')
    const hundredths = Array.from({ length: 30 }, (_, at) => ((at + 1) / 100).toFixed(2))

    it.each<[string, string]>([
      ['a line for each', listed(hundredths, value => `${PATH} ${value}`)],
      ['numbered lines', listed(hundredths, value => `${Number(value) * 100} ${PATH} ${value}`)],
      ['one line', `${PATH} ${hundredths.join(' ')}`],
      ['below the name', `== ${PATH}\n${hundredths.join('\n')}`],
      ['from high to low', listed([...hundredths].reverse(), value => `offers ${value}`)],
    ])('%s', (_how, delivered) => {
      expect(callsOf({ sh: 'seq x', delivered })).toEqual([])
    })

    it('over several results', () => {
      const calls = ['0.15', '0.16', '0.17', '0.19', '0.18'].map(value => ({ sh: 'x', delivered: `${PATH} ${value}` }))
      expect(callsOf(...calls)).toEqual([])
      expect(findValue(makeLog({ setup, calls }), PATH, '0.18').nearest).toMatch(/one of a list of values/)
    })

    it('but values that other files hold are none, nor numbers that stand elsewhere', () => {
      const rates = '{"config": 0.15, "vouchers": 0.12, "special_offers": 0.3, "offers": 0.18}'
      expect(callsOf({ sh: 'x', delivered: rates })).toEqual([1])
      const many = { ...setup, 'all.md': '0.21 0.22 0.23 0.24' }
      const log = makeLog({ setup: many, calls: [{ sh: 'x', delivered: `${PATH} 0.18 0.21 0.22 0.23 0.24` }] })
      expect(findValue(log, PATH, '0.18').calls).toHaveLength(1)
      const timed = `${PATH} 0.18\n0.21 s, 0.22 s, 0.23 s and 0.24 s`
      expect(callsOf({ sh: 'x', delivered: timed })).toEqual([1])
    })
  })

  it('also when the agent keeps a copy of the file', () => {
    const copy = { sh: 'cp -r services kept', writes: { 'kept/offers.py': setup[PATH] } }
    expect(callsOf(copy, { sh: 'grep -o x services/offers.py', delivered: '0.18' })).toEqual([2])
  })
})
