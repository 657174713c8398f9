/** The file a model was loaded from, where it can be read: what a name alone does not say. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ggufKeys } from './gguf.ts'

export interface ModelFile {
  readonly name: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** Hashes of model files, by path, size and time of change: a file of many gigabytes is read once. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agent-bench', 'model-hashes.json')

function cachedHashes(cache: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(readFileSync(cache, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {}
  } catch {
    return {} // none yet, or broken: it is made again
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 4_000_000 })) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * Name, size and SHA-256 of a model's file; null where the path is not known or cannot be read here, as with a server in a
 * container or on another machine.
 * @param path as the server names it
 */
export async function modelFile(path: string | null, cache = CACHE): Promise<ModelFile | null> {
  if (path === null || !existsSync(path)) return null
  const { size, mtimeMs } = statSync(path)
  const key = `${path} ${size} ${mtimeMs}`
  const known = cachedHashes(cache)
  let sha256 = known[key]
  if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256)) {
    try {
      sha256 = await hashOf(path)
      mkdirSync(dirname(cache), { recursive: true })
      writeFileSync(cache, `${JSON.stringify({ ...known, [key]: sha256 }, null, 2)}\n`)
    } catch {
      if (sha256 === undefined) return null // a folder, or not ours to read
    }
  }
  return { name: basename(path), sizeBytes: size, sha256 }
}

/** Parameters of sampling that a request can hold, by the key that a model file has for each. */
const SAMPLING_KEYS = {
  'general.sampling.temp': 'temperature',
  'general.sampling.top_k': 'top_k',
  'general.sampling.top_p': 'top_p',
  'general.sampling.min_p': 'min_p',
  'general.sampling.penalty_repeat': 'repeat_penalty',
} as const

/** What a model's file recommends for sampling, rounded to six decimals; null where it says nothing or cannot be read. */
export function recommendedSampling(path: string | null): Readonly<Record<string, number>> | null {
  const keys = path === null ? null : ggufKeys(path)
  const stated = Object.entries(SAMPLING_KEYS).flatMap(([key, parameter]) => {
    const value = keys?.get(key)
    return typeof value === 'number' ? [[parameter, Math.round(value * 1e6) / 1e6] as const] : []
  })
  return stated.length === 0 ? null : Object.fromEntries(stated)
}
