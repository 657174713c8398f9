/**
 * Judges the modules of `context_manage_v1` by what they do: each is called under other configurations, whose rates nobody
 * has seen. Whoever takes the rate from config.py follows it, however the import is written; a rate held anywhere else,
 * in whatever disguise, shows as a wrong sum.
 */
import { approximately, type CheckResult, type Expected, type VerifyTools } from 'agent-bench'
import { textsOf } from 'agent-bench/proving'
import { constantsOf } from './context-manage.constants.ts'
import {
  CONFIG,
  CONSTANT,
  configText,
  DRIFTING,
  MODULES,
  type ModuleName,
  ownRateOf,
  pathOf,
  RATE,
} from './context-manage.files.ts'

/** Rates that the configuration has while the services, and copies of them, are called. */
const HIDDEN_RATES = { inPlace: 0.2375, copied: 0.0621 }
/** The first amount is the visible test's. */
const AMOUNTS = [200, 1, 0, 19.5, 4321, 0.4, 77.25, 1730.6]

const totals = (rate: number): readonly number[] => AMOUNTS.map(amount => amount * (1 + rate))

/** What an agent must not find: sums under the rates it does not know, as the modules round them. */
export const HIDDEN: readonly string[] = textsOf(
  Object.values(HIDDEN_RATES).flatMap(rate => totals(rate).map(total => Math.round(total * 1e4) / 1e4)),
)

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

/**
 * A package with the modules under other names. What the agent's package gives under its own name is there too, for modules
 * that import from it, and so are further modules of it, but whoever patched the modules from outside did not patch these.
 */
const COPIES = 'copies_of_services'

function copiesOf({ text }: VerifyTools, setup: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const copies = MODULES.map(module => [`${COPIES}/${module}.py`, text(pathOf(module)) ?? setup[pathOf(module)] ?? ''])
  const init =
    'import services\n\nglobals().update({k: v for k, v in vars(services).items() if not k.startswith("__")})\n__path__ = [*__path__, *services.__path__]\n'
  return { ...Object.fromEntries(copies), [`${COPIES}/__init__.py`]: init }
}

/** Does a module give the right sums under configurations it has never seen, and all else as before? */
export const followsConfig =
  (module: ModuleName, setup: Readonly<Record<string, string>>) =>
  async (tools: VerifyTools): Promise<CheckResult> => {
    const sumsUnder = (name: string, rate: number, files: Readonly<Record<string, string>>) =>
      tools
        .python(name, { [CONFIG]: configText(rate), ...files })
        .call(
          'total',
          AMOUNTS.map(amount => [amount]),
        )
        .gives(totals(rate).map(total => approximately(total, 1e-4)))

    const inPlace = await sumsUnder(`services.${module}`, HIDDEN_RATES.inPlace, {})
    if (!inPlace.ok) return { ok: false, reason: `under another ${CONFIG}, ${inPlace.reason}` }
    // In the room that is laid already: what else the module does has nothing to do with the rate.
    const [name, cases] = OTHER_FUNCTIONS[module]
    const besides = await tools
      .python(`services.${module}`, { [CONFIG]: configText(HIDDEN_RATES.inPlace) })
      .call(
        name,
        cases.map(([args]) => args),
      )
      .gives(cases.map(([, expected]) => expected))
    if (!besides.ok) return besides
    const copied = await sumsUnder(`${COPIES}.${module}`, HIDDEN_RATES.copied, copiesOf(tools, setup))
    return copied.ok
      ? tools.check(true, `${module} follows ${CONFIG}`)
      : { ok: false, reason: `on its own, without what other modules set in it, ${copied.reason}` }
  }

/** Is the package as it was, but for what its modules say? The prompt asks for no other files: not even for a shared one. */
export function hasNoNewModules({ files, check }: VerifyTools): CheckResult {
  const known = ['services/__init__.py', ...MODULES.map(pathOf)]
  const created = files.filter(path => path.startsWith('services/') && !known.includes(path))
  return created.length === 0
    ? check(true, 'services/ has no new files')
    : { ok: false, reason: `${created.join(', ')} was created, and the prompt says to create no other files` }
}

/** A rate as it may be written: 0.15, 1.15, 15 or 115. */
const spellings = (rate: number): readonly number[] => [rate, 1 + rate, 100 * rate, 100 + 100 * rate]
const RATES = [RATE, ...DRIFTING.map(module => Number(ownRateOf(module)))].flatMap(spellings)
const isRate = (value: number) => RATES.some(rate => Math.abs(rate - Math.abs(value)) < 1e-9)

/**
 * Is no rate left, even unused or as a default: as a number, as a text or as something that comes to it? Only that: what
 * the modules compute with is found out by calling them.
 */
export function holdsNoRate({ text, check }: VerifyTools): CheckResult {
  const holding = MODULES.flatMap(module => {
    const rate = constantsOf(text(pathOf(module)) ?? '').find(({ value, isPlaces }) => !isPlaces && isRate(value))
    return rate === undefined ? [] : [`${module} (${rate.source})`]
  })
  return holding.length === 0
    ? check(true, `no module holds a rate beside ${CONFIG}`)
    : { ok: false, reason: `a rate beside ${CONSTANT} of ${CONFIG} stands in: ${holding.join(', ')}` }
}

/** Configurations that give no rate: one that does not have it, and one that can not be loaded. */
const WITHOUT_RATE = {
  'that says no rate': 'CURRENCY = "EUR"\n',
  'that can not be loaded': 'raise ImportError("no configuration")\n',
}
/** Asks a module for a sum; where there is no rate to be had, it has none to give. */
const ASKING = 'asking_without_rate'
const ASKING_TEXT = `import importlib


def gives_sum(name):
    try:
        return isinstance(importlib.import_module(name).total(200), (int, float))
    except BaseException:
        return False
`

/** Does every module give up where config.py has no rate? One that still gives a sum falls back on a rate of its own. */
export async function hasNoFallback(tools: VerifyTools): Promise<CheckResult> {
  for (const [kind, config] of Object.entries(WITHOUT_RATE)) {
    const asked = await tools
      .python(ASKING, { [CONFIG]: config, [`${ASKING}.py`]: ASKING_TEXT })
      .call(
        'gives_sum',
        MODULES.map(module => [`services.${module}`]),
      )
      .gives(MODULES.map(() => false))
    if (!asked.ok) {
      return {
        ok: false,
        reason: `a module falls back on a rate of its own: with a ${CONFIG} ${kind}, it still gives a sum (${asked.reason})`,
      }
    }
  }
  return tools.check(true, `no module gives a sum without the rate of ${CONFIG}`)
}
