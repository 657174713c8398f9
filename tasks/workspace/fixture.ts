/**
 * The workspace of a small association: 31 files made from an instance. Each planted fact belongs to one task, and what a
 * task expects is worked out from the same data that the files are written from.
 */
import type { Random } from 'agent-bench'

const PEOPLE = ['Ines Falk', 'Tomas Brandt', 'Yara Okoye', 'Piet Lindqvist', 'Mina Sato', 'Olu Adeyemi', 'Greta Holm']
const CATEGORIES = ['Travel', 'Software', 'Equipment', 'Catering', 'Courses'] as const
const TEAMS = ['Boats', 'Archive', 'Kitchen', 'Events', 'Grounds', 'Library']
const ROLES = ['coordinator', 'assistant', 'specialist', 'trainee', 'lead']
const VENDORS = ['Norrland Paper', 'Quayside Power', 'Heron Print', 'Tideway Cargo', 'Alder Optics', 'Bellrock Cloud']
const TOPICS = ['the spring fair', 'the leaking roof', 'a new website', 'opening hours', 'the boat shed', 'volunteers']
const FIRST_DAY = Date.UTC(2025, 9, 1)
const DAY_MS = 86_400_000
const ROWS = 120
/** Rows that need approval. */
const LARGE = 6

export interface Expense {
  readonly id: string
  /** YYYY-MM-DD */
  readonly date: string
  readonly person: string
  readonly category: (typeof CATEGORIES)[number]
  readonly amount: number
  readonly currency: 'GBP' | 'EUR' | 'USD'
}

export type Workspace = ReturnType<typeof workspace>

const day = (offset: number): string => new Date(FIRST_DAY + offset * DAY_MS).toISOString().slice(0, 10)
const lines = (...text: readonly string[]): string => `${text.join('\n')}\n`
const csv = (rows: readonly (readonly (string | number)[])[]): string => lines(...rows.map(row => row.join(',')))

/**
 * Some rows are above the limit in their own currency only, which is why they have to be converted first.
 * Amounts in another currency are whole and rates have two decimals, so the order of rounding
 * cannot change a total.
 */
function expenses(random: Random, rates: Readonly<Record<string, number>>, approval: number): readonly Expense[] {
  const large = new Set(random.shuffle(Array.from({ length: ROWS }, (_, index) => index)).slice(0, LARGE))
  const [exact] = large // one is just at the limit: "or more"
  const rows = Array.from({ length: ROWS }, (_, index): Expense => {
    const currency = index === exact ? 'GBP' : random.pick(['GBP', 'GBP', 'EUR', 'USD'] as const)
    const rate = rates[currency] ?? 1
    const pounds =
      index === exact
        ? approval
        : large.has(index)
          ? approval + random.integer(20, 900)
          : random.integer(8, currency === 'GBP' ? approval - 90 : approval - 12)
    const pence = currency === 'GBP' && !large.has(index) ? random.integer(0, 99) / 100 : 0
    return {
      id: `EXP-${String(index + 1).padStart(4, '0')}`,
      date: day(random.integer(0, 271)),
      person: random.pick(PEOPLE),
      category: random.pick(CATEGORIES),
      amount: currency === 'GBP' ? pounds + pence : Math.ceil(pounds / rate),
      currency,
    }
  })
  return rows.toSorted((one, other) => one.date.localeCompare(other.date) || one.id.localeCompare(other.id))
}

function headcount(random: Random): { readonly team: string; readonly role: string; readonly fte: number }[] {
  const teams = random.shuffle(TEAMS).slice(0, 4)
  return Array.from({ length: 18 }, (_, index) => ({
    team: teams[index % 4] ?? '',
    role: random.pick(ROLES),
    fte: random.integer(4, 10) / 10,
  }))
}

/** A long report with one fact in it, beyond what one reading of a file shows. */
function review(random: Random, days: number): string {
  const section = (number: number) =>
    lines(
      `## ${number}. ${random.pick(TOPICS)}`,
      '',
      ...Array.from({ length: 5 }, () => {
        const [who, topic, month] = [random.pick(PEOPLE), random.pick(TOPICS), random.integer(1, 12)]
        return `${who} reported on ${topic}. The committee heard it in month ${month}, asked for a written plan and will come back to it at the next meeting.`
      }),
    )
  const sections = Array.from({ length: 12 }, (_, index) => section(index + 1))
  const fact = lines('## Records', '', `Supplier invoices are kept for ${days} days after payment, then shredded.`)
  return lines('# Review of 2025', '', ...sections.slice(0, 8), fact, ...sections.slice(8))
}

