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
 * Puts the pieces of streamed tool calls together. `index` may be missing (ollama#7881) or 0 for every call
 * (smolagents#1958), ids may be missing, empty or shared, and one call may be repeated (LocalAI#9722):
 * a new id, a new name, or a name after arguments that are already whole JSON begins a new call.
 */
export function createCallCollector(): {
  /** Adds one element of `tool_calls`; returns how many characters it brought. */
  readonly add: (piece: unknown) => number
  readonly end: () => readonly RawCall[]
} {
  const calls: OpenCall[] = []

  const continues = (call: OpenCall, id: string | null, name: string, given: unknown): boolean => {
    const text = argumentText(given)
    const isSecondWhole = text.trim() !== '' && isWholeJson(call.arguments)
    if (id !== null && call.id !== null) return id === call.id && !(name !== '' && isSecondWhole)
    if (name === '' && id === null) return !(isRecord(given) && call.arguments !== '')
    if (name !== '' && call.name !== '') return name === call.name && !isWholeJson(call.arguments)
    return !isSecondWhole
  }

  const openCall = (index: number | null, id: string | null, name: string, given: unknown): OpenCall | undefined => {
    if (index === null) {
      const known = id === null ? undefined : calls.findLast(call => call.id === id)
      const last = known ?? calls.at(-1)
      if (last === undefined) return undefined
      // Without an index a named piece is a call of its own, unless it carries on arguments that are still open.
      if (known === undefined && name !== '' && last.name !== '' && last.arguments === '') return undefined
      return continues(last, id, name, given) ? last : undefined
    }
    const last = calls.findLast(call => call.index === index)
    return last !== undefined && continues(last, id, name, given) ? last : undefined
  }

  return {
    add(piece) {
      if (!isRecord(piece)) return 0
      const given = valueAt(piece, 'function', 'arguments')
      const id = stringAt(piece, 'id')
      const name = stringAt(piece, 'function', 'name') ?? ''
      const index = typeof piece.index === 'number' ? piece.index : null
      const text = argumentText(given)
      const call = openCall(index, id, name, given)
      if (call === undefined) calls.push({ index, id, name, arguments: text })
      else {
        call.id ??= id
        if (call.name === '') call.name = name
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
