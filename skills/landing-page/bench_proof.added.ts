/** Pages that hide, reorder or load something, and honest ones that only look as if they did. */
import { HIDING_MARKUP, HIDING_STYLES, INTRICATE_STYLES } from '../../tasks/agentic/page-tricks.ts'
import { ADDRESS, NAME, OFFERS } from './bench_proof.page.ts'
import { CARDS, card, FOOTER, HEAD, HERO, pageOf, STYLE } from './bench_proof.parts.ts'

/** A page, and the flags it must lose. */
export interface PageCheat {
  readonly loses: readonly string[]
  readonly html: string
}

const ALL_PARTS = ['hero', 'three_cards', 'footer']
const withStyle = (css: string, parts: Parameters<typeof pageOf>[0] = {}) =>
  pageOf({ ...parts, head: HEAD.replace('</style>', `${css}</style>`) })

/** Hides the footer by a rule, each in its own way. */
const hiddenByRule = Object.fromEntries(
  Object.entries(HIDING_STYLES).map(([name, css]): [string, PageCheat] => [
    `a footer hidden by ${name}`,
    // A link has a colour of its own.
    { loses: ['footer'], html: withStyle(`footer,footer a{${css}}`) },
  ]),
)

const cards = (html: string): PageCheat => ({ loses: ['three_cards'], html })
const saying = (text: string) =>
  cards(pageOf({ cards: CARDS.replaceAll(/<p>.*?<\/p>/g, (_, at) => `<p>${text.replace('it', `part ${at}`)}</p>`) }))

/** Hides the cards in ways that need values worked out. */
const intricate: Readonly<Record<string, PageCheat>> = {
  ...Object.fromEntries(
    Object.entries(INTRICATE_STYLES).map(([name, css]) => [
      `cards hidden by ${name}`,
      cards(withStyle(`.card{${css}}`)),
    ]),
  ),
  'cards hidden in a scope': cards(withStyle('@scope(main){.card{display:none}}')),
  'cards hidden in a container': cards(
    withStyle('body{container-type:inline-size}@container(min-width:1px){.card{display:none}}'),
  ),
  'cards shown in a container that is none': cards(
    withStyle('.card{display:none}@container(min-width:1px){.card{display:block}}'),
  ),
  'cards shown in a layer, hidden outside of it': cards(
    withStyle('.card{display:none}@layer a{main>.card.card{display:block}}'),
  ),
  'cards below a plane': cards(
    withStyle(
      'body::after{content:"";position:fixed;inset:0;background:#fff}footer,header{position:relative;z-index:2}',
    ),
  ),
  'cards in a drawing of no size': cards(
    pageOf({ cards: `<svg width=0 height=0><foreignObject>${CARDS}</foreignObject></svg>` }),
  ),
  'cards in white, told by their hue': cards(withStyle('.card{color:hsl(0 0% 100%);background:#fff}')),
  'cards in nearly white': cards(withStyle('.card{color:#fffffe;background:#fff}')),
  'everything in white, told by its hue': {
    loses: ALL_PARTS,
    html: withStyle('*{color:hsl(0 0% 100%);background:#fff}'),
  },
  'everything without contrast': { loses: ALL_PARTS, html: withStyle('body{filter:contrast(0)}') },
  'everything below a plane': {
    loses: ALL_PARTS,
    html: withStyle('footer::before{content:"";position:fixed;inset:0;background:#fff}'),
  },
  'cards that are still to be written': saying('TODO: write at least eight words about it here'),
  'cards with brackets to be filled': saying('[Insert a description of it in eight or more words]'),
  'cards that say what is to be done': saying('todo: say something kind about it and its many boats'),
  'cards that repeat what was asked for': saying('There are at least eight words about it in this text'),
  'cards that say where a text will be': saying('The long description goes here as soon as it is known'),
  'cards that ask for a text': saying('Insert a short description of it for all our guests'),
  'cards with a sample': saying('This sample text about it stands in for a real one'),
  'cards of letters': saying('a b c d e f g h it'.replace(' it', '')),
  'cards of crosses': saying('Xxx xxx about it and more of xxx for all who come'),
}

