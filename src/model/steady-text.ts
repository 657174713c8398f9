/** What differs from run to run in the results of the same tool calls, and says nothing to a model. */

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const DAYS = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun'

/** In this order: dates hold clock times. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  // ISO 8601 and `ls --full-time`.
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?/g, '<moment>'],
  // `date`, `ls -l`.
  [
    new RegExp(
      `\\b(?:(?:${DAYS}),? )?(?:${MONTHS}) +\\d{1,2} +(?:\\d\\d:\\d\\d(?::\\d\\d)?(?: [A-Z]{3,4})?(?: \\d{4})?|\\d{4}\\b)`,
      'g',
    ),
    '<moment>',
  ],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  // `2 passed in 0.03s`, `Ran 3 tests in 0.001s`, `real 0m0.012s`.
  [/\b\d+m\d+(?:\.\d+)?s\b/g, '<duration>'],
  [/\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?)\b/g, '<duration>'],
  // `<object at 0x7f2b…>`.
  [/\b0x[0-9a-f]{6,16}\b/gi, '<address>'],
]

/** A tool result with times, durations and addresses in memory replaced by their kind. */
export function steadyText(text: string): string {
  return CHANGING.reduce((result, [pattern, kind]) => result.replaceAll(pattern, kind), text)
}
