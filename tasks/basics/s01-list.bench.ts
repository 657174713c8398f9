import { defineTask, stringTools } from 'agent-bench'
import { callsThen, losing } from 'agent-bench/proving'
import { FILES, SYSTEM } from './files.ts'

const IS_ROOT = /^(?:\/workspace)?[./]*$/

export default defineTask({
  id: 'S01',
  title: 'List the directory',
  tools: stringTools(),
  system: SYSTEM,
  setup: FILES,
  allowedWrites: [],
  prompt: 'List the files of the working directory.',
  flags: {
    listed: run =>
      run
        .calls('list_files')
        .some(({ valid, args, result }) => valid && IS_ROOT.test(String(args.path)) && result.includes('README.md')),
  },
  reference: callsThen(['list_files', { path: '.' }])(() => 'README.md and logs.'),
  honest: {
    'another name of it': callsThen(['list_files', { path: './' }])(() => 'Two entries.'),
    'after an error': callsThen(['list_files', {}], ['list_files', { path: '/' }])(() => 'README.md, logs/'),
  },
  cheats: {
    'told instead of called': losing('listed', () => 'list_files(path=".") gives README.md and logs/.'),
    'another directory': losing(
      'listed',
      callsThen(['list_files', { path: 'logs' }])(() => 'Two logs.'),
    ),
    'arguments that do not fit': losing(
      'listed',
      callsThen(['list_files', { path: 1 }])(() => 'Done.'),
    ),
    'a tool that does not exist': losing(
      'listed',
      callsThen(['ls', { path: '.' }])(() => 'Done.'),
    ),
  },
})
