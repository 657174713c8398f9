/**
 * How an answer puts each thing it mentions: as so, as not so, or as one of several. Not a parser of English: the cues of
 * negation, correction and time that short answers use, and the clause that each governs.
 */

/** A place in the answer's plain text. */
export interface Mention {
  readonly start: number
  readonly end: number
}

/** `claimed`: said to be so. `denied`: excluded, corrected or of the past. `offered`: one of several alternatives, or asked. */
export type Stance = 'claimed' | 'denied' | 'offered'

/** A member is also denied by what it lacks: "b.md does not name it". Of a value that says nothing: "85, which does not include tax". */
export type MentionKind = 'value' | 'member'

const STALE =
  '(?:superseded|former(?:ly)?|previous(?:ly)?|old(?:er)?|outdated|out of date|obsolete|historic(?:al)?|stale|deprecated|expired|wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|misleading|used to|originally|ignored|excluded|disregarded|unverified|replaced|overridden|invalid|irrelevant|no longer)\\b'
const OTHER = '(?:different|unrelated|separate|another|a near[- ]miss)\\b'
const BE = "(?:is|was|are|were|be|been|being|has|have|had|remains|'s|isn't|wasn't)"
const DO_NOT = "(?:do|does|did|can|could|should|need|needs)(?: not|n't)"
const ACTIVE = '(?:replaces|replacing|supersedes|superseding|overrides|overriding|corrects|correcting)'
/** "85 superseded 72", but not "72 is superseded" or "the superseded 72". */
const ACTIVE_PAST = `(?<!\\b(?:${BE}|the|an?|marked|now) )(?:superseded|replaced)(?= (?:the |an? )?(?:\\w+ )?\ue000)`
const DENIES = `not|never|neither|nor|none of|without|rather than|instead of|other than|besides|unlike|except|excluding|ignor(?:e|ing)|disregard(?:ing)?|omit(?:ting)?|skip(?:ping)?|versus|vs|${ACTIVE}`
/** Denies what follows it. */
const BEFORE = new RegExp(`\\b(?:${DENIES}|${STALE})\\b|n't\\b`, 'i')
/** Denies what stands before it. */
const STALE_AFTER = new RegExp(
  `^\\W*(?:(?:which|that|it|an?|the|now|already|since|marked|explicitly|${BE}) ){0,4}${STALE}|\\b(?:${BE}|from|in|per|by)\\s+(?:\\S+\\s+){0,2}?${STALE}`,
  'i',
)
const NOT_AFTER = new RegExp(
  `\\b(?:${BE} (?:\\w+ )?not|(?:is|was|are|were)n't) (?:\\w+ ){0,2}?(?:the|an?|current|valid|in force|authoritative|verified|correct|right|used|relevant|to blame|at fault|it|${STALE})\\b|\\b(?:not|n't)\\W*$|\\bnever\\b|\\b${DO_NOT} (?:apply|hold|count|matter|stand)\\b|\\b(?:is|was|are|were) (?:\\S+ ){0,2}?${OTHER}`,
  'i',
)
const LACKS_AFTER = new RegExp(
  `\\b${DO_NOT}\\b|\\b(?:is|was|are|were)(?: not|n't)\\b|\\b(?:only|merely|just) (?:define|declare|re-?export|catch|import|document|mention|name)|\\b(?:for|to|about|names|mentions)\\s+(?:\\S+ ){0,2}?${OTHER}|^\\W*(?:an? )?(?:${OTHER}|not\\b)|\\bbelow\\b|\\bunder(?: (?:the|it|that|this|\\W?\\d)|\\W*$)`,
  'i',
)
const HEADER = new RegExp(`\\b(?:not|no|without|exclud\\w*|${STALE}|${OTHER})|n't\\b`, 'i')
/** Idioms that hold a negation and deny nothing. */
const HARMLESS =
  /\b(?:not only|not just|no doubt|(?:no|not) (?:more|less|fewer|greater|higher|later|lower) than|(?:must|may|can|should|does|do|will)(?: ?not|n't) exceed)\b/gi
const WITHDRAWS =
  /^\W*(?:no, )?(?:wait|correction|scratch that|sorry|on second thou?ght|let me correct|actually|hmm)\b|\bI (?:was wrong|misspoke|made a mistake)\b|[-,\u2013\u2014] (?:no,? wait|wait, no|scratch that|sorry)\b/i
const BREAK = new RegExp(
  `[,;()[\\]|\u2013\u2014](?: (?:and|but|yet)\\b)?|\\s-\\s|->|\u2192|\\b(?:but|whereas|while|although|though|however|yet|because|since|so|hence|therefore|and|or|then|plus|by|${DENIES})\\b|${ACTIVE_PAST}`,
  'gi',
)
/** A clause that speaks of what stands right before it, or of the subject of the clause before. */
const APPOSITION = new RegExp(
  `^\\W*(?:which|that|who|it|this|they|is|was|are|were|does|do|did|isn't|only|merely|from|in|per|no longer|not)\\b|^\\W*(?:(?:an?|the|now|marked) ){0,2}(?:${STALE}|${OTHER})`,
  'i',
)
const GOES_ON =
  /^(?:[,)\]](?: (?:and|but|yet)\b)?|and\b|but\b|yet\b)\s*(?:still |also )?(?:says?|gives?|gave|lists?|ha[sd]|states?|quotes?|mentions?|contains?|shows?|sets?|puts?|is|was|are|were|does|do|stays?|falls?|it|that|this|they|which)\b/i
