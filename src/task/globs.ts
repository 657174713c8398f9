/**
 * Globs of tasks and manifests. `*` stays within a path segment, `**` (a whole segment) crosses segments, `?` is one
 * character of a segment; every other character stands for itself, so `pages/[id].tsx` and `a(1).txt` are plain paths.
 * Names that begin with a dot are matched, upper and lower case differ, and paths are relative to the workspace.
 * This file imports nothing of ours: `spec` checks globs with it and `evidence` matches with it.
 */
import picomatch from 'picomatch'

/** A list of globs, compiled once. */
export interface GlobMatcher {
  /** Does a glob match this path? False for a path that is absolute, empty, or has an empty, `.` or `..` segment. */
  matches(path: string): boolean
  /** Could a glob match something below this directory? */
  mayMatchBelow(directory: string): boolean
}

const OPTIONS: picomatch.PicomatchOptions = {
  dot: true,
  flags: 's', // a file name may hold a newline
  nobrace: true,
  nobracket: true,
  noextglob: true,
  nonegate: true,
  strictSlashes: true, // `output/**` is what lies below `output`, not a file of that name
  windows: false,
}

/** Everything picomatch would read as syntax beyond `*`, `**` and `?` is escaped. */
const literal = (glob: string) =>
  glob.replace(/[\u0021-\u007e]/g, char => (/[\w*?/.-]/.test(char) ? char : `\\${char}`))

const isCleanPath = (path: string) =>
  path !== '' && path.split('/').every(segment => segment !== '' && segment !== '.' && segment !== '..')

/** Globs of the directories a match can lie in: `a/*.txt` gives `a`; `a/**\/b` gives `a` and all below it. */
function ancestorGlobs(glob: string): string[] {
  const segments = glob.split('/')
  return segments.flatMap((segment, index) => {
    const upTo = segments.slice(0, index).join('/')
    if (segment === '**') return upTo === '' ? ['**'] : [upTo, `${upTo}/**`]
    return upTo === '' ? [] : [upTo]
  })
}

/**
 * Compiles globs. A glob with a problem (see {@link checkGlob}) matches nothing; refuse it where it is written.
 */
export function compileGlobs(globs: readonly string[]): GlobMatcher {
  const sound = globs.filter(glob => checkGlob(glob) === null)
  const compile = (list: readonly string[]) => list.map(glob => picomatch(literal(glob), OPTIONS))
  const whole = compile(sound)
  const above = compile([...new Set(sound.flatMap(ancestorGlobs))])
  return {
    matches: path => isCleanPath(path) && whole.some(isMatch => isMatch(path)),
    mayMatchBelow: directory => isCleanPath(directory) && above.some(isMatch => isMatch(directory)),
  }
}

/**
 * Does one of the globs match the path? Compile with {@link compileGlobs} where many paths are asked.
 * @example matchesAny(['output/*.txt'], 'output/report.txt') // true
 */
export function matchesAny(globs: readonly string[], path: string): boolean {
  return compileGlobs(globs).matches(path)
}

/** What is wrong with a glob, as text for the author of the task; null when it is fine. */
export function checkGlob(glob: string): string | null {
  if (glob.trim() === '') return 'it is empty; name a path such as output/report.txt, or a pattern such as output/*'
  if (glob.includes('\0')) return 'it contains a NUL character, which no path can hold'
  if (glob.includes('\\')) return 'it contains a backslash; separate directories with /'
  if (/^(\/|~|[A-Za-z]:\/)/.test(glob)) return 'it is absolute; write it relative to the workspace'
  if (glob.startsWith('!')) return 'it begins with !; exclusions are not supported, list the paths instead'
  if (/\{[^{}/]*,[^{}/]*\}/.test(glob)) return 'it uses {a,b}; write one glob for each alternative'
  for (const segment of glob.split('/')) {
    if (segment === '..') return 'it contains ..; a task can not reach outside the workspace'
    if (segment === '.') return 'it contains a . segment; leave it out'
    if (segment === '')
      return glob.endsWith('/') ? 'it ends with /; write DIRECTORY/** for all below a directory' : 'it contains //'
    if (segment !== '**' && segment.includes('**')) return '** must be a whole segment, as in src/**/*.py'
  }
  return null
}
