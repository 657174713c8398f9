/** The proof of `context_manage_v1`: ordinary ways through it, and near misses that lose exactly what they name. */
import type { Cheat, Hands, Play } from 'agent-bench'
import { combineWays, shell, type Way } from 'agent-bench/proving'
import { CONFIG, CONSTANT, DRIFTING, MODULES, type ModuleName, pathOf, repaired } from './context-manage.files.ts'

const DRIFTED = DRIFTING.map(pathOf).join(' ')
const SURVEY = 'cat services/*.py'
const IMPORT = `from config import ${CONSTANT}`
const SED = `-e '/^# /d' -e 's/^${CONSTANT} = .*/${IMPORT}/'`
const BLIND_REPAIR = `sed -i 's/^${CONSTANT} = .*/${IMPORT}/' services/*.py`

async function repair({ write }: Hands, modules: readonly ModuleName[] = DRIFTING): Promise<void> {
  for (const module of modules) await write(pathOf(module), repaired(module))
}
/** Writes the drifting modules with another line in place of the import. */
const instead =
  (line: string) =>
  async ({ write }: Hands) => {
    for (const module of DRIFTING) await write(pathOf(module), repaired(module).replace(IMPORT, line))
  }

function waysToSurvey(): readonly Way[] {
  return [
    {
      name: 'read_file of every module',
      act: async ({ read }) => {
        for (const module of MODULES) await read(pathOf(module))
      },
    },
    shell('cat one by one', 'ls services', ...MODULES.map(module => `cat ${pathOf(module)}`)),
    shell('recursive grep for the name', `grep -rn ${CONSTANT} . --include='*.py'`),
    shell('numbers only', "grep -rno '0\\.[0-9]*' services"),
    shell(
      'imported and printed',
      `python3 -c "import importlib
for name in ('berths', 'cancellations', 'vouchers', 'offers', 'statements'):
    print(name, importlib.import_module('services.' + name).${CONSTANT})"`,
    ),
    shell(
      'compared in a loop',
      'for f in cancellations vouchers offers statements; do diff services/berths.py services/$f.py; done',
    ),
  ]
}

function waysToRepair(): readonly Way[] {
  return [
    { name: 'write_file', act: hands => repair(hands) },
    shell('one sed -i, backups removed at once', `sed -i.orig ${SED} ${DRIFTED} && rm services/*.orig`),
    shell(
      'python here-doc',
      `python3 - <<'PY'\nimport re\nfrom pathlib import Path\n\nfor path in Path('services').glob('*.py'):\n    text = path.read_text()\n    path.write_text(re.sub(r'^#.*\\n${CONSTANT} = .*$', '${IMPORT}', text, flags=re.M))\nPY`,
    ),
    shell(
      'by the name of the module',
      `sed -i -e '/^# /d' -e 's/^${CONSTANT} = .*/import config/' -e 's/\\([^_ ]* *[(*+ ]*\\)\\b${CONSTANT}/\\1config.${CONSTANT}/' ${DRIFTED}`,
    ),
    {
      name: 'by way of the package',
      act: async hands => {
        await hands.write('services/__init__.py', `"""Services, and the rate they share."""\n${IMPORT}\n`)
        await instead(`from . import ${CONSTANT}`)(hands)
      },
    },
    {
      name: 'with an error where there is no rate',
      act: instead(
        `try:\n    ${IMPORT}\nexcept ImportError as error:\n    raise RuntimeError("config.py has to say the rate") from error`,
      ),
    },
  ]
}

export const honest: Readonly<Record<string, Play>> = {
  ...combineWays(
    [waysToSurvey(), waysToRepair(), [shell('pytest -q', 'pytest -q'), { name: 'no run', act: async () => undefined }]],
    'Done.',
  ),
  'looks before, in between and after each of several edits': async hands => {
    await hands.sh(`grep -rn ${CONSTANT} .; ${SURVEY}`)
    for (const edit of ['/^# /d', `s/^${CONSTANT} = .*/import config/`, `s/\\b${CONSTANT}/config.${CONSTANT}/`]) {
      await hands.sh(`sed -i '${edit}' ${pathOf('vouchers')}; cat ${pathOf('vouchers')}`)
    }
    await repair(hands, ['offers', 'statements'])
    await hands.sh(`${SURVEY}; pytest -q; grep -rn ${CONSTANT} services`)
  },
  'searches often, reads in small parts, all in one turn': async hands => {
    await hands.turn(async () => {
      await hands.sh("find . -name '*.py' | sort; wc -l services/*; ls -la services")
      await hands.sh(`grep -rn ${CONSTANT} services; grep -rnE '= 0' services; grep -n import services/*.py`)
      for (const module of MODULES) {
        for (const offset of [1, 4, 7, 10]) await hands.read(pathOf(module), { offset, limit: 3 })
      }
      await hands.sh(`${BLIND_REPAIR}; pytest -q`)
    })
  },
  'the right number first, then the import, the failing test again and again': async hands => {
    await hands.call('list_files', { path: 'services' })
    await hands.sh(`pytest -q; pytest; ${SURVEY}`)
    await hands.sh(`sed -i 's/^${CONSTANT} = .*/${CONSTANT} = 0.15/' ${DRIFTED}; pytest -q`)
    await hands.sh(`sed -i 's/^${CONSTANT} = .*/${IMPORT}/' ${DRIFTED}; pytest -vv; cat test_consistency.py`)
  },
}

