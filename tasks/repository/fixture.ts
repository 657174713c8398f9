/**
 * A small Python package of a fruit cooperative, with its tests: 29 files made from an instance. Base tree: one test fails.
 * Each planted fact belongs to one task.
 */
import { dedent, type Random } from 'agent-bench'

const ROUNDINGS = ['ROUND_HALF_EVEN', 'ROUND_HALF_UP', 'ROUND_HALF_DOWN'] as const
const SECTIONS = ['Backups', 'Disk space', 'Certificates', 'Mail', 'Printing', 'Accounts', 'Clocks', 'Queues']
/** Modules that may raise the error; four of them do. */
const RAISING = ['entries', 'export_csv', 'file_store', 'payout', 'weighing', 'harvest'] as const

export type Repository = ReturnType<typeof repository>

/** A long handbook with one reference in it, beyond what one reading of a file shows. */
function operations(random: Random, reference: string): string {
  const section = (title: string) => {
    const steps = Array.from({ length: 7 }, (_, index) => {
      const [minutes, percent] = [random.integer(5, 55), random.integer(60, 95)]
      return `${index + 1}. Wait ${minutes} minutes, look at the panel, and go on when it shows at least ${percent} percent. Write the time into the log book.`
    })
    return `## ${title}\n\n${steps.join('\n')}\n`
  }
  const titles = random.shuffle(SECTIONS)
  const fact = `## Failed export\n\nWhen an export fails, follow runbook ${reference}.\n`
  return ['# Operations\n', ...titles.slice(0, 6).map(section), fact, ...titles.slice(6).map(section)].join('\n')
}

