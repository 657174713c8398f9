/** Public as `agent-bench/checks`: pure helpers that authors judge with. */
export { plainMarkup } from './markup.ts'
export { type Page, readPage } from './page.ts'
export { loadOf } from './page-loads.ts'
export {
  collapseSpace,
  elementsIn,
  firstDifference,
  hasClass,
  isElement,
  outlineOf,
  type PageElement,
  type PagePart,
  rewrite,
  tagged,
  textOf,
} from './page-outline.ts'
