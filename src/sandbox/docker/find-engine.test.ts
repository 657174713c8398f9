import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type EngineSearch, findEngine } from './find-engine.ts'

const home = mkdtempSync(join(tmpdir(), 'find-engine-'))
afterAll(() => rmSync(home, { recursive: true }))

function writeContext(folder: string, name: string, host: string): void {
  const meta = join(folder, 'contexts/meta', createHash('sha256').update(name).digest('hex'))
  mkdirSync(meta, { recursive: true })
  writeFileSync(join(meta, 'meta.json'), JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }))
}

/** Finds on a machine that has only these sockets. */
const find = (environment: NodeJS.ProcessEnv, sockets: readonly string[] = [], over: Partial<EngineSearch> = {}) =>
  findEngine({ environment, home, platform: 'linux', isSocket: path => sockets.includes(path), ...over })

describe('finding an engine', () => {
  it.each([
    ['unix:///run/user/1000/podman.sock', '/run/user/1000/podman.sock'],
    ['tcp://10.0.0.2:2375', 'tcp://10.0.0.2:2375'],
    ['npipe:////./pipe/docker_engine', '//./pipe/docker_engine'],
  ])('takes DOCKER_HOST=%s before everything else', (host, address) => {
    expect(find({ DOCKER_HOST: host, DOCKER_CONTEXT: 'other' }, ['/var/run/docker.sock'])).toEqual({
      address,
      source: 'DOCKER_HOST',
    })
  })

  it('takes the context that the configuration names', () => {
    const folder = join(home, '.docker')
    writeContext(folder, 'colima', `unix://${home}/.colima/default/docker.sock`)
    writeFileSync(join(folder, 'config.json'), '{"currentContext":"colima"}')
    expect(find({ DOCKER_HOST: '' }, ['/var/run/docker.sock'])).toEqual({
      address: `${home}/.colima/default/docker.sock`,
      source: 'docker context colima',
    })
  })

  it('takes the context that DOCKER_CONTEXT names before that of the configuration, `default` included', () => {
    writeContext(join(home, '.docker'), 'remote', 'tcp://build:2375')
    expect(find({ DOCKER_CONTEXT: 'remote' })).toMatchObject({ address: 'tcp://build:2375' })
    expect(find({ DOCKER_CONTEXT: 'default' })).toMatchObject({ source: 'usual socket' })
  })

  it('looks for the configuration where DOCKER_CONFIG says', () => {
    const folder = join(home, 'elsewhere')
    writeContext(folder, 'mine', 'unix:///mine.sock')
    writeFileSync(join(folder, 'config.json'), '{"currentContext":"mine"}')
    expect(find({ DOCKER_CONFIG: folder })).toEqual({ address: '/mine.sock', source: 'docker context mine' })
  })

  it('refuses a context that is not there, with what to do', () => {
    expect(() => find({ DOCKER_CONTEXT: 'absent' })).toThrow(
      expect.objectContaining({ code: 'engine_context', remedy: expect.stringContaining('docker context ls') }),
    )
  })

  it.each(['.orbstack/run/docker.sock', '.rd/docker.sock', '.colima/default/docker.sock', '.docker/run/docker.sock'])(
    'finds ~/%s without any configuration',
    path => {
      const socket = join(home, path)
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
    expect(find({ DOCKER_CONFIG: '/nowhere' }, [], { platform: 'win32' })).toMatchObject({
      address: '//./pipe/docker_engine',
    })
  })

  it('takes a configuration that is not JSON for none', () => {
    const folder = join(home, 'broken')
    mkdirSync(folder)
    writeFileSync(join(folder, 'config.json'), '{')
    expect(find({ DOCKER_CONFIG: folder })).toMatchObject({ source: 'usual socket' })
  })
})
