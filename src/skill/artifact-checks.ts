/** What a manifest says about the content of artifacts, as checks on the host: texts are compared, nothing is run. */
import { isDeepStrictEqual } from 'node:util'
import { applyPattern } from '../task/run-within.ts'
import type { VerifyTools } from '../task/verify.ts'
import type { ArtifactCheck } from './manifest-schema.ts'

/** One thing an artifact must show. */
export interface ArtifactRule {
  readonly file: string
  /** What is asked, without hidden values: it is shown when the flag is lost. */
  readonly label: string
  /** Does a text fit? null for rules that do not look at text. */
  readonly fits: ((text: string) => boolean) | null
  readonly minBytes: number
}

/** The rules of one check, in the order of the fields below. */
export function rulesOf(check: ArtifactCheck): readonly ArtifactRule[] {
  const rule = (label: string, fits: (text: string) => boolean): ArtifactRule => ({
    file: check.file,
    label,
    fits,
    minBytes: 0,
  })
  return [
    ...(check.contains ?? []).map(needle => rule('contains a text', text => plain(text).includes(plain(needle)))),
    ...(check.not_contains ?? []).map(needle =>
      rule('does not contain a text', text => !plain(text).includes(plain(needle))),
    ),
    ...(check.regex ?? []).map(source => {
      // As in most readers' minds, ^ and $ are the ends of a line.
      const pattern = new RegExp(source, 'm')
      const field = `artifact_checks for ${check.file}`
      return rule('matches a pattern', text => applyPattern(field, pattern, () => pattern.test(plain(text))))
    }),
    ...(check.json ?? []).map(asked =>
      rule(`has the right value at ${JSON.stringify(asked.pointer)}`, text => {
        const found = valueAt(text, asked.pointer)
        return found !== undefined && (!('equals' in asked) || isDeepStrictEqual(found.value, asked.equals))
      }),
    ),
    ...(check.min_bytes === undefined
      ? []
      : [
          {
            file: check.file,
            label: `has ${formatBytes(check.min_bytes)} or more`,
            fits: null,
            minBytes: check.min_bytes,
          },
        ]),
  ]
}

const formatBytes = (count: number) => `${count} ${count === 1 ? 'byte' : 'bytes'}`

/** Does the artifact that was left keep the rule? */
export function keepsRule(rule: ArtifactRule, { text, size, check }: VerifyTools): ReturnType<VerifyTools['check']> {
  const bytes = size(rule.file)
  if (bytes === null) return { ok: false, reason: `${rule.file} is not there` }
  if (rule.fits === null) return { ok: bytes >= rule.minBytes, reason: `${rule.file} has ${formatBytes(bytes)}` }
  const content = text(rule.file)
  if (content === null) return { ok: false, reason: `${rule.file} is not text` }
  return check(rule.fits(content), `${rule.file} ${rule.label}`)
}

/** Line ends are compared as one kind. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

/** The value at a JSON Pointer (RFC 6901); undefined when the text is not JSON or has nothing there. */
function valueAt(text: string, pointer: string): { readonly value: unknown } | undefined {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Object.entries(value).find(([key]) => key === step)?.[1]
  }
  return { value }
}
