// Runs a TypeScript program of this repository: node scripts/run-ts.mjs FILE [arguments…]
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const [file, ...args] = process.argv.slice(2)
process.argv = [process.argv[0], file, ...args]
// A server and no single import: programs import more while they run.
const server = await createServer({
  root,
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  // Nothing is prepared for browsers, and nothing is written: the repository may belong to somebody else.
  optimizeDeps: { noDiscovery: true, include: [] },
  environments: {
    client: { optimizeDeps: { noDiscovery: true, include: [] } },
    ssr: { optimizeDeps: { noDiscovery: true, include: [] } },
  },
  oxc: { target: 'node20' },
  resolve: {
    alias: {
      'agent-bench/checks': `${root}src/checks/index.ts`,
      'agent-bench/proving': `${root}src/proving/index.ts`,
      'agent-bench': `${root}src/index.ts`,
    },
  },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
})
try {
  const module = await server.ssrLoadModule(resolve(file))
  const status = await module.main(args)
  if (typeof status === 'number') process.exitCode = status
} finally {
  await server.close()
}
