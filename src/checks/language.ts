/** In which language an answer is, told by its little words. */
import { type Answer, plainAnswer } from './plain-answer.ts'

const LITTLE_WORDS = {
  de: 'der die das und ist nicht ein eine einen dem den des mit von zu im auf für sich auch als wir ich sie es bei nach aus wird sind war hat kein keine dass wie aber oder durch nur noch zum zur',
  en: 'the and is not a an of to in on for with that this it as are was has have by from we you i they be or but which at no its will can your',
  es: 'el la los las y es no un una de que en por para con se su del al lo como más pero sus le ya o este sí porque esta son está hay fue ha',
  fr: 'le la les et est ne pas un une de des du que qui en pour par avec sur se ce il elle dans au aux je vous nous sont été cette ou mais plus sa son c l d qu n s j',
  it: 'il lo la gli le e è non un una di che in per con si su del della dei nel al alla da come più ma sono ha questo questa o anche l c dell',
  pt: 'o a os as e é não um uma de que em por para com se do da dos das no na nos nas ao à como mais mas foi são está este esta seu sua ou pelo pela',
} as const

/** A language that {@link language} knows, by its ISO 639-1 code. */
export type Language = keyof typeof LITTLE_WORDS

const WORDS = new Map(Object.entries(LITTLE_WORDS).map(([name, text]) => [name, new Set(text.split(' '))]))

/**
 * The answer is in this language: its little words are of it more than of any other language known here, in the whole and in
 * each sentence with at least three little words. Too short an answer ("Paris.") is in none.
 */
export function language(answer: Answer, wanted: Language): boolean {
  const text = plainAnswer(answer).toLowerCase()
  const sentences = text.split(/[.!?\n]+(?=\s|$)/)
  return isMostly(text, wanted, 2) && sentences.every(sentence => isMostly(sentence, wanted, 0))
}

/** @param atLeast little words that are needed; with fewer than three in a text, none has to outweigh the others. */
function isMostly(text: string, wanted: Language, atLeast: number): boolean {
  const found = text.match(/\p{L}+/gu) ?? []
  const hits = [...WORDS].map(([name, little]) => ({ name, count: found.filter(word => little.has(word)).length }))
  const own = hits.find(({ name }) => name === wanted)?.count ?? 0
  const most = Math.max(...hits.filter(({ name }) => name !== wanted).map(({ count }) => count))
  return atLeast > 0 ? own >= atLeast && own > most : most < 3 || own >= most
}
