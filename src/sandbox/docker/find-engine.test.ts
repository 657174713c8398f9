import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../../test/folder.ts'
import { type EngineSearch, findEngine } from './find-engine.ts'

const home = folderOfEachTest()

/** Writes a context into a folder of configuration, and what the configuration says besides. */
function writeContext(folder: string, name: string, host: string, config = '{}'): void {
  const meta = `${folder}/contexts/meta/${createHash('sha256').update(name).digest('hex')}/meta.json`
  const context = JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } })
  home.write({ [meta]: context, [`${folder}/config.json`]: config })
}

/** Finds on a machine that has only these sockets. */
const find = (environment: NodeJS.ProcessEnv, sockets: readonly string[] = [], over: Partial<EngineSearch> = {}) =>
  findEngine({ environment, home: home(), platform: 'linux', isSocket: path => sockets.includes(path), ...over })

describe('finding an engine', () => {
  it.each([
    ['unix:///run/user/1000/podman.sock', '/run/user/1000/podman.sock'],
    ['tcp://10.0.0.2:2375', 'tcp://10.0.0.2:2375'],
    ['npipe:////./pipe/docker_engine', '//./pipe/docker_engine'],
  ])('takes DOCKER_HOST=%s before everything else', (host, address) => {
    const found = find({ DOCKER_HOST: host, DOCKER_CONTEXT: 'other' }, ['/var/run/docker.sock'])
    expect(found).toEqual({ address, source: 'DOCKER_HOST' })
  })

  it('takes the context that the configuration names', () => {
    const address = home('.colima/default/docker.sock')
    writeContext('.docker', 'colima', `unix://${address}`, '{"currentContext":"colima"}')
    const found = find({ DOCKER_HOST: '' }, ['/var/run/docker.sock'])
    expect(found).toEqual({ address, source: 'docker context colima' })
  })

  it('takes the context that DOCKER_CONTEXT names before that of the configuration, `default` included', () => {
    writeContext('.docker', 'remote', 'tcp://build:2375')
    expect(find({ DOCKER_CONTEXT: 'remote' })).toMatchObject({ address: 'tcp://build:2375' })
    expect(find({ DOCKER_CONTEXT: 'default' })).toMatchObject({ source: 'usual socket' })
  })

  it('looks for the configuration where DOCKER_CONFIG says', () => {
    writeContext('elsewhere', 'mine', 'unix:///mine.sock', '{"currentContext":"mine"}')
    expect(find({ DOCKER_CONFIG: home('elsewhere') })).toEqual({ address: '/mine.sock', source: 'docker context mine' })
  })

  it('refuses a context that is not there, with what to do', () => {
    const refusal = { code: 'engine_context', remedy: expect.stringContaining('docker context ls') }
    expect(() => find({ DOCKER_CONTEXT: 'absent' })).toThrow(expect.objectContaining(refusal))
  })

  it.each(['.orbstack/run/docker.sock', '.rd/docker.sock', '.colima/default/docker.sock', '.docker/run/docker.sock'])(
    'finds ~/%s without any configuration',
    path => {
      const socket = home(path)
      expect(find({ DOCKER_CONFIG: '/nowhere' }, [socket])).toEqual({ address: socket, source: 'usual socket' })
    },
  )

  it('finds a rootless engine, and prefers the usual socket to it', () => {
    const environment = { DOCKER_CONFIG: '/nowhere', XDG_RUNTIME_DIR: '/run/user/7' }
    expect(find(environment, ['/run/user/7/docker.sock'])).toMatchObject({ address: '/run/user/7/docker.sock' })
    const both = ['/run/user/7/docker.sock', '/var/run/docker.sock']
    expect(find(environment, both)).toMatchObject({ address: '/var/run/docker.sock' })
  })

  it('names the usual socket when there is none at all', () => {
    expect(find({ DOCKER_CONFIG: '/nowhere' })).toEqual({ address: '/var/run/docker.sock', source: 'usual socket' })
    const onWindows = find({ DOCKER_CONFIG: '/nowhere' }, [], { platform: 'win32' })
    expect(onWindows).toMatchObject({ address: '//./pipe/docker_engine' })
  })

  it('takes a configuration that is not JSON for none', () => {
    home.write({ 'config.json': '{' })
    expect(find({ DOCKER_CONFIG: home() })).toMatchObject({ source: 'usual socket' })
  })
})
