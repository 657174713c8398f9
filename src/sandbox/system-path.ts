/**
 * Names of files are bytes, and a sandbox may hold names that are not UTF-8. As in Python (PEP 383, `surrogateescape`)
 * each byte that is not part of well-formed UTF-8 becomes one lone surrogate U+DC80…U+DCFF, and back: nothing is lost.
 */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const ESCAPE = 0xdc00

/** Text of a name, with bytes that are not UTF-8 as lone surrogates. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return decodePiecewise(bytes)
  }
}

function decodePiecewise(bytes: Uint8Array): string {
  let text = ''
  let position = 0
  while (position < bytes.length) {
    const length = characterLength(bytes, position)
    if (length === 0) {
      text += String.fromCharCode(ESCAPE + (bytes[position] ?? 0))
      position += 1
    } else {
      text += strict.decode(bytes.subarray(position, position + length))
      position += length
    }
  }
  return text
}

/** Length of the well-formed character that begins here, or 0. */
function characterLength(bytes: Uint8Array, position: number): number {
  const first = bytes[position] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || position + length > bytes.length) return 0
  try {
    strict.decode(bytes.subarray(position, position + length))
    return length
  } catch {
    return 0
  }
}

/** Bytes of a name; the inverse of {@link decodeName}. */
export function encodeName(name: string): Uint8Array {
  if (name.isWellFormed()) return encoder.encode(name)
  const parts: Uint8Array[] = []
  for (const character of name) {
    const code = character.charCodeAt(0)
    const isEscape = character.length === 1 && code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff
    parts.push(isEscape ? Uint8Array.of(code - ESCAPE) : encoder.encode(character))
  }
  return Buffer.concat(parts)
}
