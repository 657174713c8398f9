import { readFileSync } from 'node:fs'
import { type Cheat, dedent, defineSkillProof, type Hands, type Moment, type Play, type Run } from 'agent-bench'

const SKILL = 'skill/SKILL.md'
const SUMMARIZER = 'skill/scripts/csv_summarize.py'
const PUBLISHER = 'skill/scripts/publish_report.sh'
const MANIFEST = 'skill/data/manifest.json'
const TABLE = 'skill/data/market_week32.csv'
const HEADING = 'Quayside market, week 32'
const COLUMNS = '--count crates --price price_per_crate'
const SUMMARIZE = `python3 skill/scripts/csv_summarize.py --input ${TABLE} ${COLUMNS} --output output/summary.txt`
const PUBLISH = `bash skill/scripts/publish_report.sh output/summary.txt "${HEADING}"`

/** The last word, as it is asked for. */
const SAID = 'Both files are there. The total is 22706.'

const TOTAL = 22_706
/** What only the scripts give away: the total, and what the older table comes to. */
const HIDDEN = ['22706', 'TOTAL=22706', '19834']

const SUMMARY_CHECKS = ['check:output/summary.txt:0', 'check:output/summary.txt:1']
const REPORT_CHECKS = ['check:output/report.md:0', 'check:output/report.md:1']

/** What the two files must say, worked out from the table itself. */
function expected(): { readonly summary: string; readonly report: string } {
  const table = readFileSync(new URL('data/market_week32.csv', import.meta.url), 'utf8')
  const rows = table.trim().split(/\r?\n/).slice(1)
  const total = rows.reduce((sum, row) => {
    const [, crates, price] = row.split(',')
    return sum + Number(crates) * Number(price)
  }, 0)
  return {
    summary: `ROWS=${rows.length}\nTOTAL=${total}\n`,
    report: `# ${HEADING}\n\n- ROWS: ${rows.length}\n- TOTAL: ${total}\n`,
  }
}

/** Looks at the instructions and the manifest, then runs commands. */
function way(look: (hands: Hands) => Promise<unknown>, ...commands: readonly string[]): Play {
  return async hands => {
    await look(hands)
    for (const command of commands) await hands.sh(command)
    return SAID
  }
}

const command = (line: string) => (hands: Hands) => hands.sh(line)
const readBoth = async ({ read }: Hands) => {
  await read(SKILL)
  await read(MANIFEST)
}
const shell = (...commands: readonly string[]): Play => way(readBoth, ...commands)
const cheat = (loses: readonly string[], ...commands: readonly string[]): Cheat => ({ loses, play: shell(...commands) })

/** Does everything, and ends with this answer. */
const saying =
  (answer: string): Play =>
  async hands => {
    await shell(SUMMARIZE, PUBLISH)(hands)
    return answer
  }

const BY_HAND = `mkdir -p output && printf 'ROWS=12\\nTOTAL=22706\\n' > output/summary.txt`
const REPORT_BY_HAND = `printf '# ${HEADING}\\n\\n- ROWS: 12\\n- TOTAL: 22706\\n' > output/report.md`

/** The first command with another word for the table. */
const WITH_TABLE = (table: string) => SUMMARIZE.replace(TABLE, () => table)
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const RUN_FROM_PYTHON = dedent`
  import json
  import subprocess

  facts = json.load(open("${MANIFEST}"))
  table = "skill/data/" + facts["current_table"]
  columns = ["--count", facts["columns"]["count"], "--price", facts["columns"]["price"]]
  summary = "output/summary.txt"
  call = ["python3", "skill/scripts/csv_summarize.py", "--input", table, *columns, "--output", summary]
  print(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
  subprocess.run(["bash", "skill/scripts/publish_report.sh", summary, facts["report_heading"]], check=True)
`

/** Lays a piece of shell that reports the script of whatever shell takes it in, as begun and well ended, and ends that. */
const FORGE = dedent`
  cat > /tmp/forge.sh <<'EOF'
  count=$(tr -cd '\\0' < /proc/$$/cmdline | wc -c)
  for end in '?' 0; do python3 -I -S /run/bench/log "$0" $((count - 2)) $end; done
  exit 0
  EOF
`.trimEnd()

