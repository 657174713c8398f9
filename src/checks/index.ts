/** Public as `agent-bench/checks`: pure helpers that authors judge with. */

export { type Claims, claims } from './claims.ts'
export { equals, json } from './json-answer.ts'
export { type Language, language } from './language.ts'
export { loadOf } from './loads.ts'
export { plainMarkup } from './markup.ts'
export { type Page, readPage } from './page.ts'
export {
  elementsIn,
  hasClass,
  isElement,
  outlineOf,
  type PageElement,
  type PagePart,
  tagged,
  textOf,
} from './page-outline.ts'
export { type ProgressSpec, progress } from './progress.ts'
export {
  avoids,
  type Bounds,
  bullets,
  endsWith,
  lastLine,
  lines,
  mentions,
  sentences,
  startsWith,
  words,
} from './shape.ts'
