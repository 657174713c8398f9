/** The container of a sandbox: what it may do, and what it is called. */
import { hostname } from 'node:os'
import type Docker from 'dockerode'
import { DEFAULT_EXECUTOR_CONFIG, executorCommand } from '../executor-config.ts'
import { TEMPORARY_PLACES } from '../temporary-places.ts'

const LABEL = 'agent-bench'

/** Labels by which containers of a harness that died can be distinguished from those of a live one. */
export const LABELS = {
  run: `${LABEL}.run`,
  pid: `${LABEL}.pid`,
  host: `${LABEL}.host`,
  started: `${LABEL}.started`,
} as const

/**
 * The executor changes users, kills, writes and wipes files of both users, and takes from commands the right to ever get one
 * of these (SETPCAP); commands have no capability at all.
 */
const CAPABILITIES = ['SETUID', 'SETGID', 'SETPCAP', 'KILL', 'DAC_OVERRIDE', 'CHOWN', 'FOWNER']

/** Kernel objects that would survive the processes of a trial: none can be made. */
const SYSCTLS = {
  'kernel.shmmni': '0',
  'kernel.msgmni': '0',
  'kernel.sem': '0 0 0 0',
  'fs.mqueue.queues_max': '0',
  'net.ipv4.tcp_max_tw_buckets': '0',
}

const MEMORY_BYTES = 1024 ** 3

/** @param isPodman Podman refuses a number of files for a memory file system. */
function temporaryFileSystems(isPodman: boolean): Record<string, string> {
  return Object.fromEntries(
    TEMPORARY_PLACES.map(({ path, mode, bytes, files, mayExecute }) => [
      path,
      `rw,${mayExecute ? 'exec' : 'noexec'},nosuid,nodev,mode=${mode.toString(8)},size=${bytes}${isPodman ? '' : `,nr_inodes=${files}`}`,
    ]),
  )
}

/** The engine's configuration of a sandbox's container. */
export function containerOptions(options: {
  readonly image: string
  readonly runId: string
  readonly isPodman: boolean
}): Docker.ContainerCreateOptions {
  return {
    Image: options.image,
    // Some images start a program of their own; the executor has to be process 1.
    Entrypoint: [],
    Cmd: executorCommand(DEFAULT_EXECUTOR_CONFIG),
    WorkingDir: '/',
    User: '0:0',
    Env: ['LANG=C.UTF-8'],
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    NetworkDisabled: true,
    Labels: {
      [LABELS.run]: options.runId,
      [LABELS.pid]: String(process.pid),
      [LABELS.host]: hostname(),
      [LABELS.started]: new Date().toISOString(),
    },
    HostConfig: {
      AutoRemove: true,
      NetworkMode: 'none',
      IpcMode: 'private',
      // Not in dockerode's types yet.
      ...{ CgroupnsMode: 'private' },
      CapDrop: ['ALL'],
      CapAdd: CAPABILITIES,
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      PidsLimit: 256,
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      NanoCpus: 2e9,
      Tmpfs: temporaryFileSystems(options.isPodman),
      Sysctls: SYSCTLS,
      Ulimits: [
        { Name: 'nofile', Soft: 1024, Hard: 4096 },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      // Attaching works without, and the protocol is not written to the engine's disk.
      LogConfig: { Type: 'none', Config: {} },
    },
  }
}
