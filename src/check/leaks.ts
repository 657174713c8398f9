/** Looks for values that a task declares hidden, in everything an agent can see. */
import type { FileMap } from '../sandbox/snapshot.ts'
import type { Task } from '../task/task.ts'

/** A place an agent can look at, with all it holds. */
export interface Place {
  /** For people, for example `file main.py`. */
  readonly name: string
  readonly text: string
}

/**
 * The hidden values that are found, as text; case is ignored, white space counts once. The values
 * themselves are not repeated.
 */
export function findLeaks(hidden: readonly string[], places: Iterable<Place>): readonly string[] {
  const wanted = hidden.map(fold)
  const found: string[] = []
  for (const { name, text } of places) {
    const folded = fold(text)
    wanted.forEach((value, index) => {
      if (folded.includes(value)) found.push(`hidden[${index}] is in the ${name}`)
    })
  }
  return found
}

/**
 * All an agent can look at before it does anything.
 * @param environment What `env` prints in the sandbox.
 * @param directory Files of a skill as they are in its own directory, where a script that is stubbed is still whole.
 */
export function placesOf(
  task: Pick<Task, 'prompt' | 'system' | 'setup'>,
  environment: string,
  directory: FileMap,
): readonly Place[] {
  const inWorkspace = filePlaces(task.setup, 'file')
  const known = new Set(inWorkspace.map(({ text }) => text))
  return [
    { name: 'prompt', text: `${task.system ?? ''}\n${task.prompt}` },
    { name: 'environment', text: environment },
    ...inWorkspace,
    ...filePlaces(directory, "skill directory's file").filter(({ text }) => !known.has(text)),
  ]
}

function filePlaces(files: FileMap, kind: string): readonly Place[] {
  return [...files].flatMap(([path, file]) => [
    { name: `${kind} ${path}`, text: textOfBytes(file.bytes) },
    { name: `name of the ${kind} ${path}`, text: path },
  ])
}

const fold = (text: string) => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

/** Text of bytes of any kind: what is not UTF-8 does not keep the rest from being looked at. */
export function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
