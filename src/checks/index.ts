/** Public as `agent-bench/checks`: pure helpers that authors judge with. */

export { plainMarkup } from './markup.ts'
export { type Page, readPage } from './page.ts'
export { loadOf } from './page-loads.ts'
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
