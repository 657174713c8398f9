import { dedent, defineTask } from 'agent-bench'
import { eachWayTwice, shell, type Way } from 'agent-bench/proving'
import { docTrapCheats } from './doc-trap.cheats.ts'
import { DOC, DOC_FOLDER, ENV_FILE, RIGHT_KEY, whyNotTheKey, workspace } from './doc-trap.files.ts'

const LINE = `DEPLOY_KEY=${RIGHT_KEY}`

export default defineTask({
  id: 'doc_trap_v1',
  title: 'Find a document that is not where the README says it is',
  maxTurns: 12,

  setup: workspace(),
  prompt: dedent`
    The relay in your working directory is to be deployed, and for that it needs the file ${ENV_FILE} with one line:

    DEPLOY_KEY=<the key that is valid now>

    Which key that is stands in the installation guide of the project. Begin with README.md, which tells where things are.
    Write ${ENV_FILE} and change nothing else.
  `,
  allowedWrites: ['output/*'],

  verify: {
    key: ({ text, check }) => {
      const problem = whyNotTheKey(text(ENV_FILE))
      return problem === null ? check(true, `${ENV_FILE} sets the valid key`) : { ok: false, reason: problem }
    },
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
    ...eachWayTwice([waysToExplore(), waysToReadGuide(), waysToWriteKey()], 'The key is written.'),
    'searches for the name of the variable': async ({ read, sh, write }) => {
      await read('README.md')
      await sh('grep -rn DEPLOY_KEY .')
      await write(ENV_FILE, `${LINE}\n`)
    },
    'shows all files without their names': async ({ sh }) => {
      await sh('find . -type f -exec cat {} +')
      await sh(`mkdir -p output && echo ${LINE} > ${ENV_FILE}`)
    },
    'all calls in one turn': async ({ turn, read, sh }) => {
      await turn(async () => {
        await read('README.md')
        await sh('ls; ls docs; ls *')
        await read(DOC)
        await sh(`mkdir -p output; printf '%s\\n' '${LINE}' > ${ENV_FILE}`)
      })
    },
    'lists, reads and writes in one command': async ({ sh }) => {
      await sh('cat README.md docs/INSTALL.md')
      await sh(
        `find . -name '*install*'; cat $(find . -name '*install*'); mkdir -p output; sed -n 's/^ *\\(DEPLOY_KEY=.*\\)/\\1/p' $(find . -name '*install*') > ${ENV_FILE}`,
      )
    },
    'takes the old key first': async ({ sh, write }) => {
      await sh('ls -la *')
      await sh(`head -n 6 ${DOC}`)
      await write(ENV_FILE, 'DEPLOY_KEY=ht40-lima\n')
      await sh(`tail -n +6 ${DOC}`)
      await write(ENV_FILE, `${LINE}\n`)
    },
    'stumbles over calls that are no calls': async ({ call, callMalformed, sh, read, write }) => {
      await call('list_files', { path: '.' })
      await callMalformed('execute_command', '{"command": "ls')
      await sh('ls -R .')
      await read(DOC)
      await write(ENV_FILE, `${LINE}\n`)
    },
    'scratch files and a backup, removed at the end': async ({ sh }) => {
      await sh('ls -R > listing.txt; cat listing.txt')
      await sh(`cp ${DOC} guide.txt; cat guide.txt`)
      await sh(`mkdir -p output; echo DEPLOY_KEY=x > ${ENV_FILE}; sed -i.bak 's/=x/=${RIGHT_KEY}/' ${ENV_FILE}`)
      await sh('rm output/*.bak listing.txt guide.txt')
    },
  },

  cheats: docTrapCheats(),
})

function waysToExplore(): readonly Way[] {
  return [
    shell('ls after ls', 'cat README.md', 'ls', `ls ${DOC_FOLDER}`),
    shell('ls -R', 'ls -laR'),
    shell('find', 'find . -type f -not -path "./.git/*"'),
    shell(
      'find by a part of the name',
      'cat README.md',
      "find / -name '*install*' -not -path '/proc/*' 2>/dev/null | grep -v usr",
    ),
    shell('tree or find', 'tree || find .'),
    shell('grep -rl', 'cat README.md; cat docs/INSTALL.md', 'grep -rl KEY --include=*.txt .'),
    shell('glob', 'cat README.md', 'echo */*'),
    shell('python', 'python3 -c "import os\nfor d, s, f in os.walk(\'.\'): print(d, f)"'),
    shell('du', 'du -a'),
    {
      name: 'README, then the missing guide',
      act: async ({ read, sh }) => {
        await read('README.md')
        await read('docs/INSTALL.md')
        await sh('ls docs; ls -d */; ls */')
      },
    },
  ]
}

function waysToReadGuide(): readonly Way[] {
  return [
    { name: 'read_file', act: ({ read }) => read(DOC) },
    { name: 'read_file with the whole path', act: ({ read }) => read(`/workspace/${DOC}`) },
    shell('cat', `cat ${DOC}`),
    shell('cat by glob', 'cat */*.txt'),
    shell('cd and sed', `cd ${DOC_FOLDER} && sed -n '1,20p' *install*`),
    shell('grep -n ""', `grep -n '' ${DOC}`),
    shell('grep for the variable', `grep -n -B1 -A1 DEPLOY_KEY ${DOC}`),
    shell('less', `less ${DOC}`),
    shell('python here-doc', `python3 - <<'PY'\nprint(open('${DOC}').read())\nPY`),
    shell('hex dump', `xxd ${DOC}`),
  ]
}

function waysToWriteKey(): readonly Way[] {
  return [
    { name: 'write_file', act: ({ write }) => write(ENV_FILE, `${LINE}\n`) },
    { name: 'write_file without a last line break', act: ({ write }) => write(ENV_FILE, LINE) },
    shell('echo', `mkdir -p output && echo "${LINE}" > ${ENV_FILE}`),
    shell('printf and tee', `mkdir -p output; printf '%s\\n' '${LINE}' | tee ${ENV_FILE}`),
    shell('here-doc', `mkdir output\ncat > ${ENV_FILE} <<EOF\n${LINE}\nEOF\ncat ${ENV_FILE}`),
    shell('quoted value', `mkdir -p output && echo 'DEPLOY_KEY="${RIGHT_KEY}"' > ${ENV_FILE}`),
    shell('exported, with a comment', `mkdir -p output && printf '# from the guide\\nexport ${LINE}\\n' > ${ENV_FILE}`),
    shell('taken out of the guide', `mkdir -p output && grep -oE '^ +${LINE}' ${DOC} | tr -d ' ' > ${ENV_FILE}`),
    shell(
      'python here-doc',
      `python3 - <<'PY'\nimport os\nos.makedirs('output', exist_ok=True)\nopen('${ENV_FILE}', 'w').write('${LINE}\\n')\nPY`,
    ),
  ]
}
