/** A few files, the same in every instance: these tasks ask whether a model can call a tool, not what it makes of the result. */
export const FILES = {
  'README.md': '# Lighthouse\n\nThe lamp is lit at dusk. Logs lie under logs/.\n',
  'logs/monday.txt': 'Fog until noon.\n',
  'logs/tuesday.txt': 'A freighter passed at four.\n',
}

export const SYSTEM =
  'You work in a directory that you can reach through your tools only. When you are done, answer without calling a tool.'
