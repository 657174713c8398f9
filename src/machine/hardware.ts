/** The machine a measurement was made on, in one line: a rate of tokens says nothing without it. */
import { readdirSync, readFileSync } from 'node:fs'
import { cpus, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'

const GIB = 2 ** 30

/** Text of a small system file; null where there is none, as on another system. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null // not Linux, or not ours to read
  }
}

const entriesOf = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Vendors of graphics cards, by PCI id. */
const VENDORS: Readonly<Record<string, string>> = { '0x10de': 'NVIDIA', '0x1002': 'AMD', '0x8086': 'Intel' }

/** Graphics cards as far as the system tells without a driver's own program: names of NVIDIA's, vendors of others. */
function accelerators(root: string): readonly string[] {
  const nvidia = entriesOf(join(root, 'proc/driver/nvidia/gpus')).flatMap(card => {
    const text = textOf(join(root, 'proc/driver/nvidia/gpus', card, 'information'))
    return /^Model:\s*(.+)$/m.exec(text ?? '')?.[1] ?? []
  })
  if (nvidia.length > 0) return nvidia
  return entriesOf(join(root, 'sys/class/drm'))
    .filter(name => /^card\d+$/.test(name))
    .flatMap(card => VENDORS[textOf(join(root, 'sys/class/drm', card, 'device/vendor')) ?? ''] ?? [])
    .map(vendor => `${vendor} graphics`)
}

/**
 * Processor, cores, memory, system and graphics card of this machine, such as `AMD EPYC 7B13, 2 cores, 24 GiB, linux 6.18`.
 * On macOS the processor is the accelerator, too.
 * @param root where /proc and /sys are; another one in tests
 */
export function hardwareLine(root = '/'): string {
  const cores = cpus()
  const processor = cores[0]?.model.replaceAll(/\s+/g, ' ').trim() || 'unknown processor'
  const cards = [...new Set(accelerators(root))]
  const counted = cards.length === 0 ? [] : [cards.join(' + ')]
  const memory = `${Math.round(totalmem() / GIB)} GiB`
  return [processor, `${cores.length} cores`, memory, `${platform()} ${release()}`, ...counted].join(', ')
}
