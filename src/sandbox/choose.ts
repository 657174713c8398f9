/** Choosing a kind of sandbox where the user leaves it open: the first that works, and why. */
import { ConfigError } from '../errors.ts'
import type { PreparedSandbox, SandboxDriver } from './sandbox.ts'

/**
 * Prepares the first driver that works here; its `why` says what the ones before it lacked: an engine, or an image that can
 * be built.
 * @throws ConfigError `no_sandbox` with the remedy for this platform.
 */
export async function prepareFirst(
  drivers: readonly SandboxDriver[],
  options: Parameters<SandboxDriver['prepare']>[0],
  platform: NodeJS.Platform = process.platform,
): Promise<PreparedSandbox> {
  const refusals: { readonly driver: string; readonly error: ConfigError }[] = []
  for (const driver of drivers) {
    try {
      const prepared = await driver.prepare(options)
      const before = refusals.map(({ driver: name, error }) => `no ${name}: ${firstLine(error)}`)
      return before.length === 0 ? prepared : { ...prepared, why: `${prepared.why} (${before.join('; ')})` }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      refusals.push({ driver: driver.name, error })
    }
  }
  throw new ConfigError(
    `no sandbox works here: ${refusals.map(({ driver, error }) => `${driver}: ${firstLine(error)}`).join('; ')}`,
    { code: 'no_sandbox', remedy: remedyFor(platform, refusals), cause: refusals[0]?.error },
  )
}

/** What comes after it, the last lines of a build, was shown while it ran. */
const firstLine = (error: Error) => error.message.split('\n', 1)[0] ?? ''

function remedyFor(
  platform: NodeJS.Platform,
  refusals: readonly { readonly driver: string; readonly error: ConfigError }[],
): string {
  // There is an engine, and something else is wrong with it.
  const hasEngine = refusals.some(({ error }) => error.code.startsWith('image_'))
  switch (hasEngine ? 'linux' : platform) {
    case 'darwin':
      return 'Start Docker Desktop, OrbStack or Rancher Desktop, or Colima (`brew install colima docker && colima start`).'
    case 'win32':
      return 'Start Docker Desktop, or run agent-bench inside WSL 2.'
    default:
      return refusals.map(({ driver, error }) => `For ${driver}: ${error.remedy}`).join(' ')
  }
}
