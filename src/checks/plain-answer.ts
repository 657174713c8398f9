/** An answer as plain text: the same words, whatever the marks around them. */

/** What a helper is given: `run.answers[2]` may not be there, and silence is never right. */
export type Answer = string | undefined

const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\r\n?/g, '\n'],
  // A private sign, which marks mentions later.
  [/\ue000/g, ' '],
  [/~~[^~\n]*~~/g, ' '],
  [/\*\*|`+|(?<!\S)\*(?=\S)|(?<=\S)\*(?!\S)/g, ''],
  [/[\u2018\u2019]/g, "'"],
  [/[\u201c\u201d\u201e]/g, '"'],
  [/[\u2010\u2011\u2212]/g, '-'],
  // A space that does not break groups the digits of a number.
  [/(?<=\d)[\u00a0\u2009\u202f](?=\d{3})/g, "'"],
  [/[\u00a0\u2009\u202f]/g, ' '],
]

/** The answer without emphasis and struck words, with plain quotes, dashes and spaces. */
export function plainAnswer(answer: Answer): string {
  return REPLACED.reduce((text, [mark, plain]) => text.replace(mark, plain), (answer ?? '').normalize('NFC')).trim()
}

/** A text as a pattern that matches it and nothing else. */
export const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
