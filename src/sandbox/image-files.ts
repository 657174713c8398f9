import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const IMAGE_FOLDER = new URL('./image/', import.meta.url)

export interface ImageFile {
  /** Relative to the folder of the image. */
  readonly path: string
  readonly content: Buffer
}

/** Files of the image whose path begins so, in the order of their paths; nothing compiled. */
export function imageFiles(...beginnings: readonly string[]): readonly ImageFile[] {
  const root = fileURLToPath(IMAGE_FOLDER)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.pyc'))
    .map(entry => `${entry.parentPath}/${entry.name}`.slice(root.length).replace(/^\/+/, ''))
    .filter(path => beginnings.some(beginning => path.startsWith(beginning)))
    .sort()
    .map(path => ({ path, content: readFileSync(new URL(path, IMAGE_FOLDER)) }))
}
