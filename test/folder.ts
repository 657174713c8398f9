/** A folder for tests that work on files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

export interface TestFolder {
  /** The path of the folder, or of what has these names in it. */
  (...names: readonly string[]): string
  /** Writes files, with the folders above them. */
  write(files: Readonly<Record<string, string | Uint8Array>>, mode?: number): void
}

/** A new, empty folder for each test of the file or block that calls this; it is removed after the test. */
export function folderOfEachTest(): TestFolder {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agent-bench größe '))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const at = (...names: readonly string[]) => join(folder, ...names)
  const write = (files: Readonly<Record<string, string | Uint8Array>>, mode = 0o644) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), content, { mode })
    }
  }
  return Object.assign(at, { write })
}
