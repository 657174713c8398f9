/** Do calls arrive as calls, whole and unchanged? */
import type { ReplyBody, ToolCall, ToolDefinition } from '../../chat-model.ts'
import { isRecord, parseJson } from '../../json.ts'
import { bodyOf, CALL_TOKENS, type Examiner, isCut, refused, toolsRemedy, user } from '../examiner.ts'
import { broken, degraded, fine, type Judgement, unclear } from '../finding.ts'

export const readFileTool: ToolDefinition = {
  name: 'read_file',
  description: 'Reads a text file and gives its content.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Path of the file' } },
    required: ['path'],
  },
}

/** What the model did where a call was wanted: the call, or a judgement that ends the probe. */
type Wanted = { readonly calls: readonly ToolCall[]; readonly body: ReplyBody } | { readonly judgement: Judgement }

async function wantCalls(
  examiner: Examiner,
  prompt: string,
  tool: ToolDefinition,
  extraBody?: Readonly<Record<string, unknown>>,
): Promise<Wanted> {
  const reply = await examiner.ask({
    messages: [user(prompt)],
    tools: [tool],
    maxTokens: CALL_TOKENS,
    ...(extraBody === undefined ? {} : { extraBody }),
  })
  const body = bodyOf(reply)
  if (body === null) return { judgement: refused(reply, 'a request with a tool is refused') }
  if (reply.kind === 'model_error' && reply.reason === 'tool_markup_in_text') {
    return {
      judgement: broken(`a call arrives as text instead of a call: ${reply.detail}`, toolsRemedy(examiner.plan), {
        markup: true,
      }),
    }
  }
  if (reply.kind === 'model_error' && reply.reason === 'malformed_by_server') {
    return {
      judgement: degraded(
        reply.detail,
        'a call that the server cannot parse ends the trial as a failure of the model',
        'Update the server, or start it with a template and parser made for this model.',
      ),
    }
  }
  return { calls: body.toolCalls, body }
}

/** Whether the tools are part of the prompt, judged by its tokens; null when the server does not count. */
async function reachesPrompt(examiner: Examiner, withTools: ReplyBody, prompt: string): Promise<boolean | null> {
  const without = bodyOf(await examiner.ask({ messages: [user(prompt)], maxTokens: 1 }))
  const [more, less] = [withTools.stats.promptTokens, without?.stats.promptTokens ?? null]
  return more === null || less === null ? null : more - less >= 8
}

const ANSWER_TOKENS = 16
const QUESTION = 'Read the file notes.txt with the tool read_file.'

/** One call, its result, and an answer to it. */
export async function examineToolCall(examiner: Examiner): Promise<Judgement> {
  const made = await makeCall(examiner)
  if ('judgement' in made) return made.judgement
  return (await refusalOfResult(examiner, made)) ?? made.fine(', and its result is taken')
}

/**
 * The same for a short examination: first whether the result of a call is taken, with a call that nobody made, because
 * that shows at once and without the model's help; then whether a call of the model arrives.
 */
export async function examineToolRoundTrip(examiner: Examiner): Promise<Judgement> {
  const call: ToolCall = { id: 'call_1', name: 'read_file', arguments: { valid: true, value: { path: 'notes.txt' } } }
  const refusal = await refusalOfResult(examiner, { call, text: '', reasoning: null })
  if (refusal !== null) return refusal
  const made = await makeCall(examiner)
  return 'judgement' in made ? made.judgement : made.fine(', and results of calls are taken')
}

interface MadeCall {
  readonly call: ToolCall
  readonly text: string
  readonly reasoning: ReplyBody['reasoning']
}

async function refusalOfResult(examiner: Examiner, { call, text, reasoning }: MadeCall): Promise<Judgement | null> {
  const answer = await examiner.ask({
    messages: [
      user(QUESTION),
      { role: 'assistant', content: text, reasoning, toolCalls: [call] },
      { role: 'tool', toolCallId: call.id, content: 'The meeting is on Tuesday.' },
    ],
    tools: [readFileTool],
    // Whether the conversation is taken shows in the first token.
    maxTokens: ANSWER_TOKENS,
  })
  return bodyOf(answer) === null ? refused(answer, 'the result of a call is refused') : null
}

