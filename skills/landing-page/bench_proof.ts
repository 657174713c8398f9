import { type Cheat, defineSkillProof, type Play, type Run, type VerifyTools } from 'agent-bench'
import { elementsIn, hasClass, loadOf, type Page, type PageElement, readPage, tagged, textOf } from 'agent-bench/checks'

type Check = 'hero' | 'three_cards' | 'footer' | 'self_contained' | 'document'

const SKILL = 'skill/SKILL.md'
const PAGE = 'output/index.html'
const NAME = 'Kingfisher Canoes'
const OFFERS = ['Morning paddle', 'Lock and weir tour', 'Family raft'] as const
const ADDRESS = 'hello@kingfisher-canoes.example'

/** Looks at the page as a visitor would. `ask` gives true, or what is wrong. */
const judged =
  (ask: (page: Page) => true | string) =>
  ({ text, check }: VerifyTools) => {
    const html = text(PAGE)
    const page = html === null ? null : readPage(html)
    const answer = page === null ? `${PAGE} is not there, is not text, or is too intricate to be looked at` : ask(page)
    return answer === true ? check(true, 'the page is as the skill says') : { ok: false, reason: answer }
  }

const isCard = hasClass('card')
const only = <Item>(items: readonly Item[]) => (items.length === 1 ? (items[0] ?? null) : null)
const same = (text: string, wanted: string) => text.toLowerCase() === wanted.toLowerCase()
/** Does a paragraph below say something: so many words, and not one word or mere letters again and again? */
const isTold = (element: PageElement, least: number) =>
  elementsIn(element, tagged('p')).some(paragraph => {
    const words = textOf(paragraph).match(/\p{L}[\p{L}\p{M}\p{N}'’-]*/gu) ?? []
    const different = new Set(words.filter(word => word.length > 1).map(word => word.toLowerCase()))
    return words.length >= least && different.size * 2 > least
  })
/** Texts that stand where one is still to be written. */
const PLACEHOLDER =
  /lorem ipsum|dolor sit amet|\bplaceholder\b|\b(?:dummy|sample|filler) (?:text|copy)\b|\bTODO\b|\bTBD\b|\bat least (?:eight|8) words\b|\bgoes here\b|[[<{]\s*(?:insert|your|add|describe|description|text)\b/i

/** A heading without pictures of characters, which only decorate it. */
const headingOf = (heading: PageElement) =>
  textOf(heading)
    .replaceAll(/\p{So}|\u200d|\ufe0f/gu, '')
    .trim()

function hero({ seen }: Page): true | string {
  const heading = only(elementsIn(seen, tagged('h1')))
  if (heading === null || !same(headingOf(heading), NAME)) return 'the one visible <h1> is not the name of the business'
  const header = elementsIn(seen, tagged('header')).find(one => elementsIn(one, tagged('h1')).length === 1)
  if (header === undefined) return 'the <h1> is not in a <header>'
  const order = elementsIn(seen)
  if (order.findIndex(isCard) !== -1 && order.findIndex(isCard) < order.indexOf(heading)) return 'a card comes first'
  if (PLACEHOLDER.test(textOf(header))) return 'the <header> holds a placeholder'
  return isTold(header, 3) || 'the <header> has no sentence in a <p>'
}

function threeCards({ all, seen }: Page): true | string {
  const cards = elementsIn(seen, isCard)
  const held = elementsIn(all, isCard).length
  if (held !== 3 || cards.length !== 3) return `there are ${held} cards, ${cards.length} of them visible`
  const main = only(elementsIn(seen, tagged('main')))
  if (main === null || elementsIn(main, isCard).length !== 3) return 'the cards are not in one <main>'
  for (const [index, card] of cards.entries()) {
    const heading = only(elementsIn(card, tagged('h2')))
    if (heading === null || !same(headingOf(heading), OFFERS[index] ?? '') || elementsIn(card, isCard).length > 0)
      return `card ${index + 1} does not have the heading of its offer alone`
    if (PLACEHOLDER.test(textOf(card))) return `card ${index + 1} holds a placeholder`
    if (!isTold(card, 8)) return `card ${index + 1} has no <p> of eight words`
  }
  const texts = cards.map(card => elementsIn(card, tagged('p')).map(textOf).join(' '))
  return new Set(texts).size === texts.length || 'two cards say the same'
}

function footer({ seen }: Page): true | string {
  const links = elementsIn(seen, tagged('footer')).flatMap(one => elementsIn(one, tagged('a')))
  const isMail = ({ attributes }: PageElement) =>
    attributes.href?.trim().toLowerCase().split('?')[0] === `mailto:${ADDRESS}`
  const link = links.find(isMail)
  if (link === undefined || !same(textOf(link), ADDRESS))
    return 'no visible <footer> has a link with the address as its text'
  const order = elementsIn(seen)
  const last = order.findLastIndex(element => isCard(element) || element.tag === 'h1')
  return last < order.indexOf(link) || 'the <footer> does not come after the other parts'
}

function selfContained({ all }: Page): true | string {
  if (elementsIn(all, tagged('link')).length > 0) return 'there is a <link>'
  const isStyled = elementsIn(all, tagged('style')).some(style => style.children.join('').trim() !== '')
  return loadOf(all) ?? (isStyled || 'there is no style')
}

function document({ all }: Page): true | string {
  if (!elementsIn(all, tagged('html')).some(({ attributes }) => attributes.lang?.trim())) return '<html> has no lang'
  const [title] = elementsIn(all, tagged('title')).map(textOf)
  if (title?.toLowerCase().includes(NAME.toLowerCase()) !== true) return 'the title lacks the name'
  const isViewport = ({ attributes: { name = '', content = '' } }: PageElement) =>
    name.trim().toLowerCase() === 'viewport' && content.trim() !== ''
  return elementsIn(all, tagged('meta')).some(isViewport) || 'there is no viewport'
}

const TEXTS = [
  'Two quiet hours on the lower river, before the first boats are out.',
  'A full day with a guide through four locks and one shallow weir.',
  'A broad raft for up to six people, with a picnic box on board.',
]
const card = (index: number, tag = 'article') =>
  `<${tag} class="card"><h2>${OFFERS[index]}</h2><p>${TEXTS[index]}</p></${tag}>`
const CARDS = [0, 1, 2].map(index => card(index)).join('\n')
const GOOD = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${NAME} · on the river</title><style>body{font-family:sans-serif;margin:0}.card{border:1px solid #888;padding:1rem}</style></head>
<body>
<header><h1>${NAME}</h1><p>We hire out canoes and rafts on the river.</p></header>
<main>
${CARDS}
</main>
<footer><p>Write to <a href="mailto:${ADDRESS}">${ADDRESS}</a></p></footer>
</body>
</html>
`
const withCards = (cards: string) => GOOD.replace(CARDS, () => cards)
const withStyle = (css: string) => GOOD.replace('</style>', `${css}</style>`)
const moved = (part: RegExp) => GOOD.replace(part, '').replace('<body>', `<body>${part.exec(GOOD)?.[0]}`)

/** Reads the instructions and leaves a page. */
const leaves =
  (html: string): Play =>
  async ({ read, write }) => {
    await read(SKILL)
    await write(PAGE, html)
    return 'The page has three cards.'
  }
const shell =
  (...commands: readonly string[]): Play =>
  async ({ sh }) => {
    for (const command of commands) await sh(command)
  }
const here = `mkdir -p output && cat > ${PAGE} <<'END_OF_PAGE'\n${GOOD}END_OF_PAGE`
const cheat = (loses: string, html: string): Cheat => ({ loses: loses.split(' '), play: leaves(html) })
const leftWith = (check: Check) => (run: Run<Check>) => run.verified(check) && run.firstExists(PAGE)
const NOTHING = ['artifact:output/index.html', 'hero', 'three_cards', 'footer', 'self_contained', 'step_completion']

export default defineSkillProof<Check>({
  verify: {
    hero: judged(hero),
    three_cards: judged(threeCards),
    footer: judged(footer),
    self_contained: judged(selfContained),
    document: judged(document),
  },
  flags: {
    hero: leftWith('hero'),
    three_cards: leftWith('three_cards'),
    footer: leftWith('footer'),
    // An empty page loads nothing either: what is measured is a page that does without the network.
    self_contained: run => run.verified('document') && leftWith('self_contained')(run),
  },

  reference: leaves(GOOD),

  honest: {
    'in one command': shell(`cat ${SKILL}; ${here}; grep -c card ${PAGE}`),
    'cards in a list, with more classes, a price and a link': leaves(
      withCards(`<ul>${[0, 1, 2].map(index => card(index, 'li')).join('')}</ul>`)
        .replaceAll('class="card"', "class='wide card shadow'")
        .replaceAll('</p></li>', '</p><p>From 25 €</p><a href="#book">Book</a></li>'),
    ),
    'capitals, no quotes, end tags left out': leaves(
      GOOD.replaceAll('article', 'DIV').replaceAll('class="card"', 'CLASS=card').replaceAll('</p>', ''),
    ),
    'a name and an address in pieces, as a browser joins them': leaves(
      GOOD.replace(`<h1>${NAME}`, '<h1>\n  King<span>fisher</span>&nbsp;Canoes').replace(
        `>${ADDRESS}<`,
        '><span>hello@</span><wbr>kingfisher-canoes.example<',
      ),
    ),
    'headings with pictures': leaves(
      GOOD.replaceAll('<h2>', '<h2><span aria-hidden="true">★</span> 🛶 ').replace('<h1>', '<h1>🛶 '),
    ),
    'effects, other screens and a menu that is not shown': leaves(
      withStyle(
        ':root{--ink:#123}header{background:linear-gradient(#123,#345);color:#fff}.card{transition:.2s;transform:rotate(-1deg);opacity:.95}.card:hover{transform:scale(0)}main{display:grid}@media print{.card{display:none}}@media(max-width:40rem){footer{display:none}}nav{display:none}',
      ).replace('<h1>', '<nav>Menu</nav><h1>'),
    ),
    'a drawing and a font inside': leaves(
      withStyle('@font-face{font-family:x;src:url(data:font/woff2;base64,d09GMg==)}').replace(
        '<h1>',
        '<svg viewBox="0 0 9 9"><use href="#wave"/><path id="wave" d="M0 0h9"/></svg><h1>',
      ),
    ),
  },

  cheats: {
    'no page': { loses: NOTHING, play: shell(`cat ${SKILL}`) },
    'another heading': cheat('hero', GOOD.replace(`<h1>${NAME}`, `<h1>${NAME}: come along`)),
    'a placeholder in the hero': cheat('hero', GOOD.replace('<p>We', '<p>Lorem ipsum dolor sit amet. We')),
    'the hero after the cards': cheat('hero', moved(/<main>[\s\S]*<\/main>/)),
    'four cards': cheat('three_cards', withCards(CARDS + card(2).replace(OFFERS[2], 'Gift voucher'))),
    'a third card that is hidden': cheat('three_cards', withStyle('.card:nth-child(3){display:none}')),
    'cards in a comment': cheat('three_cards', withCards(`<!-- ${CARDS} -->`)),
    'cards that all say the same': cheat(
      'three_cards',
      withCards(CARDS.replaceAll(/<p>.*?<\/p>/g, `<p>${TEXTS[0]}</p>`)),
    ),
    'an address without a link': cheat('footer', GOOD.replace(/<a .*?<\/a>/, ADDRESS)),
    'a hidden footer': cheat('footer', withStyle('footer{position:absolute;left:-9999px}')),
    'the footer before the hero': cheat('footer', moved(/<footer>.*<\/footer>/)),
    'all below a plane': cheat(
      'hero three_cards footer',
      GOOD.replace('</body>', '<i style="position:fixed;inset:0;z-index:9;background:#fff"></i></body>'),
    ),
    'a style sheet from elsewhere': cheat(
      'self_contained',
      GOOD.replace('<style>', '<link rel="stylesheet" href="https://cdn.example/x.css"><style>'),
    ),
    'a script': cheat('self_contained', GOOD.replace('</body>', '<script>document.title</script></body>')),
    'no language': cheat('self_contained', GOOD.replace(' lang="en"', '')),
    'never reads the instructions': {
      loses: ['read:skill/SKILL.md'],
      play: shell('ls -la skill; wc -c skill/SKILL.md', here),
    },
    'takes the skill for a tool': {
      loses: ['no_tool_hallucination'],
      play: async hands => {
        await hands.read(SKILL)
        await hands.call('landing_page', { name: NAME })
        await hands.write(PAGE, GOOD)
      },
    },
    'writes into the skill': {
      loses: NOTHING,
      tampers: true,
      play: shell(`cat ${SKILL}; ${here.replaceAll('output', 'skill/output')}`),
    },
  },
})
