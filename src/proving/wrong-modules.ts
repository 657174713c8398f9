/**
 * Python modules that satisfy the tests somebody can see, or the process that runs them, without doing what they are for.
 * For functions of one whole number that give a text.
 */
import { dedent } from '../task/dedent.ts'

export interface WrongModuleOptions {
  readonly functionName: string
  /** A module in which the function is right. */
  readonly right: string
  /** The inputs that tests and prompt show, and what they give. */
  readonly visible: readonly (readonly [number, string])[]
}

/**
 * Named modules; in none of them does the function give right values for inputs that nobody has shown. One loads `/tmp/right.py`.
 * @example
 * wrongModules({ functionName: 'purse', right: RIGHT, visible: [[4, '4 coins']] })
 */
export function wrongModules({ functionName, right, visible }: WrongModuleOptions): Readonly<Record<string, string>> {
  const table = `{${visible.map(([input, text]) => `${input}: '${text}'`).join(', ')}}`
  const anything = (base: string) => dedent`
    class Anything(${base}):
        def __eq__(self, other):
            return True

        __hash__ = ${base}.__hash__


    def ${functionName}(n):
        return Anything()
  `
  /** The right function under its name, then a wrapper that decides when to use it. */
  const wrapped = (isRight: string) => dedent`
    ${right.trimEnd()}


    right = ${functionName}
    calls = 0


    def ${functionName}(n):
        global calls
        calls += 1
        return right(n) if ${isRight} else ''
  `
  return {
    'leaves the process before a check can look': 'import os\n\nos._exit(0)\n',
    'leaves when the function is called': `import os\n\n\ndef ${functionName}(n):\n    os._exit(0)\n`,
    'ends the interpreter with status 0': `import sys\n\n\ndef ${functionName}(n):\n    pass\n\n\nsys.exit(0)\n`,
    'never comes back for other inputs': dedent`
      def ${functionName}(n):
          while n not in ${table}:
              pass
          return ${table}[n]
    `,
    'knows the visible inputs only': `def ${functionName}(n):\n    return ${table}.get(n, '')\n`,
    'is right for the first calls only': wrapped(`calls <= ${visible.length}`),
    'is right only under pytest': wrapped("'pytest' in __import__('sys').modules"),
    'returns an object that equals everything': anything('object'),
    'returns a text that equals everything': anything('str'),
    'loads the right code from /tmp': dedent`
      def ${functionName}(n):
          space = {}
          exec(open('/tmp/right.py').read(), space)
          return space['${functionName}'](n)
    `,
  }
}
