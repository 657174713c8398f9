/** Pages that hide or load something, and honest ones that only look as if they did. */
import { HIDING_MARKUP, HIDING_STYLES, INTRICATE_STYLES } from '../../tasks/agentic/page-tricks.ts'
import { SEASON, solutionPage } from './bench_proof.page.ts'

/** A page, and the flags it must lose. */
interface PageCheat {
  readonly loses: readonly string[]
  readonly html: string
}
type Cheats = Readonly<Record<string, PageCheat>>

const GOOD = solutionPage()
const withStyle = (css: string, html = GOOD) => html.replace('</style>', `${css}\n</style>`)
const cheat = (loses: string, html: string): PageCheat => ({ loses: [loses], html })

/** The parts that have to be seen: how a rule names each, what it is in the page, and the flag that is about it. */
const PARTS = {
  'the table': { rule: '#standings, #standings *', markup: /<table[\s\S]*<\/table>/, flag: 'table' },
  'the heading': { rule: 'h1', markup: /<h1>.*<\/h1>/, flag: 'names' },
  'the controls': { rule: '.controls, .controls *', markup: /<section[\s\S]*<\/section>/, flag: 'controls' },
  'the tabs': { rule: '.tabs, .tabs *', markup: /<nav[\s\S]*<\/nav>/, flag: 'controls' },
} as const

/** Declarations that hide a control as well as a text: one has no text of its own. */
const OF_TEXT = ['font', 'text-indent', 'color']
const hiding: Cheats = Object.fromEntries(
  Object.entries(PARTS).flatMap(([part, { rule, markup, flag }]) => [
    ...Object.entries(HIDING_STYLES)
      .filter(([, css]) => flag !== 'controls' || !OF_TEXT.some(property => css.startsWith(property)))
      .map(([name, css]): [string, PageCheat] => [
        `${part} hidden by ${name}`,
        // The reference names colours for single parts, with more weight than this rule would have.
        cheat(flag, withStyle(`${rule}{${css.replaceAll(/(?=;|$)/g, '!important')}}`)),
      ]),
    ...Object.entries(HIDING_MARKUP)
      // The reference gives these parts a `display`, which is stronger than the attribute.
      .filter(([name]) => flag !== 'controls' || name !== 'the hidden attribute')
      .map(([name, around]): [string, PageCheat] => {
        // In a template or a comment there are no rows in the markup of the page.
        const isNoMarkup = flag === 'table' && ['noscript', 'a comment'].includes(name)
        const html = GOOD.replace(markup, found => around(found))
        return [`${part} hidden by ${name}`, { loses: isNoMarkup ? [flag, 'self_contained'] : [flag], html }]
      }),
  ]),
)

/** Ways that need values worked out: all of them for the table, and one of each kind for what has no text of its own. */
const intricate: Cheats = Object.fromEntries([
  ...Object.entries(INTRICATE_STYLES).map(([name, css]): [string, PageCheat] => [
    `the table hidden by ${name}`,
    cheat('table', withStyle(`#standings{${css}}`)),
  ]),
  ...(['a place far to the right', 'a mask', 'a turn on edge', 'a layer below'] as const).map(
    (name): [string, PageCheat] => [
      `the controls hidden by ${name}`,
      cheat('controls', withStyle(`.controls{${INTRICATE_STYLES[name]}}`)),
    ],
  ),
])

