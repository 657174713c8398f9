// Builds dist/: the TypeScript of src/ and reporters/ as JavaScript with declarations, and every other file beside it.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
// Built beside and then put in place, so that a program which uses dist/ hardly ever meets half of it.
const target = join(root, 'node_modules/.cache', `agent-bench-build-${process.pid}`)
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

const compiled = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', target], {
  stdio: 'inherit',
})
if (compiled.status !== 0) {
  rmSync(target, { recursive: true, force: true })
  process.exit(compiled.status ?? 1)
}

// Programs of the sandbox, pages, templates: read at run time from where their module is.
for (const folder of ['src', 'reporters', 'dashboard']) {
  if (!existsSync(join(root, folder))) continue
  for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const file = join(root, folder, path)
    const isSource = path.endsWith('.ts') || path.includes('__pycache__') || path.endsWith('.pyc')
    if (isSource || statSync(file).isDirectory()) continue
    cpSync(file, join(target, folder, path))
  }
}
chmodSync(join(target, 'src/cli/bin.js'), 0o755)
rmSync(dist, { recursive: true, force: true })
renameSync(target, dist)
