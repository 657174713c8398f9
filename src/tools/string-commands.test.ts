import { expect, test } from 'vitest'
import { refusedCommand } from './string-commands.ts'

const ALLOWED = ['ls', 'cat', 'grep', 'python']

test.each([
  'ls -la notes',
  'cat a.txt | grep -n "a|b; c && d" 2>&1',
  "grep 'it''s' a.txt || ls",
  'ls\ncat a.txt',
  'python -c "print(1); print(2)" & ls',
  'cat "a b.txt" > out.txt',
])('%s is run', command => expect(refusedCommand(command, ALLOWED)).toBeNull())

test.each([
  ['rm -rf .', 'command not permitted: rm'],
  ['ls; rm x', 'command not permitted: rm'],
  ['ls | /bin/sh', 'command not permitted: sh'],
  ['cat /etc/passwd', 'path outside working directory: /etc/passwd'],
  ['cat ~/x', 'path outside working directory: ~/x'],
  ['cat notes/../../x', 'path outside working directory: notes/../../x'],
  ['cat "/etc/passwd"', 'path outside working directory: /etc/passwd'],
  ['ls $(cat x)', 'command substitution is not permitted'],
  ['ls `cat x`', 'command substitution is not permitted'],
  ['cat "a', 'a quote is not closed: cat "a'],
  ['  ', 'empty command'],
  ['ls &&& rm x', 'command not permitted: rm'],
])('%s is refused', (command, reason) => expect(refusedCommand(command, ALLOWED)).toBe(reason))