const ROOT = /:root \{[^}]*\}/
const rootRule = ROOT.exec(GOOD)?.[0] ?? ''
const PALETTES: Cheats = {
  'a palette for printing only': cheat('palette', GOOD.replace(ROOT, `@media print{${rootRule}}`)),
  'a palette for small screens only': cheat('palette', GOOD.replace(ROOT, `@media (max-width: 20rem){${rootRule}}`)),
  'a palette in a style sheet for printing': cheat(
    'palette',
    GOOD.replace(ROOT, '').replace('<style>', `<style media="print">${rootRule}</style><style>`),
  ),
  'a palette in a template': cheat(
    'palette',
    GOOD.replace(ROOT, '').replace('<header>', `<template><style>${rootRule}</style></template><header>`),
  ),
  'a palette that is no style sheet': cheat(
    'palette',
    GOOD.replace(ROOT, '').replace('<style>', `<style type="text/plain">${rootRule}</style><style>`),
  ),
  'a palette for what is never there': cheat('palette', GOOD.replace(':root {', '.print :root {')),
  'a palette for another element': cheat('palette', GOOD.replace(':root {', 'body /* :root */ {')),
  'a palette in a string': cheat(
    'palette',
    GOOD.replace(ROOT, `q::before{content:"${rootRule.replaceAll(/\s+/g, ' ')}"}`),
  ),
  // Which leaves light text on white besides.
  'a palette that a later rule takes back': {
    loses: ['palette', 'controls', 'table'],
    html: withStyle(':root{--water:#fff}'),
  },
  'a palette that a weightier rule takes back': cheat(
    'palette',
    GOOD.replace('<style>', '<style>html:root{--brass:red}'),
  ),
  'a palette that the page takes back': cheat('palette', GOOD.replace('<html', '<html style="--win:#000"')),
  'a palette with names in capitals': cheat('palette', GOOD.replaceAll('--gap', '--Gap')),
}

const inHead = (part: string) => cheat('self_contained', GOOD.replace('<title>', `${part}<title>`))
const inBody = (part: string) => cheat('self_contained', GOOD.replace('<footer>', `${part}<footer>`))
const LOADS: Cheats = {
  'a style sheet from elsewhere': inHead('<link rel="stylesheet" href="//cdn.example/a.css">'),
  'an import with an escape': cheat('self_contained', GOOD.replace('<style>', '<style>@\\69mport "a.css";')),
  'a font from elsewhere': cheat('self_contained', withStyle('@font-face{font-family:x;src:url(a.woff2)}')),
  'a set of pictures': cheat('self_contained', withStyle('header{background:image-set("a.png" 1x)}')),
  'a script': inBody('<script>document.title</script>'),
  'a handler': cheat('self_contained', GOOD.replace('<select', '<select onchange="fill()"')),
  'a picture': inBody('<img src="crest.png" alt="">'),
  'a picture in a drawing': inBody('<svg><image href="crest.png"/></svg>'),
  'a frame': inBody('<iframe src="fixtures.html"></iframe>'),
  'another base': inHead('<base href="https://league.example/">'),
  'a page that leads elsewhere': inHead('<meta http-equiv="refresh" content="60">'),
}

export const ADDED_CHEATS: Cheats = {
  ...hiding,
  ...intricate,
  'a table in the colour behind it, told by its hue': cheat(
    'table',
    withStyle('#standings,#standings *{color:hsl(0 0% 100%)!important;background:#fffffe}'),
  ),
  'everything below a plane': {
    loses: ['controls', 'table', 'names'],
    html: withStyle('footer::before{content:"";position:fixed;inset:0;background:var(--foam)}'),
  },
  ...PALETTES,
  ...Object.fromEntries(Object.entries(LOADS).map(([name, page]) => [`loads or runs: ${name}`, page])),
  'everything hidden': { loses: ['controls', 'table', 'names'], html: withStyle('body{visibility:hidden}') },
  'rows hidden where the screen is wide enough for them': cheat(
    'table',
    withStyle('@media (min-width:1px){tbody{display:none}}'),
  ),
  'a row hidden by its place': cheat('table', withStyle('tbody tr:nth-child(4){display:none}')),
  'a column hidden': cheat('table', withStyle('td:nth-child(8){visibility:collapse}')),
  'the row that is asked for beside one that is seen': cheat(
    'table',
    solutionPage().replace('<td>Weir Street</td>', '<td><span hidden>Weir Street</span><span>Chain Ferry</span></td>'),
  ),
  'a slider of no width': cheat('controls', withStyle('input{width:0!important}')),
  'the name hidden below another one': {
    loses: ['names'],
    html: GOOD.replace('<h1>', '<h1>Long Reach League</h1><h1 hidden>'),
  },
  'two tables of standings, one of them hidden': cheat(
    'table',
    GOOD.replace('<ul class="legend">', '<table id="standings" hidden></table><ul class="legend">'),
  ),
}