/** A sound call of the model, or the judgement on why there is none. */
async function makeCall(
  examiner: Examiner,
): Promise<(MadeCall & { readonly fine: (more: string) => Judgement }) | { readonly judgement: Judgement }> {
  const first = await wantCalls(examiner, QUESTION, readFileTool)
  if ('judgement' in first) return first
  let { calls } = first
  let how = ''
  if (calls.length === 0) {
    if (isCut(first.body)) return { judgement: unclear(`no call within ${CALL_TOKENS} tokens`) }
    if ((await reachesPrompt(examiner, first.body, QUESTION)) === false) {
      return {
        judgement: broken(
          'the tools do not reach the model: with them the prompt has no more tokens than without',
          toolsRemedy(examiner.plan),
          { toolsInPrompt: false },
        ),
      }
    }
    const forced = await wantCalls(examiner, QUESTION, readFileTool, { tool_choice: 'required' })
    if ('judgement' in forced) return forced
    calls = forced.calls
    how = ' (only when it was forced)'
  }
  const call = calls[0]
  if (call === undefined) {
    return {
      judgement: degraded(
        'no call came, neither when the model was free nor when a call was required',
        'every task fails: either this model cannot call tools, or the server does not recognise its calls',
        toolsRemedy(examiner.plan),
      ),
    }
  }
  if (!call.arguments.valid) {
    return {
      judgement: degraded(
        `the arguments of a call are not a JSON object (${call.arguments.problem})`,
        'calls fail that a better parser may have understood',
        toolsRemedy(examiner.plan),
      ),
    }
  }
  return {
    call,
    text: first.body.text,
    reasoning: first.body.reasoning,
    fine: more => fine(`a call to ${call.name} arrives as a call${how}${more}`, { name: call.name }),
  }
}

/** Several JSON objects in a row: what is left when a server mixes the pieces of parallel calls. */
const isRunTogether = (call: ToolCall): boolean =>
  !call.arguments.valid && /^\s*\{[\s\S]*\}\s*\{[\s\S]*\}\s*$/.test(call.arguments.raw)

/** Calls of one turn must stay apart and come once each. */
export async function examineSeveralCalls(examiner: Examiner): Promise<Judgement> {
  const wanted = await wantCalls(
    examiner,
    'Read the two files alpha.txt and beta.txt. Make both calls of read_file at once, in one turn.',
    readFileTool,
  )
  if ('judgement' in wanted) return wanted.judgement
  const { calls } = wanted
  const measured = { calls: calls.length }
  if (calls.some(isRunTogether)) {
    return broken(
      'the arguments of several calls arrive run together in one',
      'Update the server (each call needs its own index), or its tool-call parser.',
      measured,
    )
  }
  const texts = calls.map(call => JSON.stringify([call.name, call.arguments]))
  if (new Set(texts).size < texts.length) {
    return degraded(
      `the same call arrives ${texts.length} times in one turn`,
      'commands run more often than the model meant',
      'Update the server.',
      measured,
    )
  }
  if (calls.length < 2)
    return unclear(
      `the model made ${calls.length === 1 ? 'one call' : 'no call'} in the turn, so several were not seen`,
      measured,
    )
  return fine(`${calls.length} calls of one turn arrive apart`, measured)
}

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
      : degraded(
          `nested arguments arrive as something that is no JSON object (${call.arguments.problem})`,
          'calls with structured arguments fail whatever the model meant',
          toolsRemedy(examiner.plan),
        )
  }
  const { value } = call.arguments
  if (stringsIn(value).some(text => MANGLED.test(text))) {
    return broken(
      `text beyond ASCII is damaged on its way: ${JSON.stringify(stringsIn(value).find(text => MANGLED.test(text)))}`,
      'Update the server; look whether a proxy in between changes the encoding.',
    )
  }
  if (typeof value.person === 'string' && parseJson(value.person).ok) {
    return degraded(
      'an object inside of the arguments arrives as text',
      'calls with structured arguments fail whatever the model meant',
      toolsRemedy(examiner.plan),
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
    return broken(
      `long arguments arrive cut or damaged after ${call.arguments.raw.length} characters, and no reason is given`,
      'Update the server; look for a limit on the length of a reply or of a line in it or in a proxy.',
      { characters: call.arguments.raw.length },
    )
  }
  const content = call.arguments.value.content
  const length = typeof content === 'string' ? content.length : 0
  const isExact = content === LONG_TEXT
  const isHead = typeof content === 'string' && length > 60 && !isExact && LONG_TEXT.startsWith(content)
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

/** Whether the server makes the model call, or not call, when told to. Trials leave the choice to the model. */
export async function examineToolChoice(examiner: Examiner): Promise<Judgement> {
  const ask = (choice: string, prompt: string) =>
    examiner.ask({
      messages: [user(prompt)],
      tools: [readFileTool],
      maxTokens: CALL_TOKENS,
      extraBody: { tool_choice: choice },
    })
  const required = await ask('required', 'Say hello.')
  const none = await ask('none', 'Read the file notes.txt with the tool read_file.')
  const effect =
    'none on trials, which leave the choice to the model; agents that force or forbid calls are measured wrongly'
  const [forced, forbidden] = [bodyOf(required), bodyOf(none)]
  if (forced === null || forbidden === null) {
    const reply = forced === null ? required : none
    return degraded(
      `tool_choice is refused: ${reply.kind === 'infra' || reply.kind === 'config' ? reply.detail : reply.kind}`,
      effect,
      null,
    )
  }
  if (forbidden.toolCalls.length > 0) return degraded('a call came although tool_choice was "none"', effect, null)
  if (forced.toolCalls.length > 0) return fine('tool_choice "required" and "none" are honoured')
  return isCut(forced)
    ? unclear(`with tool_choice "required" no call came within ${CALL_TOKENS} tokens`)
    : degraded('no call came although tool_choice was "required"', effect, null)
}
