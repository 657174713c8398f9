import { defineTask, stringTools } from 'agent-bench'
import { callsThen, losing } from 'agent-bench/proving'
import { FILES, SYSTEM } from './files.ts'

export default defineTask({
  id: 'S03',
  title: 'Search the files',
  tools: stringTools(),
  system: SYSTEM,
  setup: FILES,
  allowedWrites: [],
  prompt: 'Search the files for the words "lit at dusk" and say which file has them.',
  flags: {
    found: run => run.calls('search_files').some(({ valid, result }) => valid && result.includes('README.md:3:')),
  },
  reference: callsThen(['search_files', { pattern: 'lit at dusk' }])(() => 'README.md'),
  honest: {
    'below a path': callsThen(['search_files', { pattern: 'lit at dusk', path: '.' }])(() => 'README.md'),
    'with a pattern': callsThen(['search_files', { pattern: 'lit\\s+at' }])(() => 'In README.md.'),
  },
  cheats: {
    'told instead of called': losing('found', () => 'README.md'),
    'nothing found': losing(
      'found',
      callsThen(['search_files', { pattern: 'lit at dawn' }])(() => 'README.md'),
    ),
    'no pattern': losing(
      'found',
      callsThen(['search_files', { path: '.' }])(() => 'README.md'),
    ),
    'read instead of searched': losing(
      'found',
      callsThen(['read_file', { path: 'README.md' }])(() => 'README.md'),
    ),
  },
})
