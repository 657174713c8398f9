import {
  approximately,
  type CheckResult,
  dedent,
  defineTask,
  type Expected,
  type Moment,
  type Run,
  type VerifyTools,
} from 'agent-bench'
import { textsOf } from 'agent-bench/proving'
import {
  CONFIG,
  configText,
  DRIFTING,
  MODULES,
  type ModuleName,
  ownRateOf,
  pathOf,
  projectFiles,
  RATE,
  repaired,
  SOUND,
} from './context-manage.files.ts'
import { cheats, honest } from './context-manage.plays.ts'

const FILES = projectFiles()

/** More different rates than this in one result are a list of guesses, not a look at the modules. */
const MAX_RATES_IN_A_RESULT = 8
const RATE_LIKE = /\b0\.\d+\b/g

/**
 * When a result showed the rate of its own that a drifting module has, by whatever command. It stands in no other file, so
 * the number is enough; where the agent had typed it before, it is none of the module's.
 */
function sawOwnRate(run: Run, module: (typeof DRIFTING)[number]): Moment | false {
  const rate = ownRateOf(module)
  let isTyped = false
  return run.firstCall(({ sent, result }) => {
    isTyped ||= sent.some(text => text.includes(rate))
    const shown = new Set(result.match(RATE_LIKE))
    return !isTyped && shown.has(rate) && shown.size <= MAX_RATES_IN_A_RESULT
  })
}

/** When the rates of all drifting modules had been seen. */
function surveyed(run: Run): Moment | false {
  const seen = DRIFTING.map(module => sawOwnRate(run, module))
  return (
    seen.every(moment => moment !== false) && seen.reduce((last, moment) => (moment.call > last.call ? moment : last))
  )
}

/** Two neighbouring lines that are shown more often than this while nothing is changed are read in circles. */
const MAX_READINGS = 3
/** Searches show the same line again and again, beside others; twice as often is going in circles. */
const MAX_SHOWINGS_OF_A_LINE = 2 * MAX_READINGS

/** A line of a file as a result shows it, with or without what `cat -n` or `grep` put before it. */
const shows = (shown: string, line: string): boolean => shown.trimEnd().endsWith(line.trimEnd())

/** How often the lines stand one below the other in a result. */
function timesShown(result: readonly string[], lines: readonly string[]): number {
  return result.filter((_, at) => lines.every((line, next) => shows(result[at + next] ?? '', line))).length
}

/**
 * The file that was read in circles, or null: a passage of it was shown again and again, by whatever command, while the
 * project stayed as it was. To read a file in parts, to look again after a change and to compare files (`diff` shows the
 * same lines each time) is no circle. A change starts the count anew, whatever it changes.
 */
function readInCircles(run: Run): string | null {
  const texts = new Map(Object.entries(FILES))
  const times = new Map<string, number>()
  let circle: string | null = null
  run.firstCall(({ sent, result, written }) => {
    const changed = [...written].filter(([path]) => texts.has(path))
    for (const [path, text] of changed) texts.set(path, text)
    if (changed.length > 0) times.clear()
    if (sent.some(text => /\bdiff\b/.test(text))) return false
    const shown = result.split('\n')
    for (const [path, text] of texts) {
      const others = [...texts].filter(([other]) => other !== path).flatMap(([, other]) => other.split('\n'))
      const lines = text.split('\n')
      const own = (line: string | undefined) => line !== undefined && line.trim().length > 3 && !others.includes(line)
      for (const [at, line] of lines.entries()) {
        const next = lines[at + 1]
        const passages = [
          ...(own(line) ? [{ key: line, lines: [line], most: MAX_SHOWINGS_OF_A_LINE }] : []),
          ...(own(line) || own(next)
            ? [{ key: `${line}\n${next}`, lines: [line, next ?? ''], most: MAX_READINGS }]
            : []),
        ]
        for (const { key, lines: passage, most } of passages) {
          const sum = (times.get(`${path}\n${key}`) ?? 0) + timesShown(shown, passage)
          times.set(`${path}\n${key}`, sum)
          if (sum > most) circle = `the same lines of ${path} were shown ${sum} times while nothing was changed`
        }
      }
    }
    return circle !== null
  })
  return circle
}

/** A rate that the configuration has only while the services are called. */
const HIDDEN_RATE = 0.2375
/** The first amount is the visible test's. */
const AMOUNTS = [200, 1, 0, 19.5, 4321, 0.4, 77.25, 1730.6]
const TOTALS = AMOUNTS.map(amount => amount * (1 + HIDDEN_RATE))

