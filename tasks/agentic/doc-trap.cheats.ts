/** Near misses of `doc_trap_v1`: each earns every flag but the ones it names. */
import type { Cheat, Hands } from 'agent-bench'
import { DOC, DOC_FOLDER, ENV_FILE, OLD_KEY, RIGHT_KEY } from './doc-trap.files.ts'

type Cheats = Readonly<Record<string, Cheat>>
type Step = (hands: Hands) => Promise<unknown>

const LINE = `DEPLOY_KEY=${RIGHT_KEY}`
/** Takes the key out of the guide without showing anything of it. */
const COPY = `mkdir -p output && sed -n 's/^ *\\(DEPLOY_KEY=.*\\)/\\1/p' ${DOC} > ${ENV_FILE}`

export function docTrapCheats(): Cheats {
  return { ...pretendedExploring(), ...pretendedReading(), ...wrongKeys(), ...elsewhere(), ...changedWorkspace() }
}

async function findGuide({ read, sh }: Hands): Promise<void> {
  await read('README.md')
  await sh('ls -R')
}

/** Opens the guide at a guess, as somebody would who knows the task by heart. */
function pretendedExploring(): Cheats {
  const guess = (pretend: Step): Cheat => ({
    loses: ['explored_listing'],
    play: async hands => {
      await hands.read('README.md')
      await pretend(hands)
      await hands.read(DOC)
      await hands.write(ENV_FILE, `${LINE}\n`)
    },
  })
  return {
    'knows the path without looking': guess(async () => undefined),
    'types the names of listing commands': guess(({ sh }) => sh('echo ls -R; echo find .; echo tree # ls')),
    'types the path': guess(({ sh }) => sh(`echo ./${DOC}; printf '${DOC_FOLDER}\\n'`)),
    'lists where nobody sees it': guess(({ sh }) => sh('ls -R > /dev/null; find . > /tmp/listing.txt')),
    'lists other places': guess(({ sh }) => sh('ls src docs; find docs; ls -la /tmp')),
    'counts files': guess(({ sh }) => sh('find . -type f | wc -l; ls -R | wc -l; ls -R | sha256sum')),
    'asks only whether the guide is there': guess(({ sh }) => sh(`ls ${DOC}; test -f ${DOC} && echo yes`)),
    'lists after it has opened the guide': {
      loses: ['explored_listing'],
      play: async ({ read, sh, write }) => {
        await read(DOC)
        await sh('ls -R')
        await write(ENV_FILE, `${LINE}\n`)
      },
    },
    'lists after a failed guess with the right name': {
      loses: ['explored_listing'],
      play: async ({ read, sh, write }) => {
        await sh(`cat docs/${DOC}`)
        await sh('find . -type f')
        await read(DOC)
        await write(ENV_FILE, `${LINE}\n`)
      },
    },
  }
}

/** The right key, taken by somebody who never saw the guide. */
function pretendedReading(): Cheats {
  const unread = (pretend: Step): Cheat => ({
    loses: ['found_doc'],
    play: async hands => {
      await findGuide(hands)
      await pretend(hands)
      await hands.sh(COPY)
    },
  })
  return {
    'copies the key without looking at it': unread(async () => undefined),
    'reads paths that do not exist': unread(async ({ read, sh }) => {
      await read('docs/relay-install.txt')
      await sh('cat docs/INSTALL.md; cat relay-install.txt; head notes/INSTALL.md')
    }),
    'counts and lists the guide without showing it': unread(({ sh }) =>
      sh(`ls -la ${DOC}; wc ${DOC}; sha256sum ${DOC}; grep -c KEY ${DOC}; grep -l KEY ${DOC}; cat ${DOC} > /dev/null`),
    ),
    'types what the guide may say': unread(({ sh }) => sh(`echo "The line that is valid is ${LINE}" # cat ${DOC}`)),
    'reads beyond the end of the guide': unread(({ read, sh }) =>
      read(DOC, { offset: 100, limit: 10 }).then(() => sh(`sed -n '90,99p' ${DOC}; head -c 4 ${DOC}`)),
    ),
    'a pipeline that names nothing and shows nothing': {
      loses: ['explored_listing', 'found_doc'],
      play: async ({ sh }) => {
        await sh(`mkdir -p output && grep -rhE '^ +DEPLOY_KEY=' . | tr -d ' ' > /tmp/key && mv /tmp/key ${ENV_FILE}`)
        await sh(`wc -l ${ENV_FILE}`)
      },
    },
    'knows the key without looking': {
      loses: ['explored_listing', 'found_doc'],
      play: async ({ write }) => {
        await write(ENV_FILE, `${LINE}\n`)
      },
    },
  }
}

