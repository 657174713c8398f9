/**
 * A page's markup in the form in which two versions of it are compared: without comments, with white space collapsed to a
 * blank, and none beside tags. So indentation and line breaks count for nothing, and what is commented out is gone.
 * @example
 * plainMarkup(text('index.html') ?? '').includes('<h1>Tide tables</h1>')
 */
export const plainMarkup = (html: string): string =>
  html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?(<[^>]*>) ?/g, '$1')
