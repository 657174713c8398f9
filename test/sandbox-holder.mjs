// Holds a sandbox in which a command runs, until it is killed. Arguments: a prepared sandbox as JSON, and a run id.
import { createServer } from 'vite'

const [prepared, runId] = process.argv.slice(2)
const server = await createServer({
  configFile: false,
  root: new URL('..', import.meta.url).pathname,
  appType: 'custom',
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
})
const { openSandbox } = await server.ssrLoadModule('/src/sandbox/index.ts')
const sandbox = await openSandbox(JSON.parse(prepared), { runId })
const running = sandbox.exec('sleep 600', { timeoutMs: 600_000 })
console.log('running')
await running
