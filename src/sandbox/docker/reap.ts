/** Removes containers of harnesses that died before the engine knew of it: between creating and starting, usually. */
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type Docker from 'dockerode'
import { LABELS } from './container.ts'
import { engineStatus, within } from './engine.ts'

const DEADLINE_MS = 20_000
const GONE_POLL_MS = 20

/**
 * Removes labelled containers whose harness ran on this host and runs no more.
 * @returns How many were removed.
 */
export async function reapContainers(client: Docker): Promise<number> {
  const found = await listContainers(client, LABELS.run)
  let removed = 0
  for (const { Id: id, Labels: labels } of found) {
    const pid = Number(labels[LABELS.pid])
    if (labels[LABELS.host] !== hostname() || !Number.isInteger(pid) || pid <= 0 || isRunning(pid)) continue
    await removeContainer(client, id)
    removed += 1
  }
  return removed
}

/** Older engines answer the whole list with an error when a container vanishes while they make it. */
const LIST_ATTEMPTS = 5

/** All containers with a label (`name` or `name=value`), in whatever state. */
export async function listContainers(client: Docker, label: string): Promise<readonly Docker.ContainerInfo[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const list = client.listContainers({ all: true, filters: { label: [label] } })
      return await within(DEADLINE_MS, 'the Docker engine', list)
    } catch (error) {
      const status = engineStatus(error)
      if (attempt === LIST_ATTEMPTS || (status !== 404 && status !== 500)) throw error
      await setTimeout(GONE_POLL_MS)
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Removes a container in whatever state it is, and returns when it is gone. That somebody else removes it is not an error:
 * the engine itself does (AutoRemove) as soon as the executor ends, or could not be started.
 */
export async function removeContainer(client: Docker, id: string): Promise<void> {
  const container = client.getContainer(id)
  try {
    await within(DEADLINE_MS, 'the Docker engine', container.remove({ force: true, v: true }))
  } catch (error) {
    const status = engineStatus(error)
    if (status === 404) return
    if (status !== 409) throw error
    await untilGone(container)
  }
}

async function untilGone(container: Docker.Container): Promise<void> {
  for (const end = performance.now() + DEADLINE_MS; performance.now() < end; await setTimeout(GONE_POLL_MS)) {
    try {
      await within(DEADLINE_MS, 'the Docker engine', container.inspect())
    } catch (error) {
      if (engineStatus(error) === 404) return
      throw error
    }
  }
  throw new Error(`the container ${container.id} is not gone ${DEADLINE_MS} ms after its removal began`)
}