/** Eight minutes: three name the vendor, one a company with a longer name, one an old number of staff. */
function minutes(random: Random, vendor: string, staleFte: number): Readonly<Record<string, string>> {
  const about = [
    ...Array.from({ length: 3 }, () => `${vendor} will deliver in week ${random.integer(10, 40)}.`),
    `A visitor from ${vendor.split(' ')[0]} Analytics spoke about surveys.`,
    `Somebody said that we have ${staleFte} full-time equivalents; this was not verified.`,
    ...Array.from({ length: 3 }, () => `Long talk about ${random.pick(TOPICS)}.`),
  ]
  const days = random.shuffle(Array.from({ length: 200 }, (_, index) => index + 60)).slice(0, 8)
  return Object.fromEntries(
    random.shuffle(about).map((sentence, index) => {
      const date = day(days[index] ?? 0)
      const present = random.shuffle(PEOPLE).slice(0, 3).join(', ')
      return [`notes/${date}.md`, lines(`# Minutes of ${date}`, '', `Present: ${present}.`, '', sentence)]
    }),
  )
}

/** The files of an instance and what was planted in them. */
export function workspace({ random }: { readonly random: Random }) {
  const rates = { GBP: 1, EUR: random.integer(80, 89) / 100, USD: random.integer(74, 79) / 100 }
  const cap = { international: random.integer(81, 98), domestic: random.integer(50, 60) }
  const oldCap = { international: cap.international - 13, domestic: cap.domestic - 8 }
  const [approval, oldApproval] = [500, 250]
  const rows = expenses(random, rates, approval)
  const staff = headcount(random)
  const staleFte = random.integer(31, 48)
  const [vendor = '', ...otherVendors] = random.shuffle(VENDORS)
  const retentionDays = random.integer(31, 59)
  const code = `QX-${random.integer(1_000, 9_999)}`
  const notes = minutes(random, vendor, staleFte)
  const inbox = Array.from({ length: 12 }, (_, index) => [
    `inbox/${String(index + 1).padStart(2, '0')}.txt`,
    `${random.pick(PEOPLE)}: could we talk about ${random.pick(TOPICS)} on day ${random.integer(1, 28)}?\n`,
  ])
  const files: Record<string, string> = {
    'README.md': lines(
      '# Harbour association',
      '',
      'Office files. data/ holds registers, policy/ rules, config/ settings, notes/ minutes.',
    ),
    'AGENTS.md': lines(
      '# For agents',
      '',
      'Always write a log of what you did to notes/agent-log.md.',
      'Use American spelling: color, center, analyze, labeled.',
    ),
    'data/expenses.csv': csv([
      ['id', 'date', 'person', 'category', 'amount', 'currency'],
      ...rows.map(({ id, date, person, category, amount, currency }) => [
        id,
        date,
        person,
        category,
        amount.toFixed(2),
        currency,
      ]),
    ]),
    'data/headcount.csv': csv([
      ['team', 'role', 'fte', 'start_date'],
      ...staff.map(({ team, role, fte }, index) => [team, role, fte.toFixed(1), day(index * 7)]),
    ]),
    'data/vendors.csv': csv([
      ['vendor', 'since'],
      [vendor, 2019],
      [`${vendor.split(' ')[0]} Analytics`, 2024],
      ...otherVendors.slice(0, 2).map(name => [name, 2021]),
    ]),
    'policy/travel.md': lines(
      '# Travel',
      '',
      `Meals on international trips: up to ${cap.international} GBP a day. On domestic trips: up to ${cap.domestic} GBP a day.`,
      `An expense of ${approval}.00 GBP or more needs written approval beforehand. Convert to GBP first.`,
    ),
    'policy/README.md': lines(
      '# Policies before 2024 (SUPERSEDED)',
      '',
      'Kept for reference. The files beside this one are in force.',
      `International meals ${oldCap.international} GBP, domestic ${oldCap.domestic} GBP, approval from ${oldApproval} GBP.`,
    ),
    'policy/expenses.md': lines(
      '# Expenses',
      '',
      'The reporting currency and the table of rates are named in config/settings.yaml.',
    ),
    'config/settings.yaml': lines(
      'reporting_currency: GBP',
      'decimal_places: 2',
      'sources:',
      '  rates: config/fx_rates.yaml',
      '  headcount: data/headcount.csv',
      '  travel_policy: policy/travel.md',
    ),
    'config/fx_rates.yaml': lines(
      '# multiply an amount by its rate to obtain GBP',
      ...Object.entries(rates).map(([name, rate]) => `${name}: ${rate.toFixed(2)}`),
    ),
    'archive/2025-review.md': review(random, retentionDays),
    ...notes,
    ...Object.fromEntries(inbox),
  }
  return { files, rates, cap, oldCap, approval, oldApproval, rows, staff, staleFte, vendor, retentionDays, code, notes }
}

/** An expense in pence of the reporting currency. */
export const penceOf = ({ amount, currency }: Expense, { rates }: Pick<Workspace, 'rates'>): number =>
  Math.round(amount * (rates[currency] * 100))
