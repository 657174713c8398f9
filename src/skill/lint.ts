/** Lints a skill's directory: its SKILL.md and the links in it, strictly where mounting only warns, and all that mounting refuses. */
import { existsSync, statSync } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { SpecError } from '../errors.ts'
import { createTask } from '../task/define-task.ts'
import { readSkill } from './load-skill.ts'
import { fieldText, type LintFinding, readSkillDocument, type SkillDocument } from './skill-document.ts'
import { DOCUMENT_NAME, documentNameIn, MANIFEST_NAME } from './spec-file.ts'
import { type PlacedMistake, PlacedSpecError, placeOf } from './text-position.ts'

/**
 * Everything that is wrong with a skill, in order of file and line.
 * @throws SpecError code `skill_missing` when there is no such directory.
 */
export async function lintSkill(directory: string): Promise<readonly LintFinding[]> {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    const problem = existsSync(directory) ? 'this is a file' : 'there is no such directory'
    const remedy = 'Name the directory that holds SKILL.md.'
    throw new SpecError(`${directory}: ${problem}`, { code: 'skill_missing', remedy })
  }
  const root = await realpath(directory)
  const findings: LintFinding[] = []
  const names = await readdir(root)
  const documentName = documentNameIn(names)
  if (documentName === undefined || !existsSync(join(root, documentName))) {
    const message = documentName === undefined ? 'is missing' : 'is a link that leads nowhere'
    findings.push(finding('missing', message, 'Write a SKILL.md with name and description.'))
  } else {
    if (documentName !== DOCUMENT_NAME) {
      findings.push(finding('file-name', `is written ${documentName}`, 'Name it SKILL.md: most clients look for that.'))
    }
    const document = readSkillDocument(await readFile(join(root, documentName)))
    findings.push(...document.findings, ...nameAgainstDirectory(document, basename(root)), ...linksOf(document, root))
  }
  findings.push(...(await mountFindings(root)))
  return findings.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column)
}

function finding(rule: string, message: string, remedy: string): LintFinding {
  return { file: DOCUMENT_NAME, line: 1, column: 1, level: 'error', rule, message, remedy }
}

/** Against the directory's own name, never against where it is mounted. */
function nameAgainstDirectory(document: SkillDocument, directory: string): LintFinding[] {
  const name = fieldText(document, 'name')
  if (name === null || name === directory) return []
  const place = placeOf(document.text, Math.max(0, document.text.search(/^name[ \t]*:/m)))
  const message = `name is ${JSON.stringify(name.slice(0, 80))}, but the directory is ${JSON.stringify(directory)}`
  return [{ file: DOCUMENT_NAME, ...place, level: 'error', rule: 'name', message, remedy: 'Give both the same name.' }]
}

/** Places in a document that name a file: `[text](target)` and `` `path/with.ext` `` are too different; only links count. */
const LINK = /(?<!!)\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+["'][^)]*)?\)|!\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)]*\)/g
/** Placeholders (`{baseDir}`, `<path>`), addresses, anchors and absolute or home paths name nothing inside the skill. */
const NOT_OURS = /^(?:[a-z][a-z0-9+.-]*:|#|\/|~)|[{}<>$*]/i

function linksOf(document: SkillDocument, root: string): LintFinding[] {
  const findings: LintFinding[] = []
  const body = withoutCode(document.text)
  for (const match of body.matchAll(LINK)) {
    const target = match[1] ?? match[2] ?? ''
    if (match.index < document.bodyOffset || NOT_OURS.test(target)) continue
    const path = normalize(decoded(target.replace(/[?#].*$/, '')))
    const place = placeOf(document.text, match.index)
    const report = (level: LintFinding['level'], message: string, remedy: string) =>
      findings.push({ file: DOCUMENT_NAME, ...place, level, rule: 'link', message, remedy })
    const about = `the link ${target}`
    if (path.startsWith('..')) report('error', `${about} leads out of the skill`, 'Copy the file into the skill.')
    else if (!existsSync(join(root, path)))
      report('error', `${about} names a file that is not there`, 'Correct the link or add the file.')
    else if (dirname(path).includes('/'))
      report('warning', `${about} goes more than one level deep`, 'Keep linked files one directory below SKILL.md.')
  }
  return findings
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return target // a lone % stands for itself
  }
}

/** The text with code fences and code spans blanked out, so that offsets stay. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replace(/[^\r\n]/g, ' ')
  return text
    .replace(/^([ \t]*)(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\2[`~]*[ \t]*$|$(?![\s\S]))/gm, blank)
    .replace(/`[^`\r\n]+`/g, blank)
}

/** What mounting would refuse: files that cannot be mounted, and every mistake of the manifest. */
async function mountFindings(root: string): Promise<LintFinding[]> {
  const manifestPath = join(root, MANIFEST_NAME)
  try {
    const { spec, mistakes, read, warnings } = await readSkill(root)
    const links = warnings.flatMap(linkFinding)
    if (mistakes.length > 0) return [...mistakes.map(manifestFinding), ...links]
    if (read !== null) createTask(spec, { file: manifestPath, line: 1, column: 1 })
    return links
  } catch (error) {
    if (error instanceof PlacedSpecError) return error.mistakes.map(manifestFinding)
    if (!(error instanceof SpecError)) throw error
    return plainFindings(error, root)
  }
}

/** What mounting leaves out because it is a link. */
function linkFinding(warning: string): LintFinding[] {
  const [, file, message] = /^(.*) is not mounted: it (is a link .*)$/s.exec(warning) ?? []
  if (file === undefined || message === undefined || file === DOCUMENT_NAME) return []
  const remedy = 'Replace the link with what it should point to.'
  return [{ ...finding('mount', message, remedy), file }]
}

function manifestFinding({ place, field, problem, remedy }: PlacedMistake): LintFinding {
  return { file: MANIFEST_NAME, ...place, level: 'error', rule: 'manifest', message: `${field}: ${problem}`, remedy }
}

/** An error without places: each line begins with the path it is about. */
function plainFindings(error: SpecError, root: string): LintFinding[] {
  const remedies = error.message.includes('\n') ? error.remedy.split('\n') : [error.remedy]
  return error.message.split('\n').map((line, index): LintFinding => {
    const [, path = root, message = line] = /^(.*?): (.*)$/.exec(line) ?? []
    const isManifest = path.endsWith(MANIFEST_NAME)
    const file = isManifest ? MANIFEST_NAME : relative(root, path) || '.'
    return { ...finding(isManifest ? 'manifest' : 'mount', message, remedies[index] ?? error.remedy), file }
  })
}
