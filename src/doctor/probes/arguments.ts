/** Do the arguments of calls arrive unharmed, nested and long ones, too? */
import type { ToolDefinition } from '../../model/chat-model.ts'
import { isRecord, parseJson } from '../../model/json.ts'
import { CALL_TOKENS, type Examiner, isCut } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'
import { wantCalls } from './calls.ts'

const saveTool: ToolDefinition = {
  name: 'save_person',
  description: 'Saves a person.',
  parameters: {
    type: 'object',
    properties: {
      person: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['name', 'tags'],
      },
      note: { type: 'string' },
    },
    required: ['person', 'note'],
  },
}
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
 * wrote something of its own, and the bytes may be its own as well.
 */
function isDamaged(received: readonly string[]): boolean {
  const isWhole = (asked: string): boolean => received.includes(asked)
  const hasImage = (asked: string): boolean => received.some(text => isImageOf(text, asked))
  return BEYOND_ASCII.some(asked => !isWhole(asked)) && BEYOND_ASCII.every(asked => isWhole(asked) || hasImage(asked))
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : []
}

/** Objects inside of arguments stay objects; text beyond ASCII stays as it is. */
export async function examineNestedArguments(examiner: Examiner): Promise<Judgement> {
  const wanted = await wantCalls(
    examiner,
    `Call save_person with exactly these arguments: ${JSON.stringify(PERSON)}`,
    saveTool,
  )
  if ('judgement' in wanted) return wanted.judgement
  const call = wanted.calls[0]
  if (call === undefined) return unclear('the model made no call')
  if (!call.arguments.valid) {
    return isCut(wanted.body)
      ? unclear('the output limit cut the call')
      : unclear(
          `nested arguments are not a JSON object (${call.arguments.problem}), which the model may have written so`,
        )
  }
  const { value } = call.arguments
  const mangled = stringsIn(value).find(text => MANGLED.test(text))
  if (mangled !== undefined) {
    if (!isDamaged(stringsIn(value))) {
      return unclear(
        `text beyond ASCII is not what was asked for, and may be the model's own: ${JSON.stringify(mangled)}`,
      )
    }
    return broken(
      `text beyond ASCII is damaged on its way: ${JSON.stringify(mangled)}`,
      'Update the server; look whether a proxy in between changes the encoding.',
    )
  }
  if (typeof value.person === 'string' && parseJson(value.person).ok) {
    return unclear(
      "an object inside of the arguments arrives as text: the model wrote it so, or the server's parser made text of it",
    )
  }
  const isExact = JSON.stringify(value) === JSON.stringify(PERSON)
  return fine(
    `nested arguments arrive as JSON${isExact ? ', letter by letter' : ' (not the asked ones: the model chose others)'}`,
    {
      isExact,
    },
  )
}

const writeFileTool: ToolDefinition = {
  name: 'write_file',
  description: 'Writes a text file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
}
const LONG_TEXT = Array.from({ length: 24 }, (_, line) => `line ${line + 1}: the "quick" fox\\jumps`).join('\n')

/** Fewer characters that are right may be chance. */
const COPIED_CHARACTERS = 60

/**
 * Whether arguments that are no JSON are a true copy up to a point inside of a line: the model was copying, and somebody
 * cut it. Anything else, a wrong escape above all, may be the model's.
 */
function isCutCopy(raw: string): boolean {
  const content = /"content"\s*:\s*"/.exec(raw)
  if (content === null) return false
  const copied = raw.slice(content.index + content[0].length)
  const asked = JSON.stringify(LONG_TEXT).slice(1, -1)
  return copied.length > COPIED_CHARACTERS && asked.startsWith(copied) && !/^(?:\\n|$)/.test(asked.slice(copied.length))
}

/** The arguments that write a file are the longest a trial has. */
export async function examineLongArguments(examiner: Examiner): Promise<Judgement> {
  const wanted = await wantCalls(
    examiner,
    `Write this text, word for word, to copy.txt with write_file:\n${LONG_TEXT}`,
    writeFileTool,
  )
  if ('judgement' in wanted) return wanted.judgement
  const call = wanted.calls[0]
  if (call === undefined) return unclear('the model made no call')
  if (isCut(wanted.body)) return unclear(`the call did not fit into ${CALL_TOKENS} tokens`)
  if (!call.arguments.valid) {
    if (!isCutCopy(call.arguments.raw)) {
      return unclear(
        `long arguments are not a JSON object (${call.arguments.problem}), which the model may have written so`,
        { characters: call.arguments.raw.length },
      )
    }
    return broken(
      `long arguments arrive cut or damaged after ${call.arguments.raw.length} characters, and no reason is given`,
      'Update the server; look for a limit on the length of a reply or of a line in it or in a proxy.',
      { characters: call.arguments.raw.length },
    )
  }
  const content = call.arguments.value.content
  const length = typeof content === 'string' ? content.length : 0
  const isExact = content === LONG_TEXT
  const isHead = typeof content === 'string' && length > COPIED_CHARACTERS && !isExact && LONG_TEXT.startsWith(content)
  // Up to its last line break the text is the model's own; a head that ends inside of a line was cut by somebody.
  if (isHead && LONG_TEXT[length] !== '\n') {
    return degraded(
      `a text of ${LONG_TEXT.length} characters arrives as its first ${length}`,
      'files that the model writes may be cut',
      'Look for a limit on the length of arguments in the server or in a proxy.',
      { characters: length },
    )
  }
  return fine(
    isExact
      ? `arguments of ${length} characters arrive letter by letter`
      : `arguments arrive as JSON (${length} characters; the model did not copy the text)`,
    { characters: length, isExact },
  )
}
