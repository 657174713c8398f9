/**
 * What differs from run to run in the results of the same tool calls: how long tests took, when a file was written, where an
 * object lies in memory. Only in the places where programs print it: the same words in a file may be what a task is about.
 */

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
/** Columns of `ls -l` up to the size. */
const LISTED = '[bcdlps-][rwxsStT-]{9}[.+@]? +\\d+ +\\S+ +\\S+ +(?:\\d+, +)?[\\d.]+[KMG]? +'

const CHANGING: readonly (readonly [RegExp, string])[] = [
  // `2 passed, 1 warning in 0.03s`, `no tests ran in 0.01s`, and `(0:01:02)` behind it.
  [
    /(\b(?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|tests ran)\b in )\d+(?:\.\d+)?s(?: \(\d+:\d\d:\d\d\))?/g,
    '$1<duration>',
  ],
  // pytest's `--durations`.
  [/^\d+\.\d+s( +(?:call|setup|teardown) )/gm, '<duration>$1'],
  // `Ran 3 tests in 0.001s`.
  [/^(Ran \d+ tests? in )\d+(?:\.\d+)?s$/gm, '$1<duration>'],
  // `time` of bash.
  [/^((?:real|user|sys)\s+)\d+m\d+(?:\.\d+)?s$/gm, '$1<duration>'],
  [new RegExp(`^(${LISTED})(?:${MONTHS}) +\\d{1,2} +(?:\\d\\d:\\d\\d|\\d{4})(?= )`, 'gm'), '$1<moment>'],
  [new RegExp(`^(${LISTED})\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d(?::\\d\\d\\.\\d+ [+-]\\d{4})?(?= )`, 'gm'), '$1<moment>'],
  // `<object at 0x7f2b…>`.
  [/( at )0x[0-9a-f]{6,16}(?=>)/gi, '$1<address>'],
]

/** A tool result with the times and addresses that programs print replaced by their kind. */
export function steadyText(text: string): string {
  return CHANGING.reduce((result, [pattern, kind]) => result.replaceAll(pattern, kind), text)
}
