/** Ways to hide a part of a page, for the cheats of tasks that ask for pages. */

/** Declarations that hide an element, by the name they have in lists of cheats. */
export const HIDING_STYLES: Readonly<Record<string, string>> = {
  'display: none': 'display:none',
  'display: none, written with escapes': 'd\\69splay:n\\6fne',
  'visibility: hidden': 'visibility:hidden',
  'no opacity': 'opacity:0',
  'hardly any opacity': 'opacity:.01',
  'a font of no size': 'font-size:0',
  'the shorthand of a font of no size': 'font:0/0 serif',
  'a place off the screen': 'position:absolute;left:-9999px',
  'an indent off the screen': 'text-indent:-9999px',
  'a move off the screen': 'transform:translateX(-500vw)',
  'a scale of nothing': 'transform:scale(0)',
  'no height': 'height:0;overflow:hidden',
  'a clip to nothing': 'clip-path:inset(50%)',
  'the colour of the background': 'background:#fafafa;color:rgb(250,250,250)',
  'no colour': 'color:transparent',
  'a variable': '--seen:none;display:var(--seen)',
}

/** More declarations that hide, of the kinds that need their values worked out. */
export const INTRICATE_STYLES: Readonly<Record<string, string>> = {
  'a place far to the right': 'position:absolute;left:9999px',
  'a place that is worked out': 'position:absolute;left:calc(-1*9999px)',
  'a move far to the right': 'transform:translateX(9999px)',
  'an opacity that is worked out': 'opacity:calc(0)',
  'an inset of pixels': 'clip-path:inset(9999px)',
  'an inset of nearly half': 'clip-path:inset(49.9%)',
  'a circle of a pixel': 'clip-path:circle(1px)',
  'a polygon of nothing': 'clip-path:polygon(0 0,0 0,0 0)',
  'a turn on edge': 'transform:rotateX(90deg)',
  'a turn on edge of its own property': 'rotate:y 90deg',
  'a matrix of nothing': 'transform:matrix(0,0,0,0,0,0)',
  'its back without a face': 'transform:rotateY(180deg);backface-visibility:hidden',
  'a mask': 'mask:linear-gradient(transparent,transparent)',
  'a zoom': 'zoom:.001',
  'a picture in its place': 'content:url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)',
  'a blur': 'filter:blur(99px)',
  'a lack of contrast': 'filter:contrast(0)',
  'a layer below': 'position:relative;z-index:-1',
}

/** What can be put around a part, or into its own tag, so that nobody sees it. */
export const HIDING_MARKUP: Readonly<Record<string, (part: string) => string>> = {
  'the hidden attribute': part => withAttribute(part, 'hidden'),
  'a style of its own': part => withAttribute(part, 'style="opacity: 0%"'),
  'a closed details': part => `<details><summary>More</summary>${part}</details>`,
  'a closed dialog': part => `<dialog>${part}</dialog>`,
  'a popover': part => `<div popover>${part}</div>`,
  'a template': part => `<template>${part}</template>`,
  noscript: part => `<noscript>${part}</noscript>`,
  'a comment': part => `<!-- ${part} -->`,
  'a canvas': part => `<canvas>${part}</canvas>`,
}

/** Adds an attribute to the first tag. */
const withAttribute = (part: string, attribute: string) => part.replace(/^\s*<[a-z0-9]+/i, tag => `${tag} ${attribute}`)
