/** What `agent-bench new` writes: the smallest task and the smallest skill that run and prove themselves. */
import { defaultId } from '../skill/spec-file.ts'

/** Paths relative to the project, and texts. */
export type NewFiles = ReadonlyMap<string, string>

/** `tasks/<suite>/<name>.bench.ts`; the version at the end of an id is not part of the file's name. */
export function taskFiles(id: string, suite: string): NewFiles {
  const name = id
    .replace(/_v\d+$/, '')
    .replaceAll('_', '-')
    .toLowerCase()
  return new Map([[`tasks/${suite}/${name}.bench.ts`, taskText(id)]])
}

function taskText(id: string): string {
  return `import { defineTask } from 'agent-bench'

const RIGHT = 'Ada Lovelace: 3\\n'

export default defineTask({
  id: '${id}',
  prompt: 'loans.csv lists who borrowed what. Write who borrowed most, and how many books, to most.txt, in the form "Bob Stone: 17".',
  setup: {
    'loans.csv': 'name,book\\nAda Lovelace,Tides\\nGrace Hopper,Knots\\nAda Lovelace,Maps\\nAda Lovelace,Winds\\n',
  },
  // Whatever else is changed in the end is tamper.
  allowedWrites: ['most.txt'],

  // After the agent is gone, on the files it left.
  verify: {
    right: ({ text, check }) =>
      check(text('most.txt')?.trim() === RIGHT.trim(), 'most.txt names the person and the number'),
  },

  // Milestones. Each answers with when it was reached, or false.
  flags: {
    looked: run => run.sawContentOf('loans.csv'),
    answered: run => run.verified('right') && run.firstChange('most.txt'),
  },

  // Values that must not be found in the setup, the prompt or the environment.
  hidden: [RIGHT],

  // Your own solution. Every call must be needed.
  reference: async ({ read, write }) => {
    await read('loans.csv')
    await write('most.txt', RIGHT)
    return 'Ada Lovelace borrowed most.'
  },

  // Other ordinary ways; each must pass.
  honest: {
    'with the shell': async ({ sh }) => {
      await sh('cat loans.csv')
      await sh(\`printf '\${RIGHT.trim()}\\\\n' > most.txt\`)
    },
  },

  // Ways that must not work, with exactly the flags they lose.
  cheats: {
    'answers without looking': {
      loses: ['looked'],
      play: async ({ write }) => void (await write('most.txt', RIGHT)),
    },
    'looks and leaves the answer open': {
      loses: ['answered'],
      play: async ({ read, write }) => {
        await read('loans.csv')
        await write('most.txt', 'One of the three.\\n')
      },
    },
  },
})
`
}

/** SKILL.md, manifest and proof. `directory` is relative to the project; its last segment is the skill's name. */
export function skillFiles(directory: string, name: string): NewFiles {
  return new Map([
    [`${directory}/SKILL.md`, documentText(name)],
    [`${directory}/bench_manifest.json`, manifestText(name)],
    [`${directory}/bench_proof.ts`, PROOF_TEXT],
  ])
}

/** Manifest and proof of a skill that is there already, to be made its own. */
export function proofFiles(directory: string, name: string): NewFiles {
  return new Map([
    [`${directory}/bench_manifest.json`, emptyManifestText(name)],
    [`${directory}/bench_proof.ts`, EMPTY_PROOF_TEXT],
  ])
}

const emptyManifestText = (name: string) => `{
  // What the bench asks for and looks at: make it this skill's. The model never sees this file.
  "id": "${defaultId(name)}",
  "goal": "Do what the skill describes, as it describes it, and say in output/result.txt what was done.",
  "required_reads": ["skill/SKILL.md"],
  "expected_artifacts": ["output/result.txt"],
  "artifact_checks": [{ "file": "output/result.txt", "min_bytes": 10 }],
}
`

const EMPTY_PROOF_TEXT = `import { defineSkillProof } from 'agent-bench'

// The proof that the manifest measures what it says: make it this skill's. The model never sees this file either.
export default defineSkillProof({
  // Your own solution. Every call must be needed.
  reference: async ({ read, write }) => {
    await read('skill/SKILL.md')
    await write('output/result.txt', 'It was done as described.\\n')
    return 'The result is in output/result.txt.'
  },
})
`

const documentText = (name: string) => `---
name: ${name}
description: Signs a note for the notice board. Use it when somebody asks for a note or an announcement.
---

# Notes for the notice board

1. Write the note to \`output/note.txt\` below /workspace.
2. Its last line is the signature of the board: \`-- the harbour board\`
`

const manifestText = (name: string) => `{
  // What the bench asks for and looks at. The model never sees this file.
  "id": "${defaultId(name)}",
  "goal": "Write a note that the ferry is late today.",
  "required_reads": ["skill/SKILL.md"],
  "expected_artifacts": ["output/note.txt"],
  "artifact_checks": [{ "file": "output/note.txt", "contains": ["ferry", "-- the harbour board"] }],
}
`

const PROOF_TEXT = `import { defineSkillProof } from 'agent-bench'

const NOTE = 'The ferry is late today.\\n-- the harbour board\\n'

// The proof that the manifest measures what it says. The model never sees this file either.
export default defineSkillProof({
  // Your own solution. Every call must be needed.
  reference: async ({ read, write }) => {
    await read('skill/SKILL.md')
    await write('output/note.txt', NOTE)
    return 'The note is in output/note.txt.'
  },

  // Other ordinary ways; each must pass.
  honest: {
    'with the shell': async ({ sh }) => {
      await sh('cat skill/SKILL.md')
      await sh(\`mkdir -p output && printf '%s' '\${NOTE}' > output/note.txt\`)
    },
  },

  // Ways that must not work, with exactly the flags they lose.
  cheats: {
    'writes the note without reading the skill': {
      loses: ['read:skill/SKILL.md'],
      play: async ({ write }) => void (await write('output/note.txt', NOTE)),
    },
  },
})
`