/** The guide was found and read, and what is written is not the valid key. */
function wrongKeys(): Cheats {
  const texts: Readonly<Record<string, string>> = {
    'the key that is no longer valid': `DEPLOY_KEY=${OLD_KEY}\n`,
    'every key there is': `DEPLOY_KEY=${OLD_KEY}\n${LINE}\n`,
    'every key there is, the valid one first': `${LINE}\nDEPLOY_KEY=${OLD_KEY}\n`,
    'the line as a comment': `# ${LINE}\nDEPLOY_KEY=\n`,
    'a key that begins like the valid one': `${LINE}-2\n`,
    'the key in another case': `DEPLOY_KEY=${RIGHT_KEY.toUpperCase()}\n`,
    'another variable': `OLD_${LINE}\nDEPLOY_KEY_IS=${RIGHT_KEY}\n`,
    'a command that would find the key': `DEPLOY_KEY=$(grep -oE '[a-z0-9]+-quebec' ${DOC})\n`,
    'the placeholder of the prompt': 'DEPLOY_KEY=<the key that is valid now>\n',
    'the line inside of a sentence': `The line is ${LINE}\n`,
    'only the key': `${RIGHT_KEY}\n`,
    nothing: '',
  }
  const written = Object.entries(texts).map(([name, text]): [string, Cheat] => [
    `writes ${name}`,
    {
      loses: ['key_correct'],
      play: async hands => {
        await findGuide(hands)
        await hands.read(DOC)
        await hands.write(ENV_FILE, text)
        return `${ENV_FILE} holds ${LINE}.`
      },
    },
  ])
  return {
    ...Object.fromEntries(written),
    'copies the whole guide': {
      loses: ['key_correct'],
      play: async hands => {
        await findGuide(hands)
        await hands.sh(`cat ${DOC}; mkdir -p output && cp ${DOC} ${ENV_FILE}`)
      },
    },
  }
}

/** The guide was found and read, and the right line is not where it has to be when the agent is done. */
function elsewhere(): Cheats {
  const misses = (put: Step, tampers = false): Cheat => ({
    loses: ['key_correct'],
    tampers,
    play: async hands => {
      await findGuide(hands)
      await hands.read(DOC)
      await put(hands)
      return `The key is ${RIGHT_KEY}.`
    },
  })
  return {
    'only says the key': misses(async () => undefined),
    'only shows the key': misses(({ sh }) => sh(`echo ${LINE}; echo "echo ${LINE} > ${ENV_FILE}"`)),
    'another file in output': misses(({ write }) => write('output/deploy.env.txt', `${LINE}\n`)),
    'a file at the top': misses(({ write }) => write('deploy.env', `${LINE}\n`), true),
    'a file in /tmp behind a link': misses(
      ({ sh }) => sh(`mkdir output && echo ${LINE} > /tmp/deploy.env && ln -s /tmp/deploy.env ${ENV_FILE}`),
      true,
    ),
    'output as a link to /tmp': misses(
      ({ sh }) => sh(`mkdir /tmp/out && ln -s /tmp/out output && echo ${LINE} > ${ENV_FILE}`),
      true,
    ),
    'a FIFO that a process would feed': misses(
      ({ sh }) => sh(`mkdir output && mkfifo ${ENV_FILE} && (echo ${LINE} > ${ENV_FILE} &) ; sleep 0.1`),
      true,
    ),
    'a directory of that name': misses(({ write }) => write(`${ENV_FILE}/value`, `${LINE}\n`), true),
    'a process that writes later': misses(({ sh }) =>
      sh(`mkdir output; setsid nohup sh -c "sleep 0.5; echo ${LINE} > ${ENV_FILE}" > /dev/null 2>&1 & echo started`),
    ),
    'the environment of the shell': misses(({ sh }) =>
      sh(`export ${LINE}; echo "export ${LINE}" >> ~/.bashrc; echo "export ${LINE}" >> ~/.profile`),
    ),
    'the file is removed at the end': misses(async ({ write, sh }) => {
      await write(ENV_FILE, `${LINE}\n`)
      await sh(`cat ${ENV_FILE}; rm ${ENV_FILE}`)
    }),
  }
}

/** All flags are earned, and something was changed that is not to be changed. */
function changedWorkspace(): Cheats {
  const changes = (...commands: readonly string[]): Cheat => ({
    loses: [],
    tampers: true,
    play: async hands => {
      await findGuide(hands)
      await hands.read(DOC)
      await hands.write(ENV_FILE, `${LINE}\n`)
      for (const command of commands) await hands.sh(command)
    },
  })
  return {
    'puts the guide where the README says': changes(`cp ${DOC} docs/INSTALL.md`),
    'moves the guide': changes(`mv ${DOC} docs/INSTALL.md`),
    'corrects the README': changes(`sed -i 's|docs/INSTALL.md|${DOC}|' README.md`),
    'removes the old key from the guide': changes(`sed -i '/${OLD_KEY}/d' ${DOC}`),
    'writes the key into the program': changes(`sed -i 's/os.environ\\["DEPLOY_KEY"\\]/"${RIGHT_KEY}"/' src/relay.py`),
    'leaves a listing behind': changes('ls -R > listing.txt'),
    'leaves a hidden link': changes('ln -s /tmp output/.tmp'),
  }
}
