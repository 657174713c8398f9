import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numRuns } from '../../test/property-runs.ts'
import type { StubReport } from '../sandbox/sandbox.ts'
import { executedCommands } from './commands.ts'
import { makeLog, stubReport } from './log.fixture.ts'
import { createRun } from './run.ts'

/** Script and arguments of everything that was executed. */
const ran = (line: string, texts: Readonly<Record<string, string>> = {}) =>
  executedCommands(line, path => texts[path] ?? null).map(({ script, args }) => [script ?? '-', ...args].join(' '))

const SCRIPT = 'skill/scripts/make.sh'
const CALL = `${SCRIPT} --title Q1`

describe('a command is found in whatever way it is executed', () => {
  it.each([
    ['by interpreter', `bash ${CALL}`],
    ['by path', `./${CALL}`],
    ['by absolute path', `/workspace/${CALL}`],
    ['with options of the shell', `bash -eu -o pipefail ${CALL}`],
    ['after cd', 'cd skill/scripts && ./make.sh --title Q1'],
    ['after two cd', 'cd skill; cd scripts; sh make.sh --title Q1'],
    ['in a sub-shell', `(cd skill && bash scripts/make.sh --title Q1)`],
    ['in a pipeline', `bash ${CALL} 2>&1 | tee /tmp/log`],
    ['in a command substitution', `out=$(bash ${CALL}); echo "$out"`],
    ['in backticks', `echo \`bash ${CALL}\``],
    ['through a variable', `s=${SCRIPT}; bash "$s" --title Q1`],
    ['through a variable that is split', `c="bash ${SCRIPT}"; $c --title Q1`],
    ['with a variable as argument', `t=Q1; bash ${SCRIPT} --title "$t"`],
    ['in bash -c', `bash -lc 'bash ${CALL}'`],
    ['in a here-document', `bash <<'EOF'\nbash ${CALL}\nEOF`],
    ['in a here-document with variables', `t=Q1; bash <<EOF\nbash ${SCRIPT} --title $t\nEOF`],
    ['in a redirection of a loop', `while read -r x; do :; done < <(bash ${CALL})`],
    ['exported', `export t=Q1; bash ${SCRIPT} --title $t`],
    ['before the line with a mistake', `bash ${CALL}\nif`],
    ['in eval', `eval "bash ${CALL}"`],
    ['in a function', `go() { bash ${SCRIPT} --title "$1"; }; go Q1`],
    ['in an if', `if test -f ${SCRIPT}; then bash ${CALL}; fi`],
    ['in a loop', `for t in Q1; do bash ${SCRIPT} --title $t; done`],
    ['after a test', `[ -f out ] || bash ${CALL}`],
    ['behind wrappers', `timeout 20 env A=1 nice -n 5 bash ${CALL}`],
    ['by exec', `exec bash ${CALL}`],
    ['in the background', `bash ${CALL} & wait`],
    ['over several lines', `bash ${SCRIPT} \\\n  --title Q1`],
    ['sourced', `. ${CALL}`],
    ['by find', `find skill -name make.sh -exec bash ${CALL} ';'`],
  ])('%s', (_name, line) => {
    expect(ran(line)).toContain(CALL)
  })

  it('in a script that the agent wrote', () => {
    expect(ran('bash run.sh Q1', { 'run.sh': `#!/bin/bash\nbash ${SCRIPT} --title "$1"\n` })).toContain(CALL)
    const all = 'here=$(cd "$(dirname "$0")" && pwd)\nbash "$here/scripts/make.sh" --title Q1\n'
    expect(ran('bash skill/all.sh', { 'skill/all.sh': all })).toContain(CALL)
  })

  it('by a module of Python', () => {
    expect(ran('cd skill && python3 -m scripts.sum --input a')).toContain('skill/scripts/sum.py --input a')
  })
})

