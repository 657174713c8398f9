import { defineConfig } from 'agent-bench'

// Everything here can be overridden by BENCH_* variables; the README lists the settings.
export default defineConfig({})
