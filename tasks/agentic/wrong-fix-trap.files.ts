/** The project of `wrong_fix_trap_v1`: one real bug, and a place that looks like one and is right. */
import { dedent } from 'agent-bench'

/** Holds the bug. */
export const REAL = 'gauges.py'
/** Is right, although a comment in it doubts that. */
export const DECOY = 'bulletin.py'

export const BUG = 'half:half + 2'
export const FIX = 'half - 1:half + 1'

export const BUGGY = dedent`
  """Figures of the river gauges."""


  def average(levels):
      """Mean of the levels."""
      return sum(levels) / len(levels)


  def middle(levels):
      """Median: as many days lie above it as below."""
      ordered = sorted(levels)
      half = len(ordered) // 2
      if len(ordered) % 2:
          return ordered[half]
      pair = ordered[half:half + 2]
      return sum(pair) / len(pair)
`
export const FIXED = BUGGY.replace(BUG, FIX)

export const DECOY_TEXT = dedent`
  """The bulletin that goes out every evening."""
  from gauges import average, middle


  def rises(levels):
      """Change from each day to the next."""
      changes = []
      # TODO: shouldn't this run to len(levels)? The last day never gets a change.
      for day in range(len(levels) - 1):
          changes.append(levels[day + 1] - levels[day])
      return changes


  def headline(levels):
      return f"mean {average(levels):.2f}, median {middle(levels):.2f}, today {levels[-1] - levels[0]:+d}"
`

export function projectFiles(): Readonly<Record<string, string>> {
  return {
    [REAL]: BUGGY,
    [DECOY]: DECOY_TEXT,
    'test_gauges.py': dedent`
      from gauges import average, middle


      def test_average():
          assert average([210, 220, 260]) == 230


      def test_middle_of_three_days():
          assert middle([260, 210, 220]) == 220


      def test_middle_of_four_days():
          assert middle([240, 210, 300, 220]) == 230
    `,
    'test_bulletin.py': dedent`
      from bulletin import headline, rises


      def test_rises():
          assert rises([210, 215, 212]) == [5, -3]


      def test_headline():
          assert headline([200, 230, 260]) == "mean 230.00, median 230.00, today +60"
    `,
  }
}
