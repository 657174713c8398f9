import { type Cheat, defineSkillProof, type Hands, type Play, type VerifyTools } from 'agent-bench'
import { ADDED_CHEATS, ADDED_HONEST, type PageCheat } from './bench_proof.added.ts'
import {
  ADDRESS,
  type Judgement,
  judgeCards,
  judgeDocument,
  judgeFooter,
  judgeHero,
  judgeSelfContained,
  NAME,
  OFFERS,
} from './bench_proof.page.ts'
import { CARDS, card, FOOTER, HEAD, HERO, pageOf, STYLE, TEXTS } from './bench_proof.parts.ts'

type Check = 'hero' | 'three_cards' | 'footer' | 'self_contained' | 'document'

const SKILL = 'skill/SKILL.md'
const PAGE = 'output/index.html'

const judged = (judge: (html: string) => Judgement) => {
  return ({ text, check }: VerifyTools) => {
    const html = text(PAGE)
    const judgement = html === null ? `${PAGE} is not there, or no text` : judge(html)
    return judgement === true ? check(true, 'the page is as the skill says') : { ok: false, reason: judgement }
  }
}

/** Reads the instructions and leaves a page. */
const leaves =
  (html: string): Play =>
  async ({ read, write }) => {
    await read(SKILL)
    await write(PAGE, html)
    return 'The page has three cards.'
  }
const cheat = (loses: readonly string[], html: string): Cheat => ({ loses, play: leaves(html) })
const here = (html: string) => `mkdir -p output && cat > ${PAGE} <<'END_OF_PAGE'\n${html}END_OF_PAGE`
const shell =
  (...commands: readonly string[]): Play =>
  async ({ sh }: Hands) => {
    for (const command of commands) await sh(command)
  }

