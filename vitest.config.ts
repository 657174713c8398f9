import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const alias = { 'agent-bench': fileURLToPath(new URL('./src/index.ts', import.meta.url)) }

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: { name: 'unit', include: ['{src,reporters,tasks,skills}/**/*.test.ts'] },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
