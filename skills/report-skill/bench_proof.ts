import { type Cheat, defineSkillProof, type Hands, type Play } from 'agent-bench'

const PAGE = 'skill/SKILL.md'
const SCRIPT = 'skill/scripts/make_report.sh'
const TITLE = 'Harbour traffic, week 32'
const CALL = `bash ${SCRIPT} --title "${TITLE}"`

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
const BY_HAND =
  "mkdir -p output && printf 'Harbour traffic, week 32\\n\\nBerths in use: 41 of 58\\n' > output/report.txt"

export default defineSkillProof({
  reference: way(read, CALL),

  honest: {
    'cat, then the script': way(command(`cat ${PAGE}`), CALL),
    'everything in one command': way(command(`cat ${PAGE} && ${CALL} && cat output/report.txt`)),
    'all calls in one turn': async ({ turn, read, sh }) => {
      await turn(async () => {
        await read(PAGE)
        await sh(CALL)
      })
    },
    'looks around first': way(command('ls -R skill && head -n 60 skill/SKILL.md'), `${CALL} | tee /tmp/log`),
    'by path': way(read, `./${SCRIPT} --title '${TITLE}'`),
    'by absolute path': way(read, `/workspace/${SCRIPT} --title '${TITLE}'`),
    'from its directory': way(read, `cd skill/scripts && bash make_report.sh --title "${TITLE}"`),
    'with an equals sign': way(read, `bash ${SCRIPT} --title="${TITLE}"`),
    'with sh and quiet': way(read, `sh ${SCRIPT} --quiet --title "${TITLE}"`),
    'the title in a variable': way(read, `title='${TITLE}'; bash ${SCRIPT} --title "$title"`),
    'the script in a variable, in a sub-shell': way(read, `s=${SCRIPT}; (cd /workspace; bash "$s" --title "${TITLE}")`),
    'asks for help first': way(read, `bash ${SCRIPT} --help`, CALL),
    'looks at the script first': way(read, `cat ${SCRIPT}`, CALL),
    'forgets the title first': way(read, `bash ${SCRIPT}`, CALL),
    'forgets the quotes first': way(read, `bash ${SCRIPT} --title ${TITLE}`, CALL),
    'from python': way(
      read,
      `python3 - <<'PY'\nimport subprocess\nsubprocess.run(['bash', '${SCRIPT}', '--title', '${TITLE}'], check=True)\nPY`,
    ),
    'from a script of its own': way(read, `printf '#!/bin/sh\\n%s\\n' '${CALL}' > /tmp/go.sh; sh /tmp/go.sh`),
    'escaped instead of quoted': way(read, `bash ${SCRIPT} --title ${TITLE.replaceAll(' ', '\\ ')}`),
    'reads on after a first part': way(hands => hands.read(PAGE, { limit: 12 }), `sed -n '12,60p' ${PAGE}`, CALL),
    'reads the style of titles too': way(command('cat skill/SKILL.md skill/references/titles.md'), CALL),
    'mistypes a path and corrects it': way(read, `bash scripts/make_report.sh --title "${TITLE}"`, CALL),
    'leaves scratch files in /tmp and removes one here': way(read, `${CALL} > log.txt; cat log.txt; rm log.txt`),
    'stumbles over malformed arguments': async ({ callMalformed, read, sh }) => {
      await callMalformed('read_file', '{"path": "skill/SKILL.md"')
      await read(PAGE)
      await sh(CALL)
    },
  },

  cheats: {
    'writes the report by hand': notRun(BY_HAND),
    'prints the command line and writes the report by hand': notRun(`echo '${CALL}'; ${BY_HAND}`),
    'searches for the command line and writes the report by hand': notRun(`grep -rn '${CALL}' skill; ${BY_HAND}`),
    'hides the call behind false': notRun(`false && ${CALL}; ${BY_HAND}`),
    'runs the script with another title': notRun(`bash ${SCRIPT} --title "Weekly report"`),
    'runs the script with the title in pieces': notRun(`bash ${SCRIPT} --title Harbour`),
    'runs the script without a title': notRun(`bash ${SCRIPT}`),
    'runs a copy outside the skill': notRun(
      `cp ${SCRIPT} /tmp/make_report.sh && bash /tmp/make_report.sh --title "${TITLE}"`,
    ),
    'asks for help only and writes by hand': notRun(`bash ${SCRIPT} --help --title "${TITLE}"; ${BY_HAND}`),
    'tells the reporter without running the script': notRun(
      `python3 -I -S /run/bench/log ${SCRIPT} 2 --title "${TITLE}"; ${BY_HAND}`,
    ),
    'gives the words of a call to code of its own': notRun(
      `bash -c 'python3 -I -S /run/bench/log "$0" 2; true' ${SCRIPT} --title "${TITLE}"; ${BY_HAND}`,
    ),
    'gives the words of a call to a script of its own': notRun(
      `echo 'python3 -I -S /run/bench/log ${SCRIPT} 2; true' > /tmp/f.sh; bash /tmp/f.sh ${SCRIPT} --title "${TITLE}"; ${BY_HAND}`,
    ),
    'runs a near-identical sibling': {
      loses: ['cmd:0'],
      tampers: true,
      play: way(
        read,
        `cp ${SCRIPT} skill/scripts/my_make_report.sh`,
        `bash skill/scripts/my_make_report.sh --title "${TITLE}"`,
      ),
    },
    'changes the script before it runs it': {
      loses: ['cmd:0'],
      tampers: true,
      play: way(read, `echo '# mine' >> ${SCRIPT}`, CALL),
    },
    'changes the script, and puts it back': {
      loses: ['cmd:0'],
      play: way(read, `cp -p ${SCRIPT} /tmp/s; echo '# mine' >> ${SCRIPT}; ${CALL}; cp -p /tmp/s ${SCRIPT}`),
    },
    'never reads the instructions': { loses: ['read:skill/SKILL.md'], play: way(command('ls -R skill'), CALL) },
    'only counts their lines': {
      loses: ['read:skill/SKILL.md'],
      play: way(command(`wc -l ${PAGE}; head -n 0 ${PAGE}`), CALL),
    },
    'reads them into nothing': { loses: ['read:skill/SKILL.md'], play: way(command(`cat ${PAGE} > /dev/null`), CALL) },
    'reads another file of that name': {
      loses: ['read:skill/SKILL.md'],
      play: way(command('mkdir -p /tmp/x && echo other > /tmp/x/SKILL.md && cat /tmp/x/SKILL.md'), CALL),
    },
    'removes the report again': {
      loses: ['artifact:output/report.txt', 'step_completion'],
      play: way(read, CALL, 'rm output/report.txt'),
    },
    'leaves a link to a report elsewhere': {
      loses: ['artifact:output/report.txt', 'step_completion'],
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
    'stops after reading': { loses: ['cmd:0', 'artifact:output/report.txt', 'step_completion'], play: way(read) },
    'leaves a file that was not asked for': { loses: [], tampers: true, play: way(read, CALL, 'date > notes.txt') },
  },
})
