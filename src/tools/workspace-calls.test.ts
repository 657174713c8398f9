import { describe, expect, it } from 'vitest'
import { parseCall } from './workspace-calls.ts'

const call = (name: string, value: Record<string, unknown>) => parseCall(name, { valid: true, value })

describe('parseCall', () => {
  it('accepts a good call of each tool', () => {
    expect(call('execute_command', { command: 'ls' })).toEqual({ tool: 'execute_command', command: 'ls' })
    expect(call('read_file', { path: 'a', offset: 3 })).toEqual({
      tool: 'read_file',
      path: 'a',
      offset: 3,
      limit: null,
    })
    expect(call('write_file', { path: 'a', content: '' })).toEqual({ tool: 'write_file', path: 'a', content: '' })
  })

  it('tells a tool that does not exist from arguments that do not fit', () => {
    expect(call('run_tests', {})).toMatchObject({ tool: null, invalid: 'unknown_tool' })
    expect(parseCall('run_tests', { valid: false, raw: '{', problem: 'cut' })).toMatchObject({
      invalid: 'unknown_tool',
    })
    expect(parseCall('read_file', { valid: false, raw: '{', problem: 'cut' })).toMatchObject({
      invalid: 'malformed_arguments',
    })
  })

  it.each([
    ['execute_command', {}, 'it is missing'],
    ['execute_command', { command: '  ' }, 'it is empty'],
    ['execute_command', { command: 'a\0b' }, 'NUL'],
    ['execute_command', { command: 'x'.repeat(200_000) }, 'longer than'],
    ['write_file', { path: 'a' }, 'it is missing'],
    ['write_file', { path: 'a', content: { k: 1 } }, 'it is an object'],
    ['write_file', { path: 'a', content: '\uD800' }, 'not valid Unicode'],
    ['read_file', { path: 'a', offset: 0 }, 'whole number from 1'],
    ['read_file', { path: 'a', limit: '5' }, 'whole number from 1'],
    ['read_file', { path: ['a'] }, 'it is an array'],
  ])('sends %s %j back to the model', (name, args, words) => {
    const parsed = call(name, args)
    expect(parsed).toMatchObject({ tool: null, invalid: 'malformed_arguments' })
    expect(parsed.tool === null && parsed.problem).toContain(words)
  })
})
