import { describe, expect, test } from 'vitest'
import { claims } from './claims.ts'

describe('number', () => {
  const CAP = (answer: string) => claims(answer).number(85, { not: [72, 45] })
  test.each([
    '85',
    '85.',
    '**85**',
    'The cap is £85 per day (policy/travel.md).',
    '85.00 GBP per day',
    'GBP 85 a day',
    'GBP85',
    'It is 85, not 72.',
    'It is not 72 but 85.',
    "It isn't 72, it's 85.",
    '85 rather than 72.',
    'The README gives 72, which is superseded; the current cap is 85.',
    'The superseded README says 72. The policy in force says 85.',
    'policy/travel.md: 85 (the former figure was 72).',
    '85 (the superseded README says 72)',
    '85 replaces the old 72.',
    '72 is superseded by 85.',
    '72 no longer applies and 85 does.',
    'The cap rose from 72 to 85.',
    '~~72~~ 85',
    '85. The 72 in notes/2026-05-06.md was never verified and does not count.',
    '85 (72 is not to blame)',
    'Previously 72, now 85.',
    '72 was the former figure; 85 is current.',
    'The cap is 85, 72 is outdated.',
    '- Old cap: 72\n- New cap: 85',
    '| international | 85 |\n| old policy | 72 |',
    'README.md says 72, travel.md says 85. The final answer is 85.',
    'The cap is 72. No, wait: it is 85.',
    'You may not exceed 85 per day.',
    'No more than 85.',
    'The cap is 85 since 2026-02-05, rule 4.',
    '85, as policy/README.md is marked superseded.',
    '85 per day, which does not include tax.',
    'The domestic values 72 and 45 are outdated, so 85.',
    '1. Cap: 85\n2. File: policy/travel.md',
    '72 is not the current cap, 85 is.',
  ])('claims 85: %j', answer => expect(CAP(answer)).toBe(true))

  test.each([
    '',
    'There is a cap.',
    '72',
    '72 is current; 85 was the former figure.',
    'The cap is 72, not 85.',
    'Not 85 but 72.',
    '85 or 72',
    'Either 72 or 85.',
    '85/72',
    'It is 85. It is 72.',
    'The cap is 72 (85 is outdated).',
    '72 replaces 85.',
    'The cap fell from 85 to 72.',
    'The answer is 72. README.md says 85.',
    'Is it 85?',
    'It could be 85 or even 72.',
    'See EXP-0085 of 2085-01-02, v1.85, 10:85 and notes/85.md.',
    '850, 185, 8.5, 85.5 and 85th',
    'The cap is 85. Correction: 72.',
    'I could not find 85.',
    '85 in the superseded README and 72 in travel.md.',
    '1. The cap is 72',
    'It is not 85.',
    '-85',
  ])('does not claim 85: %j', answer => expect(CAP(answer)).toBe(false))

  test.each([
    [2092.53, '2,092.53'],
    [2092.53, 'GBP 2.092,53'],
    [2092.53, "CHF 2'092.53"],
    [2092.53, '2\u202f092,53 GBP'],
    [2092, 'Total: 2,092'],
    [2092, 'zusammen 2.092'],
    [14.7, '14,7 FTE in data/headcount.csv'],
    [3, 'There are three files.'],
    [37, 'a 37-day period'],
    [-5, 'minus: -5'],
    [-5, '−5'],
    [0.5, '0.5'],
    [500, '500ms'],
  ])('reads %d in %j', (value, answer) => expect(claims(answer).number(value)).toBe(true))

  test.each([
    [24, '2,4'],
    [4, '2,4,6'],
    [37, '30 or 37 or 60'],
    [37, 'between 37 and 60 days'],
    [37, '30 days, 37 days or 60 days'],
    [37, '30-37'],
    [120, 'The last row is EXP-0120.'],
    [3, 'thirty-three'],
    [5, '-5'],
  ])('does not read %d in %j', (value, answer) => expect(claims(answer).number(value)).toBe(false))

  test('a tolerance is a distance', () => {
    expect(claims('about 9.81').number(9.8, { tolerance: 0.05 })).toBe(true)
    expect(claims('about 9.91').number(9.8, { tolerance: 0.05 })).toBe(false)
  })
})

describe('file', () => {
  const FILE = (answer: string) => claims(answer).file('policy/travel.md', { not: ['policy/README.md'] })
  test.each([
    'policy/travel.md',
    'It is in `policy/travel.md`.',
    './policy/travel.md says so',
    '/workspace/policy/travel.md:12',
    'travel.md',
    'It comes from policy/travel.md.',
    'travel.md; README.md is superseded.',
    'policy/travel.md, not policy/README.md',
    'README.md (superseded) gives another figure, travel.md is in force.',
    'config/settings.yaml points to policy/travel.md.',
  ])('claims the file: %j', answer => expect(FILE(answer)).toBe(true))

  test.each([
    '',
    'the travel policy',
    'old-travel.md',
    'travel.mdx',
    'policy/README.md',
    'policy/travel.md and policy/README.md',
    'travel.md or README.md',
    'policy/README.md, not policy/travel.md',
    'It is not in travel.md.',
  ])('does not claim it: %j', answer => expect(FILE(answer)).toBe(false))
})

