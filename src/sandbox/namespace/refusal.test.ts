import { describe, expect, it } from 'vitest'
import { explainRefusal, parsePid, parseStep } from './refusal.ts'

const STEP = { step: 'unshare', errno: 'EPERM' }
const machine = (settings: Readonly<Record<string, string>>) => (path: string) => settings[path] ?? null

describe('a refused namespace', () => {
  it.each([
    ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1', /AppArmor.*sysctl kernel\.apparmor/],
    ['/proc/sys/kernel/unprivileged_userns_clone', '0', /sysctl kernel\.unprivileged_userns_clone=1/],
    ['/proc/sys/user/max_user_namespaces', '0', /sysctl user\.max_user_namespaces/],
    ['/.dockerenv', '', /container.*seccomp=unconfined/],
    ['/nothing', '', /docs\/sandboxes\.md/],
  ])('is explained by %s = %s', (path, value, remedy) => {
    const error = explainRefusal(STEP, machine({ [path]: value }))
    expect(error).toMatchObject({ code: 'namespaces_refused', message: expect.stringContaining('unshare: EPERM') })
    expect(error.remedy).toMatch(remedy)
  })

  it('is not blamed on a setting that allows it', () => {
    const settings = { '/proc/sys/kernel/unprivileged_userns_clone': '1', '/proc/sys/user/max_user_namespaces': '5000' }
    expect(explainRefusal(STEP, machine(settings)).remedy).toMatch(/docs\/sandboxes\.md/)
  })
})

describe('a line of the enclosing process', () => {
  it('is a step, a process id, or nothing', () => {
    expect(parseStep('{"step":"unshare","errno":"EPERM"}')).toEqual(STEP)
    expect(parsePid('{"pid":12}')).toBe(12)
    for (const line of ['', '{"pi', '[]', '{"pid":"12","step":1}', 'null']) {
      expect(parseStep(line)).toBeNull()
      expect(parsePid(line)).toBeNull()
    }
  })
})
