/** What a text is written in, and what can be behind it: all colours that a background may have at its place. */
import type { CssNode } from 'css-tree'
import { BLACK, type Colour, canBeTold, colourIn, colourOf, over, TRANSPARENT } from './page-colours.ts'
import { argumentsOf, isUnset, nodesOf, numberOf } from './page-numbers.ts'
import type { Styles } from './page-styles.ts'

/** Colours of which each is at some place; null for a picture, of which nothing is known. */
export type Paints = readonly Colour[] | null

/** Gradients before gradients make more colours than are worth a look. */
const MAX_COLOURS = 48

/** The colours of text in an element; an empty list when they cannot be worked out. */
export function textPaints(styles: Styles, outer: Paints, usual: Paints): Paints {
  const own = [...ownColour(styles, outer, usual), ...strokeOf(styles)]
  // Text through which a picture or colour shows.
  if (styles.get('background-clip') !== 'text' || !own.every(([, , , alpha]) => alpha < 0.5)) return own
  return backPaints(styles, own[0] ?? null, [TRANSPARENT])
}

/** The colour of the edges of letters. */
function strokeOf(styles: Styles): readonly Colour[] {
  const nodes = ['-webkit-text-stroke', '-webkit-text-stroke-width', '-webkit-text-stroke-color'].flatMap(name =>
    nodesOf(styles.get(name) ?? ''),
  )
  const isWide = nodes.some(node => (numberOf([node]) ?? 0) >= 0.5)
  const colours = nodes.map(node => colourOf(node)).filter(colour => colour !== null)
  return isWide ? colours : []
}

function ownColour(styles: Styles, outer: Paints, usual: Paints): readonly Colour[] {
  const given = styles.get('-webkit-text-fill-color') ?? styles.get('color')
  if (given === undefined || ['revert', 'revert-layer'].includes(given)) return usual ?? []
  if (['inherit', 'unset', 'currentcolor'].includes(given)) return outer ?? []
  if (given === 'initial') return [BLACK]
  const colour = colourIn(given, outer?.[0] ?? null)
  return colour === null ? [] : [colour]
}

/** What is behind something inside of an element, given what is behind the element. */
export function backPaints(styles: Styles, current: Colour | null, outer: Paints): Paints {
  const given = styles.get('background-color')
  // A colour that cannot be worked out is taken for none.
  const colour = given === undefined || isUnset(given) ? null : colourIn(given, current)
  let paints: Paints = colour === null ? outer : colour[3] === 1 ? [colour] : behindOf(colour, outer)
  const image = styles.get('background-image')
  if (image === undefined || isUnset(image)) return paints
  for (const picture of [...argumentsOf(nodesOf(image))].reverse()) {
    const stops = stopsOf(picture[0], current)
    if (stops === null) return null
    if (stops.length === 0) continue
    const before: readonly Colour[] | null = stops.every(([, , , alpha]) => alpha === 1) ? [BLACK] : paints
    paints = before === null ? null : unique(stops.flatMap(stop => before.map(back => over(stop, back))))
  }
  return paints
}

const behindOf = (colour: Colour, outer: Paints): Paints =>
  outer === null ? null : unique(outer.map(back => mixedOver(colour, back)))

/** Colours before nothing keep their opacity. */
const mixedOver = (colour: Colour, back: Colour): Colour => (back[3] === 0 ? colour : over(colour, back))

function unique(colours: readonly Colour[]): readonly Colour[] {
  const byText = new Map(colours.map(colour => [colour.map(channel => channel.toFixed(2)).join(), colour]))
  return [...byText.values()].slice(0, MAX_COLOURS)
}

/** The colours of a gradient; null for any other picture. */
function stopsOf(node: CssNode | undefined, current: Colour | null): readonly Colour[] | null {
  if (node?.type !== 'Function' || !/gradient$/i.test(node.name)) return null
  return node.children.toArray().flatMap(child => {
    const colour = colourOf(child, current)
    return colour === null ? [] : [colour]
  })
}

/** Does a background leave nothing of what is behind it? */
export function isOpaque(styles: Styles): boolean {
  const alphaOf = (value: string | undefined) => (value === undefined ? 0 : (colourIn(value)?.[3] ?? 0))
  if (alphaOf(styles.get('background-color')) >= 0.9) return true
  return argumentsOf(nodesOf(styles.get('background-image') ?? '')).some(picture => {
    const stops = stopsOf(picture[0], null)
    return stops !== null && stops.length > 0 && stops.every(([, , , alpha]) => alpha >= 0.9)
  })
}

/** Can a text of these colours be read before these? */
export function isLegible(text: Paints, behind: Paints): boolean {
  if (text === null || behind === null) return text === null || text.some(([, , , alpha]) => alpha >= 0.1)
  return text.some(colour => behind.some(back => canBeTold(colour, back)))
}