describe('words become what bash makes of them', () => {
  it.each([
    ['{a,b}c', ['ac', 'bc']],
    ['{a,{b,c}}', ['a', 'b', 'c']],
    ['{"a b",$x}', ['a b', '1', '2']],
    ['{1..3} {3..1}', ['1', '2', '3', '3', '2', '1']],
    ['{a} {a,}y', ['{a}', 'ay', 'y']],
    ['a\\ b "c d"\'e\'', ['a b', 'c de']],
    ['$x "$x" \'$x\'', ['1', '2', '1 2', '$x']],
    ['"" $none', ['', '$none']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    ['${none:-a b} ${x:-c}', ['a', 'b', '1', '2']],
    ["$'a\\tb'", ['a\tb']],
    ['~/x "~/x" a~', ['/home/agent/x', '~/x', 'a~']],
    ['A=b', ['A=b']],
  ])('%s', (text, words) => {
    expect(executedCommands(`x='1 2'; run ${text}`)[0]?.args).toEqual(words)
  })

  it('and no more of them than can be looked at', () => {
    expect(executedCommands(`run ${'{a,b}'.repeat(30)}`)[0]?.args).toHaveLength(1_000)
  })
})

describe('what is not executed is not a command', () => {
  it.each([
    ['echoed', `echo bash ${CALL}`],
    ['in quotes', `echo "bash ${CALL}"`],
    ['in a comment', `ls # bash ${CALL}`],
    ['searched for', `grep -r "bash ${CALL}" skill`],
    ['after false &&', `false && bash ${CALL}`],
    ['after true ||', `true || bash ${CALL}`],
    ['after exit', `exit 0; bash ${CALL}`],
    ['in if false', `if false; then bash ${CALL}; fi`],
    ['in a loop that is never entered', `while false; do bash ${CALL}; done`],
    ['in a function that is not called', `go() { bash ${CALL}; }; ls`],
    ['in a here-document for cat', `cat <<'EOF'\nbash ${CALL}\nEOF`],
    ['printed to a file', `printf 'bash ${CALL}' > run.sh`],
    ['in a line that no shell parses', `if bash ${CALL}`],
    ['after the line with a mistake', `echo "unfinished\nbash ${CALL}`],
    ['in a loop without its end', `for x in 1; do\nbash ${CALL}\n`],
    ['nested deeper than anybody writes', `bash ${CALL} ${'$('.repeat(20_000)}`],
    ['as text for python', `python3 -c "print('bash ${CALL}')"`],
  ])('%s', (_name, line) => {
    expect(ran(line)).not.toContain(CALL)
  })
})

describe('run.ranCommand', () => {
  const setup = { 'skill/scripts/sum.py': 'print(1)\n' }
  const question = { scripts: Object.keys(setup) }
  const pattern = /sum\.py.*--input\s+\S*sales\.csv/
  const asks = (sh: string, writes = {}) =>
    createRun(makeLog({ setup, calls: [{ sh: 'ls' }, { sh, writes }] })).run.ranCommand(pattern, question)

  it.each([
    'python3 skill/scripts/sum.py --input skill/data/sales.csv',
    'cd skill && python3 scripts/sum.py --input data/sales.csv',
    'cd skill/scripts; python3 sum.py --verbose --input ../data/sales.csv | head',
    'python3 -u /workspace/skill/scripts/sum.py --input "skill/data/sales.csv"',
  ])('counts %s', sh => {
    expect(asks(sh)).toEqual({ turn: 2, call: 2 })
  })

  it.each([
    'echo python3 skill/scripts/sum.py --input skill/data/sales.csv',
    'cat skill/scripts/sum.py --input sales.csv',
    'python3 skill/scripts/sum.py --input other.csv',
    'python3 /tmp/sum.py --input skill/data/sales.csv',
    'python3 my_sum.py --input skill/data/sales.csv',
    'python3 sum.py --input skill/data/sales.csv',
  ])('does not count %s', sh => {
    expect(asks(sh)).toBe(false)
  })

  it('does not let a pattern that begins with .* match in the arguments', () => {
    const { run } = createRun(makeLog({ calls: [{ sh: 'echo bash make.sh' }] }))
    expect([run.ranCommand(/.*make\.sh/), run.ranCommand(/^.*make\.sh/)]).toEqual([false, false])
  })

  it('counts a stub by its report only', () => {
    const stub = { 'skill/scripts/sum.py': 'stub\n' }
    const options = { ...question, stubs: Object.keys(stub) }
    const runOf = (sh: string, ...stubs: StubReport[]) =>
      createRun(makeLog({ setup: stub, calls: [{ sh, stubs }] })).run
    const sh = 'python3 skill/scripts/sum.py --input sales.csv'
    expect(runOf(sh).ranCommand(pattern, options)).toBe(false)
    const report = stubReport('skill/scripts/sum.py', 'stub\n', ['--input', 'sales.csv'])
    const told = runOf('python3 wrapper.py', report)
    expect(told.ranCommand(pattern, options)).toEqual({ turn: 1, call: 1 })
    expect(told.ranStub('skill/scripts/sum.py', { args: /sales/ })).toEqual({ turn: 1, call: 1 })
    expect(runOf(sh, { ...report, sha256: 'f'.repeat(64) }).ranStub('skill/scripts/sum.py')).toBe(false)
  })

  it.each([
    `python3 \${CLAUDE_SKILL_DIR}/scripts/sum.py --input sales.csv`,
    'python3 "$CLAUDE_SKILL_DIR/scripts/sum.py" --input sales.csv',
    '$HOME/skill/scripts/sum.py --input sales.csv',
    'skill/scripts/sum.py --input sales.csv',
    'python3 scripts/sum.py --input sales.csv',
    'cd $DIR && python3 scripts/sum.py --input sales.csv',
    'cp skill/scripts/sum.py /tmp; python3 /tmp/sum.py --input sales.csv',
    'D=/nowhere; timeout 9 python3 -u $D/sum.py --input sales.csv',
  ])('where a stub has the name, counts its report and not the line: %s', sh => {
    const stub = { 'skill/scripts/sum.py': 'stub\n' }
    const { run } = createRun(makeLog({ setup: stub, calls: [{ sh }] }))
    expect(run.ranCommand(pattern, { stubs: Object.keys(stub) })).toBe(false)
    expect(run.ranCommand(pattern, { ...question, stubs: Object.keys(stub) })).toBe(false)
  })

  it('says what came nearest', () => {
    const log = makeLog({ setup, calls: [{ sh: 'echo python3 skill/scripts/sum.py --input sales.csv' }] })
    const { run, questions } = createRun(log)
    run.ranCommand(pattern, question)
    expect(questions[0]?.finding).toMatch(/names it, but did not run it/)
  })
})

describe('any text', () => {
  const token = fc.constantFrom(...'if then fi do done $( ` " \' {a, } (( [[ x'.split(' '), '<<E\n')

  it('is worked out without an error', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 5 }), token), { maxLength: 20 }), parts => {
        executedCommands(parts.join(' '))
      }),
      { numRuns },
    )
  })

  it('quoted as a shell quotes it, arrives unchanged as an argument', () => {
    const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 0 }), { maxLength: 5 }), args => {
        fc.pre(args.every(arg => !arg.includes('\0')))
        const [command] = executedCommands(`bash ${SCRIPT} ${args.map(quote).join(' ')}`)
        expect(command?.args).toEqual(args)
      }),
      { numRuns },
    )
  })
})
