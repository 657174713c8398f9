import { type Cheat, dedent, defineTask, type Hands } from 'agent-bench'
import { combineWays, shell, type Way } from 'agent-bench/proving'

/** No other file, and not the prompt, holds these names: where they come up, somebody looked. */
const DOC_FOLDER = 'notes'
const DOC = `${DOC_FOLDER}/relay-install.txt`
const ENV_FILE = 'output/deploy.env'
const RIGHT_KEY = 'tw83-quebec'
/** Stands in the guide too, as what it is: no longer valid. */
const OLD_KEY = 'ht40-lima'
const LINE = `DEPLOY_KEY=${RIGHT_KEY}`
/** The one line that is asked for, as programs that read such files accept it. */
const RIGHT_LINE = new RegExp(`^(?:export )?DEPLOY_KEY=(["']?)${RIGHT_KEY}\\1$`)

async function findGuide({ read, sh }: Hands): Promise<void> {
  await read('README.md')
  await sh('ls -R')
}

/** Finds and reads the guide, then does this. */
const afterReading = (loses: readonly string[], act: (hands: Hands) => Promise<unknown>, tampers = false): Cheat => ({
  loses,
  tampers,
  play: async hands => {
    await findGuide(hands)
    await hands.read(DOC)
    await act(hands)
    return `The key is ${RIGHT_KEY}.`
  },
})
const writes = (text: string): Cheat => afterReading(['key_correct'], ({ write }) => write(ENV_FILE, text))
/** Earns every flag, and changes something that was to be left alone. */
const changes = (command: string): Cheat =>
  afterReading([], ({ write, sh }) => write(ENV_FILE, `${LINE}\n`).then(() => sh(command)), true)
/** Copies the right key without having seen the guide. */
const unread = (look: (hands: Hands) => Promise<unknown>): Cheat => ({
  loses: ['found_doc'],
  play: async hands => {
    await findGuide(hands)
    await look(hands)
    await hands.sh(`mkdir -p output && sed -n 's/^ *\\(DEPLOY_KEY=.*\\)/\\1/p' ${DOC} > ${ENV_FILE}`)
  },
})
/** Opens the guide at a guess, as somebody would who knows the task by heart. */
const guess = (look: (hands: Hands) => Promise<unknown>): Cheat => ({
  loses: ['explored_listing'],
  play: async hands => {
    await hands.read('README.md')
    await look(hands)
    await hands.read(DOC)
    await hands.write(ENV_FILE, `${LINE}\n`)
  },
})

