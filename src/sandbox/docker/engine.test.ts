import { describe, expect, it } from 'vitest'
import { connectEngine, findEngine, within } from './engine.ts'

describe('finding an engine', () => {
  it('takes DOCKER_HOST before the usual socket', () => {
    expect(findEngine({})).toBe('/var/run/docker.sock')
    expect(findEngine({ DOCKER_HOST: '' })).toBe('/var/run/docker.sock')
    expect(findEngine({ DOCKER_HOST: 'unix:///run/user/1000/podman.sock' })).toBe('/run/user/1000/podman.sock')
    expect(findEngine({ DOCKER_HOST: 'tcp://10.0.0.2:2375' })).toBe('tcp://10.0.0.2:2375')
  })

  it('refuses addresses it cannot use, with what to do', () => {
    for (const address of ['ssh://host', 'npipe:////./pipe/docker_engine', 'nonsense']) {
      expect(() => connectEngine(address)).toThrow(expect.objectContaining({ code: 'engine_address' }))
    }
    expect(() => connectEngine('tcp://10.0.0.2:2375')).not.toThrow()
  })
})

describe('a deadline', () => {
  it('names what did not answer', async () => {
    await expect(within(5, 'the engine', new Promise(() => undefined))).rejects.toThrow(
      'the engine did not answer within 5 ms',
    )
    await expect(within(1_000, 'the engine', Promise.resolve(1))).resolves.toBe(1)
  })
})
