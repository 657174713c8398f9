/**
 * Template tag for texts inside indented code: the indentation that all lines share is removed, and so is the line break
 * after the opening backtick. A closing backtick on its own line leaves a final line break, as text files have.
 *
 * Own code rather than a library: the `dedent` package works on raw text and always trims, so `\\n` inside Python code
 * and the last line break of a file would come out different from what is written.
 *
 * @example
 * dedent`
 *   def add(a, b):
 *       return a + b
 * ` // 'def add(a, b):\n    return a + b\n'
 */
export function dedent(strings: TemplateStringsArray, ...values: readonly unknown[]): string {
  // Indentation is measured on the literal parts only: an interpolated text must not change it.
  const margin = sharedMargin(strings)
  let text = ''
  strings.forEach((part, index) => {
    text += margin === 0 ? part : part.replace(new RegExp(`\\n[ \\t]{1,${margin}}`, 'g'), '\n')
    if (index >= values.length) return
    const indent = /(?:^|\n)([ \t]*)$/.exec(text)?.[1] ?? ''
    text += String(values[index]).replaceAll('\n', `\n${indent}`)
  })
  return text.replace(/^[ \t]*\n/, '').replace(/\n[ \t]+$/, '\n')
}

function sharedMargin(strings: readonly string[]): number {
  let margin = Number.POSITIVE_INFINITY
  strings.forEach((part, index) => {
    const isLast = index === strings.length - 1
    const lines = part.split('\n')
    lines.forEach((line, row) => {
      if (row === 0) return
      const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0
      const isBlank = indent === line.length
      // A part that ends in white space is followed by a value, so its last line is not blank.
      if (isBlank && (row < lines.length - 1 || isLast)) return
      margin = Math.min(margin, indent)
    })
  })
  return Number.isFinite(margin) ? margin : 0
}
