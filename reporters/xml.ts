/** Untrusted text in XML (SVG). */
import { escapeForTerminal } from './terminal.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Text of a model or a file as XML text or attribute value. Characters that XML forbids, and invisible ones that reorder
 * or hide text, are shown as escapes.
 */
export function escapeForXml(text: string): string {
  return escapeForTerminal(text)
    .replace(/\p{Noncharacter_Code_Point}/gu, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
    .replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}
