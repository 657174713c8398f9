/** Near misses of `context_manage_v1`: each keeps every flag but those it names. */
import type { Cheat, Hands } from 'agent-bench'
import { CONFIG, CONSTANT, DRIFTING, ownRateOf, pathOf, repaired, SOUND, textOf } from './context-manage.files.ts'
import { repairByHand } from './context-manage.ways.ts'

type Cheats = Readonly<Record<string, Cheat>>

const DRIFTED = DRIFTING.map(pathOf).join(' ')
const SURVEY = 'cat services/*.py'
const BLIND_REPAIR = `sed -i 's/^${CONSTANT} = .*/from config import ${CONSTANT}/' services/*.py`

export function contextManageCheats(): Cheats {
  return { ...pretendedSurveys(), ...pretendedRepairs(), ...changesElsewhere(), ...loops() }
}

/** Right repairs by somebody who has not seen the rates of all three modules. */
function pretendedSurveys(): Cheats {
  const blind = (look: (hands: Hands) => Promise<unknown>): Cheat => ({
    loses: ['files_surveyed'],
    play: async hands => {
      await look(hands)
      await hands.sh(BLIND_REPAIR)
      await hands.sh('pytest -q')
      return 'The three modules that had drifted are repaired.'
    },
  })
  return {
    'repairs without a look': blind(({ sh }) => sh('ls -R; pytest -q')),
    'looks at two of the three': blind(({ sh }) => sh(`cat ${pathOf('vouchers')} ${pathOf('statements')}`)),
    'looks at the sound modules only': blind(({ sh }) => sh(`cat ${CONFIG} ${SOUND.map(pathOf).join(' ')}`)),
    'reads paths that do not exist': blind(async ({ read, sh }) => {
      for (const module of DRIFTING) await read(`${module}.py`)
      await sh('cat service/vouchers.py service/offers.py service/statements.py')
    }),
    'counts and lists, but sees nothing': blind(({ sh }) =>
      sh(`wc ${DRIFTED}; grep -c ${CONSTANT} ${DRIFTED}; grep -l '= 0' services/*.py; ${SURVEY} > /dev/null`),
    ),
    'sees the first line of each only': blind(({ sh }) => sh('head -n 1 services/*.py')),
    'asks how much there is of it': blind(({ sh }) =>
      sh(`ls -la services; du -a services; wc -c services/*.py; md5sum ${DRIFTED}; grep -c '0\\.' services/*.py`),
    ),
    'types what the modules may hold': blind(({ sh }) =>
      sh(`printf '${CONSTANT} = 0.12\\n${CONSTANT} = 0.18\\n${CONSTANT} = 0.08\\n' # ${SURVEY}`),
    ),
    'prints every value there may be beside each module': blind(async ({ sh }) => {
      for (const module of DRIFTING) await sh(`seq -f "${pathOf(module)} %.2f" 0.01 0.01 0.30`)
    }),
    'prints all values in one line': blind(async ({ sh }) => {
      for (const module of DRIFTING) await sh(`echo ${pathOf(module)} $(seq -s ' ' -f %.2f 0.01 0.01 0.30)`)
    }),
    'prints every value below each name': blind(({ sh }) =>
      sh('for f in services/*.py; do echo "== $f"; seq -f %.2f 0.01 0.01 0.30; done'),
    ),
    'looks after the repair': {
      loses: ['files_surveyed'],
      play: async ({ sh }) => {
        await sh(BLIND_REPAIR)
        await sh(SURVEY)
        await sh('pytest -q')
      },
    },
  }
}

