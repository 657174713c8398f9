/** Public as `agent-bench/checks`: pure helpers that authors judge with. */
export { plainMarkup } from './markup.ts'
