/** How a person gets into a running sandbox. */
import { DEFAULT_EXECUTOR_CONFIG } from './executor-config.ts'
import type { DriverName, SandboxInfo } from './sandbox.ts'

/** Kinds of sandbox that can be entered from a terminal. */
export const ENTERABLE: readonly DriverName[] = ['docker']

/**
 * The command that opens a shell in a sandbox as the user whose commands run there, in the workspace; null for kinds that
 * cannot be entered.
 */
export function enterCommand(info: Pick<SandboxInfo, 'driver' | 'id' | 'engine'>): string | null {
  if (info.driver !== 'docker') return null
  const { workspace, home, shell, rooms } = DEFAULT_EXECUTOR_CONFIG
  const program = info.engine?.name === 'podman' ? 'podman' : 'docker'
  const user = `${rooms.agent.uid}:${rooms.agent.gid}`
  return `${program} exec -it -u ${user} -w ${workspace} -e HOME=${home} ${info.id.slice(0, 12)} ${shell}`
}
