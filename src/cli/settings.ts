import type { Settings } from '../runner/settings.ts'
import type { CliContext } from './command.ts'

/**
 * The settings of a command: its own options, as the variables they stand for, above BENCH_* variables, and these above
 * `bench.config.ts`.
 * @param given undefined for an option that was not given
 * @throws ConfigError as `readSettings`
 */
export async function settingsOf(
  { directory, env }: Pick<CliContext, 'directory' | 'env'>,
  given: Readonly<Record<string, string | undefined>> = {},
): Promise<Settings> {
  const { CONFIG_FILE, loadConfigFile } = await import('../runner/plugin.ts')
  const { readSettings } = await import('../runner/settings.ts')
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return readSettings(await loadConfigFile(directory), CONFIG_FILE, { ...env, ...options })
}
