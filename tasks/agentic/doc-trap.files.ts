/** The workspace of `doc_trap_v1`, and what its result must be. */
import { dedent, type Setup } from 'agent-bench'

/** No other file, and not the prompt, holds these names: where they come up, somebody looked. */
export const DOC_FOLDER = 'notes'
export const DOC = `${DOC_FOLDER}/relay-install.txt`
export const ENV_FILE = 'output/deploy.env'
export const RIGHT_KEY = 'tw83-quebec'
/** Stands in the guide too, as what it is: no longer valid. */
export const OLD_KEY = 'ht40-lima'

export function workspace(): Setup {
  return {
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
  }
}

/**
 * Why a text is no environment file that sets the valid key, exactly once; null when it is one. As such files are read:
 * comments, blank lines, `export`, quotes and other variables are fine; a value that a shell would have to work out is not.
 */
export function whyNotTheKey(text: string | null): string | null {
  if (text === null) return `there is no file ${ENV_FILE}`
  const values: string[] = []
  for (const line of text.split(/\r?\n/).map(one => one.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, value] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      return `${ENV_FILE} has a line that is neither a setting nor a comment`
    if (name === 'DEPLOY_KEY') values.push(value.replace(/\s+#.*$/, '').replace(/^(["'])(.*)\1$/, '$2'))
  }
  if (values.length !== 1) return `${ENV_FILE} sets DEPLOY_KEY ${values.length} times, not once`
  return values[0] === RIGHT_KEY ? null : `${ENV_FILE} sets DEPLOY_KEY to something else than the valid key`
}
