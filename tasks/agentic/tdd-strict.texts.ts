/** Tests and code that an agent may write in `tdd_strict_v1`. */
import { dedent } from 'agent-bench'

export const FUNCTION = 'numeral'

/** The cases the prompt names. */
export const CASES: readonly (readonly [number, string])[] = [
  [4, 'IV'],
  [9, 'IX'],
  [40, 'XL'],
  [99, 'XCIX'],
  [1984, 'MCMLXXXIV'],
  [3888, 'MMMDCCCLXXXVIII'],
]

export const RIGHT = dedent`
  LETTERS = (
      (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
      (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
  )


  def numeral(n):
      """Give n as the Romans wrote it."""
      text = ""
      for value, letters in LETTERS:
          while n >= value:
              text += letters
              n -= value
      return text
`

/** Another module that does the same. */
export const BY_DIGITS = dedent`
  def digit(d, one, five, ten):
      return ["", one, one * 2, one * 3, one + five, five, five + one, five + one * 2, five + one * 3, one + ten][d]


  def numeral(n: int) -> str:
      return (
          "M" * (n // 1000)
          + digit(n // 100 % 10, "C", "D", "M")
          + digit(n // 10 % 10, "X", "L", "C")
          + digit(n % 10, "I", "V", "X")
      )
`

/** Tests in the forms that people write them. */
export const TEST_TEXTS: Readonly<Record<string, string>> = {
  'a function a case': [
    'from main import numeral\n',
    ...CASES.map(([n, text]) => `\ndef test_${n}():\n    assert numeral(${n}) == "${text}"\n`),
  ].join('\n'),
  parametrized: dedent`
    import pytest

    import main


    @pytest.mark.parametrize(
        ("n", "roman"),
        [(4, "IV"), (9, "IX"), (40, "XL"), (99, "XCIX"), (1984, "MCMLXXXIV"), (3888, "MMMDCCCLXXXVIII"), (1, "I")],
    )
    def test_numeral(n, roman):
        assert main.numeral(n) == roman
  `,
  'a TestCase of unittest': dedent`
    """Tests of numeral(). It must not be defined here: def numeral(n) belongs into main.py."""
    import unittest

    from main import numeral


    class NumeralTest(unittest.TestCase):
        def test_cases(self):
            expected = {4: 'IV', 9: 'IX', 40: 'XL', 99: 'XCIX', 1984: 'MCMLXXXIV', 3888: 'MMMDCCCLXXXVIII'}
            for n, text in expected.items():
                with self.subTest(n=n):
                    self.assertEqual(numeral(n), text)
  `,
}

/** What pytest prints about tests whose module is missing, typed by somebody who knows. */
export const TYPED_LOG = dedent`
  ==================================== ERRORS ====================================
  ________________________ ERROR collecting test_main.py _________________________
  E   ModuleNotFoundError: No module named 'main'
  =========================== short test summary info ============================
  ERROR test_main.py
  1 error in 0.07s
`
