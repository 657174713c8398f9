import { textOf } from './page-outline.ts'
import { viewOf } from './page-view.ts'

/** A part that is to be seen or not. */
export const PART = '<p class="part big" id="it">the part</p>'

export const page = (body: string, css = '', more = '') =>
  `<!DOCTYPE html><html><head><title>t</title><style>${css}</style>${more}</head><body><h1>Top</h1>${body}</body></html>`

/** What can be read of a page. */
export function seen(html: string): string {
  const view = viewOf(html)
  if (view === null) throw new Error('the page was not looked at')
  return textOf(view)
}
