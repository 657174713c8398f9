/** What every sandbox driver must do. A driver's test calls this with a function that opens a sandbox of its kind. */
import { afterAll, beforeAll, describe } from 'vitest'
import type { Sandbox } from '../src/sandbox/index.ts'
import { attackContract } from './sandbox-contract/attacks.ts'
import { commandContract } from './sandbox-contract/commands.ts'
import { evaluationContract } from './sandbox-contract/evaluation.ts'
import { fileContract } from './sandbox-contract/files.ts'
import { hostileContract } from './sandbox-contract/hostile.ts'
import { isolationContract } from './sandbox-contract/isolation.ts'
import { nameContract } from './sandbox-contract/names.ts'
import { resetContract } from './sandbox-contract/reset.ts'
import { snapshotContract } from './sandbox-contract/snapshots.ts'
import { stubContract } from './sandbox-contract/stubs.ts'
import { witnessContract } from './sandbox-contract/witness.ts'

/** What a kind of sandbox cannot have; said here, so that it is a decision and no oversight. */
export interface SandboxTraits {
  /** A limit of memory for all processes together, so that a memory bomb ends the command and nothing else. */
  readonly limitsMemory: boolean
  readonly limitsProcesses: boolean
  /** New counters of processes and network in each trial. */
  readonly renewsCounters: boolean
}

export type TheSandbox = () => Sandbox

export function sandboxContract(
  name: string,
  open: () => Promise<Sandbox>,
  traits: SandboxTraits = { limitsMemory: true, limitsProcesses: true, renewsCounters: false },
): void {
  describe(name, () => {
    let opened: Sandbox | null = null
    const sandbox: TheSandbox = () => {
      if (opened === null) throw new Error('the sandbox is not open')
      return opened
    }
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(async () => {
      await opened?.[Symbol.asyncDispose]()
    })
    commandContract(sandbox)
    hostileContract(sandbox, traits)
    resetContract(sandbox)
    snapshotContract(sandbox)
    nameContract(sandbox)
    fileContract(sandbox)
    isolationContract(sandbox, traits)
    witnessContract(sandbox)
    stubContract(sandbox)
    evaluationContract(sandbox)
    attackContract(sandbox, traits)
  })
}
