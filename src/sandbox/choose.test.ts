import { describe, expect, it } from 'vitest'
import { ConfigError } from '../errors.ts'
import { prepareFirst } from './choose.ts'
import type { DriverName, SandboxDriver } from './sandbox.ts'

const options = { image: null, runId: 'test', onProgress: () => undefined }
const neverOpened = () => Promise.reject(new Error('not opened here'))

const working = (name: DriverName): SandboxDriver => ({
  name,
  prepare: async () => ({ driver: name, image: null, engine: null, testRunner: 'pytest', why: `${name}: it works` }),
  open: neverOpened,
})
const refusing = (name: DriverName, code = 'refused', message = `${name} is not here`): SandboxDriver => ({
  name,
  prepare: async () => {
    throw new ConfigError(message, { code, remedy: `Get ${name}.` })
  },
  open: neverOpened,
})

describe('the choice of a sandbox', () => {
  it.each([
    ['takes the first that works', working('docker'), 'docker', 'docker: it works'],
    [
      'goes on to the next when one does not work, and says what that one lacked',
      refusing('docker'),
      'namespace',
      'namespace: it works (no docker: docker is not here)',
    ],
  ])('%s', async (_what, docker, driver, why) => {
    expect(await prepareFirst([docker, working('namespace')], options)).toMatchObject({ driver, why })
  })

  it('goes on to the next when an image cannot be built, and says so in one line', async () => {
    const broken = refusing('docker', 'image_build_failed', 'the image could not be built: no network\n  Step 1')
    const why = 'namespace: it works (no docker: the image could not be built: no network)'
    expect(await prepareFirst([broken, working('namespace')], options)).toMatchObject({ driver: 'namespace', why })
    const none = prepareFirst([broken, refusing('namespace')], options, 'darwin')
    await expect(none).rejects.toMatchObject({ remedy: 'For docker: Get docker. For namespace: Get namespace.' })
  })

  it('does not hide a fault of its own behind another driver', async () => {
    const broken = { ...working('docker'), prepare: () => Promise.reject(new TypeError('a bug')) }
    await expect(prepareFirst([broken, working('namespace')], options)).rejects.toThrow('a bug')
  })

  it.each([
    ['linux', 'For docker: Get docker. For namespace: Get namespace.'],
    ['darwin', expect.stringContaining('colima start')],
    ['win32', expect.stringContaining('WSL 2')],
  ] as const)('has a remedy for %s when none works', async (platform, remedy) => {
    await expect(prepareFirst([refusing('docker'), refusing('namespace')], options, platform)).rejects.toMatchObject({
      code: 'no_sandbox',
      message: 'no sandbox works here: docker: docker is not here; namespace: namespace is not here',
      remedy,
    })
  })
})
