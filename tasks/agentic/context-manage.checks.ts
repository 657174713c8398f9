/**
 * Judges the modules of `context_manage_v1` by what they do: each is called under other configurations, whose rates nobody
 * has seen. Whoever takes the rate from config.py follows it, however the import is written; a rate held anywhere else,
 * in whatever disguise, shows as a wrong sum.
 */
import { approximately, type CheckResult, type Expected, type VerifyTools } from 'agent-bench'
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
import { textsOf } from './hidden-values.ts'
import { readPython } from './python-source.ts'

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
 * that import from it, but whoever patched the modules from outside did not patch these.
 */
const COPIES = 'copies_of_services'

function copiesOf({ text }: VerifyTools, setup: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const copies = MODULES.map(module => [`${COPIES}/${module}.py`, text(pathOf(module)) ?? setup[pathOf(module)] ?? ''])
  const init =
    'import services\n\nglobals().update({k: v for k, v in vars(services).items() if not k.startswith("__")})\n'
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

/** A rate as it may be written: 0.15, 1.15, 15 or 115. */
const spellings = (rate: number): readonly number[] => [rate, 1 + rate, 100 * rate, 100 + 100 * rate]
const RATES = [RATE, ...DRIFTING.map(module => Number(ownRateOf(module)))].flatMap(spellings)

/**
 * Is no rate left as a plain number, even unused or as a default? Only that: what the modules compute with is found out by
 * calling them.
 */
export function holdsNoRate({ text, check }: VerifyTools): CheckResult {
  const holding = MODULES.filter(module => {
    const numbers = readPython(text(pathOf(module)) ?? '')?.numbers ?? []
    return numbers.some(number => RATES.some(rate => Math.abs(rate - number) < 1e-9))
  })
  return holding.length === 0
    ? check(true, `no module holds a rate beside ${CONFIG}`)
    : { ok: false, reason: `a rate beside ${CONSTANT} of ${CONFIG} stands in: ${holding.join(', ')}` }
}
