/** What the rest of the product may use of sandboxes. */
import { ConfigError } from '../errors.ts'
import { prepareFirst } from './choose.ts'
import { dockerDriver } from './docker/driver.ts'
import { namespaceDriver } from './namespace/driver.ts'
import type { DriverName, PreparedSandbox, Sandbox, SandboxDriver } from './sandbox.ts'

export { entriesOfFiles, rootOf } from './manifest.ts'
export * from './sandbox.ts'
export type * from './snapshot.ts'
export { decodeName } from './system-path.ts'

/** In the order in which `auto` tries them. */
const DRIVERS: readonly SandboxDriver[] = [dockerDriver, namespaceDriver]

/**
 * Finds a kind of sandbox that works here, and makes what it needs. Runs once, in the main process.
 * @throws ConfigError with a remedy when none does, or when the chosen one does not.
 */
export async function prepareSandbox(
  choice: 'auto' | DriverName,
  options: Parameters<SandboxDriver['prepare']>[0],
): Promise<PreparedSandbox> {
  if (choice !== 'auto') return driverNamed(choice).prepare(options)
  // Only an engine has images: if an image is named, only an engine is tried.
  return options.image === null ? prepareFirst(DRIVERS, options) : dockerDriver.prepare(options)
}

/** Opens a sandbox of the prepared kind. It belongs to the caller, who disposes it. */
export function openSandbox(
  prepared: PreparedSandbox,
  options: { readonly runId: string; readonly signal?: AbortSignal },
): Promise<Sandbox> {
  return driverNamed(prepared.driver).open(prepared, options)
}

function driverNamed(name: DriverName): SandboxDriver {
  const driver = DRIVERS.find(candidate => candidate.name === name)
  if (driver !== undefined) return driver
  throw new ConfigError(`there is no ${name} sandbox in this version`, {
    code: 'driver_absent',
    remedy: `Set BENCH_SANDBOX to one of: auto, ${DRIVERS.map(candidate => candidate.name).join(', ')}.`,
  })
}
