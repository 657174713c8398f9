import { defineTask, stringTools } from 'agent-bench'
import { callsThen, losing } from 'agent-bench/proving'
import { FILES, SYSTEM } from './files.ts'

export default defineTask({
  id: 'S02',
  title: 'Read a file',
  tools: stringTools(),
  system: SYSTEM,
  setup: FILES,
  allowedWrites: [],
  prompt: 'Read README.md and say what it is about.',
  flags: {
    read: run => run.calls('read_file').some(({ valid }) => valid) && run.sawContentOf('README.md'),
  },
  reference: callsThen(['read_file', { path: 'README.md' }])(() => 'A lighthouse.'),
  honest: {
    'from the root': callsThen(['read_file', { path: '/README.md' }])(() => 'It is about a lighthouse.'),
    'listed before': callsThen(['list_files', { path: '.' }], ['read_file', { path: './README.md' }])(() => 'A lamp.'),
  },
  cheats: {
    'told instead of called': losing('read', () => 'It is about a lighthouse.'),
    'another file': losing(
      'read',
      callsThen(['read_file', { path: 'logs/monday.txt' }])(() => 'Fog.'),
    ),
    'a path that does not exist': losing(
      'read',
      callsThen(['read_file', { path: 'readme' }])(() => 'Done.'),
    ),
    'the wrong name of the argument': losing(
      'read',
      callsThen(['read_file', { file: 'README.md' }])(() => 'Done.'),
    ),
  },
})