/** What the modules do besides: it has to stay. */
const OTHER_FUNCTIONS: Readonly<
  Record<ModuleName, readonly [string, readonly (readonly [readonly unknown[], Expected])[]]>
> = {
  berths: ['label', [[[3], '3 night(s) at the quay']]],
  cancellations: [
    'is_free',
    [
      [[14], true],
      [[13], false],
    ],
  ],
  vouchers: ['serial', [[[417], 'V-00417']]],
  offers: ['valid_days', [[[], 21]]],
  statements: ['heading', [[['May'], 'Statement for May']]],
}

/** Does a module give the right sums under a configuration it has never seen, and all else as before? */
const followsConfig =
  (module: ModuleName) =>
  async ({ python }: VerifyTools): Promise<CheckResult> => {
    const service = python(`services.${module}`, { [CONFIG]: configText(HIDDEN_RATE) })
    const sums = await service
      .call(
        'total',
        AMOUNTS.map(amount => [amount]),
      )
      .gives(TOTALS.map(total => approximately(total, 1e-4)))
    if (!sums.ok) return { ok: false, reason: `under another ${CONFIG}, ${sums.reason}` }
    const [name, cases] = OTHER_FUNCTIONS[module]
    return service
      .call(
        name,
        cases.map(([args]) => args),
      )
      .gives(cases.map(([, expected]) => expected))
  }

/** The rates that are or were in the project, as a number or a text in code. */
const HELD_RATE = new RegExp(`\\b(?:${[String(RATE), ...DRIFTING.map(ownRateOf)].join('|').replaceAll('.', '\\.')})\\b`)

/** Is no rate left, even unused or as a default? What the modules compute with is found out by calling them. */
function holdsNoRate({ text, check }: VerifyTools): CheckResult {
  const codeOf = (module: ModuleName) => (text(pathOf(module)) ?? '').replace(/#.*/g, '')
  const holding = MODULES.filter(module => HELD_RATE.test(codeOf(module)))
  return check(holding.length === 0, `no module holds a rate beside ${CONFIG} (${holding.join(', ') || 'none does'})`)
}

export default defineTask({
  id: 'context_manage_v1',
  title: 'Find every module that has drifted from the configuration, without reading in circles',
  maxTurns: 25,
  requires: ['python', 'pytest'],

  setup: FILES,
  prompt: dedent`
    In this small Python project every module in services/ adds a service charge to an amount. The rate is set in
    config.py, and that is the only value that counts. Some of the modules have drifted: they work with a rate of their own.

    Look through the modules, find every one that has drifted, and change it so that it takes the rate from config.py and
    holds no rate itself. \`pytest\` has to pass in the end. Leave config.py and the test as they are, and create no
    other files.
  `,
  allowedWrites: ['services/__init__.py', ...MODULES.map(pathOf)],
  hidden: textsOf(TOTALS.map(total => Math.round(total * 1e4) / 1e4)),

  // Whoever takes the rate from config.py follows it, however the import is written; a rate held anywhere else, in whatever
  // disguise, shows as a wrong sum under another configuration.
  verify: {
    berths: followsConfig('berths'),
    cancellations: followsConfig('cancellations'),
    vouchers: followsConfig('vouchers'),
    offers: followsConfig('offers'),
    statements: followsConfig('statements'),
    source: holdsNoRate,
    suite: ({ tests }) => tests(),
  },

  flags: {
    files_surveyed: surveyed,
    consistency_fixed: run =>
      MODULES.every(module => run.verified(module)) &&
      run.verified('source') &&
      run.verified('suite') &&
      run.firstChange('services/*.py'),
    no_read_loops: run => {
      if (!surveyed(run) && !run.firstChange('services/*.py')) return false
      const circle = readInCircles(run)
      return circle === null || run.because(circle)
    },
  },

  reference: async ({ sh, read, write, optional }) => {
    await optional('the rate and the modules that have it: known to be right only to whoever wrote them', async () => {
      for (const path of [CONFIG, ...SOUND.map(pathOf)]) await read(path)
    })
    for (const module of DRIFTING) await read(pathOf(module))
    for (const module of DRIFTING) await write(pathOf(module), repaired(module))
    await optional('a last look; verify runs the suite itself', async () => void (await sh('python3 -m pytest -q')))
    return 'vouchers, offers and statements had rates of their own. All five modules take it from config.py now.'
  },

  honest,
  cheats,
})
