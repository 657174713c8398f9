/** Distributes work among the sandboxes there are. */

/** One piece of work for one worker. */
export type Job<Worker> = (worker: Worker, add: (job: Job<Worker>) => void) => Promise<void>

/** Gives jobs to the workers until none is left; a job may add more. The first error ends it, once the running jobs are over. */
export async function runOnWorkers<Worker>(workers: readonly Worker[], jobs: readonly Job<Worker>[]): Promise<void> {
  const queue = [...jobs]
  const idle = new Set<() => void>()
  let running = 0
  let isBroken = false
  const wake = () => {
    for (const go of idle) go()
    idle.clear()
  }
  const add = (job: Job<Worker>) => {
    queue.push(job)
    wake()
  }
  const work = async (worker: Worker): Promise<void> => {
    for (;;) {
      const job = isBroken ? undefined : queue.shift()
      if (job === undefined) {
        if (running === 0 || isBroken) return
        // A running job may still add more.
        await new Promise<void>(resolve => idle.add(resolve))
        continue
      }
      running += 1
      try {
        await job(worker, add)
      } catch (error) {
        isBroken = true
        throw error
      } finally {
        running -= 1
        wake()
      }
    }
  }
  const ends = await Promise.allSettled(workers.map(work))
  const failed = ends.find(end => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
