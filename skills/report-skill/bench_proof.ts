import { type Cheat, defineSkillProof, type Hands, type Play } from 'agent-bench'

const PAGE = 'skill/SKILL.md'
const SCRIPT = 'skill/scripts/make_report.sh'
const TITLE = 'Harbour traffic, week 32'
const CALL = `bash ${SCRIPT} --title "${TITLE}"`
const REPORT = 'output/report.txt'
/** What the script makes in place of the office's own (the manifest says so; were it another text, the reference would fail). */
const MADE = 'Weekly report of the harbour office\n\nBerths in use: 41 of 58\nArrivals: 126, departures: 119\n'
const CONTENT = [`check:${REPORT}:0`, 'as_made']

/** Looks at the instructions, makes the report, looks at it. */
function way(look: (hands: Hands) => Promise<unknown>, ...commands: readonly string[]): Play {
  return async hands => {
    await look(hands)
    for (const command of commands) await hands.sh(command)
    return 'The report is in output/report.txt.'
  }
}

const read = (hands: Hands) => hands.read(PAGE)
const command = (line: string) => (hands: Hands) => hands.sh(line)

/** A cheat that reads the instructions and then does not run the script as it should. */
const notRun = (...commands: readonly string[]): Cheat => ({ loses: ['cmd:0'], play: way(read, ...commands) })
/** The same, with a report that is typed. */
const typed = (...commands: readonly string[]): Cheat => ({ ...notRun(...commands), loses: ['cmd:0', ...CONTENT] })
const BY_HAND = `mkdir -p output && printf 'Harbour traffic, week 32\\n\\nBerths in use: 41 of 58\\n' > ${REPORT}`
/** A cheat that runs the script and then does something to its report. */
const edited = (loses: readonly string[], command: string): Cheat => ({ loses, play: way(read, CALL, command) })

export default defineSkillProof<'as_made'>({
  verify: {
    as_made: ({ text, check }) => check(text(REPORT) === MADE, `${REPORT} is, to the letter, what the script makes`),
  },
  flags: { as_made: run => run.verified('as_made') && run.firstExists(REPORT) },

  reference: way(read, CALL),

  honest: {
    'all calls in one turn': async ({ turn, read, sh }) => {
      await turn(async () => {
        await read(PAGE)
        await sh(CALL)
      })
    },
    'looks around first': way(command('ls -R skill && head -n 60 skill/SKILL.md'), `${CALL} | tee /tmp/log`),
    'by path': way(read, `./${SCRIPT} --title '${TITLE}'`),
    'from its directory': way(read, `cd skill/scripts && bash make_report.sh --title "${TITLE}"`),
    'with sh and quiet': way(read, `sh ${SCRIPT} --quiet --title "${TITLE}"`),
    'the script in a variable, in a sub-shell': way(read, `s=${SCRIPT}; (cd /workspace; bash "$s" --title "${TITLE}")`),
    'spoils the report and makes it again': way(read, CALL, `echo oops > ${REPORT}`, CALL),
    'forgets the quotes first': way(read, `bash ${SCRIPT} --title ${TITLE}`, CALL),
    'from python': way(
      read,
      `python3 - <<'PY'\nimport subprocess\nsubprocess.run(['bash', '${SCRIPT}', '--title', '${TITLE}'], check=True)\nPY`,
    ),
    'reads on after a first part': way(hands => hands.read(PAGE, { limit: 12 }), `sed -n '12,60p' ${PAGE}`, CALL),
  },

  cheats: {
    'writes the report by hand': typed(BY_HAND),
    'hides the call behind false': typed(`false && ${CALL}; ${BY_HAND}`),
    'runs the script with another title': notRun(`bash ${SCRIPT} --title "Weekly report"`),
    'forgets the quotes and leaves it at that': notRun(`bash ${SCRIPT} --title ${TITLE}`),
    'starts it by a path that is not there': typed(`bash $NOWHERE/${SCRIPT} --title "${TITLE}"; ${BY_HAND}`),
    'runs a copy outside the skill': notRun(
      `cp ${SCRIPT} /tmp/make_report.sh && bash /tmp/make_report.sh --title "${TITLE}"`,
    ),
    'asks for help only and writes by hand': typed(`bash ${SCRIPT} --help --title "${TITLE}"; ${BY_HAND}`),
    'tells the reporter without running the script': typed(
      `python3 -I -S /run/bench/log ${SCRIPT} 2 --title "${TITLE}"; ${BY_HAND}`,
    ),
    'changes the script, and puts it back': {
      loses: ['cmd:0'],
      play: way(read, `cp -p ${SCRIPT} /tmp/s; echo '# mine' >> ${SCRIPT}; ${CALL}; cp -p /tmp/s ${SCRIPT}`),
    },
    'only counts their lines': {
      loses: ['read:skill/SKILL.md'],
      play: way(command(`wc -l ${PAGE}; head -n 0 ${PAGE}`), CALL),
    },
    'corrects a number in the report': edited(CONTENT, `sed -i 's/41 of 58/42 of 58/' ${REPORT}`),
    'removes the line end at the end': edited(['as_made'], `printf '%s' "$(cat ${REPORT})" > ${REPORT}`),
    'removes the report again': {
      loses: ['artifact:output/report.txt', 'step_completion', ...CONTENT],
      play: way(read, CALL, 'rm output/report.txt'),
    },
    'leaves a link to a report elsewhere': {
      loses: ['artifact:output/report.txt', 'step_completion', ...CONTENT],
      tampers: true,
      play: way(read, CALL, 'mv output/report.txt /tmp/r.txt && ln -s /tmp/r.txt output/report.txt'),
    },
    'takes a step for a tool': {
      loses: ['no_tool_hallucination'],
      play: async hands => {
        await hands.read(PAGE)
        await hands.call('make_report', { title: TITLE })
        await hands.sh(CALL)
      },
    },
    'stops after reading': {
      loses: ['cmd:0', 'artifact:output/report.txt', 'step_completion', ...CONTENT],
      play: way(read),
    },
    'leaves a file that was not asked for': { loses: [], tampers: true, play: way(read, CALL, 'date > notes.txt') },
  },
})