/** A right repair by somebody who has not seen the rates of all three modules. */
const blind = (look: (hands: Hands) => Promise<unknown>): Cheat => ({
  loses: ['files_surveyed'],
  play: async hands => {
    await look(hands)
    await hands.sh(BLIND_REPAIR)
    return 'The three modules that had drifted are repaired.'
  },
})
/** Looks through the modules; they do not follow config.py in the end. */
const unsound = (
  change: (hands: Hands) => Promise<unknown>,
  loses = ['consistency_fixed'],
  tampers = false,
): Cheat => ({
  loses,
  tampers,
  play: async hands => {
    await hands.sh(SURVEY)
    await change(hands)
    return 'All five modules agree with config.py.'
  },
})
/** Repairs everything rightly, and reads the same again and again before. */
const looping = (loop: (hands: Hands) => Promise<unknown>): Cheat => ({
  loses: ['no_read_loops'],
  play: async hands => {
    await hands.sh(SURVEY)
    await loop(hands)
    await repair(hands)
  },
})
const repeat = async (times: number, act: () => Promise<unknown>): Promise<void> => {
  for (let time = 0; time < times; time++) await act()
}

export const cheats: Readonly<Record<string, Cheat>> = {
  'looks at two of the three': blind(({ sh }) => sh(`cat ${pathOf('vouchers')} ${pathOf('statements')}`)),
  'types what the modules may hold': blind(({ sh }) => sh(`printf '0.12\\n0.18\\n0.08\\n' # ${SURVEY}`)),
  'looks after the repair': {
    loses: ['files_surveyed'],
    play: async ({ sh }) => {
      await sh(`mkdir /tmp/old; cp services/*.py /tmp/old; ${BLIND_REPAIR}`)
      await sh(`${SURVEY}; diff -r /tmp/old services`)
    },
  },
  'prints every value there may be': blind(({ sh }) =>
    sh(`for f in ${DRIFTED}; do seq -f "$f %.2f" 0.01 0.01 0.30; done`),
  ),
  'writes the right number into the modules': unsound(({ sh }) =>
    sh(`sed -i 's/^${CONSTANT} = .*/${CONSTANT} = 0.15/' ${DRIFTED}`),
  ),
  'keeps the right number as a default': unsound(
    instead(`import config\n\n${CONSTANT} = getattr(config, "${CONSTANT}", 0.15)`),
  ),
  'leaves the old number behind, unused': unsound(instead(`${IMPORT}\n\nOLD = 0.12`)),
  'breaks what a module does besides': unsound(async hands => {
    await repair(hands)
    await hands.sh(`sed -i 's/V-/W-/' ${pathOf('vouchers')}`)
  }),
  'changes config.py to the rate of a module': unsound(
    ({ sh }) => sh(`sed -i 's/0\\.15/0.12/' ${CONFIG}; sed -i 's/^${CONSTANT} = 0.*/${CONSTANT} = 0.12/' ${DRIFTED}`),
    ['consistency_fixed'],
    true,
  ),
  'makes a module of its own for the rate': unsound(
    async hands => {
      await hands.write('services/common.py', `${IMPORT}\n`)
      await instead(`from .common import ${CONSTANT}`)(hands)
    },
    ['consistency_fixed'],
    true,
  ),
  'reads a module with read_file again and again': looping(({ read }) => repeat(3, () => read(pathOf('offers')))),
  'reads with another tool each time': looping(async ({ read, sh }) => {
    await sh(`cat -n ${pathOf('offers')}; sed -n '1,30p' ${pathOf('offers')}`)
    await read(`./${pathOf('offers')}`, { offset: 1, limit: 30 })
  }),
  'searches for the same ten times': looping(({ sh }) =>
    repeat(10, () => sh(`grep -n ${CONSTANT} ${pathOf('offers')}`)),
  ),
  'reads its own repair over and over': {
    loses: ['no_read_loops'],
    play: async hands => {
      await hands.sh(SURVEY)
      await repair(hands)
      await repeat(4, () => hands.read(pathOf('offers')))
    },
  },
}
