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
const refusing = (name: DriverName, code = 'refused'): SandboxDriver => ({
  name,
  prepare: async () => {
    throw new ConfigError(`${name} is not here`, { code, remedy: `Get ${name}.` })
  },
  open: neverOpened,
})

describe('the choice of a sandbox', () => {
  it('takes the first that works and says why in one line', async () => {
    expect(await prepareFirst([working('docker'), working('namespace')], options)).toMatchObject({
      driver: 'docker',
      why: 'docker: it works',
    })
  })

  it('goes on to the next when one does not work, and says what the first one lacked', async () => {
    expect(await prepareFirst([refusing('docker'), working('namespace')], options)).toMatchObject({
      driver: 'namespace',
      why: 'namespace: it works (no docker: docker is not here)',
    })
  })

  it('does not turn to another kind when an image is broken', async () => {
    const drivers = [refusing('docker', 'image_build_failed'), working('namespace')]
    await expect(prepareFirst(drivers, options)).rejects.toMatchObject({ code: 'image_build_failed' })
  })

  it('does not hide a fault of its own behind another driver', async () => {
    const broken: SandboxDriver = {
      name: 'docker',
      prepare: () => Promise.reject(new TypeError('a bug')),
      open: neverOpened,
    }
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
