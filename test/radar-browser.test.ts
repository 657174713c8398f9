import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { radarSvg } from '../reporters/radar-svg.ts'
import { sampleStanding } from '../reporters/sample-standing.fixture.ts'
import { fieldOf } from '../reporters/standings.ts'
import { describeWith } from './needs.ts'

const run = promisify(execFile)
const EVIL = `"'><script>document.title='owned'</script>&nbsp;&\u0001\ufffe]]><!--`

await describeWith(['chromium'], 'the radar in a browser', () => {
  const dir = mkdtempSync(join(tmpdir(), 'agent-bench-radar-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  /** The page as the browser understood it, after its scripts ran. */
  async function asSeen(svg: string): Promise<string> {
    const file = join(dir, 'radar.svg')
    writeFileSync(file, svg)
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${dir}/profile`, '--dump-dom']
    const { stdout } = await run('/usr/bin/chromium', [...flags, `file://${file}`], { timeout: 60_000 })
    return stdout
  }

  it('is well-formed XML, whatever models and tasks are called, and runs nothing of it', async () => {
    const svg = radarSvg(
      fieldOf([1, 2, 3].map(at => sampleStanding({ model: EVIL, task: `${EVIL}${at}`, suite: EVIL, agent: EVIL }))),
    )
    const seen = await asSeen(svg ?? '')
    expect(seen).toContain('Mean score per task')
    expect(seen).not.toContain('parsererror')
    expect(seen).not.toMatch(/<script/)
  })

  it('would be seen to be broken', async () => {
    expect(await asSeen('<svg xmlns="http://www.w3.org/2000/svg"><text>a & b</text></svg>')).toContain('parsererror')
  })
})
