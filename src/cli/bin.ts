#!/usr/bin/env node
/** The program behind `npx agent-bench`. */
import { main } from './main.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort(new Error('interrupted')))
process.exitCode = await main(process.argv.slice(2), { signal: interrupted.signal })