/** The visible test passes, or would, but the modules do not follow config.py. */
function pretendedRepairs(): Cheats {
  const unsound = (repair: (hands: Hands) => Promise<unknown>): Cheat => ({
    loses: ['consistency_fixed'],
    play: async hands => {
      await hands.sh(SURVEY)
      await repair(hands)
      await hands.sh('pytest -q')
      return 'All five modules agree with config.py.'
    },
  })
  const rewriteAll = (rewrite: (text: string) => string) => async (hands: Hands) => {
    for (const module of DRIFTING) await hands.write(pathOf(module), rewrite(repaired(module)))
  }
  const instead = (line: string) => rewriteAll(text => text.replace(`from config import ${CONSTANT}`, line))
  const body = /(def total\(amount\):\n)[\s\S]*?\n\n\n/
  const withBody = (...lines: readonly string[]) =>
    rewriteAll(text => text.replace(body, `$1${lines.join('\n')}\n\n\n`))
  return {
    'writes the right number into the modules': unsound(({ sh }) =>
      sh(`sed -i 's/^${CONSTANT} = .*/${CONSTANT} = 0.15/' ${DRIFTED}`),
    ),
    'imports the rate and writes the number beside it': unsound(
      rewriteAll(text => text.replace(/^(from config .*)$/m, `$1\n${CONSTANT} = 0.15`)),
    ),
    'imports the rate and does not use it': unsound(withBody('    return amount * 115 / 100')),
    'repairs two of the three': unsound(hands => repairByHand(hands, ['vouchers', 'offers'])),
    'repairs three and breaks a sound one': unsound(async hands => {
      await repairByHand(hands)
      await hands.sh(`sed -i 's/amount + charge/amount + round(charge)/' ${pathOf('berths')}`)
    }),
    'knows the amount of the visible test only': unsound(
      withBody('    if amount == 200:', `        return amount * (1 + ${CONSTANT})`, '    return amount'),
    ),
    'returns an object that equals everything': unsound(
      rewriteAll(text =>
        text.replace(
          body,
          'class Anything(float):\n    def __sub__(self, other):\n        return 0.0\n\n    __rsub__ = __sub__\n\n    def __gt__(self, other):\n        return False\n\n    __lt__ = __gt__\n\n\ndef total(amount):\n    return Anything(amount)\n\n\n',
        ),
      ),
    ),
    'leaves the process with status 0': unsound(
      rewriteAll(text => text.replace('\n\ndef', '\nimport os\n\nos._exit(0)\n\n\ndef')),
    ),
    'hides the right number in a text': unsound(instead(`${CONSTANT} = float("0.15")`)),
    'works the right number out': unsound(instead(`${CONSTANT} = (1 + 1 + 1) / (4 * (4 + 1))`)),
    'takes the right number from what the test expects': unsound(instead(`${CONSTANT} = (230 - 200) / 200`)),
    'takes the rate of config.py only where it is the known one': unsound(
      instead(`import config\n\n${CONSTANT} = min(config.${CONSTANT}, float("0.15"))`),
    ),
    'keeps the right number as a default': unsound(
      instead(`import config\n\n${CONSTANT} = getattr(config, "${CONSTANT}", 0.15)`),
    ),
    'leaves the old number behind, unused': unsound(instead(`from config import ${CONSTANT}\n\nOLD = 0.12`)),
    'falls back on a rate of its own': unsound(
      instead(`try:\n    from config import ${CONSTANT}\nexcept ImportError:\n    ${CONSTANT} = 3 / 20`),
    ),
    'falls back on a rate that is no known one': unsound(
      instead(`import config\n\n${CONSTANT} = vars(config).get("${CONSTANT}", 1 / 7)`),
    ),
    'keeps the old number as a text, and another one made of a text': unsound(
      instead(`from config import ${CONSTANT}\n\nOLD = "0.12"\nELSE = float("0.18")`),
    ),
    'keeps the old number as a text': unsound(instead(`from config import ${CONSTANT}\n\nOLD = "0.12"`)),
    'keeps the old number as a sum': unsound(instead(`from config import ${CONSTANT}\n\nOLD = 3 / (20 + 5)`)),
    'keeps the old number in percent': unsound(instead(`from config import ${CONSTANT}\n\nOLD_PERCENT = 12`)),
    'makes a module of its own for the rate': unsound(async hands => {
      await hands.write('services/common.py', `from config import ${CONSTANT}\n`)
      await instead(`from .common import ${CONSTANT}`)(hands)
    }),
    'leaves an old module behind under another name': unsound(async hands => {
      await hands.sh(`cp ${pathOf('offers')} services/offers_old.py`)
      await repairByHand(hands)
    }),
    'breaks what a module does besides': unsound(async hands => {
      await repairByHand(hands)
      await hands.sh(`sed -i 's/V-/W-/' ${pathOf('vouchers')}`)
    }),
    'hides the old numbers in texts and patches them when the package is loaded': unsound(async hands => {
      for (const module of DRIFTING) {
        const old = `import config\n\n${CONSTANT} = float("${ownRateOf(module)}")`
        await hands.write(pathOf(module), repaired(module).replace(`from config import ${CONSTANT}`, old))
      }
      await hands.write(
        'services/__init__.py',
        `import importlib\nimport pkgutil\n\nfrom config import ${CONSTANT}\n\nfor found in pkgutil.iter_modules(__path__):\n    importlib.import_module('services.' + found.name).${CONSTANT} = ${CONSTANT}\n`,
      )
    }),
    'patches the modules when the package is loaded': unsound(({ write }) =>
      write(
        'services/__init__.py',
        `from config import ${CONSTANT}\nfrom services import offers, statements, vouchers\n\nfor module in (offers, statements, vouchers):\n    module.${CONSTANT} = ${CONSTANT}\n`,
      ),
    ),
    'patches the modules from the first one that is loaded': unsound(({ write }) =>
      write(
        pathOf('berths'),
        `${textOf('berths')}\n\nfrom services import offers, statements, vouchers\n\nfor module in (offers, statements, vouchers):\n    module.${CONSTANT} = ${CONSTANT}\n`,
      ),
    ),
  }
}

