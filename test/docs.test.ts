/** The examples of the documentation are what they say: tasks that prove themselves, a skill, a manifest without mistakes. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readManifest } from '../src/skill/read-manifest.ts'
import { agentBench } from './agent-bench.ts'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = [
  ...['README.md', 'docs/write-a-task.md', 'docs/checks.md', 'docs/mount-a-skill.md', 'docs/evidence.md'],
  'docs/results.md',
]

interface Example {
  readonly page: string
  readonly language: string
  readonly text: string
}

async function examplesOf(page: string): Promise<readonly Example[]> {
  const text = await readFile(`${ROOT}${page}`, 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
    page,
    language: language ?? '',
    text: code ?? '',
  }))
}

const examples = (await Promise.all(PAGES.map(examplesOf))).flat()
const tasks = examples.filter(({ language, text }) => language === 'ts' && text.includes('export default defineTask('))
const proofs = examples.filter(({ text }) => text.includes('defineSkillProof('))

describe('examples of the documentation', () => {
  it('are found: a whole task in the README and in the pages about tasks and checks, a proof in the page about skills', () => {
    expect(tasks.map(({ page }) => page)).toEqual([
      'README.md',
      'docs/write-a-task.md',
      'docs/checks.md',
      'docs/checks.md',
    ])
    expect(proofs.map(({ page }) => page)).toEqual(['docs/mount-a-skill.md'])
  })

  it('hold no manifest with mistakes', () => {
    const manifests = examples.filter(({ language }) => language === 'jsonc')
    expect(manifests).not.toEqual([])
    for (const { text } of manifests) expect(() => readManifest(Buffer.from(text), 'bench_manifest.json')).not.toThrow()
  })
})

await describeWith(['docker'], 'examples of the documentation on docker', () => {
  it.each(tasks.map(task => [task.page, task] as const))('the task of %s proves itself', async (page, { text }) => {
    await using project = await createProject({ 'tasks/example/example.bench.ts': text })
    const { status, out } = await agentBench(project.dir, ['check'])
    expect(out).toMatch(/^ok {3}/)
    expect(status).toBe(0)
    // Where a page shows what check says of its example, it is this.
    const [shown] = examples.filter(example => example.page === page && example.text.startsWith('ok   '))
    if (shown !== undefined)
      expect(out.replace(/ {2}[\d.]+ s\n[\s\S]*/, '')).toBe(shown.text.replace(/ {2}[\d.]+ s\n$/, ''))
  })

  it.each(proofs.map(proof => [proof.page, proof] as const))(
    'the proof of %s is one of the skill that `new` writes',
    async (_page, { text }) => {
      await using project = await createProject({})
      await agentBench(project.dir, ['new', 'skill', 'skills/notice-board'])
      await project.write({ 'skills/notice-board/bench_proof.ts': text })
      const { status, out } = await agentBench(project.dir, ['check'])
      expect(out).toMatch(/^ok {3}skill_run_v1_notice-board {2}reference 3\/3, nop 0, 1 cheat/)
      expect(status).toBe(0)
    },
  )
})