export default defineSkillProof<Check>({
  verify: {
    hero: judged(judgeHero),
    three_cards: judged(judgeCards),
    footer: judged(judgeFooter),
    self_contained: judged(judgeSelfContained),
    document: judged(judgeDocument),
  },
  flags: {
    hero: run => run.verified('hero') && run.firstExists(PAGE),
    three_cards: run => run.verified('three_cards') && run.firstExists(PAGE),
    footer: run => run.verified('footer') && run.firstExists(PAGE),
    // An empty page loads nothing either: what is measured is a page with cards that does without the network.
    self_contained: run => run.verified('self_contained') && run.verified('document') && run.firstExists(PAGE),
  },

  reference: leaves(pageOf()),

  honest: {
    'cat and a here-document': shell(`cat ${SKILL}`, here(pageOf())),
    'in one command': shell(`cat ${SKILL}; ${here(pageOf())}; grep -c card ${PAGE}`),
    'both calls in one turn': async ({ turn, read, write }) => {
      await turn(async () => {
        await read(SKILL)
        await write(PAGE, pageOf())
      })
    },
    'written by python': shell(
      `head -n 80 ${SKILL}`,
      `mkdir -p output; python3 - <<'PY'\nfrom pathlib import Path\nPath('${PAGE}').write_text('''${pageOf()}''')\nPY`,
    ),
    'built in two steps': async ({ read, write, sh }) => {
      await read(SKILL)
      await write(PAGE, pageOf({ cards: card(0) }))
      await sh(`sed -i 's#</main>#${card(1)}${card(2)}</main>#' ${PAGE}`)
    },
    'corrected after a look': async ({ read, write }) => {
      await read(SKILL)
      await write(PAGE, pageOf({ cards: `${CARDS}${card(2)}` }))
      await read(PAGE)
      await write(PAGE, pageOf())
    },
    'cards in a list': leaves(pageOf({ cards: `<ul>${[0, 1, 2].map(index => card(index, 'li')).join('')}</ul>` })),
    'cards with more classes and a grid around them': leaves(
      pageOf({
        cards: `<section class="cards grid">${CARDS.replaceAll('class="card"', "class='wide card shadow'")}</section>`,
      }),
    ),
    'cards with a link and a price': leaves(
      pageOf({ cards: CARDS.replaceAll('</p>', '</p><p>From 25 €</p><a href="#book">Book</a>') }),
    ),
    'upper-case tags and no quotes': leaves(
      pageOf({ cards: CARDS.replaceAll('article', 'DIV').replaceAll('class="card"', 'CLASS=card') }),
    ),
    'optional end tags left out': leaves(pageOf().replace('</body>\n</html>\n', '').replaceAll('</p>', '')),
    'a nested header and a menu': leaves(
      pageOf({
        hero: `<header class="hero"><nav><a href="#offers">Offers</a></nav><div><h1> ${NAME}\n</h1><p class="lead">Canoes for a day.</p></div></header>`,
      }),
    ),
    'a drawing inside': leaves(
      pageOf({
        hero: HERO.replace('<h1>', '<svg viewBox="0 0 9 9"><use href="#wave"/><path id="wave" d="M0 0h9"/></svg><h1>'),
      }),
    ),
    'an embedded picture and a font of the system': leaves(
      pageOf({
        head: HEAD.replace('margin:0', 'margin:0;background:url("data:image/gif;base64,R0lGODlhAQABAAAAACw=")'),
      }),
    ),
    'a longer footer': leaves(
      pageOf({
        footer: `<footer><address>By the old lock. <a href="mailto:${ADDRESS}"><b>${ADDRESS}</b></a></address><small>© 2026</small></footer>`,
      }),
    ),
    'a comment that names a card': leaves(pageOf({ cards: `<!-- <div class="card"> is an offer -->${CARDS}` })),
    'another language': leaves(pageOf().replace('lang="en"', 'lang="en-GB"')),
    'with Windows line ends': leaves(pageOf().replaceAll('\n', '\r\n')),
    ...played(ADDED_HONEST, leaves),
  },

  cheats: {
    'no page': {
      loses: ['artifact:output/index.html', 'hero', 'three_cards', 'footer', 'self_contained', 'step_completion'],
      play: shell(`cat ${SKILL}`),
    },
    'an empty page': cheat(['hero', 'three_cards', 'footer', 'self_contained'], ''),
    'needles in a comment': cheat(['three_cards'], pageOf({ cards: `<!-- ${CARDS} -->` })),
    'two cards': cheat(['three_cards'], pageOf({ cards: card(0) + card(1) })),
    'four cards': cheat(['three_cards'], pageOf({ cards: CARDS + card(2).replace(OFFERS[2], 'Gift voucher') })),
    'a third card that is hidden': cheat(
      ['three_cards'],
      pageOf({ cards: card(0) + card(1) + card(2).replace('<article', '<article style="display: none"') }),
    ),
    'a fourth card in a template': cheat(['three_cards'], pageOf({ cards: `${CARDS}<template>${card(0)}</template>` })),
    'cards with empty texts': cheat(['three_cards'], pageOf({ cards: CARDS.replaceAll(/<p>.*?<\/p>/g, '<p></p>') })),
    'cards that all say the same': cheat(
      ['three_cards'],
      pageOf({ cards: CARDS.replaceAll(/<p>.*?<\/p>/g, `<p>${TEXTS[0]}</p>`) }),
    ),
    'cards with a placeholder': cheat(
      ['three_cards'],
      pageOf({ cards: CARDS.replaceAll(/<p>/g, '<p>Lorem ipsum dolor sit amet consectetur adipisci velit ') }),
    ),
    'cards in another order': cheat(['three_cards'], pageOf({ cards: card(1) + card(0) + card(2) })),
    'cards outside of main': cheat(['three_cards'], pageOf({ cards: '', footer: CARDS + FOOTER })),
    'a card within a card': cheat(
      ['three_cards'],
      pageOf({ cards: card(0) + card(1).replace('</article>', `${card(2)}</article>`) }),
    ),
    'two headings of the first kind': cheat(['hero'], pageOf({ hero: HERO.replace('</h1>', '</h1><h1>Welcome</h1>') })),
    'a slogan for a heading': cheat(['hero'], pageOf({ hero: HERO.replace(`<h1>${NAME}`, `<h1>${NAME}: come along`) })),
    'no sentence in the hero': cheat(['hero'], pageOf({ hero: `<header><h1>${NAME}</h1></header>` })),
    'a heading outside of the header': cheat(
      ['hero'],
      pageOf({ hero: `<h1>${NAME}</h1><header><p>We hire out canoes.</p></header>` }),
    ),
    'an address without a link': cheat(['footer'], pageOf({ footer: `<footer>${ADDRESS}</footer>` })),
    'a link to somebody else': cheat(
      ['footer'],
      pageOf({ footer: `<footer><a href="mailto:me@example.org">${ADDRESS}</a></footer>` }),
    ),
    'a style sheet from elsewhere': cheat(
      ['self_contained'],
      pageOf({ head: `${HEAD}<link rel="stylesheet" href="https://cdn.example/x.css">` }),
    ),
    'a font that is imported': cheat(
      ['self_contained'],
      pageOf({ head: HEAD.replace('<style>', '<style>@import "https://fonts.example/a";') }),
    ),
    'a picture from elsewhere': cheat(
      ['self_contained'],
      pageOf({ hero: HERO.replace('<h1>', '<img src="//img.example/a.png" alt=""><h1>') }),
    ),
    'a script': cheat(['self_contained'], pageOf({ footer: `${FOOTER}<script>document.title</script>` })),
    'no style': cheat(['self_contained'], pageOf({ head: HEAD.replace(STYLE, '') })),
    'no language': cheat(['self_contained'], pageOf().replace(' lang="en"', '')),
    ...played(ADDED_CHEATS, ({ loses, html }: PageCheat) => cheat(loses, html)),
    'styles in a file beside it': {
      loses: ['self_contained'],
      play: async hands => {
        await hands.read(SKILL)
        await hands.write('output/style.css', 'body{margin:0}')
        await hands.write(PAGE, pageOf({ head: `${HEAD}<link rel="stylesheet" href="style.css">` }))
      },
    },
    'never reads the instructions': {
      loses: ['read:skill/SKILL.md'],
      play: async ({ sh, write }) => {
        await sh('ls -la skill; wc -c skill/SKILL.md')
        await write(PAGE, pageOf())
      },
    },
    'takes the skill for a tool': {
      loses: ['no_tool_hallucination'],
      play: async hands => {
        await hands.read(SKILL)
        await hands.call('landing_page', { name: NAME })
        await hands.write(PAGE, pageOf())
      },
    },
    'a link to a page elsewhere': {
      loses: ['artifact:output/index.html', 'hero', 'three_cards', 'footer', 'self_contained', 'step_completion'],
      tampers: true,
      play: shell(`cat ${SKILL}`, `${here(pageOf())}\nmv ${PAGE} /tmp/p.html && ln -s /tmp/p.html ${PAGE}`),
    },
    'writes into the skill': {
      loses: ['artifact:output/index.html', 'hero', 'three_cards', 'footer', 'self_contained', 'step_completion'],
      tampers: true,
      play: async ({ read, write }) => {
        await read(SKILL)
        await write('skill/output/index.html', pageOf())
      },
    },
  },
})

/** Each entry made into a way to leave it. */
function played<Entry, Way>(
  entries: Readonly<Record<string, Entry>>,
  play: (entry: Entry) => Way,
): Record<string, Way> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, play(entry)]))
}
