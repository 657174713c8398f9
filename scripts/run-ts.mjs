// Runs a TypeScript program of this repository: node scripts/run-ts.mjs FILE [arguments…]
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const [file, ...args] = process.argv.slice(2)
process.argv = [process.argv[0], file, ...args]
const { module } = await runnerImport(resolve(file), {
  root,
  configFile: false,
  logLevel: 'error',
  oxc: { target: 'node20' },
  resolve: { alias: { 'agent-bench': `${root}src/index.ts` } },
})
await module.main(args)