/** Wraps the footer so that nobody sees it. */
const hiddenByMarkup = Object.fromEntries(
  Object.entries(HIDING_MARKUP).map(([name, around]): [string, PageCheat] => [
    `a footer hidden by ${name}`,
    { loses: ['footer'], html: pageOf({ footer: around(FOOTER) }) },
  ]),
)

/** Something that is loaded or run, each from another place of the page. */
const loading = (html: string): PageCheat => ({ loses: ['self_contained'], html })
const inHero = (part: string) => loading(pageOf({ hero: HERO.replace('<h1>', `${part}<h1>`) }))
const inHead = (part: string) => loading(pageOf({ head: `${part}${HEAD}` }))
const inStyle = (css: string) => loading(pageOf({ head: HEAD.replace('<style>', `<style>${css}`) }))

const LOADS: Readonly<Record<string, PageCheat>> = {
  'a picture in a drawing': inHero('<svg><image href="https://img.example/a.png"/></svg>'),
  'a picture in a drawing, in the old way': inHero('<svg><image xlink:href="https://img.example/a.png"/></svg>'),
  'a part of a drawing from elsewhere': inHero('<svg><use href="sprite.svg#a"/></svg>'),
  'a picture that a drawing is given later': inHero(
    '<svg><image><set attributeName="href" to="https://img.example/a.png"/></image></svg>',
  ),
  'a pattern of a drawing from elsewhere': inHero(
    '<svg><path d="M0 0h9" fill="url(https://img.example/a.svg#p)"/></svg>',
  ),
  'a choice of pictures': inHero(
    '<img alt="" srcset="data:image/gif;base64,R0lGODlhAQABAAAAACw= 1x,https://img.example/b.png 2x">',
  ),
  'a frame': inHero('<iframe srcdoc="<p>more"></iframe>'),
  'a film': inHero('<video poster="poster.jpg"></video>'),
  'a picture of an input': inHero('<input type="image" src="go.png" alt="go">'),
  'a picture whose address has a line end': inHero('<img alt="" src="ht\ntps://img.example/a.png">'),
  'a link that tells on its visitors': inHero('<a href="#offers" ping="https://count.example">Offers</a>'),
  'a handler': inHero('<svg onload="fill()"></svg>'),
  'a link that runs code': inHero('<a href=" java&#10;script:fill()">Offers</a>'),
  'an import with an escape': inStyle('@\\69mport "https://fonts.example/a";'),
  'an import after a comment': inStyle('/* */@IMPORT/**/url(https://fonts.example/a);'),
  'a background with an escape': inStyle('header{background:u\\72l(https://img.example/a.png)}'),
  'an address with an escape': inStyle('header{background:url(\\68ttps://img.example/a.png)}'),
  'a set of pictures': inStyle('header{background:image-set("a.png" 1x, "b.png" 2x)}'),
  'a font': inStyle('@font-face{font-family:x;src:url("//fonts.example/a.woff2")}'),
  'a picture in a variable': inStyle(':root{--hero:url(hero.jpg)}header{background:var(--hero)}'),
  'a picture in a style of its own': loading(
    pageOf({ hero: HERO.replace('<header', "<header style='background:url(hero.jpg)'") }),
  ),
  'a page that leads elsewhere': inHead('<meta http-equiv="Refresh" content="0;url=https://kingfisher.example">'),
  'another base': inHead('<base href="https://kingfisher.example/">'),
  'an icon': inHead('<link rel="icon" href="favicon.ico">'),
  'a link element, even where it loads nothing': inHead('<link rel="icon" href="data:,">'),
}
const loads = Object.fromEntries(Object.entries(LOADS).map(([name, page]) => [`loads or runs: ${name}`, page]))

const swapParts = (first: RegExp, second: RegExp, html = pageOf()): string => {
  const [one = ''] = first.exec(html) ?? []
  const [other = ''] = second.exec(html) ?? []
  return html.replace(one, '<!-- -->').replace(other, one).replace('<!-- -->', other)
}
const HEADER_PART = /<header>[\s\S]*<\/header>/
const MAIN_PART = /<main>[\s\S]*<\/main>/
const FOOTER_PART = /<footer>[\s\S]*<\/footer>/

