import { isRecord, parseJson, stringAt, valueAt } from './json.ts'

/** A tool call as it came, arguments still text. */
export interface RawCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

interface OpenCall {
  id: string | null
  name: string
  arguments: string
  readonly index: number | null
}

const isWholeJson = (text: string): boolean => text.trim() !== '' && parseJson(text).ok

function argumentText(value: unknown): string {
  if (value === undefined || value === null) return ''
  // llama.cpp#20198 and native Ollama send an object where the protocol says text.
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Puts the pieces of streamed tool calls together. `index` may be missing (ollama#7881), 0 for every call (smolagents#1958)
 * or another for every piece; ids may be missing, empty, shared, or change from piece to piece; a name may come in pieces,
 * and one call may be repeated (LocalAI#9722).
 * @param toolNames the tools on offer: they tell a piece of a name from a name
 */
export function createCallCollector(toolNames: readonly string[] = []): {
  /** Adds one element of `tool_calls`; returns how many characters it brought. */
  readonly add: (piece: unknown) => number
  readonly end: () => readonly RawCall[]
} {
  const calls: OpenCall[] = []

  /** The call that a piece may continue, if it does not begin a new one. */
  const candidate = (index: number | null, id: string | null): OpenCall | undefined =>
    calls.findLast(call => id !== null && call.id === id && call.index === index) ??
    calls.findLast(call => id !== null && call.id === id) ??
    calls.findLast(call => index !== null && call.index === index) ??
    calls.at(-1)

  const isNamePart = (begun: string, name: string): boolean =>
    toolNames.some(tool => tool.startsWith(begun + name)) && !(toolNames.includes(begun) && toolNames.includes(name))

  /** Whether a piece carries on this call. A new name, or arguments after whole ones, begin a call of their own. */
  const continues = (
    call: OpenCall,
    index: number | null,
    id: string | null,
    name: string,
    given: unknown,
  ): boolean => {
    const text = argumentText(given)
    const isBlank = text.trim() === ''
    const isWhole = isWholeJson(call.arguments)
    const hasSameId = id !== null && id === call.id
    const hasOtherId = id !== null && call.id !== null && !hasSameId
    const hasNewIndex = index !== null && !calls.some(known => known.index === index)
    if (name === '') {
      if (isRecord(given) && call.arguments !== '') return false
      return isWhole ? !hasOtherId && (!hasNewIndex || isBlank) : !(hasOtherId && hasNewIndex && isBlank)
    }
    if (call.name === '') return !hasOtherId && (isBlank || !isWhole)
    if (name !== call.name) {
      if (call.arguments === '' && isNamePart(call.name, name)) return true
      return hasSameId && !hasNewIndex && (isBlank || !isWhole)
    }
    if (isWhole) return hasSameId && !hasNewIndex && isBlank
    if (hasOtherId || hasNewIndex) return call.arguments !== '' && !isBlank && !text.trimStart().startsWith('{')
    return hasSameId || index !== null || call.arguments !== ''
  }

  return {
    add(piece) {
      if (!isRecord(piece)) return 0
      const given = valueAt(piece, 'function', 'arguments')
      const id = stringAt(piece, 'id')
      const name = stringAt(piece, 'function', 'name') ?? ''
      const index = typeof piece.index === 'number' ? piece.index : null
      const text = argumentText(given)
      const known = candidate(index, id)
      const call = known !== undefined && continues(known, index, id, name, given) ? known : undefined
      if (call === undefined) calls.push({ index, id, name, arguments: text })
      else {
        call.id ??= id
        if (call.name === '') call.name = name
        else if (call.arguments === '' && name !== call.name && isNamePart(call.name, name)) call.name += name
        call.arguments += text
      }
      return name.length + text.length + (call === undefined ? 64 : 0)
    },
    end() {
      const seen = new Set<string>()
      const repeated = (call: OpenCall): boolean => {
        if (call.id === null) return false
        const key = JSON.stringify([call.id, call.name, call.arguments])
        if (seen.has(key)) return true
        seen.add(key)
        return false
      }
      const kept = calls.filter(call => !repeated(call))
      const taken = new Set(kept.flatMap(call => (call.id === null ? [] : [call.id])))
      const used = new Set<string>()
      return kept.map(call => {
        let id = call.id
        let number = used.size
        while (id === null || used.has(id)) {
          number += 1
          const candidate = `call_${number}`
          id = taken.has(candidate) ? null : candidate
        }
        used.add(id)
        return { id: id.toWellFormed(), name: call.name.toWellFormed(), arguments: call.arguments.toWellFormed() }
      })
    },
  }
}