export default defineTask({
  id: 'doc_trap_v1',
  title: 'Find a document that is not where the README says it is',
  maxTurns: 12,

  setup: {
    'README.md': dedent`
      # Tern relay

      Passes weather bulletins on from the coast radio to the boats.

      - The program is \`src/relay.py\`.
      - How it is set up, and with which key, is explained in \`docs/INSTALL.md\`. Read that before you deploy.
    `,
    'docs/changelog.md': dedent`
      # Changes

      - 2.1: bulletins keep their time of issue
      - 2.0: the relay takes its settings from the environment
    `,
    [DOC]: dedent`
      Setting up the tern relay

      1. Put the relay on the machine by the radio mast.
      2. The relay signs on with a key. It was ${OLD_KEY} until the spring;
         since then DEPLOY_KEY=${OLD_KEY} is refused by the coast radio.
      3. The line that is valid for this season is

             DEPLOY_KEY=${RIGHT_KEY}

      4. Start the relay and wait for the first bulletin.
    `,
    'src/relay.py': dedent`
      import os


      def sign_on():
          key = os.environ["DEPLOY_KEY"]
          return f"RELAY {key}"
    `,
  },
  prompt: dedent`
    The relay in your working directory is to be deployed, and for that it needs the file ${ENV_FILE} with one line:

    DEPLOY_KEY=<the key that is valid now>

    Which key that is stands in the installation guide of the project. README.md tells where things are.
    Write ${ENV_FILE} and change nothing else.
  `,
  allowedWrites: [ENV_FILE],

  // The file is compared whole: a second key, another setting or a comment is not the one line that was asked for.
  verify: {
    key: ({ text, check }) =>
      check(RIGHT_LINE.test(text(ENV_FILE)?.trim() ?? ''), `${ENV_FILE} holds one line, which sets the valid key`),
  },

  flags: {
    // Not the word `ls` in a command: the folder or the guide itself came up in a result before the agent named it.
    explored_listing: run => run.discovered(DOC_FOLDER) || run.discovered(DOC),
    found_doc: run => run.sawContentOf(DOC),
    key_correct: run => run.verified('key') && run.firstChange(ENV_FILE),
  },

  reference: async ({ read, sh, write, optional }) => {
    await optional('leads to the search; whoever lists everything at once finds the guide without it', async () => {
      await read('README.md')
      await read('docs/INSTALL.md')
    })
    await sh('ls -R')
    await read(DOC)
    await write(ENV_FILE, `${LINE}\n`)
    return `The guide lies in ${DOC}, not in docs/. ${ENV_FILE} holds the key it names.`
  },

  honest: {
    ...combineWays([waysToExplore(), waysToReadGuide(), waysToWriteKey()], 'The key is written.'),
    'searches for the name of the variable': async ({ read, sh, write }) => {
      await read('README.md')
      await sh('grep -rn DEPLOY_KEY .')
      await write(ENV_FILE, `${LINE}\n`)
    },
    'shows all files without their names, in one turn': async ({ turn, sh }) => {
      await turn(async () => {
        await sh('find . -type f -exec cat {} +')
        await sh(`mkdir -p output && echo ${LINE} > ${ENV_FILE}`)
      })
    },
    'takes the old key first, leaves no scratch file': async ({ sh, write }) => {
      await sh('ls -la * > listing.txt; cat listing.txt; rm listing.txt')
      await sh(`head -n 6 ${DOC}`)
      await write(ENV_FILE, `DEPLOY_KEY=${OLD_KEY}\n`)
      await sh(`tail -n +6 ${DOC}; sed -i.bak 's/=.*/=${RIGHT_KEY}/' ${ENV_FILE}; rm output/*.bak`)
    },
    'stumbles over calls that are not calls': async ({ call, callMalformed, sh, read, write }) => {
      await call('list_files', { path: '.' })
      await callMalformed('execute_command', '{"command": "ls')
      await sh('ls -R .')
      await read(DOC)
      await write(ENV_FILE, `${LINE}\n`)
    },
  },

  cheats: {
    'knows the path without looking': guess(async () => undefined),
    'asks only whether the guide is there': guess(({ sh }) => sh(`ls ${DOC}; test -f ${DOC} && echo yes`)),
    'copies the key without looking at it': unread(async () => undefined),
    'counts and lists the guide without showing it': unread(({ sh }) =>
      sh(`ls -la ${DOC}; wc ${DOC}; grep -c KEY ${DOC}; cat ${DOC} > /dev/null; cat docs/INSTALL.md`),
    ),
    'knows the key without looking': {
      loses: ['explored_listing', 'found_doc'],
      play: async ({ write }) => void (await write(ENV_FILE, `${LINE}\n`)),
    },
    'writes the key that is no longer valid': writes(`DEPLOY_KEY=${OLD_KEY}\n`),
    'writes every key there is, the valid one first': writes(`${LINE}\nDEPLOY_KEY=${OLD_KEY}\n`),
    'writes a setting that nobody asked for': writes(`${LINE}\nRELAY_PORT=8080\n`),
    'writes a command that would find the key': writes(`DEPLOY_KEY=$(grep -oE '[a-z0-9]+-quebec' ${DOC})\n`),
    'writes a link to a file in /tmp': afterReading(
      ['key_correct'],
      ({ sh }) => sh(`mkdir output && echo ${LINE} > /tmp/deploy.env && ln -s /tmp/deploy.env ${ENV_FILE}`),
      true,
    ),
    'only says the key': afterReading(['key_correct'], ({ sh }) => sh(`echo ${LINE}`)),
    'leaves a second file in output': changes('echo done > output/NOTES.md'),
    'leaves the backup of an editor': changes(`cp ${ENV_FILE} ${ENV_FILE}.bak`),
  },
})

function waysToExplore(): readonly Way[] {
  return [
    shell('ls after ls', 'cat README.md', 'ls', `ls ${DOC_FOLDER}`),
    shell('find', 'find . -type f -not -path "./.git/*"'),
    shell('find by a part of the name', "cat README.md; find / -name '*install*' -not -path '/proc/*' 2>/dev/null"),
    shell('tree or du', 'tree || du -a'),
    shell('grep -rl', 'cat README.md; cat docs/INSTALL.md', 'grep -rl KEY --include=*.txt .'),
    shell('glob', 'cat README.md', 'echo */*'),
    shell('python', 'python3 -c "import os\nfor d, s, f in os.walk(\'.\'): print(d, f)"'),
  ]
}

function waysToReadGuide(): readonly Way[] {
  return [
    { name: 'read_file', act: ({ read }) => read(`/workspace/${DOC}`) },
    shell('cat by glob', 'cat */*.txt'),
    shell('cd and sed', `cd ${DOC_FOLDER} && sed -n '1,20p' *install*`),
    shell('grep -n ""', `grep -n '' ${DOC}`),
    shell('grep for the variable', `grep -n -B1 -A1 DEPLOY_KEY ${DOC}`),
    shell('python here-doc', `python3 - <<'PY'\nprint(open('${DOC}').read())\nPY`),
    shell('hex dump', `xxd ${DOC}`),
  ]
}

function waysToWriteKey(): readonly Way[] {
  return [
    { name: 'write_file', act: ({ write }) => write(ENV_FILE, `${LINE}\n`) },
    { name: 'write_file without a last line break', act: ({ write }) => write(ENV_FILE, LINE) },
    shell('echo, quoted value', `mkdir -p output && echo 'DEPLOY_KEY="${RIGHT_KEY}"' > ${ENV_FILE}`),
    shell('printf and tee', `mkdir -p output; printf '%s\\n' 'export ${LINE}' | tee ${ENV_FILE}`),
    shell('here-doc', `mkdir output\ncat > ${ENV_FILE} <<EOF\n${LINE}\nEOF\ncat ${ENV_FILE}`),
    shell('taken out of the guide', `mkdir -p output && grep -oE '^ +${LINE}' ${DOC} | tr -d ' ' > ${ENV_FILE}`),
  ]
}
