/** Parsing of CSS that gives up quietly, as browsers do: what is broken is left out. */
import { type CssNode, parse } from 'css-tree'

/** The tree of a style sheet, or of a part of one; null where it cannot be made out at all. */
export function parseCss(
  text: string,
  context: 'stylesheet' | 'declarationList' | 'selector' | 'mediaQueryList',
): CssNode | null {
  try {
    return parse(text, { context, onParseError: () => undefined, positions: false })
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SyntaxError') throw error
    return null
  }
}
