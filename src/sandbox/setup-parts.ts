/** Cuts the files of a setup into pieces that fit into frames. */
import type { FileMap } from './snapshot.ts'

const PART_BYTES = 8 * 1024 * 1024
const PART_FILES = 2_000

/** Path, mode, length in the body, and whether it goes on with a file that another part began. */
type LaidFile = readonly [path: string, mode: number, length: number, isContinued: boolean]

export interface SetupPart {
  readonly part: readonly LaidFile[]
  readonly body: Uint8Array
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** The parts in their order; at least one, also for a setup without files. */
export function partsOf(files: FileMap): SetupPart[] {
  const parts: { part: LaidFile[]; pieces: Uint8Array[]; length: number }[] = []
  const startPart = () => {
    const started = { part: [], pieces: [], length: 0 }
    parts.push(started)
    return started
  }
  let current: (typeof parts)[number] = startPart()
  for (const [path, { bytes, mode }] of files) {
    let position = 0
    do {
      if (current.length >= PART_BYTES || current.part.length >= PART_FILES) current = startPart()
      const piece = bytes.subarray(position, position + PART_BYTES - current.length)
      current.part.push([path, mode & 0o777, piece.length, position > 0])
      current.pieces.push(piece)
      // Paths are those of an agent's files, too: in the header each of their bytes can become six.
      current.length += piece.length + JSON.stringify(path).length
      position += piece.length
    } while (position < bytes.length)
  }
  return parts.map(({ part, pieces }, index) => ({
    part,
    body: Buffer.concat(pieces),
    isFirst: index === 0,
    isLast: index === parts.length - 1,
  }))
}

/**
 * Mode of a file in the verify room, where it belongs to root and is only read: everybody may read it, and execute it
 * when its owner could.
 */
export function verifyMode(mode: number): number {
  return mode & 0o100 ? 0o755 : 0o644
}
