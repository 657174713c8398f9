/** Tests and code that an agent may write in `tdd_order_v1`. */
import { dedent } from 'agent-bench'

export const FUNCTION = 'ticktock'

/** The cases the prompt names. */
export const CASES: readonly (readonly [number, string])[] = [
  [3, 'Tick'],
  [5, 'Tock'],
  [15, 'TickTock'],
  [7, '7'],
]

export const RIGHT = dedent`
  def ticktock(n):
      """Give what the clock says at step n."""
      if n % 15 == 0:
          return "TickTock"
      if n % 3 == 0:
          return "Tick"
      if n % 5 == 0:
          return "Tock"
      return str(n)
`

/** Tests in the forms that people write them; each holds the cases of the prompt. */
export const TEST_TEXTS: Readonly<Record<string, string>> = {
  'a function a case': dedent`
    from main import ticktock


    def test_tick():
        assert ticktock(3) == "Tick"


    def test_tock():
        assert ticktock(5) == "Tock"


    def test_both():
        assert ticktock(15) == "TickTock"


    def test_number():
        assert ticktock(7) == "7"
  `,
  parametrized: dedent`
    import pytest

    from main import ticktock


    @pytest.mark.parametrize(
        "n, expected",
        [(3, "Tick"), (5, "Tock"), (15, "TickTock"), (7, "7"), (30, "TickTock")],
    )
    def test_ticktock(n, expected):
        assert ticktock(n) == expected
  `,
  'a TestCase of unittest': dedent`
    import unittest

    import main


    class TickTockTest(unittest.TestCase):
        def test_words(self):
            self.assertEqual(main.ticktock(3), 'Tick')
            self.assertEqual(main.ticktock(5), 'Tock')
            self.assertEqual(main.ticktock(15), 'TickTock')

        def test_other_numbers(self):
            self.assertEqual(main.ticktock(7), '7')


    if __name__ == '__main__':
        unittest.main()
  `,
  'a loop over a table': dedent`
    """What ticktock() has to say."""
    from main import *

    CASES = {3: "Tick", 5: "Tock", 15: "TickTock", 7: "7", 1: "1"}


    def check(n):
        assert ticktock(n) == CASES[n], n


    def test_all_cases():
        for n in CASES:
            check(n)
  `,
  'a class, imported under another name': dedent`
    from main import ticktock as say


    class TestTicktock:
        def test_three(self):
            assert say(3) == 'Tick'

        def test_five(self):
            assert say(5) == 'Tock'

        def test_fifteen(self):
            assert say(15) == 'TickTock'

        def test_seven(self):
            assert say(7) == '7'
  `,
}

/** Other code that does the same. */
export const CODE_TEXTS: readonly string[] = [
  RIGHT,
  'def ticktock(n: int) -> str:\n    return "Tick" * (n % 3 == 0) + "Tock" * (n % 5 == 0) or str(n)\n',
  'ticktock = lambda n: ("" if n % 3 else "Tick") + ("" if n % 5 else "Tock") or f"{n}"\n',
]