describe('names', () => {
  const NOTES = (answer: string) =>
    claims(answer).names(['2026-01-08.md', '2026-03-19.md'], { not: /\d{4}-\d\d-\d\d\.md/ })
  test.each([
    '2026-01-08.md, 2026-03-19.md',
    '- notes/2026-03-19.md\n- notes/2026-01-08.md',
    'Both 2026-01-08.md and 2026-03-19.md name it.',
    '2026-01-08.md and 2026-03-19.md; 2026-02-05.md does not mention it.',
    '2026-01-08.md, 2026-03-19.md (2026-02-05.md is about a different company).',
    'Matches:\n- 2026-01-08.md\n- 2026-03-19.md\n\nNot matching:\n- 2026-02-05.md',
    'Not only 2026-01-08.md but also 2026-03-19.md.',
    '2026-01-08.md and 2026-03-19.md. Excluded: 2026-02-05.md, 2026-02-06.md.',
    '2026-02-05.md names another vendor, so the files are 2026-01-08.md and 2026-03-19.md.',
    '| 2026-01-08.md | yes |\n| 2026-03-19.md | yes |',
  ])('claims exactly these: %j', answer => expect(NOTES(answer)).toBe(true))

  test.each([
    '',
    '2026-01-08.md',
    '2026-01-08.md, 2026-03-19.md, 2026-02-05.md',
    '2026-01-08.md or 2026-03-19.md',
    '2026-01-08.md and 2026-02-05.md; 2026-03-19.md does not mention it.',
    '2026-01-08.md. Not 2026-03-19.md.',
    'None of 2026-01-08.md and 2026-03-19.md: neither 2026-01-08.md nor 2026-03-19.md.',
    'Not matching:\n- 2026-01-08.md\n- 2026-03-19.md',
  ])('does not: %j', answer => expect(NOTES(answer)).toBe(false))

  test('modules that only define what others raise are excluded line by line', () => {
    const raisers = (answer: string) =>
      claims(answer).names(['entries.py', 'posting.py'], { not: ['validation.py', 'currency.py'] })
    expect(raisers('entries.py, posting.py; validation.py only defines it.')).toBe(true)
    expect(raisers("entries.py and posting.py raise it, but validation.py doesn't raise it.")).toBe(true)
    expect(raisers('entries.py, posting.py, currency.py; validation.py only defines it.')).toBe(false)
    expect(raisers('entries.py, posting.py, validation.py')).toBe(false)
  })
})

describe('some', () => {
  const CAUSE = (answer: string) => claims(answer).some(['floating point', 'floating-point', 'float', 'rounding'])
  test.each(['A floating-point error.', 'Each share is rounded; rounding loses a cent.', 'floats'])('%j', answer =>
    expect(CAUSE(answer)).toBe(true),
  )
  test.each(['', 'It is not a floating point issue at all.', 'afloat', 'Is it rounding?'])('not %j', answer =>
    expect(CAUSE(answer)).toBe(false),
  )
})

