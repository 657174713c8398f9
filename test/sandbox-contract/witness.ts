import { beforeEach, describe, expect, it } from 'vitest'
import { createVerifyTools } from '../../src/task/verify-tools.ts'
import { VerifyRoom } from '../../src/trial/verify-room.ts'
import type { TheSandbox } from '../sandbox-contract.ts'
import { filesOf, lay, python, run } from './fixture.ts'

const SETUP = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'test_calc.py':
    'import pytest\nfrom calc import add\n\ndef test_zero():\n    assert add(2, 0) == 2\n\ndef test_add():\n    assert add(1, 1) == 2\n\n@pytest.mark.skip\ndef test_later():\n    pass\n',
  't.sh': 'python3 -m pytest -q\n',
  Makefile: 'test:\n\tpytest -q\n',
}

const SEEN = [
  'pytest',
  'python3 -m pytest -q',
  'pytest 2>&1 | tail -n 1',
  'sh t.sh',
  'make test',
  'cd /tmp && pytest -p no:cacheprovider /workspace',
  'env -i /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin python3 -m pytest',
  'timeout 30 pytest > /dev/null',
  'PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest',
  'python3 -I -m pytest --noconftest',
  "python3 -c 'import pytest; pytest.main()'",
  'python3 -c \'import subprocess; subprocess.run(["pytest"])\'',
]

const NOT_SEEN = ['echo pytest', 'cat test_calc.py', 'pytest --version', 'grep -r pytest .', 'python3 calc.py']

const RIGHT = 'def add(a, b):\n    return a + b\n'

export function witnessContract(sandbox: TheSandbox): void {
  describe('the witness', () => {
    beforeEach(() => lay(sandbox(), SETUP))

    it.each(SEEN)('sees `%s`', async command => {
      const { testReports } = await run(sandbox(), command, 60_000)
      expect(testReports.map(report => report.event).slice(0, 2)).toEqual(['start', 'finish'])
      const finish = testReports.findLast(report => report.event === 'finish')
      expect(finish?.sender.uid).toBe(1000)
      expect(finish).toMatchObject({ collected: 3, passed: 1, failed: 1, errors: 0, skipped: 1, status: 1 })
      expect(finish?.failures).toEqual([expect.stringContaining('test_add')])
    })

    it.each(NOT_SEEN)('does not take `%s` for a session', async command => {
      expect((await run(sandbox(), command, 60_000)).testReports).toEqual([])
    })

    it('tells a session that died from one that finished', async () => {
      await sandbox().writeFile('test_exit.py', Buffer.from('import os\ndef test_exit():\n    os._exit(0)\n'))
      const { testReports, exitCode } = await run(sandbox(), 'pytest test_exit.py')
      expect(exitCode).toBe(0)
      expect(testReports.map(report => report.event)).toEqual(['start'])
    })

    it('counts errors of collection and of fixtures', async () => {
      await sandbox().writeFile('test_broken.py', Buffer.from('import no_such_module\n'))
      const { testReports } = await run(sandbox(), 'pytest test_broken.py')
      expect(testReports.at(-1)).toMatchObject({ passed: 0, failed: 0, errors: 1, status: 2 })
    })

    it('says which command line the session had', async () => {
      const { testReports } = await run(sandbox(), 'python3 -m pytest -q -k zero')
      expect(testReports[0]?.sender.argv?.slice(1)).toEqual(['-m', 'pytest', '-q', '-k', 'zero'])
      expect(testReports[0]?.cwd).toBe('/workspace')
    })

    it('drops and counts what is not a report, takes only so many, and keeps none for the next call', async () => {
      const flood = python(`
import socket, json
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect('/run/bench/witness')
for message in [b'', b'x', b'{}', b'[1]', json.dumps({'event': 'finish', 'cwd': '/', 'status': True}).encode(), b'\\xff' * 20000]:
    s.send(message)
report = dict(event='start', cwd='/', collected=0, passed=0, failed=0, errors=0, skipped=0, status=None, failures=[])
while True: s.send(json.dumps(report).encode())`)
      const result = await run(sandbox(), flood, 1_500)
      expect(result.stopped).toBe('timeout')
      expect(result.testReports.length).toBeGreaterThan(0)
      expect(result.testReports.length).toBeLessThanOrEqual(256)
      expect(result.droppedReports).toBeGreaterThanOrEqual(6)
      expect((await run(sandbox(), 'true')).testReports).toEqual([])
    })

    it('cannot be taken away or replaced by a command', async () => {
      await run(
        sandbox(),
        python(`
import os, socket
for attempt in [lambda: os.unlink('/run/bench/witness'), lambda: os.rename('/run/bench', '/run/x'),
                lambda: os.chmod('/run/bench/witness', 0), lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind('/run/bench/witness')]:
    try: attempt(); print('done')
    except OSError: pass`),
      )
      expect((await run(sandbox(), 'pytest -q')).testReports).toHaveLength(2)
    })
  })
  describe('the clean room of verify', () => {
    const tools = () => {
      const room = new VerifyRoom(sandbox(), filesOf(SETUP), AbortSignal.timeout(60_000))
      return createVerifyTools(room, new Map())
    }

    it('runs the suite with several sets of files in one start, whatever the code in them does', async () => {
      const results = await tools().tests([
        { 'calc.py': RIGHT },
        { 'calc.py': 'import os\nos._exit(0)\n' },
        {},
        { 'calc.py': 'import os\nos.chdir("/tmp")\ndef add(a, b):\n    return 2\n' },
        { 'calc.py': null },
        { 'test_calc.py': null },
      ])
      expect(results.map(({ ok, passed, failed }) => [ok, passed, failed])).toEqual([
        [true, 2, 0],
        [false, 0, 0],
        [false, 1, 1],
        [true, 2, 0],
        [false, 0, 1],
        [false, 0, 0],
      ])
      expect(await tools().tests({ 'calc.py': RIGHT })).toMatchObject({ ok: true, passed: 2 })
    })

    it('runs commands that can write beside it only, and of which nothing stays', async () => {
      const { run: execute } = tools()
      expect(await execute('cat calc.py; touch new.txt', { 'calc.py': RIGHT })).toMatchObject({
        stdout: RIGHT,
        stderr: expect.stringContaining('new.txt'),
        exitCode: 1,
      })
      await execute('touch /tmp/note')
      expect(await execute('ls /tmp calc.py', { 'calc.py': null })).toMatchObject({ stdout: '/tmp:\n' })
    })
  })
}
