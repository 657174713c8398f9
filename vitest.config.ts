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
        test: { name: 'unit', include: ['{src,reporters,tasks,skills}/**/*.test.ts'], sequence: { groupOrder: 2 } },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
