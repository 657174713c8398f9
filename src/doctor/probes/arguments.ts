/** Do the arguments of calls arrive unharmed, nested and long ones, too? */
import { isRecord, parseJson } from '../../model/json.ts'
import { CALL_TOKENS, type Examiner, isCut } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'
import { toolOf, wantCalls } from './calls.ts'

const TEXT = { type: 'string' }
const PERSON_SCHEMA = {
  type: 'object',
  properties: { name: TEXT, tags: { type: 'array', items: TEXT } },
  required: ['name', 'tags'],
}
const saveTool = toolOf('save_person', 'Saves a person.', { person: PERSON_SCHEMA, note: TEXT })
const PERSON = { person: { name: 'Zoë Müller', tags: ['日本', '🙂'] }, note: 'She said "hi"\nand left.' }

/** U+FFFD, or UTF-8 read as Latin-1 (`Ã¼` for `ü`, `â€™`, `ðŸ™‚`). */
const MANGLED = /\uFFFD|Ã[\u0080-\u00BF]|â€|ðŸ|å[\u0080-\u00BF]/
/** The texts that were asked for, as far as an encoding can harm them. */
const BEYOND_ASCII = [PERSON.person.name, ...PERSON.person.tags]

/** Whether a text is another one read in a wrong encoding, or with each foreign character lost. */
function isImageOf(text: string, asked: string): boolean {
  const bytes = Buffer.from(asked, 'utf8')
  if (text === bytes.toString('latin1') || text === new TextDecoder('windows-1252').decode(bytes)) return true
  return text.includes('\uFFFD') && text.replace(/\uFFFD+/g, '*') === asked.replace(/\P{ASCII}+/gu, '*')
}

/**
 * Whether text is damaged on its way: everything that was asked for comes, whole or in another encoding. Else the model
 * wrote something else, and the bytes may be its own as well.
 */
function isDamaged(received: readonly string[]): boolean {
  const arrives = (asked: string) => received.includes(asked) || received.some(text => isImageOf(text, asked))
  return BEYOND_ASCII.every(arrives) && !BEYOND_ASCII.every(asked => received.includes(asked))
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : []
}

/** Objects inside of arguments stay objects; text beyond ASCII stays as it is. */
export async function examineNestedArguments(examiner: Examiner): Promise<Judgement> {
  const prompt = `Call save_person with exactly these arguments: ${JSON.stringify(PERSON)}`
  const body = await wantCalls(examiner, prompt, saveTool)
  const given = body.toolCalls[0]?.arguments
  if (given === undefined) return unclear('the model made no call')
  if (!given.valid) {
    if (isCut(body)) return unclear('the output limit cut the call')
    return unclear(`nested arguments are not a JSON object (${given.problem}), which the model may have written so`)
  }
  const texts = stringsIn(given.value)
  const mangled = JSON.stringify(texts.find(text => MANGLED.test(text)))
  if (mangled !== undefined) {
    const remedy = 'Update the server; look whether a proxy in between changes the encoding.'
    return isDamaged(texts)
      ? broken(`text beyond ASCII is damaged on its way: ${mangled}`, remedy)
      : unclear(`text beyond ASCII is not what was asked for, and may be the model's own: ${mangled}`)
  }
  if (typeof given.value.person === 'string' && parseJson(given.value.person).ok) {
    return unclear(
      "an object inside of the arguments arrives as text: the model wrote it so, or the server's parser made text of it",
    )
  }
  const isExact = JSON.stringify(given.value) === JSON.stringify(PERSON)
  const how = isExact ? ', letter by letter' : ' (not the asked ones: the model chose others)'
  return fine(`nested arguments arrive as JSON${how}`, { isExact })
}

const writeFileTool = toolOf('write_file', 'Writes a text file.', { path: TEXT, content: TEXT })
const LONG_TEXT = Array.from({ length: 24 }, (_, line) => `line ${line + 1}: the "quick" fox\\jumps`).join('\n')

/** Fewer characters that are right may be chance. */
const COPIED_CHARACTERS = 60

/**
 * Whether a text is a true copy up to a point inside of a line: the model was copying, and somebody cut it. Up to a line
 * break, or with anything else in it (a wrong escape above all), it may be the model's.
 */
const isCutCopy = (copied: string, asked: string, lineBreak: string): boolean => {
  const rest = asked.slice(copied.length)
  return copied.length > COPIED_CHARACTERS && asked.startsWith(copied) && rest !== '' && !rest.startsWith(lineBreak)
}

/** The arguments that write a file are the longest a trial has. */
export async function examineLongArguments(examiner: Examiner): Promise<Judgement> {
  const prompt = `Write this text, word for word, to copy.txt with write_file:\n${LONG_TEXT}`
  const body = await wantCalls(examiner, prompt, writeFileTool)
  const given = body.toolCalls[0]?.arguments
  if (given === undefined) return unclear('the model made no call')
  if (isCut(body)) return unclear(`the call did not fit into ${CALL_TOKENS} tokens`)
  if (!given.valid) {
    const measured = { characters: given.raw.length }
    const copied = /"content"\s*:\s*"([\s\S]*)/.exec(given.raw)?.[1] ?? ''
    return isCutCopy(copied, JSON.stringify(LONG_TEXT).slice(1, -1), '\\n')
      ? broken(
          `long arguments arrive cut or damaged after ${given.raw.length} characters, and no reason is given`,
          'Update the server; look for a limit on the length of a reply or of a line in it or in a proxy.',
          measured,
        )
      : unclear(
          `long arguments are not a JSON object (${given.problem}), which the model may have written so`,
          measured,
        )
  }
  const content = typeof given.value.content === 'string' ? given.value.content : ''
  const characters = content.length
  if (isCutCopy(content, LONG_TEXT, '\n')) {
    return degraded(
      `a text of ${LONG_TEXT.length} characters arrives as its first ${characters}`,
      'files that the model writes may be cut',
      'Look for a limit on the length of arguments in the server or in a proxy.',
      { characters },
    )
  }
  const isExact = content === LONG_TEXT
  const found = isExact
    ? `arguments of ${characters} characters arrive letter by letter`
    : `arguments arrive as JSON (${characters} characters; the model did not copy the text)`
  return fine(found, { characters, isExact })
}
