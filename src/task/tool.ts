/** Tools of a task's own: plain functions over its state, offered to the model under the names the task gives them. */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts'

/** JSON Schema of an object. Wider than the library's own type, against which the compiler cannot check large schemas. */
type ObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>
type Arguments<Schema> = Schema extends JSONSchema ? FromSchema<Schema> : never

/** A tool as `tool()` makes it. */
export interface Tool<State = unknown> {
  readonly isTool: true
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: ObjectSchema
  /** @param args Arguments that fit `parameters`. */
  run(args: Readonly<Record<string, unknown>>, state: State): unknown
}

/**
 * Makes a tool of a task.
 * @param spec `parameters` is the JSON Schema of the arguments (draft 7) and types them in `run`; arguments that do not fit
 * go back to the model as an error and are never repaired. `run` gets the arguments and the trial's own copy of the
 * task's `state`, which it may change; what it gives back goes to the model, a text as it is and anything else as JSON.
 * It may be async. An error made by {@link toolError} goes to the model; anything else it throws is a fault of the task.
 *
 * @example
 * const cancelOrder = tool({
 *   description: 'Cancels an order.',
 *   parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
 *   run: ({ id }, state: Shop) => {
 *     const order = state.orders[id] ?? toolError(`no order ${id}`)
 *     order.status = 'cancelled'
 *     return { cancelled: id }
 *   },
 * })
 */
export function tool<const Parameters extends ObjectSchema, State = unknown>(spec: {
  readonly description: string
  readonly parameters: Parameters
  run(args: Arguments<Parameters>, state: State): unknown
}): Tool<State>
export function tool(spec: Omit<Tool, 'isTool'>): Tool {
  return Object.freeze({ ...spec, isTool: true as const })
}

/** What a tool of a task says to the model instead of a result. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/**
 * Ends the call of a tool with an error that the model is told.
 * @throws ToolError always
 */
export function toolError(message: string): never {
  throw new ToolError(message)
}

/** Whether a thrown thing is a {@link ToolError}, of this copy of the module or another. */
export const isToolError = (error: unknown): error is ToolError => error instanceof Error && error.name === 'ToolError'
