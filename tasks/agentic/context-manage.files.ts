/** The project of `context_manage_v1`: five modules that should share one rate, three of which have one of their own. */
import { dedent } from 'agent-bench'

export const CONFIG = 'config.py'
export const TEST = 'test_consistency.py'
export const CONSTANT = 'SERVICE_CHARGE'
/** What config.py says; the modules that drift have other values. */
const RATE = 0.15

/** Modules that take the rate from config.py. */
export const SOUND = ['berths', 'cancellations'] as const
/** Modules that have a rate of their own. */
export const DRIFTING = ['vouchers', 'offers', 'statements'] as const
export const MODULES = [...SOUND, ...DRIFTING] as const
export type ModuleName = (typeof MODULES)[number]

export const pathOf = (module: ModuleName): string => `services/${module}.py`

const moduleText = (purpose: string, head: string, body: string): string => `"""${purpose}"""\n${head}\n\n${body}`

const FROM_CONFIG = `from config import ${CONSTANT}\n`

const TEXTS: Readonly<Record<ModuleName, string>> = {
  berths: moduleText(
    'What a guest pays for a berth.',
    FROM_CONFIG,
    dedent`
      def total(amount):
          """Berth fee and service charge together."""
          charge = amount * SERVICE_CHARGE
          return round(amount + charge, 4)


      def label(nights):
          return f"{nights} night(s) at the quay"
    `,
  ),
  cancellations: moduleText(
    'What goes back to a guest who does not come.',
    FROM_CONFIG,
    dedent`
      def total(amount):
          """The whole sum is paid back, service charge included."""
          return round(amount * (1 + SERVICE_CHARGE), 4)


      def is_free(days_before):
          return days_before >= 14


      def letter(name):
          return f"Dear {name}, we are sorry that you cannot come."
    `,
  ),
  vouchers: moduleText(
    'Gift vouchers, sold at the harbour office.',
    '# Rate as printed on the vouchers of the first season; never looked at since.\nSERVICE_CHARGE = 0.12\n',
    dedent`
      def total(amount):
          """Price of a voucher over this amount."""
          return round(amount * (1 + SERVICE_CHARGE), 4)


      def serial(number):
          return f"V-{number:05d}"
    `,
  ),
  offers: moduleText(
    'Written offers to groups.',
    '# Copied from the spreadsheet of the sales desk, which may be out of date.\nSERVICE_CHARGE = 0.18\n',
    dedent`
      def total(amount):
          """What the group would pay."""
          extra = amount * SERVICE_CHARGE
          return round(amount + extra, 4)


      def valid_days():
          return 21
    `,
  ),
  statements: moduleText(
    'Monthly statements for permanent berth holders.',
    '# Old agreement with the berth holders, ended last year.\nSERVICE_CHARGE = 0.08\n',
    dedent`
      def total(amount):
          """Sum of a month as it stands on the statement."""
          with_charge = amount * (1.0 + SERVICE_CHARGE)
          return round(with_charge, 4)


      def heading(month):
          return f"Statement for {month}"
    `,
  ),
}

/** The rate a drifting module has of its own, as it stands there. */
export const ownRateOf = (module: ModuleName): string =>
  new RegExp(`^${CONSTANT} = (\\S+)$`, 'm').exec(TEXTS[module])?.[1] ?? ''

/** A drifting module with its rate taken from config.py. */
export const repaired = (module: ModuleName): string =>
  TEXTS[module].replace(/^#.*\nSERVICE_CHARGE = .*$/m, FROM_CONFIG.trimEnd())

/** config.py, with this rate. */
export const configText = (rate: number): string => dedent`
  """Settings that hold for every service. Decided by the harbour board; the only place for them."""

  SERVICE_CHARGE = ${rate}
  CURRENCY = "EUR"
  OFFICE_HOURS = ("08:00", "18:30")
  FIRST_DAY_OF_SEASON = "04-15"
  LAST_DAY_OF_SEASON = "10-20"
`

/** Files of the workspace. */
export function projectFiles(): Readonly<Record<string, string>> {
  return {
    [CONFIG]: configText(RATE),
    'services/__init__.py': '',
    ...Object.fromEntries(MODULES.map(module => [pathOf(module), TEXTS[module]])),
    [TEST]: dedent`
      from services import berths, cancellations, offers, statements, vouchers

      SERVICES = (berths, cancellations, offers, statements, vouchers)


      def test_every_service_charges_the_same():
          totals = [service.total(200) for service in SERVICES]
          assert max(totals) - min(totals) < 1e-6
          assert abs(totals[0] - 230) < 1e-6
    `,
  }
}
