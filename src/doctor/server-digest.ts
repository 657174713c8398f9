import { createHash } from 'node:crypto'
import type { ModelPlan } from '../model/chat-model.ts'

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  )
}

const sha256 = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(value)))
    .digest('hex')

/**
 * SHA-256 over what a server says it is and the model asked for: another build, template, window or model file is
 * another server, and an examination of the old one says nothing about it.
 */
export function serverDigest(plan: ModelPlan): string {
  return sha256({ model: plan.model, server: plan.server })
}

/** SHA-256 of any plain data, independent of the order of keys; the name by which results refer to an examination. */
export function dataDigest(value: unknown): string {
  return sha256(value)
}
