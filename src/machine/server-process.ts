/** The memory of a model server that runs on this machine: found by the port it listens on. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { platform } from 'node:os'

/** Bytes; null = not known. */
export interface ServerMemory {
  /** The largest resident size of the process since it was started, pages of the model's file included. */
  readonly peakBytes: number | null
  readonly swapBytes: number | null
  /** Why nothing is known; null otherwise. */
  readonly reason: string | null
}

const unknown = (reason: string): ServerMemory => ({ peakBytes: null, swapBytes: null, reason })

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
const LISTENING = '0A'

/** Inodes of the sockets that listen on a port. */
function listeningInodes(port: number): ReadonlySet<string> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(path => {
    try {
      return readFileSync(path, 'utf8').split('\n').slice(1)
    } catch {
      return [] // a kernel without IPv6
    }
  })
  return new Set(
    rows
      .map(row => row.trim().split(/\s+/))
      .filter(([, local = '', , state]) => local.endsWith(wanted) && state === LISTENING)
      .flatMap(columns => columns[9] ?? []),
  )
}

/** Processes that hold one of these sockets and are ours to look at. */
function holders(inodes: ReadonlySet<string>): readonly number[] {
  const holds = (pid: string): boolean => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some(fd => {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
        return inode !== undefined && inodes.has(inode)
      })
    } catch {
      return false // it ended, or belongs to somebody else
    }
  }
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && holds(name))
    .map(Number)
}

/** The process that listens at an address of this machine, or why none can be told. */
export function serverProcess(baseUrl: string): { readonly pid: number } | { readonly reason: string } {
  const { hostname, port, protocol } = new URL(baseUrl)
  if (!LOOPBACK.test(hostname)) return { reason: 'the server runs on another machine' }
  const number = Number(port || (protocol === 'https:' ? 443 : 80))
  const pids =
    platform() === 'darwin' ? macHolders(number) : platform() === 'linux' ? holders(listeningInodes(number)) : null
  if (pids === null) return { reason: `processes are not looked up on ${platform()}` }
  const [pid, ...others] = pids
  if (pid === undefined)
    return { reason: 'the process of the server is not visible here (a container, or another user)' }
  if (others.length > 0) return { reason: `several processes listen on port ${number}` }
  return { pid }
}

function macHolders(port: number): readonly number[] {
  return output('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-t'])
    .split('\n')
    .filter(line => line !== '')
    .map(Number)
}

/** What a program printed; empty where it is missing or failed. */
function output(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

/** Memory of the server at an address, as its system counts it: `VmHWM` on Linux, `footprint` on macOS. */
export function serverMemory(baseUrl: string): ServerMemory {
  const found = serverProcess(baseUrl)
  if ('reason' in found) return unknown(found.reason)
  if (platform() === 'darwin') {
    const bytes = macBytes(output('footprint', ['-p', String(found.pid), '-f', 'bytes']))
    return bytes === null
      ? unknown('footprint told nothing of the server')
      : { peakBytes: bytes, swapBytes: null, reason: null }
  }
  try {
    const status = readFileSync(`/proc/${found.pid}/status`, 'utf8')
    const bytes = (field: string): number | null => {
      const kilobytes = new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]
      return kilobytes === undefined ? null : Number(kilobytes) * 1_024
    }
    return { peakBytes: bytes('VmHWM'), swapBytes: bytes('VmSwap'), reason: null }
  } catch {
    return unknown('the server ended')
  }
}

/** Dirty and clean pages of the TOTAL row: weights are the one in some runtimes and the other in others. */
function macBytes(text: string): number | null {
  const [, dirty, clean] = /^\s*(\d+)(?: B)?\s+(\d+)(?: B)?.*\bTOTAL\b/im.exec(text) ?? []
  return dirty === undefined || clean === undefined ? null : Number(dirty) + Number(clean)
}