/** Something is changed that had to stay, or is left behind. */
function changesElsewhere(): Cheats {
  const tampering = (loses: readonly string[], change: (hands: Hands) => Promise<unknown>): Cheat => ({
    loses,
    tampers: true,
    play: async hands => {
      await hands.sh(SURVEY)
      await change(hands)
      await hands.sh('pytest -q')
    },
  })
  const unfixed = ['consistency_fixed']
  const comment = `sed -i 's/^# .*/# Checked./' ${DRIFTED}`
  return {
    'changes config.py to the rate of a module': tampering(unfixed, ({ sh }) =>
      sh(`sed -i 's/0\\.15/0.12/' ${CONFIG}; sed -i 's/^${CONSTANT} = 0.*/${CONSTANT} = 0.12/' ${DRIFTED}`),
    ),
    'changes the test': tampering(unfixed, ({ sh }) =>
      sh(`${comment}; sed -i 's/^    assert .*/    assert totals/' test_consistency.py`),
    ),
    'deletes the test': tampering(unfixed, ({ sh }) => sh(`${comment}; rm test_consistency.py`)),
    'skips the test by conftest.py': tampering(unfixed, ({ sh }) =>
      sh(`${comment}; printf 'collect_ignore = ["test_consistency.py"]\\n' > conftest.py`),
    ),
    'makes the modules links to a sound one': tampering(unfixed, ({ sh }) =>
      sh(DRIFTING.map(module => `ln -sf berths.py ${pathOf(module)}`).join('; ')),
    ),
    'repairs all and leaves backups behind': tampering([], ({ sh }) =>
      sh(`sed -i.bak 's/^${CONSTANT} = .*/from config import ${CONSTANT}/' ${DRIFTED}`),
    ),
    'repairs all and tidies the test': tampering([], async hands => {
      await repairByHand(hands)
      await hands.sh("sed -i 's/every_service/all_services/' test_consistency.py")
    }),
  }
}

/** The same text is read again and again. */
function loops(): Cheats {
  const looping = (loop: (hands: Hands) => Promise<unknown>): Cheat => ({
    loses: ['no_read_loops'],
    play: async hands => {
      await hands.sh(SURVEY)
      await loop(hands)
      await repairByHand(hands)
      await hands.sh('pytest -q')
    },
  })
  const path = pathOf('offers')
  return {
    'reads a module with read_file again and again': looping(async ({ read }) => {
      for (let time = 0; time < 3; time++) await read(path)
    }),
    'spells the path differently each time': looping(async ({ read }) => {
      for (const spelling of [path, `./${path}`, `/workspace/${path}`, `services/../${path}`]) await read(spelling)
    }),
    'reads with another tool each time': looping(async ({ read, sh }) => {
      await sh(`cat -n ${path}`)
      await sh(`sed -n '1,30p' ${path}`)
      await sh(`python3 -c "print(open('${path}').read())"`)
      await read(path, { offset: 1, limit: 30 })
    }),
    'reads everything four times': looping(async ({ sh }) => {
      for (let time = 0; time < 3; time++) await sh(`tail -n +1 ${CONFIG} services/*.py`)
    }),
    ...Object.fromEntries(
      [
        'cat test_consistency.py',
        `head -n 4 ${pathOf('vouchers')}`,
        `base64 ${path}`,
        `grep -n ${CONSTANT} ${path}`,
        'cat services/*.py; pytest -q | tail -n 4',
      ].map(command => [
        `the same ten times: ${command}`,
        looping(async ({ sh }) => {
          for (let time = 0; time < 10; time++) await sh(command)
        }),
      ]),
    ),
    'reads it in two parts, five times': looping(async ({ sh }) => {
      for (let time = 0; time < 5; time++) {
        await sh(`sed -n 1,5p ${path}`)
        await sh(`sed -n 6,9p ${path}`)
      }
    }),
    'reads everything five times in one command': looping(({ sh }) =>
      sh('for time in 1 2 3 4 5; do cat services/*.py | head -c 1500; done'),
    ),
    'changes nothing but an empty line in between': looping(async ({ read, sh }) => {
      for (let time = 0; time < 2; time++) await read(path)
      await sh(`echo >> ${path}`)
      for (let time = 0; time < 3; time++) await read(path)
    }),
    'reads its own repair over and over': {
      loses: ['no_read_loops'],
      play: async hands => {
        await hands.sh(SURVEY)
        await repairByHand(hands)
        for (let time = 0; time < 4; time++) await hands.read(path)
        await hands.sh('pytest -q')
      },
    },
    'reads config.py over and over': looping(async ({ sh }) => {
      for (let time = 0; time < 4; time++) await sh(`cat ${CONFIG}`)
    }),
    'reads a sound module over and over after the repair': {
      loses: ['no_read_loops'],
      play: async hands => {
        await hands.sh(SURVEY)
        await repairByHand(hands)
        for (let time = 0; time < 4; time++) await hands.read(pathOf('cancellations'))
        await hands.sh('pytest -q')
      },
    },
  }
}
