/** What the checks of a spec's form share. Everything in a spec is unknown at first: it is run, not type-checked. */

export type Fields = Readonly<Record<string, unknown>>
export type Report = (field: string, problem: string, remedy: string) => void

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
