/** What a trial changed in the state of its task, place by place. */
import type { TrialRecord } from './record-schema.ts'

export type Json = NonNullable<TrialRecord['state']> | null
type StateChange = NonNullable<TrialRecord['state_changes']>[number]

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null

/** As it is recorded: what JSON cannot hold is gone. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null))

/**
 * The places at which two JSON values differ, as JSON pointers (RFC 6901) in the order of the first, with what was there
 * before and after; a side that has nothing there is left out.
 */
export function stateChanges(before: Json, after: Json, path = ''): StateChange[] {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [change(path, before, after)]
  }
  const [one, other] = [entriesOf(before), entriesOf(after)]
  return [...new Set([...one.keys(), ...other.keys()])].flatMap(key => {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return one.has(key) && other.has(key)
      ? stateChanges(one.get(key) ?? null, other.get(key) ?? null, place)
      : [change(place, one.get(key), other.get(key))]
  })
}

const entriesOf = (tree: object): ReadonlyMap<string, Json> => new Map(Object.entries(tree))

const change = (path: string, before: Json | undefined, after: Json | undefined): StateChange => ({
  path,
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
})