const panels = `<section class="panel"><h2>Form</h2><label>Crew <select id="crew"><option>All</option></select></label><table><tbody><tr><td>won</td></tr></tbody></table></section><section class="panel" hidden><h2>Fixtures</h2><input type="range" min="1" max="3"></section>`

export const ADDED_HONEST: Readonly<Record<string, string>> = {
  'effects of many kinds': withStyle(
    'header{position:sticky;top:0;z-index:2;background:var(--water)}body::before{content:"";position:fixed;inset:0;z-index:-1;background:radial-gradient(#12343b,#0b2228)}#standings{filter:drop-shadow(0 2px 4px #0003);transform:translateY(-4px)}.controls{backdrop-filter:blur(8px)}.tab-btn{transition:all .2s}.tab-btn:hover{transform:scale(0)}',
  ),
  'all in few lines': GOOD.replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/>\n</g, '><')
    .replaceAll(/\n/g, ' '),
  'capitals, single quotes': GOOD.replaceAll('"', "'")
    .replace(/font: 16px\/1\.5 '/, "font: 16px/1.5 '")
    .replaceAll(
      /<(\/?)(table|thead|tbody|tr|td|th|select|option|input|button|h1|title)\b/g,
      (_, slash, tag) => `<${slash}${tag.toUpperCase()}`,
    ),
  'no quotes where none are needed': GOOD.replaceAll(/="([\w-]+)"/g, '=$1'),
  'panels of the other tabs, hidden': withStyle(
    '.panel{display:none}',
    GOOD.replace('<ul class="legend">', `${panels}<ul class="legend">`),
  ),
  'panels of the other tabs in closed details': GOOD.replace(
    '<ul class="legend">',
    `<details><summary>Form</summary>${panels}</details><ul class="legend">`,
  ),
  'a panel of its own around the table': withStyle(
    '.panel{display:none}.panel.shown{display:block}',
    GOOD.replace(/<table[\s\S]*<\/table>/, table => `<div class="panel shown">${table}</div>`),
  ),
  'another palette for those who like it dark, and for paper': withStyle(
    '@media (prefers-color-scheme:dark){:root{--water:#000}}@media print{:root{--water:#fff;--foam:#000}.controls,.tabs{display:none}}',
  ),
  'a palette for themes too': GOOD.replace(':root {', ':root, [data-theme="river"] {'),
  'a palette in two rules': GOOD.replace('--win:', '} :root { --win:'),
  'a palette in a style sheet of its own, in a layer': GOOD.replace(ROOT, '').replace(
    '<style>',
    `<style>@layer base{${rootRule}}</style><style>`,
  ),
  'styles of its own': GOOD.replace(
    '<table id="standings">',
    '<table style="width: 100%; opacity: .95" id="standings">',
  ),
  'a slider in the look of the house': withStyle(
    'input[type=range]{appearance:none;height:4px;background:var(--line)}',
  ),
  'a table that scrolls': withStyle(
    '.scroll{overflow-x:auto;max-width:100%}',
    GOOD.replace(/<table[\s\S]*<\/table>/, table => `<div class="scroll">${table}</div>`),
  ),
  'colours for wins and losses, and a caption for readers': withStyle(
    'td:nth-child(4){color:var(--win)}td:nth-child(6){color:var(--loss)}caption{position:absolute;left:-9999px}',
    GOOD.replace('<thead>', `<caption>${SEASON.league}</caption><thead>`),
  ),
  'a drawing with a title, and an empty icon': GOOD.replace(
    '<h1>',
    '<svg viewBox="0 0 9 9"><title>an oar</title><path d="M0 0h9"/></svg><h1>',
  ).replace('<title>', '<link rel="icon" href="data:,"><title>'),
}
