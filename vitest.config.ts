import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { agentBench } from './src/runner/plugin.ts'

// Longer names first: an alias also matches what stands below it.
const alias = {
  'agent-bench/checks': fileURLToPath(new URL('./src/checks/index.ts', import.meta.url)),
  'agent-bench/proving': fileURLToPath(new URL('./src/proving/index.ts', import.meta.url)),
  'agent-bench': fileURLToPath(new URL('./src/index.ts', import.meta.url)),
}
const report = process.env.AGENT_BENCH_TEST_REPORT

/** Integration tests of `npm test`: one of each kind. The others are the project `rest`. */
const QUICK = [
  'docker-driver',
  'docker-llama',
  'docs',
  'keep',
  'mini-runner',
  'model-client',
  'package',
  'radar-browser',
  'skills',
  'untrusted-text',
  'wire-rows',
].map(name => `test/${name}.test.ts`)

/** Unit tests with properties: `npm test` tries a sample of cases, the project `whole` many. */
const PROPERTIES = [
  'src/checks/page',
  'src/evidence/commands',
  'src/evidence/lines',
  'src/model/assemble',
  'src/repair/repair-json',
  'src/results/artifacts',
  'src/results/summary',
  'src/task/globs',
].map(name => `${name}.test.ts`)

/** Integration tests share one machine's engine and ports: one file at a time. */
const integration = { testTimeout: 120_000, hookTimeout: 600_000, fileParallelism: false }

export default defineConfig({
  test: {
    ...(report === undefined ? {} : { reporters: ['default', ['json', { outputFile: report }]] }),
    projects: [
      {
        plugins: [agentBench()],
        test: { name: 'bench' },
      },
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['{src,reporters,tasks,skills}/**/*.test.ts'],
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        resolve: { alias },
        test: { name: 'quick', include: QUICK, sequence: { groupOrder: 3 }, ...integration },
      },
      {
        resolve: { alias },
        test: {
          name: 'rest',
          include: ['test/**/*.test.ts'],
          exclude: QUICK,
          sequence: { groupOrder: 4 },
          ...integration,
        },
      },
      {
        resolve: { alias },
        test: { name: 'whole', include: PROPERTIES, env: { AGENT_BENCH_WHOLE: '1' }, sequence: { groupOrder: 5 } },
      },
    ],
  },
})