const OF_VERB = /\b(?:is|was|are|were|be|been|do|does|did|has|have|can|could|should|need|must)\s+(?:\w+ly\s+)?$/i
const UNIT = `(?:\\s+(?!(?:${BE}|not|no|but|to|by|from)\\b)[\\p{L}%\u20ac\u00a3$.]+){0,3}?`
const LIST = new RegExp(
  `\ue000+(?:${UNIT}\\s*(?:,\\s*(?:(?:and|or|nor)\\b)?|&|\\+|\\b(?:and|or|nor)\\b)\\s*(?:possibly |maybe |perhaps |the |in ){0,2}\ue000+)*`,
  'giu',
)

/** Where the sentences and lines of a text begin and end. */
function sentencesOf(text: string): readonly Mention[] {
  const ends = [...text.matchAll(/\n|[.!?](?=["')\]]*\s)|;/g)].map(({ index }) => index + 1)
  return [0, ...ends].map((start, at) => ({ start, end: ends[at] ?? text.length }))
}

/**
 * The stance of the answer to each mention; null for what it takes back later ("72. No, wait: 85").
 * @param text plain text of an answer.
 * @param mentions in order, without overlaps.
 */
export function stancesOf(text: string, mentions: readonly Mention[], kind: MentionKind): readonly (Stance | null)[] {
  // Mentions become marks of the same length: what is inside one is no cue.
  let masked = text.replace(HARMLESS, idiom => ' '.repeat(idiom.length))
  for (const { start, end } of mentions) {
    masked = masked.slice(0, start) + '\ue000'.repeat(end - start) + masked.slice(end)
  }
  const stances: (Stance | null)[] = []
  let isUnderDenial = false
  for (const { start, end } of sentencesOf(text)) {
    const sentence = masked.slice(start, end)
    const isItem = /^\s*(?:[-*+\u2022|]|\d+[.)])\s/.test(sentence)
    if (/^\s*#|:\s*$/.test(sentence)) isUnderDenial = HEADER.test(sentence)
    else if (!isItem && sentence.trim() !== '') isUnderDenial = false
    const found = inSentence(sentence, kind)
    if (WITHDRAWS.test(sentence)) {
      const kept = WITHDRAWS.exec(sentence)?.index ?? 0
      const before = (sentence.slice(0, kept).match(/\ue000+/g) ?? []).length
      stances.push(...found.splice(0, before))
      stances.fill(null)
    }
    stances.push(...found.map(stance => (isUnderDenial && isItem ? 'denied' : stance)))
  }
  return stances
}

interface Group extends Mention {
  readonly count: number
  /** Its members are alternatives. */
  readonly isEither: boolean
}

/** The stance to each run of marks in one sentence. */
function inSentence(sentence: string, kind: MentionKind): Stance[] {
  const groups = [...sentence.matchAll(LIST)].flatMap(({ index, 0: list }) => groupsOf(sentence, index, list))
  const isAsked = /\?["')\]]*\s*$/.test(sentence)
  return groups.flatMap((group, nth) => {
    const before = leftOf(sentence, groups[nth - 1]?.end ?? 0, group.start)
    const after = rightOf(sentence, group.end, groups[nth + 1]?.start ?? sentence.length)
    const isEither = group.isEither || (group.count > 1 && /\b(?:between|either)\s+\S*\s*$/i.test(before))
    const stance = isDenied(before, after, kind) ? 'denied' : isAsked || isEither ? 'offered' : 'claimed'
    return Array.from({ length: group.count }, () => stance)
  })
}

/** A list shares what is said of it, but for what a verb in the singular says of its last member: "85, 72 is the old one". */
function groupsOf(sentence: string, start: number, list: string): Group[] {
  const marks = [...list.matchAll(/\ue000+/g)]
  const end = start + list.length
  const whole = { start, end, count: marks.length, isEither: /\bor\b/i.test(list) }
  const last = marks.at(-1)?.index ?? 0
  if (last === 0 || whole.isEither || !/^\s*(?:is|was|does|has|'s|isn't|doesn't)\b/i.test(sentence.slice(end)))
    return [whole]
  const firstEnd = start + list.slice(0, last).lastIndexOf('\ue000') + 1
  return [
    { ...whole, end: firstEnd, count: marks.length - 1 },
    { ...whole, start: start + last, count: 1 },
  ]
}

/** What is said before a group in its own clause. A word that breaks and denies ("rather than") belongs to what follows it. */
function leftOf(sentence: string, from: number, to: number): string {
  // The cells of a row belong together.
  const between = sentence.slice(from, to).replaceAll('|', ' ')
  const breaks = [...between.matchAll(BREAK)]
  // "README.md, which is superseded, says": the verb goes on with the subject of the clauses before it.
  while (GOES_ON.test(between.slice(breaks.at(-1)?.index))) if (breaks.pop() === undefined) break
  const last = breaks.at(-1)
  if (last === undefined) return from === 0 ? between : ''
  return between.slice(/^\W/.test(last[0]) ? last.index + last[0].length : last.index)
}

/** What is said after a group in its own clause, and in the next one if that speaks of it. */
function rightOf(sentence: string, from: number, to: number): string {
  const after = sentence.slice(from, to).replace(/^\s*:/, ' (')
  const [first, second] = [...after.matchAll(BREAK)].filter(
    ({ 0: word, index }) => !/^(?:not|never)$/i.test(word) || !OF_VERB.test(after.slice(0, index)),
  )
  if (first === undefined) return after
  const own = after.slice(0, first.index)
  if (second === undefined && to < sentence.length) return own
  const next = after.slice(first.index + first[0].length, second?.index)
  if (/\w/.test(own) || /^\w/.test(first[0])) return GOES_ON.test(after.slice(first.index)) ? `${own}${next}` : own
  return APPOSITION.test(next) ? next : ''
}

function isDenied(before: string, after: string, kind: MentionKind): boolean {
  if (BEFORE.test(before) || (/\bfrom\s*$/i.test(before) && /^\s*to\b/i.test(after))) return true
  const isNegated = NOT_AFTER.test(after) || (kind === 'member' && LACKS_AFTER.test(after))
  // "is not outdated" denies nothing.
  return isNegated !== STALE_AFTER.test(after)
}
