/** Code of a task that blocks its worker: the worker is ended and the run says why. Deadlines of flags and checks: `verify.test.ts`. */
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'
import { smallTask } from './small-tasks.ts'

const TASK = smallTask({ id: 'task_bad' })

/** A small task whose check does something first, in the second trial. */
function checking(code: string): string {
  const check = `async ({ text, check }) => { if (trial++ === 1) { ${code} } return check(`
  return `import { execSync } from 'node:child_process'\nlet trial = 0\n${TASK}`
    .replace('({ text, check }) => check(', check)
    .replace("the person')", "the person') }")
}

async function run(source: string) {
  await using project = await createProject({ 'tasks/bad.bench.ts': source })
  const settings = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '2' }
  const { status, stdout, stderr } = await project.run([], { ...settings, AGENT_BENCH_SILENCE_MS: '5000' })
  const trials = (await project.summaries()).flatMap(summary => summary.trials)
  return { status, output: stdout + stderr, trials: trials.map(({ outcome }) => outcome) }
}

await describeWith(['docker'], 'code of a task that does not come to an end', () => {
  it.each([
    ['a check after it waited', checking('await new Promise(done => setTimeout(done, 5)); for (;;);'), ['passed']],
    ['a check that waits for another program', checking("await null; execSync('sleep 40')"), ['passed']],
    ['the top level of a spec file', `for (;;);\n${TASK}`, []],
  ])('in %s ends the worker by name, and what was recorded stays', async (_what, source, recorded) => {
    const { status, output, trials } = await run(source)
    const where = recorded.length === 0 ? 'tasks/bad.bench.ts' : 'verify or the flags of task "task_bad"'
    expect(output).toContain(`stopped  ${where} blocked its process for 5 s, and the process was ended`)
    expect(output).toMatch(/\n\s+remedy: Look there for a loop without an end/)
    expect(trials, output).toEqual(recorded)
    expect(status, output).toBe(2)
  })
})
