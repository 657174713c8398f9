/**
 * Scripts that keep their work and are witnessed too: some lines added to the script tell the executor that it
 * starts, with which arguments, and how it ended. Everything else in the file stays as it is.
 *
 * The end is reported by a process that the script's own code does not run in (Python, shell), so that neither an `exit`, an
 * `exec`, a trap nor an exception of the script prevents the report; killing the script does.
 */
import { dedent } from '../task/dedent.ts'

export type StubLanguage = 'shell' | 'python' | 'node'

/** Text of a script with what reports it, and `reporter` as the program that it reports through. */
export function keptText(language: StubLanguage, original: string, reporter: string): string {
  const text = original.replace(/^\uFEFF/, '')
  if (language === 'python') return pythonKept(text, reporter)
  return language === 'node' ? nodeKept(text, reporter) : shellKept(text, reporter)
}

const endsWithBreak = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** The text up to where the pattern's match ends, made whole lines, and the rest. */
function splitAfter(text: string, opening: RegExp): readonly [string, string] {
  const matched = opening.exec(text)?.[0].length ?? 0
  const lineEnd = matched === 0 || text[matched - 1] === '\n' ? matched : text.indexOf('\n', matched) + 1
  const at = lineEnd === 0 && matched > 0 ? text.length : lineEnd
  return [endsWithBreak(text.slice(0, at)), text.slice(at)]
}

/** First line and comments. */
const SHELL_OPENING = /^(?:[ \t]*(?:#.*)?\r?\n)*/

/** The work is done in a sub-shell: what it sets, traps or replaces is its own. `-e` would end the outer shell too early. */
function shellKept(text: string, reporter: string): string {
  // Without a first line bash runs a script in a copy of itself, and no command line would name it.
  const whole = text.startsWith('#!') ? text : `#!/usr/bin/env bash\n${text}`
  const [opening, work] = splitAfter(whole, SHELL_OPENING)
  const note = (end: string) => `python3 -I -S ${reporter} "$0" "$#" ${end} < /dev/null > /dev/null 2>&1 || :`
  return `${opening}${note("'?'")}
_flags=$-
set +e
(
case $_flags in *e*) set -e ;; esac
unset _flags
${endsWithBreak(work)})
_ended=$?
${note('"$_ended"')}
return "$_ended" 2> /dev/null || exit "$_ended"
`
}

/** Comments, the doc string and imports from `__future__` have to come first. */
const PYTHON_OPENING =
  /^(?:[ \t]*(?:#.*)?\r?\n)*(?:[rRuU]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))?(?:(?:[ \t]*(?:#.*)?\r?\n)*from[ \t]+__future__[ \t]+import[ \t]*(?:\([^)]*\)|[^\n]*))*/

/** The work is done in a forked child: it has the same command line, files and standard streams. */
function pythonKept(text: string, reporter: string): string {
  const [opening, work] = splitAfter(text, PYTHON_OPENING)
  return `${opening}${dedent`
    def _noted():
        import os
        import subprocess
        import sys

        def note(end):
            step = ["python3", "-I", "-S", "${reporter}", sys.argv[0], str(len(sys.argv) - 1), end]
            null = subprocess.DEVNULL
            try:
                subprocess.run(step, stdin=null, stdout=null, stderr=null)
            except OSError:
                pass

        note("?")
        worker = os.fork()
        if worker:
            ended = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
            ended = ended if ended >= 0 else 128 - ended
            note(str(ended))
            os._exit(ended)


    if __name__ == "__main__":
        _noted()
  `}
${work}`
}

/** First line, comments and directives such as 'use strict'. */
const NODE_OPENING =
  /^(?:#!.*\r?\n)?(?:\s*(?:\/\*[\s\S]*?\*\/|\/\/.*(?=\n|$)|'use [a-z]+'[ \t]*;?(?=\s|$)|"use [a-z]+"[ \t]*;?(?=\s|$)))*/

/** A block, so that its names are not those of the script; it works in CommonJS and in modules. */
function nodeKept(text: string, reporter: string): string {
  const [opening, work] = splitAfter(text, NODE_OPENING)
  return `${opening}${dedent`
    {
      const { spawnSync } =
        typeof require === 'function' ? require('node:child_process') : process.getBuiltinModule('node:child_process')
      const [, script, ...args] = process.argv
      const note = end =>
        spawnSync('python3', ['-I', '-S', '${reporter}', script, String(args.length), end], { stdio: 'ignore' })
      note('?')
      process.once('exit', status => note(String(status)))
    }
  `}
${work}`
}
