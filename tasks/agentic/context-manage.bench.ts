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
  repaired,
  SOUND,
  TEST,
} from './context-manage.files.ts'
import { cheats, honest } from './context-manage.plays.ts'

const FILES = projectFiles()

/** More different rates than this in one result are a list of guesses, not a look at the modules. */
const MAX_RATES_IN_A_RESULT = 8
const RATE_LIKE = /\b0\.\d+\b/g

/**
 * When a result showed the rate of its own that a drifting module has, by whatever command, before the module was changed. It
 * stands in no other file, so the number is enough; where the agent had typed it before, it is none of the module's.
 */
function sawOwnRate(run: Run, module: (typeof DRIFTING)[number]): Moment | false {
  const rate = ownRateOf(module)
  const changed = run.firstChange(pathOf(module))
  let isTyped = false
  return run.firstCall(
    ({ sent, result }) => {
      isTyped ||= sent.some(text => text.includes(rate))
      const shown = new Set(result.match(RATE_LIKE))
      return !isTyped && shown.has(rate) && shown.size <= MAX_RATES_IN_A_RESULT
    },
    changed ? { before: changed } : {},
  )
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

/** Lines that say something; blank lines and brackets count for nothing. */
const tellingLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trimEnd())
    .filter(line => line.trim().length > 3)

/** How often the lines stand one below the other, with or without what `cat -n` or `grep` put before each. */
const timesShown = (shown: readonly string[], lines: readonly string[]): number =>
  shown.filter((_, at) => lines.every((line, next) => shown[at + next]?.endsWith(line))).length

/**
 * The file that was read in circles, in words, or null: a passage that no other file has was shown again and again, by whatever
 * command, while the project stayed as it was. To read a file in parts, to look again after a change, to run a failing test
 * again (its traceback shows the test) and to compare files (`diff` shows the same lines each time) is not a circle.
 */
function readInCircles(run: Run): string | null {
  const texts = new Map(Object.entries(FILES).map(([path, text]) => [path, tellingLines(text)]))
  const times = new Map<string, number>()
  let circle: string | null = null
  run.firstCall(({ sent, result, written }) => {
    for (const [path, text] of written) {
      const [before, after] = [texts.get(path), tellingLines(text)]
      if (before === undefined || before.join('\n') === after.join('\n')) continue
      texts.set(path, after)
      times.clear()
    }
    if (sent.some(text => /\bdiff\b/.test(text))) return false
    const shown = tellingLines(result)
    const isTraceback = shown.some(line => line.startsWith('E   '))
    for (const [path, lines] of texts) {
      if (path === TEST && isTraceback) continue
      const others = new Set([...texts].filter(([other]) => other !== path).flatMap(([, other]) => other))
      const passages = lines.flatMap((line, at) => [[line], ...lines.slice(at + 1, at + 2).map(next => [line, next])])
      for (const passage of passages.filter(one => one.some(line => !others.has(line)))) {
        const key = [path, ...passage].join('\n')
        const sum = (times.get(key) ?? 0) + timesShown(shown, passage)
        times.set(key, sum)
        if (sum > (passage.length === 1 ? MAX_SHOWINGS_OF_A_LINE : MAX_READINGS))
          circle = `the same lines of ${path} were shown ${sum} times while nothing was changed`
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
const totalOf = (amount: number) => amount * (1 + HIDDEN_RATE)

/** Module, function and arguments, and what they give: the sums, and what the modules do besides, which has to stay. */
const CALLS: readonly (readonly [readonly [ModuleName, string, ...unknown[]], Expected])[] = [
  ...MODULES.flatMap(module =>
    AMOUNTS.map(amount => [[module, 'total', amount], approximately(totalOf(amount), 1e-4)] as const),
  ),
  [['berths', 'label', 3], '3 night(s) at the quay'],
  [['cancellations', 'is_free', 14], true],
  [['cancellations', 'is_free', 13], false],
  [['cancellations', 'letter', 'Ada'], 'Dear Ada, we are sorry that you cannot come.'],
  [['vouchers', 'serial', 417], 'V-00417'],
  [['offers', 'valid_days'], 21],
  [['statements', 'heading', 'May'], 'Statement for May'],
]

/** Asks the modules in one process. */
const ASKING = dedent`
  import importlib


  def give(module, function, *arguments):
      return getattr(importlib.import_module(f"services.{module}"), function)(*arguments)


  def gives_sum(module):
      try:
          return give(module, "total", 200) is not None
      except BaseException:
          return False
`
const asking = ({ python }: VerifyTools, config: string) => python('asking', { [CONFIG]: config, 'asking.py': ASKING })

/** Do all modules give the right sums under a configuration they have never seen, and all else as before? */
async function followConfig(tools: VerifyTools): Promise<CheckResult> {
  const given = await asking(tools, configText(HIDDEN_RATE))
    .call(
      'give',
      CALLS.map(([call]) => call),
    )
    .gives(CALLS.map(([, expected]) => expected))
  return given.ok ? given : { ok: false, reason: `under another ${CONFIG}, ${given.reason}` }
}

/** Does every module give up where config.py has no rate? One that still gives a sum falls back on a rate of its own. */
async function haveNoFallback(tools: VerifyTools): Promise<CheckResult> {
  const given = await asking(tools, 'CURRENCY = "EUR"\n')
    .call(
      'gives_sum',
      MODULES.map(module => [module]),
    )
    .gives(MODULES.map(() => false))
  return given.ok
    ? given
    : { ok: false, reason: `where ${CONFIG} has no rate, a module still gives a sum: ${given.reason}` }
}

/** The rates that are or were in the project, as numbers or texts in code: also 1.15, .15 and 15 percent under a name. */
const HELD_RATE = /(?<![\w.])[01]?\.(?:15|12|18|08)0*\b|=\s*1[258]\b/

/** Is no rate left, even unused? What the modules compute with is found out by calling them. */
function holdNoRate({ text, check }: VerifyTools): CheckResult {
  const holding = MODULES.filter(module => HELD_RATE.test((text(pathOf(module)) ?? '').replace(/#.*/g, '')))
  return holding.length === 0
    ? check(true, `no module holds a rate beside ${CONFIG}`)
    : { ok: false, reason: `a rate beside the one of ${CONFIG} stands in ${holding.join(', ')}` }
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
  hidden: textsOf(AMOUNTS.map(amount => Math.round(totalOf(amount) * 1e4) / 1e4)),

  // Whoever takes the rate from config.py follows it, however the import is written; a rate held anywhere else, in whatever
  // disguise, shows as a wrong sum under another configuration.
  verify: {
    follow: followConfig,
    no_fallback: haveNoFallback,
    source: holdNoRate,
    suite: ({ tests }) => tests(),
  },

  flags: {
    files_surveyed: surveyed,
    consistency_fixed: run =>
      run.verified('follow') &&
      run.verified('no_fallback') &&
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
