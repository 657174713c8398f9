/**
 * Closes the one gap in which a container can be left behind: it exists from the moment it is created, but ends on its own
 * (with its standard input) only once it runs. If this process is killed in between, a small process in another session,
 * which the kill does not reach, removes the container; it ends as soon as it is not needed.
 */
import { spawn } from 'node:child_process'

/** How long it looks for the container, which may still be in the making when its maker dies. Milliseconds. */
const LOOK_FOR_MS = 1_500

/** Reads the end of standard input as the death of its parent, unless a byte came before. Plain JavaScript: it is not compiled. */
const PROGRAM = `
const { request } = require('node:http')
const [address, name] = process.argv.slice(1)
let isReleased = false
const remove = () => new Promise(resolve => {
  const target = address.startsWith('/') ? { socketPath: address } : { host: new URL(address).hostname, port: new URL(address).port || 2375 }
  const options = { ...target, method: 'DELETE', path: '/containers/' + name + '?force=1&v=1', timeout: 1000 }
  request(options, answer => { answer.resume(); resolve(answer.statusCode) })
    .on('error', () => resolve(0)).on('timeout', function () { this.destroy() }).end()
})
process.stdin.on('data', () => { isReleased = true })
process.stdin.on('end', async () => {
  for (const until = Date.now() + ${LOOK_FOR_MS}; !isReleased && Date.now() < until;) {
    if (await remove() === 204) break
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  process.exit()
})
`

/** Watches over the container `name` until it is disposed. Where it cannot be started, the reaper of the next run remains. */
export function guardLaunch(address: string, name: string): Disposable {
  const guard = spawn(process.execPath, ['-e', PROGRAM, address, name], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  })
  guard.on('error', () => undefined)
  guard.stdin.on('error', () => undefined)
  guard.unref()
  return {
    [Symbol.dispose]() {
      guard.stdin.end('.')
    },
  }
}
