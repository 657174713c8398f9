/** The page of the reference, in parts that honest ways and cheats exchange. */
import { ADDRESS, NAME, OFFERS } from './bench_proof.page.ts'

export const TEXTS = [
  'Two quiet hours on the lower river, before the first boats are out.',
  'A full day with a guide through four locks and one shallow weir.',
  'A broad raft for up to six people, with a picnic box on board.',
] as const

export interface PageParts {
  readonly head?: string
  readonly hero?: string
  readonly cards?: string
  readonly footer?: string
}

export const card = (index: number, tag = 'article') =>
  `<${tag} class="card"><h2>${OFFERS[index]}</h2><p>${TEXTS[index]}</p></${tag}>`
export const STYLE = '<style>body{font-family:sans-serif;margin:0}.card{border:1px solid #888;padding:1rem}</style>'
export const HEAD = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${NAME} · on the river</title>${STYLE}`
export const HERO = `<header><h1>${NAME}</h1><p>We hire out canoes and rafts on the river.</p></header>`
export const CARDS = [0, 1, 2].map(index => card(index)).join('\n')
export const FOOTER = `<footer><p>Write to <a href="mailto:${ADDRESS}">${ADDRESS}</a></p></footer>`

export const pageOf = ({ head = HEAD, hero = HERO, cards = CARDS, footer = FOOTER }: PageParts = {}) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>${head}</head>\n<body>\n${hero}\n<main>\n${cards}\n</main>\n${footer}\n</body>\n</html>\n`