/** What models answer to questions with a decoy: each table has the question, then answers. */
describe('whole answers', () => {
  const fte = (a: string) => claims(a).number(14.7, { not: [41] })
  const hc = (a: string) => claims(a).file('data/headcount.csv', { not: ['notes/2026-02-05.md'] })
  const dec = (a: string) => claims(a).number(4, { not: [2] }) && claims(a).file('config/defaults.yaml')
  const ids = (a: string) => claims(a).names(['EXP-0004', 'EXP-0017', 'EXP-0031'], { not: /EXP-\d{4}/ })
  const cap = (a: string) =>
    claims(a).number(85, { not: [72, 45] }) && claims(a).file('policy/travel.md', { not: ['policy/README.md'] })
  const cause = (a: string) =>
    claims(a).some(['floating point', 'floating-point', 'float', 'rounding', 'round']) && claims(a).file('posting.py')
  const days = (a: string) => claims(a).number(37, { not: [30, 60] })

  test.each([
    [fte, '14.7 FTE; authoritative: data/headcount.csv (the February note says 41, which was not verified).'],
    [fte, 'The current total is 14.7 FTE. notes/2026-02-05.md quotes 41, but that figure is stale.'],
    [
      hc,
      'The current total is 14.7 FTE, from data/headcount.csv as config/settings.yaml says. notes/2026-02-05.md quotes 41, but that figure is stale.',
    ],
    [
      dec,
      'The CSV export uses 4 decimal places. The value comes from config/defaults.yaml (read through config/settings.py by export_csv.py).',
    ],
    [dec, '4 decimal places — `config/defaults.yaml` → `decimal_places: 4`. (The 2 in currency.py is unrelated.)'],
    [
      ids,
      'EXP-0004 (512.00), EXP-0017 (EUR 700 = 595.00 GBP), and EXP-0031 need approval. EXP-0044 is below the threshold.',
    ],
    [ids, '| EXP-0004 | 512.00 |\n|---|---|\n| EXP-0017 | 595 |\n| EXP-0031 | 610 |'],
    [ids, 'EXP-0004\nEXP-0017\nEXP-0031'],
    [ids, 'EXP-0004, EXP-0017 and EXP-0031. EXP-0050 does not need it (499.99).'],
    [ids, 'Approval is needed for EXP-0004, EXP-0017, EXP-0031. Not needed: EXP-0050.'],
    [ids, 'EXP-0004, EXP-0017, EXP-0031 exceed 500 GBP. EXP-0050 comes close but stays under.'],
    [
      cap,
      'The current international per-diem cap is **£85** per day, stated in `policy/travel.md`. Note that `policy/README.md` is marked SUPERSEDED and lists 72.',
    ],
    [cap, 'Cap: 85 GBP/day. Source: policy/travel.md. (policy/README.md says 72 but is superseded.)'],
    [cap, 'According to policy/travel.md, which replaces policy/README.md, the cap is 85 (formerly 72).'],
    [
      cap,
      'The cap is 85.\n\nSource file: policy/travel.md\n\nThe figure of 72 in policy/README.md is out of date and should not be used.',
    ],
    [
      cap,
      '85 GBP per day as given in policy/travel.md. The older policy/README.md, which is superseded, had it at 72 GBP.',
    ],
    [cap, 'policy/travel.md says the cap is 85 per day; the domestic one is 55.'],
    [cap, 'While policy/README.md mentions 72, it is superseded. The authoritative policy/travel.md sets 85.'],
    [
      cap,
      'I found two values: 72 in policy/README.md and 85 in policy/travel.md. README.md is superseded, so the answer is 85, from policy/travel.md.',
    ],
    [
      cause,
      'The test fails because `split_by_weights` in src/ledger/posting.py rounds each share on its own with float arithmetic; the shares add up to 99.99. I changed nothing.',
    ],
    [days, 'Supplier invoices are retained for 37 days (archive/2025-review.md).'],
    [days, 'Invoices: 37 days. (Contracts are kept for 7 years.)'],
    [days, 'They are kept 37 days and then deleted.'],
    [days, 'They are kept for **37 days**, not for 30 days as before.'],
    [cap, 'The cap is not 72 (that value, in policy/README.md, is superseded) but 85, from policy/travel.md.'],
    [cap, '**85** — `policy/travel.md`'],
    [cap, '{"cap": 85, "file": "policy/travel.md"}'],
    [ids, 'The following need approval: EXP-0004, EXP-0017, EXP-0031. All others are below the limit.'],
    [ids, 'EXP-0004, EXP-0017, EXP-0031 (but not EXP-0050, EXP-0051 or EXP-0052).'],
  ] as const)('right (%#)', (judge, answer) => expect(judge(answer), answer).toBe(true))

  test.each([
    [fte, '41'],
    [fte, 'between 14.7 and 41'],
    [fte, 'The total is 41; headcount.csv sums to 14.7, which is outdated.'],
    [hc, 'notes/2026-02-05.md, not data/headcount.csv'],
    [dec, '2 decimal places, config/defaults.yaml'],
    [dec, '4 decimal places, from currency.py'],
    [dec, '2 or 4, config/defaults.yaml'],
    [ids, 'EXP-0004, EXP-0017, EXP-0031, EXP-0050'],
    [ids, 'EXP-0004, EXP-0017'],
    [ids, 'EXP-0004 and EXP-0017 need it. EXP-0031 does not.'],
    [cap, '72, policy/README.md'],
    [cap, '85, policy/README.md'],
    [cap, '85'],
    [cap, 'policy/travel.md'],
    [cap, 'policy/README.md is current and says 72; policy/travel.md with 85 is superseded.'],
    [cap, '72 (policy/README.md) or 85 (policy/travel.md)'],
    [cap, 'The cap is 85 per policy/travel.md. The cap is 72 per policy/README.md.'],
    [cause, 'Not a floating point issue at all: posting.py has the wrong account.'],
    [days, '30 or 37 or 60'],
    [days, '30 days; it was 37 days before that was superseded.'],
    [days, '37 was the old one, 30 is current'],
    [days, 'Maybe 37? Maybe 60?'],
    [days, '30, 37 or 60'],
    [ids, 'EXP-0001 EXP-0004 EXP-0017 EXP-0031'],
    [ids, 'EXP-0004, EXP-0017 do not need approval, EXP-0031 does.'],
  ] as const)('wrong (%#)', (judge, answer) => expect(judge(answer), answer).toBe(false))
})
