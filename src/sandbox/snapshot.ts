/** Types of what a sandbox says about its workspace. Paths are relative to the workspace, with `/`, and untrusted. */

/** A file of a setup, as bytes. `mode` is the permission part only (for example 0o644). */
export interface FileContent {
  readonly bytes: Uint8Array
  readonly mode: number
}
export type FileMap = ReadonlyMap<string, FileContent>

export type Entry =
  | { readonly type: 'file'; readonly mode: number; readonly size: number; readonly sha256: string }
  | { readonly type: 'directory'; readonly mode: number }
  | { readonly type: 'symlink'; readonly target: string }
  /** FIFO, socket or device. */
  | { readonly type: 'special'; readonly mode: number }

export interface Snapshot {
  /** SHA-256 over the canonical list of entries; equal roots mean equal workspaces. */
  readonly root: string
  readonly entries: ReadonlyMap<string, Entry>
  /** Why the walk stopped early, or null when it is whole. A truncated snapshot proves nothing. */
  readonly truncated: 'depth' | 'entries' | 'bytes' | null
}

/** Difference of one snapshot to the one before. */
export interface SnapshotDelta {
  readonly root: string
  readonly changed: ReadonlyMap<string, Entry>
  readonly deleted: readonly string[]
  /** Text of new or changed UTF-8 files by SHA-256, bounded per file and per trial; what is too large or binary is absent. */
  readonly contents: ReadonlyMap<string, string>
  readonly truncated: Snapshot['truncated']
}
