import { FOUND } from './found.ts'
import { OBSERVED } from './observed.ts'
import { REPORTED } from './reported.ts'
import type { WireRow } from './row.ts'

/** Every row of the list of what servers send. */
export const ROWS: readonly WireRow[] = [...OBSERVED, ...REPORTED, ...FOUND]
