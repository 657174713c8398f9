/** The first frame of an executor: that it is there, and what it sees of its sandbox. */
import { ConfigError } from '../errors.ts'
import type { Reply } from './executor-connection.ts'
import { objectField, textField } from './replies.ts'

export interface Greeting {
  /** Version of the Python that runs the executor. */
  readonly python: string
  /** Limits that are really in force, as seen from inside. */
  readonly limits: Readonly<Record<string, string | number | boolean>>
}

/**
 * @throws ConfigError `writable_place_survives` when the sandbox has a writable place that a reset would not empty: then
 * a trial could leave something for the next. `image_lacks` when it has no bash or an old Python.
 */
export function readGreeting({ header }: Reply): Greeting {
  const { survivors } = header
  if (!Array.isArray(survivors)) throw new TypeError('survivors is not a list')
  if (survivors.length > 0) {
    throw new ConfigError(
      `the sandbox has writable places that no reset empties: ${survivors.map(String).join(', ')}`,
      {
        code: 'writable_place_survives',
        remedy: 'Use an image without VOLUME in its Dockerfile.',
      },
    )
  }
  const python = textField(header, 'python')
  const [, minor = 0] = python.split('.').map(Number)
  const lack = header.shell !== true ? 'no /bin/bash' : minor < 10 ? `Python ${python}, which is older than 3.10` : null
  if (lack !== null) {
    throw new ConfigError(`the sandbox has ${lack}`, {
      code: 'image_lacks',
      remedy: 'docs/sandboxes.md says what your own image (BENCH_IMAGE) must hold.',
    })
  }
  const limits: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(objectField(header, 'limits'))) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') limits[name] = value
  }
  return { python, limits }
}
