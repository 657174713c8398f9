/** Which command lines `run_command` of the string tools lets through. The sandbox is what keeps others safe; this is the tool's rule. */

/** Words of a shell command without expansion, or null where a quote is not closed. */
function wordsOf(text: string): string[] | null {
  const words: string[] = []
  let [word, quote, isWord] = ['', '', false]
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if (quote === "'") {
      if (character === quote) quote = ''
      else word += character
    } else if (character === '\\') {
      index += 1
      if (index === text.length) return null
      word += text[index] ?? ''
      isWord = true
    } else if (quote !== '') {
      if (character === quote) quote = ''
      else word += character
    } else if (character === "'" || character === '"') {
      quote = character
      isWord = true
    } else if (/\s/.test(character)) {
      if (isWord) words.push(word)
      ;[word, isWord] = ['', false]
    } else {
      word += character
      isWord = true
    }
  }
  if (quote !== '') return null
  return isWord ? [...words, word] : words
}

/** The parts of a command line between `||`, `&&`, `|`, `;`, `&` and line ends that are not quoted; `2>&1` stays whole. */
function segmentsOf(command: string): string[] {
  const segments: string[] = []
  let [segment, quote] = ['', '']
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] ?? ''
    const isEscaped = command[index - 1] === '\\' && quote !== "'"
    if (quote === '' && !isEscaped && /[|;&\n]/.test(character) && !(character === '&' && /[>&]$/.test(segment))) {
      segments.push(segment)
      segment = ''
      if (command[index + 1] === character) index += 1
      continue
    }
    if (!isEscaped && (character === "'" || character === '"')) {
      if (quote === '') quote = character
      else if (quote === character) quote = ''
    }
    segment += character
  }
  return [...segments, segment]
}

/** Why a command line is refused, or null. */
export function refusedCommand(command: string, allowed: readonly string[]): string | null {
  if (command.includes('\0')) return 'a NUL character'
  if (/\$\(|`/.test(command)) return 'command substitution is not permitted'
  const segments = segmentsOf(command).filter(segment => segment.trim() !== '')
  if (segments.length === 0) return 'empty command'
  for (const segment of segments) {
    const words = wordsOf(segment)
    if (words === null) return `a quote is not closed: ${segment.trim()}`
    const program = words[0]?.split('/').at(-1) ?? ''
    if (!allowed.includes(program)) return `command not permitted: ${program}`
    const outside = words.find(word => /^[/~]/.test(word) || word.split('/').includes('..'))
    if (outside !== undefined) return `path outside working directory: ${outside}`
  }
  return null
}