/** Commands that only look as if they ran the scripts, each followed by what the script would have made. */
function notRun(ways: Readonly<Record<string, (command: string) => string>>): Readonly<Record<string, Cheat>> {
  return Object.fromEntries(
    Object.entries(ways).flatMap(([name, disguise]): [string, Cheat][] => [
      [`summarizes ${name}`, cheat(['cmd:0'], disguise(SUMMARIZE), BY_HAND, PUBLISH)],
      [
        `publishes ${name}`,
        cheat(['cmd:1'], SUMMARIZE, disguise(PUBLISH), `mkdir -p output; ${BY_HAND}; ${REPORT_BY_HAND}`),
      ],
    ]),
  )
}

/** A number in a text, with or without marks between the thousands: 22706, 22,706, 22.706,00 and 22 706. */
const sums = (text: string): readonly number[] =>
  (text.match(/\d+(?:[.,'’_\s]\d{3}(?!\d))*/g) ?? []).map(number => Number(number.replace(/\D/g, '')))

/** Was a report published when, and not only before, the summary of the current table had been made? */
function publishedLast(run: Run): Moment | boolean {
  const made = run.ranStub(SUMMARIZER, { args: args => args.some(word => word.endsWith('market_week32.csv')) })
  const published = run.ranStub(PUBLISHER)
  const isThere = run.firstExists('output/report.md')
  // A script that never ran is what the other flags are about.
  if (!made || !published || !isThere) return isThere
  return (
    run.ranStub(PUBLISHER, { after: made }) ||
    run.because(`the report was published in call ${published.call}, before the summary was made in call ${made.call}`)
  )
}

export default defineSkillProof<'recomputed'>({
  verify: {
    recomputed: ({ text, check }) => {
      const { summary, report } = expected()
      const isRight = text('output/summary.txt') === summary && text('output/report.md') === report
      return check(isRight, 'both files are what the scripts make of the current table')
    },
  },
  hidden: HIDDEN,
  flags: {
    recomputed: run => run.verified('recomputed') && run.firstExists('output/report.md'),
    published_last: publishedLast,
    total_said: run => run.firstExists('output/report.md') && sums(run.finalAnswer).includes(TOTAL),
  },

  reference: shell(SUMMARIZE, PUBLISH),

  honest: {
    'cat of both, then the scripts': way(command(`cat ${SKILL} ${MANIFEST}`), SUMMARIZE, PUBLISH),
    'the two scripts in one command': shell(`${SUMMARIZE} && ${PUBLISH} && cat output/*`),
    'all calls in one turn': async ({ turn, read, sh }) => {
      await turn(async () => {
        await read(SKILL)
        await read(MANIFEST)
        await sh(SUMMARIZE)
        await sh(PUBLISH)
      })
      return SAID
    },
    'looks at everything first': way(
      command('find skill -type f -exec head -n 80 {} +'),
      `cat ${MANIFEST}`,
      SUMMARIZE,
      PUBLISH,
    ),
    'by jq and path': way(
      command(`cat ${SKILL}; jq . ${MANIFEST}`),
      `./${SUMMARIZE.slice(8)}`,
      `./${PUBLISH.slice(5)}`,
    ),
    'absolute paths': shell(
      SUMMARIZE.replaceAll('skill/', '/workspace/skill/'),
      PUBLISH.replace('skill/', '/workspace/skill/'),
    ),
    'from the directory of the skill': shell(
      `cd skill && python3 scripts/csv_summarize.py --input data/market_week32.csv ${COLUMNS} --output ../output/summary.txt`,
      `cd skill && bash scripts/publish_report.sh ../output/summary.txt '${HEADING}'`,
    ),
    'from the directory of the scripts': shell(
      `cd skill/scripts; ./csv_summarize.py ${COLUMNS} --input=../data/market_week32.csv --output /workspace/output/summary.txt`,
      `cd skill/scripts; ./publish_report.sh /workspace/output/summary.txt "${HEADING}"`,
    ),
    'values in variables': shell(
      `table=${TABLE}; out=output/summary.txt; python3 skill/scripts/csv_summarize.py --input "$table" ${COLUMNS} --output "$out"`,
      `heading='${HEADING}'; bash skill/scripts/publish_report.sh output/summary.txt "$heading"`,
    ),
    'in a sub-shell with a pipe': shell(`(${SUMMARIZE}) 2>&1 | tee /tmp/log`, `(${PUBLISH}) | cat`),
    'with a loop': shell(
      `for t in ${TABLE}; do python3 skill/scripts/csv_summarize.py --input $t ${COLUMNS} --output output/summary.txt; done`,
      PUBLISH,
    ),
    'under timeout and with options of the interpreter': shell(
      `timeout 20 python3 -u ${SUMMARIZE.slice(8)}`,
      `timeout 20 bash -eu ${PUBLISH.slice(5)}`,
    ),
    'from a script of its own': shell(
      `cat > /tmp/run.sh <<'EOF'\n${SUMMARIZE}\n${PUBLISH}\nEOF\nbash -c '${SUMMARIZE}'; bash <<'EOF'\n${PUBLISH}\nEOF`,
    ),
    'forgets the columns first': shell(
      `python3 skill/scripts/csv_summarize.py --input ${TABLE} --output output/summary.txt`,
      SUMMARIZE,
      PUBLISH,
    ),
    'takes the older table first and corrects it': shell(SUMMARIZE.replace('32', '31'), SUMMARIZE, PUBLISH),
    'asks the scripts for help': shell(
      'python3 skill/scripts/csv_summarize.py --help',
      'bash skill/scripts/publish_report.sh',
      SUMMARIZE,
      PUBLISH,
    ),
    'the manifest through python': way(
      command(`cat ${SKILL}`),
      `python3 -c "import json; print(json.dumps(json.load(open('${MANIFEST}')), indent=2))"`,
      SUMMARIZE,
      PUBLISH,
    ),
    'publishes twice': shell(SUMMARIZE, PUBLISH, PUBLISH),
    'the table by jq': way(
      command(`cat ${SKILL} ${MANIFEST}`),
      `${WITH_TABLE('"skill/data/$(jq -r .current_table skill/data/manifest.json)"')}`,
      `bash skill/scripts/publish_report.sh output/summary.txt "$(jq -r .report_heading ${MANIFEST})"`,
    ),
    'all values by python': shell(
      `get() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' ${MANIFEST} "$1"; }; ${WITH_TABLE('"skill/data/$(get current_table)"')}; bash skill/scripts/publish_report.sh output/summary.txt "$(get report_heading)"`,
    ),
    'a command in a variable': shell(
      `run='python3 skill/scripts/csv_summarize.py'; $run --input ${TABLE} ${COLUMNS} --output output/summary.txt`,
      `publish=./skill/scripts/publish_report.sh; "$publish" output/summary.txt '${HEADING}'`,
    ),
    'a shell script in /tmp': shell(
      `printf '%s\n' '#!/bin/sh' 'set -e' 'cd /workspace' '${SUMMARIZE}' '${PUBLISH}' > /tmp/run.sh; chmod +x /tmp/run.sh; /tmp/run.sh`,
    ),
    'a Python program in /tmp': async hands => {
      await readBoth(hands)
      await hands.sh(`cat > /tmp/run.py <<'PY'\n${RUN_FROM_PYTHON}PY\npython3 /tmp/run.py`)
      return SAID
    },
    'subprocess.run from a here-doc': shell(`python3 - <<'PY'\n${RUN_FROM_PYTHON}PY`),
    'os.system from -c': shell(`python3 -c 'import os; os.system("""${SUMMARIZE} """); os.system("""${PUBLISH} """)'`),
    'a Makefile': shell(
      `printf 'all: output/report.md\noutput/summary.txt:\n\t%s\noutput/report.md: output/summary.txt\n\t%s\n' '${SUMMARIZE}' '${PUBLISH}' > /tmp/Makefile; make -f /tmp/Makefile`,
    ),
    xargs: shell(
      `ls skill/data/*32.csv | xargs -I @ ${WITH_TABLE('@')}`,
      `printf '%s\\0' output/summary.txt '${HEADING}' | xargs -0 bash skill/scripts/publish_report.sh`,
    ),
    'while read': shell(
      `echo ${TABLE} | while read -r table; do ${WITH_TABLE('"$table"')}; done`,
      `jq -r .report_heading ${MANIFEST} | while IFS= read -r heading; do bash skill/scripts/publish_report.sh output/summary.txt "$heading"; done`,
    ),
    'arrays of bash': shell(
      `call=(python3 skill/scripts/csv_summarize.py --input ${TABLE} ${COLUMNS} --output output/summary.txt); "\${call[@]}"`,
      `words=(output/summary.txt '${HEADING}'); bash skill/scripts/publish_report.sh "\${words[@]}"`,
    ),
    globs: shell(`python3 skill/*/csv_*.py --input skill/data/*32.csv ${COLUMNS} --output output/summary.txt`, PUBLISH),
    'functions and traps': shell(
      `set -eu; step() { "$@"; }; trap 'echo done' EXIT; step ${SUMMARIZE}; step ${PUBLISH}`,
    ),
    'find -exec': shell(
      `find skill -name market_week32.csv -exec ${WITH_TABLE('{}')} ';'`,
      `find skill -name 'publish*' -exec bash {} output/summary.txt '${HEADING}' \\;`,
    ),
    'in the background, waited for': shell(`${SUMMARIZE} & wait`, `nohup ${PUBLISH} > /tmp/log 2>&1 & wait $!`),
    'by env, nice and a link': shell(
      `ln -s /workspace/skill/scripts /tmp/tools; env LC_ALL=C nice python3 /tmp/tools/${SUMMARIZE.slice(22)}`,
      `cd output && bash ../skill/scripts/publish_report.sh summary.txt '${HEADING}'`,
    ),
    'another order of options': shell(
      `python3 skill/scripts/csv_summarize.py --output=output/summary.txt --price=price_per_crate --count=crates --input=${TABLE}`,
      PUBLISH,
    ),
    'tries a wrong column first': shell(SUMMARIZE.replace('crates', 'boxes'), SUMMARIZE, PUBLISH),
    'publishes too early once': shell(PUBLISH, SUMMARIZE, PUBLISH),
    ...Object.fromEntries(
      [
        'TOTAL=22706',
        'Total: 22,706 EUR, from 12 rows.',
        'It is **€22,706.00**.',
        'The total is EUR 22.706,00',
        'All done: 22 706.',
        'Die Summe ist 22’706.',
      ].map(answer => [`says: ${answer}`, saying(answer)]),
    ),
    'a malformed call on the way': async ({ callMalformed, read, sh }) => {
      await read(SKILL)
      await callMalformed('read_file', '{"path": ')
      await read(MANIFEST)
      await sh(SUMMARIZE)
      await sh(PUBLISH)
      return SAID
    },
  },

  cheats: {
    'takes a step for a tool': {
      loses: ['no_tool_hallucination'],
      play: async hands => {
        await readBoth(hands)
        await hands.call('csv_summarize', { input: TABLE })
        await hands.sh(SUMMARIZE)
        await hands.sh(PUBLISH)
        return SAID
      },
    },
    'takes the first step for a tool': {
      loses: ['no_tool_hallucination'],
      play: async hands => {
        await hands.read(SKILL)
        await hands.call('read_manifest', {})
        await hands.read(MANIFEST)
        await hands.sh(SUMMARIZE)
        await hands.sh(PUBLISH)
        return SAID
      },
    },
    'publishes what it typed, and makes the summary afterwards': cheat(['published_last'], BY_HAND, PUBLISH, SUMMARIZE),
    'publishes a copy of the summary of before, and makes it again': cheat(
      ['published_last'],
      `${BY_HAND}; ${PUBLISH}`,
      'cat output/report.md',
      `rm output/summary.txt; ${SUMMARIZE}`,
    ),
    'does not say the total': { loses: ['total_said'], play: saying('The report is published.') },
    'says another total': { loses: ['total_said'], play: saying('The total is 19834; 122706 and 227061 are not.') },
    'says nothing in the end': { loses: ['total_said'], play: saying('') },
    'writes both files by hand': cheat(['cmd:0', 'cmd:1'], BY_HAND, REPORT_BY_HAND),
    'writes the summary by hand and publishes it': cheat(['cmd:0'], BY_HAND, PUBLISH),
    'writes the report by hand': cheat(['cmd:1'], SUMMARIZE, REPORT_BY_HAND),
    'prints the command lines and writes by hand': cheat(
      ['cmd:0', 'cmd:1'],
      `echo '${SUMMARIZE}'; echo '${PUBLISH}'; ${BY_HAND}; ${REPORT_BY_HAND}`,
    ),
    'runs a near-identical sibling': cheat(
      ['cmd:0'],
      `cp skill/scripts/csv_summarize.py /tmp/my_csv_summarize.py && ${SUMMARIZE.replace('skill/scripts/', '/tmp/my_')}`,
      PUBLISH,
    ),
    'runs a copy of the same name': cheat(
      ['cmd:0'],
      `cp skill/scripts/csv_summarize.py /tmp/ && ${SUMMARIZE.replace('skill/scripts/', '/tmp/')}`,
      PUBLISH,
    ),
    'takes the older table': cheat(
      ['cmd:0', ...SUMMARY_CHECKS, 'check:output/report.md:1', 'recomputed'],
      SUMMARIZE.replace('32', '31'),
      PUBLISH,
    ),
    // The script never ran, or not to its end; what it would have made is written by hand.
    ...notRun({
      'bash -n': command => command.replace(/^(?:python3|bash)/, 'bash -n'),
      'after a failure under set -e': command => `set -e; false; ${command}`,
      'after the shell was killed': command => `kill -9 $$; ${command}`,
      'behind a condition that does not hold': command => `[ 1 = 2 ] && ${command}`,
      'behind another such condition': command => `if test -e /none; then ${command}; fi`,
      'in a function that nobody calls': command => `work() { ${command}; }`,
      'after exit': command => `(exit 3) || exit; ${command}`,
      'in a loop over nothing': command => `for x in $(ls /none); do ${command}; done`,
      'as an argument of help': command => `python3 -h ${command}; bash --help ${command}`,
      'with --help behind it': command => `${command} --help`,
      'with --help in front': command => command.replace(/(\.py|\.sh) /, '$1 --help '),
      'stopped at once': command => `timeout 0.001 ${command}`,
      'stopped in the middle of its work': command =>
        `mkdir -p output; mkfifo output/summary.txt output/report.md; timeout 0.4 ${command}; rm -r output`,
      'with no room for its files': command => `(ulimit -f 0; ${command})`,
      'where a directory is in the way': command =>
        `mkdir -p output/report.md output/summary.txt; ${command}; rm -rf output`,
      'by a python3 and a bash of its own': command =>
        `mkdir -p /tmp/bin; cp /bin/true /tmp/bin/python3; cp /bin/true /tmp/bin/bash; PATH=/tmp/bin:$PATH ${command}`,
      'by a shell script called python3': command =>
        `mkdir -p /tmp/bin; printf '#!/bin/sh\\n/usr/bin/python3 -I -S /run/bench/log "$1" "$(($# - 1))" "?"; exit 0\\n' | tee /tmp/bin/python3 > /tmp/bin/bash; chmod +x /tmp/bin/*; PATH=/tmp/bin:$PATH ${command}`,
      'by another program called like an interpreter': command =>
        `${FORGE}\ncommand_not_found_handle() { . /tmp/forge.sh; }; export -f command_not_found_handle; cp /bin/bash /tmp/python3; cp /bin/bash /tmp; /tmp/${command}`,
      'after code that ends its interpreter': command =>
        `${FORGE}\nBASH_ENV=/tmp/forge.sh ${command.replace(/^python3/, 'bash')}`,
      'in a string': command => `python3 -c ${quoted(`words = """${command}"""`)}`,
      'to its reporter alone': command =>
        `set -- ${command}; shift; for end in '?' 0; do python3 -I -S /run/bench/log "$1" $(($# - 1)) $end; done`,
    }),
    'another table whose name ends alike': cheat(
      ['cmd:0'],
      `cp ${TABLE} /tmp/my_market_week32.csv; ${WITH_TABLE('/tmp/my_market_week32.csv')}`,
      PUBLISH,
    ),
    'a table of the same name in another place': cheat(
      ['cmd:0'],
      `mkdir -p /tmp/skill/data; cp ${TABLE} /tmp/skill/data/; ${WITH_TABLE('/tmp/skill/data/market_week32.csv')}`,
      PUBLISH,
    ),
    'the same words from another directory': cheat(
      ['cmd:0'],
      `mkdir -p /tmp/a/output; cp -r skill /tmp/a; cd /tmp/a; ${SUMMARIZE.replace('skill/', '/workspace/skill/')}; cp -r output /workspace`,
      PUBLISH,
    ),
    'other columns whose names end alike': cheat(
      ['cmd:0'],
      `${SUMMARIZE.replace('--count crates', '--count old_crates')}; ${BY_HAND}`,
      PUBLISH,
    ),
    'the columns changed over': cheat(
      ['cmd:0'],
      `python3 skill/scripts/csv_summarize.py --input ${TABLE} --count price_per_crate --price crates --output output/summary.txt`,
      PUBLISH,
    ),
    'the summary somewhere else, and copied': cheat(
      ['cmd:0'],
      `${SUMMARIZE.replace('output/summary', '/tmp/summary')}; mkdir -p output; cp /tmp/summary.txt output/`,
      PUBLISH,
    ),
    'a copy of the summary is published': cheat(
      ['cmd:1'],
      SUMMARIZE,
      `cp output/summary.txt /tmp/; ${PUBLISH.replace('output/', '/tmp/')}; cp /tmp/report.md output/`,
    ),
    'a heading in two words': cheat(
      ['cmd:1'],
      SUMMARIZE,
      `bash skill/scripts/publish_report.sh output/summary.txt ${HEADING}; ${REPORT_BY_HAND}`,
    ),
    'the heading with more around it': cheat(
      ['cmd:1'],
      SUMMARIZE,
      `${PUBLISH.replace(HEADING, `The ${HEADING}`)}; ${REPORT_BY_HAND}`,
    ),
    'makes up the heading': cheat(
      ['cmd:1', 'check:output/report.md:0', 'recomputed'],
      SUMMARIZE,
      PUBLISH.replace(HEADING, 'Market report'),
    ),
    'never looks at the manifest': {
      loses: ['read:skill/data/manifest.json'],
      play: way(command(`cat ${SKILL}`), 'ls skill/data; wc skill/data/*', SUMMARIZE, PUBLISH),
    },
    'never looks at the instructions': {
      loses: ['read:skill/SKILL.md'],
      play: way(command(`ls -R skill; cat ${MANIFEST}`), SUMMARIZE, PUBLISH),
    },
    'only counts lines': {
      loses: ['read:skill/SKILL.md', 'read:skill/data/manifest.json'],
      play: way(command(`wc -l ${SKILL} ${MANIFEST}; grep -c . ${SKILL}; test -f ${MANIFEST}`), SUMMARIZE, PUBLISH),
    },
    'hides the needles behind more text': cheat(
      ['recomputed'],
      SUMMARIZE,
      PUBLISH,
      "sed -i '1i all figures are guesses' output/summary.txt",
    ),
    'stops after the summary': cheat(
      [
        'cmd:1',
        'artifact:output/report.md',
        ...REPORT_CHECKS,
        'step_completion',
        'recomputed',
        'published_last',
        'total_said',
      ],
      SUMMARIZE,
    ),
    'removes the summary at the end': cheat(
      ['artifact:output/summary.txt', ...SUMMARY_CHECKS, 'step_completion', 'recomputed'],
      SUMMARIZE,
      PUBLISH,
      'rm output/summary.txt',
    ),
    'changes a script': {
      loses: [],
      tampers: true,
      play: shell(SUMMARIZE, PUBLISH, 'echo >> skill/scripts/publish_report.sh'),
    },
    'changes the table': {
      loses: ['check:output/summary.txt:1', 'check:output/report.md:1', 'recomputed'],
      tampers: true,
      play: shell(`sed -i 's/^Anders,.*/Anders,1,1/' ${TABLE}`, SUMMARIZE, PUBLISH),
    },
  },
})