/** The files of an instance and what was planted in them. */
export function repository({ random }: { readonly random: Random }) {
  const rounding = random.pick(ROUNDINGS)
  const exportPlaces = random.integer(3, 6)
  const raising = ['payout', ...random.shuffle(RAISING.filter(name => name !== 'payout')).slice(0, 3)].sort()
  const reference = `OPS-${random.integer(1_000, 9_999)}`
  const token = `LG-${random.integer(1_000, 9_999)}`
  const total = random.pick([100, 200, 400, 500, 700, 800]) // a third of it is no whole number of cents
  const guard = (name: string, condition: string, text: string) =>
    raising.includes(name)
      ? `if ${condition}:\n    raise RecordError('${text}')`
      : `assert not (${condition}), '${text}'`
  const imports = (name: string) => (raising.includes(name) ? 'from .errors import RecordError\n\n\n' : '\n\n')

  const source: Record<string, string> = {
    '__init__.py': '"""Accounts of a fruit cooperative."""\n',
    'errors.py': dedent`
      """Errors of the package."""


      class RecordError(ValueError):
          """A record that cannot be right. Nothing is raised here."""
    `,
    'money.py': dedent`
      """Amounts of money."""
      from decimal import ${rounding}, Decimal

      DEFAULT_ROUNDING = ${rounding}
      PLACES = 2


      def money(value):
          """The value as an amount with ${'PLACES'} decimals."""
          return Decimal(value).quantize(Decimal(1).scaleb(-PLACES), rounding=DEFAULT_ROUNDING)
    `,
    'payout.py': `"""Paying a sum out to members."""\nfrom decimal import Decimal\n${imports('payout')}${dedent`
      def split(total, weights):
          """Shares of the total in proportion to the weights, as Decimals with two decimals.

          Each share is rounded down to a cent. What is left over goes to the first share, so the sum is exactly the total.
          """
          ${guard('payout', 'not weights or min(weights) < 0 or sum(weights) == 0', 'no weights')}
          return [Decimal(str(round(float(total) * weight / sum(weights), 2))) for weight in weights]
    `}`,
    'entries.py': `"""Entries of the journal."""\n${imports('entries')}${dedent`
      def entry(account, amount):
          """An entry: the account and the amount in cents."""
          ${guard('entries', 'amount == 0', 'an entry of nothing')}
          return {'account': account, 'amount': amount}


      def balance(entries, account):
          """Sum of an account's amounts."""
          return sum(one['amount'] for one in entries if one['account'] == account)
    `}`,
    'accounts.py': dedent`
      """Accounts."""


      class Account:
          """An account with the amounts booked on it, in cents."""

          def __init__(self, name):
              self.name = name
              self.amounts = []
              self.is_closed = False

          def book(self, amount):
              """Books an amount; a closed account refuses with ValueError."""
              if self.is_closed:
                  raise ValueError(f'{self.name} is closed')
              self.amounts.append(amount)

          def balance(self):
              """Sum of the amounts."""
              return sum(self.amounts)

          def close(self, into):
              """Closes the account and books its balance on the account \`into\`; gives the amount moved.

              The account itself then has the balance 0. An account that is closed already, or that is to be closed into
              itself, refuses with ValueError and nothing changes. A balance of 0 moves nothing and books nothing.
              """
              raise NotImplementedError
    `,
    'reports/__init__.py': '',
    'reports/balances.py': dedent`
      """Balances over time."""


      def running_balance(amounts):
          """The balance after each amount."""
          balances, total = [], 0
          for amount in amounts:
              total += amount
              balances.append(total)
          return balances
    `,
    'reports/trial.py': dedent`
      """The trial balance."""


      def trial_balance(accounts):
          debits = sum(one.balance() for one in accounts if one.balance() > 0)
          credits = -sum(one.balance() for one in accounts if one.balance() < 0)
          return debits, credits
    `,
    'export_csv.py': `"""Export to CSV."""\nfrom .config.settings import setting\n${imports('export_csv')}${dedent`
      def export(rows):
          """Rows of name and number as CSV."""
          ${guard('export_csv', 'not rows', 'nothing to export')}
          places = int(setting('export.decimal_places'))
          return ''.join(f'{name},{number:.{places}f}\\n' for name, number in rows)
    `}`,
    'file_store.py': `"""Files of the cooperative."""\n${imports('file_store')}${dedent`
      def file_name(year, member):
          """Name of a member's file."""
          ${guard('file_store', 'year < 1950', 'no such year')}
          return f'{year}-{member.lower()}.csv'
    `}`,
    'weighing.py': `"""Scales."""\n${imports('weighing')}${dedent`
      def net(gross, tare):
          """Weight without the box, in grams."""
          ${guard('weighing', 'tare > gross', 'a box heavier than all')}
          return gross - tare
    `}`,
    'harvest.py': `"""Harvests."""\n${imports('harvest')}${dedent`
      def per_tree(kilograms, trees):
          """Mean harvest of a tree."""
          ${guard('harvest', 'trees < 1', 'no trees')}
          return kilograms / trees
    `}`,
    'config/__init__.py': '',
    'config/settings.py': dedent`
      """Settings, read from the file beside this one."""
      from pathlib import Path

      DEFAULTS = Path(__file__).with_name('defaults.yaml')


      def setting(name):
          """The text of a setting."""
          for line in DEFAULTS.read_text().splitlines():
              key, _, value = line.partition(': ')
              if key == name:
                  return value
          raise KeyError(name)
    `,
    'config/defaults.yaml': `export.decimal_places: ${exportPlaces}\nexport.separator: comma\nreport.title: Cooperative\n`,
  }
  const tests: Record<string, string> = {
    'test_payout.py': dedent`
      from decimal import Decimal

      from orchard.payout import split


      def test_sum_is_exact():
          assert sum(split(Decimal('${total}.00'), [1, 1, 1])) == Decimal('${total}.00')


      def test_even_split():
          assert split(Decimal('10.00'), [1, 1]) == [Decimal('5.00'), Decimal('5.00')]
    `,
    'test_money.py':
      "from orchard.money import money\n\n\ndef test_two_places():\n    assert str(money('3')) == '3.00'\n",
    'test_entries.py':
      "from orchard.entries import balance, entry\n\n\ndef test_balance():\n    assert balance([entry('a', 3), entry('b', 1)], 'a') == 3\n",
    'test_accounts.py':
      "from orchard.accounts import Account\n\n\ndef test_book():\n    one = Account('a')\n    one.book(3)\n    assert one.balance() == 3\n",
    'test_reports.py':
      'from orchard.reports.balances import running_balance\n\n\ndef test_running():\n    assert running_balance([1, 2]) == [1, 3]\n',
  }
  const files: Record<string, string> = {
    'README.md':
      '# Orchard\n\nAccounts of a fruit cooperative. Sources in src/orchard, tests in tests, run with `python -m pytest -q`.\n',
    'AGENTS.md':
      '# For agents\n\nAdd an entry to docs/changelog.md for every change.\nUse American spelling: color, center, analyze, labeled.\n',
    'pyproject.toml':
      '[project]\nname = "orchard"\nversion = "1.0"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    'docs/operations.md': operations(random, reference),
    'docs/changelog.md': '# Changes\n\n- 1.0: first version\n',
    'docs/design.md': '# Design\n\nAmounts are Decimals or whole cents. Settings have one place.\n',
    'data/members.csv': 'name,trees\nAda,12\nBo,7\nCem,9\n',
    'data/rates.csv': 'fruit,cents\napple,90\npear,110\n',
    ...prefixed('src/orchard/', source),
    ...prefixed('tests/', tests),
  }
  return { files, rounding, exportPlaces, raising, reference, token, total, closing: CLOSING }
}

const prefixed = (folder: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [folder + path, text]))

/** Tests of closing an account, for the task that asks for it. */
const CLOSING = dedent`
  import pytest
  from orchard.accounts import Account


  def pair(amount):
      one, other = Account('old'), Account('new')
      one.book(amount)
      return one, other


  def test_moves_the_balance():
      one, other = pair(700)
      assert one.close(other) == 700
      assert (one.balance(), other.balance()) == (0, 700)


  def test_refuses_to_close_twice():
      one, other = pair(5)
      one.close(other)
      with pytest.raises(ValueError):
          one.close(other)
`