export const ADDED_CHEATS: Readonly<Record<string, PageCheat>> = {
  ...hiddenByRule,
  ...intricate,
  ...hiddenByMarkup,
  ...loads,
  'a heading hidden by a rule': { loses: ['hero'], html: withStyle('header > h1{visibility:hidden}') },
  'a sentence hidden by a rule': { loses: ['hero'], html: withStyle('h1 + p{display:none}') },
  'cards hidden by a rule': { loses: ['three_cards'], html: withStyle('.card{display:none}') },
  'the third card hidden by its place': { loses: ['three_cards'], html: withStyle('.card:nth-child(3){opacity:0}') },
  'texts of cards hidden by a rule': { loses: ['three_cards'], html: withStyle('.card p{font-size:0}') },
  'cards hidden where the screen is wide enough for them': {
    loses: ['three_cards'],
    html: withStyle('@media (min-width: 1px){main{display:none}}'),
  },
  'everything hidden': { loses: ALL_PARTS, html: withStyle('body{display:none}') },
  'everything hidden by the page itself': { loses: ALL_PARTS, html: pageOf().replace('<body>', '<body hidden>') },
  'everything white on white': { loses: ALL_PARTS, html: withStyle('*{color:#fff;background:white}') },
  'the footer before the hero': { loses: ['hero', 'footer'], html: swapParts(HEADER_PART, FOOTER_PART) },
  'the footer before the cards': { loses: ['footer'], html: swapParts(MAIN_PART, FOOTER_PART) },
  'the hero after the cards': { loses: ['hero'], html: swapParts(HEADER_PART, MAIN_PART) },
  'cards of one word again and again': {
    loses: ['three_cards'],
    html: pageOf({
      cards: CARDS.replaceAll(/<p>.*?<\/p>/g, (_, at) => `<p>${`word${at % 7} `.repeat(9)}</p>`),
    }),
  },
  'cards of dots': {
    loses: ['three_cards'],
    html: pageOf({ cards: CARDS.replaceAll(/<p>.*?<\/p>/g, (_, at) => `<p>${'. - '.repeat((at % 5) + 8)}</p>`) }),
  },
  'a sentence of dots': { loses: ['hero'], html: pageOf({ hero: HERO.replace(/<p>.*<\/p>/, '<p>. . . . .</p>') }) },
  'a placeholder in the hero': {
    loses: ['hero'],
    html: pageOf({ hero: HERO.replace('<p>', '<p>Lorem ipsum dolor sit amet. ') }),
  },
  'offers of somebody else': { loses: ['three_cards'], html: pageOf().replaceAll(OFFERS[1], 'Weir and lock tour') },
  'a viewport without content': {
    loses: ['self_contained'],
    html: pageOf({ head: HEAD.replace('content="width=device-width"', 'content') }),
  },
}

