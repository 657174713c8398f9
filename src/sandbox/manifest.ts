/**
 * The one encoding of a workspace's entries, shared with the executor (image/executor/4-manifest.py): five fields an
 * entry, each ended by NUL, which neither a path nor a link target can hold, in the byte order of the paths. The root is
 * the SHA-256 over it. The host computes the root of a setup independently, which is what makes a reset provable.
 */
import { createHash } from 'node:crypto'
import type { Entry, FileMap } from './snapshot.ts'
import { decodeName, encodeName } from './system-path.ts'

const FIELDS = 5
const DIRECTORY_MODE = 0o755
const SHA256 = /^[0-9a-f]{64}$/
const OCTAL = /^[0-7]{1,5}$/
const DECIMAL = /^\d{1,15}$/

/** Canonical bytes of a list of entries. */
export function encodeEntries(entries: ReadonlyMap<string, Entry>): Uint8Array {
  const encoded = [...entries].map(([path, entry]) => ({ path: encodeName(path), entry }))
  encoded.sort((a, b) => Buffer.compare(a.path, b.path))
  return Buffer.concat(encoded.flatMap(({ path, entry }) => [path, encodeFields(entry)]))
}

function encodeFields(entry: Entry): Uint8Array {
  switch (entry.type) {
    case 'file':
      return Buffer.from(`\0f\0${entry.mode.toString(8)}\0${entry.size}\0${entry.sha256}\0`)
    case 'directory':
      return Buffer.from(`\0d\0${entry.mode.toString(8)}\0${0}\0\0`)
    case 'symlink':
      return Buffer.concat([
        Buffer.from('\0l\0'),
        Buffer.from('0\0'),
        Buffer.from('0\0'),
        encodeName(entry.target),
        Buffer.of(0),
      ])
    case 'special':
      return Buffer.from(`\0s\0${entry.mode.toString(8)}\0${0}\0\0`)
  }
}

/**
 * Entries out of canonical bytes, in their order.
 * @throws TypeError when the bytes are not what {@link encodeEntries} makes.
 */
export function decodeEntries(bytes: Uint8Array): Map<string, Entry> {
  const fields = splitAtNul(bytes)
  if (fields.length % FIELDS !== 0) throw new TypeError(`a manifest of ${fields.length} fields`)
  const entries = new Map<string, Entry>()
  for (let index = 0; index < fields.length; index += FIELDS) {
    const [path, kind, mode, size, detail] = fields.slice(index, index + FIELDS).map(decodeName)
    if (path === undefined || kind === undefined || mode === undefined || size === undefined || detail === undefined) {
      throw new TypeError('a manifest entry with a missing field')
    }
    entries.set(path, toEntry(kind, mode, size, detail))
  }
  return entries
}

/** Paths out of a list of names that are each ended by NUL. */
export function decodeNames(bytes: Uint8Array): string[] {
  return splitAtNul(bytes).map(decodeName)
}

function splitAtNul(bytes: Uint8Array): Uint8Array[] {
  const fields: Uint8Array[] = []
  let begin = 0
  while (begin < bytes.length) {
    const end = bytes.indexOf(0, begin)
    if (end < 0) throw new TypeError('a manifest that does not end with NUL')
    fields.push(bytes.subarray(begin, end))
    begin = end + 1
  }
  return fields
}

function toEntry(kind: string, mode: string, size: string, detail: string): Entry {
  if (!OCTAL.test(mode) || !DECIMAL.test(size))
    throw new TypeError(`a manifest entry with mode ${mode} and size ${size}`)
  const permissions = Number.parseInt(mode, 8)
  switch (kind) {
    case 'f':
      if (!SHA256.test(detail)) throw new TypeError('a manifest entry of a file without a SHA-256')
      return { type: 'file', mode: permissions, size: Number(size), sha256: detail }
    case 'd':
      return { type: 'directory', mode: permissions }
    case 'l':
      return { type: 'symlink', target: detail }
    case 's':
      return { type: 'special', mode: permissions }
    default:
      throw new TypeError(`a manifest entry of kind ${JSON.stringify(kind.slice(0, 20))}`)
  }
}

/** SHA-256 (hex) over the canonical bytes: equal roots mean equal workspaces. */
export function rootOf(entries: ReadonlyMap<string, Entry>): string {
  return createHash('sha256').update(encodeEntries(entries)).digest('hex')
}

/** The entries a workspace has when exactly these files were written: the files, and the directories above them (0755). */
export function entriesOfFiles(files: FileMap): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const [path, file] of files) {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      entries.set(path.slice(0, slash), { type: 'directory', mode: DIRECTORY_MODE })
    }
    const sha256 = createHash('sha256').update(file.bytes).digest('hex')
    entries.set(path, { type: 'file', mode: file.mode, size: file.bytes.length, sha256 })
  }
  return entries
}
