/**
 * The driver for Linux without an engine: the executor as process 1 of new namespaces, over the host's programs.
 * For root the two rooms have users of their own; for an ordinary user each command gets inner namespaces instead.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { Readable } from 'node:stream'
import { ConfigError, InfraError } from '../../errors.ts'
import { ExecutorSandbox } from '../executor-client.ts'
import { executorCommand } from '../executor-config.ts'
import { ExecutorConnection } from '../executor-connection.ts'
import { type Greeting, readGreeting } from '../greeting.ts'
import type { HostInterpreter, PreparedSandbox, Sandbox, SandboxDriver, SandboxInfo } from '../sandbox.ts'
import { findInterpreter } from './interpreter.ts'
import { enclosurePlan, executorConfig, IMAGE_TOOLS, pythonLayout } from './layout.ts'
import { processChannel } from './process-channel.ts'
import { explainRefusal, parsePid, parseStep } from './refusal.ts'

const GREETING_DEADLINE_MS = 20_000
const MAX_STATUS_CHARACTERS = 4_096
/** mount_setattr is of 5.12; since 5.14 a limit of processes counts those of one namespace only. */
const OLDEST_KERNEL = [5, 14] as const
const MINI_RUNNER = 'agent-bench mini runner'

export const namespaceDriver: SandboxDriver = {
  name: 'namespace',

  async prepare({ image, runId, signal }) {
    refuseHost()
    if (image !== null) {
      throw new ConfigError('the namespace sandbox has no images (BENCH_IMAGE is set)', {
        code: 'namespace_without_image',
        remedy: 'Unset BENCH_IMAGE, or use an engine with BENCH_SANDBOX=docker.',
      })
    }
    const interpreter = await findInterpreter()
    const runner = interpreter.pytest === null ? MINI_RUNNER : 'pytest'
    const prepared: PreparedSandbox = {
      driver: 'namespace',
      image: null,
      engine: null,
      testRunner: runner,
      interpreter,
      why: whyOf(interpreter),
    }
    // Whether the kernel allows it is found out by doing it: one sandbox is opened, in which nothing runs.
    const opened = await openNamespaces(prepared, interpreter, { runId, ...(signal && { signal }) })
    await opened[Symbol.asyncDispose]()
    return prepared
  },

  async open(prepared, options) {
    if (prepared.interpreter === undefined) {
      throw new ConfigError('the sandbox was not prepared for the namespace driver', {
        code: 'not_prepared',
        remedy: 'Call prepareSandbox and pass its result to openSandbox.',
      })
    }
    return openNamespaces(prepared, prepared.interpreter, options)
  },
}

const isRoot = () => process.geteuid?.() === 0

function whyOf(interpreter: HostInterpreter): string {
  const user = isRoot() ? 'as root' : 'as an ordinary user'
  const runner = interpreter.pytest === null ? `no pytest, so the ${MINI_RUNNER}` : `pytest ${interpreter.pytest}`
  const absent = absentTools()
  const lacking = absent.length === 0 ? '' : `; the host has no ${absent.join(', ')}`
  return `namespace: Linux ${release()} ${user}, Python ${interpreter.version} at ${interpreter.executable} with ${runner}${lacking}`
}

function absentTools(): readonly string[] {
  return IMAGE_TOOLS.filter(name => !['/usr/bin', '/bin'].some(folder => existsSync(`${folder}/${name}`)))
}

/** @throws ConfigError when this host cannot have the driver, whatever its settings. */
function refuseHost(): void {
  if (process.platform !== 'linux') {
    throw new ConfigError('namespaces are a matter of Linux', {
      code: 'namespaces_absent',
      remedy: 'Use an engine: BENCH_SANDBOX=docker.',
    })
  }
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_KERNEL
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new ConfigError(`the kernel is Linux ${release()}, a namespace sandbox needs ${OLDEST_KERNEL.join('.')}`, {
      code: 'kernel_too_old',
      remedy: 'Install a Docker or Podman engine, or a newer kernel.',
    })
  }
  if (!existsSync('/bin/bash')) {
    throw new ConfigError('the host has no /bin/bash, which commands are run with', {
      code: 'no_bash',
      remedy: 'Install bash, or use an engine: BENCH_SANDBOX=docker.',
    })
  }
}

async function openNamespaces(
  prepared: PreparedSandbox,
  interpreter: HostInterpreter,
  { signal }: { readonly runId: string; readonly signal?: AbortSignal },
): Promise<Sandbox> {
  signal?.throwIfAborted()
  const asRoot = isRoot()
  const config = executorConfig(interpreter, asRoot)
  const child = spawn(
    interpreter.executable,
    [
      '-I',
      '-S',
      '-c',
      readFileSync(new URL('enclose.py', import.meta.url), 'utf8'),
      JSON.stringify(enclosurePlan(interpreter, asRoot)),
      // By its own path: with links and an environment it would start more slowly, and needs no packages.
      ...executorCommand(config, pythonLayout(interpreter).executable),
    ],
    // A separate process group: Ctrl-C is for the harness, which ends its sandboxes in order.
    { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], cwd: '/', env: { LANG: 'C.UTF-8' }, detached: true },
  )
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new TypeError('a child process without its pipes')
  const status = collectStatus(child.stdio[3])
  const connection = new ExecutorConnection(processChannel({ child, stdin, stdout, stderr }))
  try {
    const greeting = readGreeting(await connection.greeting({ deadlineMs: GREETING_DEADLINE_MS, signal }))
    return new ExecutorSandbox(connection, infoOf(prepared, greeting, status(), config.resourceLimits), config.rooms)
  } catch (error) {
    await connection.close()
    signal?.throwIfAborted()
    const refused = status()
      .map(parseStep)
      .find(step => step !== null)
    if (refused !== undefined && refused !== null) throw explainRefusal(refused)
    if (error instanceof ConfigError) throw error
    throw new InfraError(
      `the namespace sandbox could not be started: ${error instanceof Error ? error.message : error}`,
      {
        code: 'sandbox_not_started',
        remedy:
          'Look at memory and process limits of this user (`ulimit -a`), or use another sandbox with BENCH_SANDBOX.',
        cause: error,
      },
    )
  }
}

/** Lines of descriptor 3 that have come so far. */
function collectStatus(stream: unknown): () => readonly string[] {
  let text = ''
  if (!(stream instanceof Readable)) throw new TypeError('a child process without descriptor 3')
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(0, MAX_STATUS_CHARACTERS)
  })
  return () => text.split('\n').filter(line => line !== '')
}

function infoOf(
  prepared: PreparedSandbox,
  greeting: Greeting,
  status: readonly string[],
  resourceLimits: Readonly<Record<string, number>>,
): SandboxInfo {
  const pid = status.map(parsePid).find(number => number !== null)
  const absent = absentTools()
  return {
    driver: prepared.driver,
    id: String(pid ?? 'unknown'),
    image: null,
    engine: null,
    limits: {
      ...greeting.limits,
      control_group: false,
      'processes of a command': resourceLimits.NPROC ?? 0,
      'data bytes of a process': resourceLimits.DATA ?? 0,
      python: greeting.python,
      ...(absent.length === 0 ? {} : { 'tools absent': absent.join(' ') }),
    },
  }
}