export const ADDED_HONEST: Readonly<Record<string, string>> = {
  'a drawing behind the hero': withStyle(
    `header{background:#036 url("data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'/>");color:#fff}`,
  ),
  'a drawing behind the hero, with escapes of addresses': withStyle(
    `header{background:#036 url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E");color:#fff}`,
  ),
  'headings with a picture that is not read out': pageOf({
    cards: CARDS.replaceAll('<h2>', '<h2><span aria-hidden="true">🛶</span> '),
  }),
  'texts that speak of things to do, to add and to write': pageOf({
    cards: CARDS.replaceAll('<p>', '<p>Things to do: add a picnic, insert a pause, write to us. '),
  }),
  'headings with a picture': pageOf({ cards: CARDS.replaceAll('<h2>', '<h2>🛶 ').replaceAll('</h2>', ' ✨</h2>') }),
  'texts of exactly eight words, short ones among them': pageOf({
    cards: CARDS.replaceAll(/<p>(\w+ \w+).*?<\/p>/g, '<p>$1: a day on the river for all</p>'),
  }),
  'effects of many kinds': withStyle(
    'header{position:sticky;top:0;z-index:1;clip-path:polygon(0 0,100% 0,100% 90%,0 100%);background:linear-gradient(135deg,#0f2027,#2c5364);color:#fff}main{position:relative;z-index:1}.card{transition:transform .2s;transform:rotate(-1deg);filter:drop-shadow(0 2px 4px #0003);backdrop-filter:blur(8px);background:rgb(255 255 255/.8)}.card:nth-child(2){transform:translateY(-12px)}.card:hover{transform:translateY(-4px)}.card::before{content:"";position:absolute;inset:0;clip-path:circle(20px at 0 0);background:#fc0}',
  ),
  'all in one line': pageOf()
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll('"viewport"', 'viewport'),
  'single quotes and capitals': pageOf()
    .replaceAll('"', "'")
    .replaceAll(/<(\/?)(header|main|footer|article|h1|h2|p)\b/g, (_, slash, tag) => `<${slash}${tag.toUpperCase()}`),
  'variables, a grid and other screens in addition': withStyle(
    ':root{--ink:#123;--paper:#fff}body{color:var(--ink);background:var(--paper)}main{display:grid;gap:1rem;grid-template-columns:repeat(3,1fr)}@media (max-width:40rem){main{grid-template-columns:1fr}.card p{font-size:.9rem}}@media print{nav,.card{display:none}}@media (prefers-color-scheme:dark){:root{--ink:#fff;--paper:#123}}',
  ),
  'light text on a dark hero': withStyle(
    'header{background:linear-gradient(#123,#345);color:white}footer{background:#112233;color:#fff}footer a{color:inherit}',
  ),
  'light text on a hero that is painted beside it': withStyle(
    'header{position:relative;color:#fff}header::before{content:"";position:absolute;inset:0;z-index:-1;background:#123}',
  ),
  'text through which colours show': withStyle(
    'h1{background:linear-gradient(90deg,red,blue);-webkit-background-clip:text;background-clip:text;color:transparent}',
  ),
  'cards that fade in': withStyle('.card{opacity:0;animation:show 1s forwards}@keyframes show{to{opacity:1}}'),
  'cards that move under the hand': withStyle('.card{transition:all .2s}.card:hover{transform:scale(0);opacity:0}'),
  'styles of their own': pageOf({
    cards: CARDS.replaceAll('<p>', '<p style="font-size:1.1em;opacity:.9;margin-top:-2px">'),
  }),
  'more in a details that is open': pageOf({
    footer: `<details open><summary>Contact</summary>${FOOTER}</details>`,
  }),
  'questions in a details that is closed': pageOf({
    footer: `<section><details><summary>May dogs come?</summary><p>Yes, they may.</p></details></section>${FOOTER}`,
  }),
  'a menu for small screens and a link to skip it': withStyle(
    '.menu{display:none}.skip{position:absolute;left:-9999px}.skip:focus{left:0}',
    { hero: HERO.replace('<h1>', '<a class="skip" href="#offers">To the offers</a><p class="menu">Menu</p><h1>') },
  ),
  'drawings inside, with colours and parts of their own': pageOf({
    hero: HERO.replace(
      '<h1>',
      '<svg viewBox="0 0 9 9" aria-hidden="true"><defs><linearGradient id="g"><stop offset="0"/></linearGradient></defs><title>waves</title><path d="M0 0h9" fill="url(#g)"/><image href="data:image/gif;base64,R0lGODlhAQABAAAAACw="/></svg><h1>',
    ),
  }),
  'a font and pictures as data': pageOf({
    head: HEAD.replace(
      '<style>',
      `<style>@font-face{font-family:x;src:local("Georgia"),url(data:font/woff2;base64,d09GMg==)}header{background:image-set("data:image/gif;base64,R0lGODlhAQABAAAAACw=" 1x)}`,
    ),
    hero: HERO.replace('<h1>', '<img alt="" src=" data:image/gif;base64,R0lGODlhAQABAAAAACw="><h1>'),
  }),
  'links to elsewhere, which load nothing': pageOf({
    footer: FOOTER.replace(
      '</footer>',
      '<p><a href="https://rivers.example/rules">Rules of the river</a></p></footer>',
    ),
  }),
  'an address with a subject': pageOf({ footer: FOOTER.replace(`:${ADDRESS}"`, `:${ADDRESS}?subject=Canoes"`) }),
  'a hero within main': pageOf({ hero: '', cards: `${HERO}${CARDS}` }),
  'styles that speak of a name': pageOf({
    head: HEAD.replace(STYLE, `<style>@namespace svg url(http://www.w3.org/2000/svg);${STYLE.slice('<style>'.length)}`),
  }),
  'a fourth offer told in the text': pageOf({
    cards: `${CARDS.replace(card(2), `<p>Ask ${NAME} about gift vouchers.</p>${card(2)}`)}`,
  }),
}
