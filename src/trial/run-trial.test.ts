import { expect, it } from 'vitest'
import { createScriptedAgent } from '../agents/scripted-agent.ts'
import { defineTask } from '../task/define-task.ts'
import { NOTHING_RUN, type ToolOffer } from '../tools/tool-set.ts'
import { WORKSPACE_TOOLS } from '../tools/workspace.ts'
import { KnownResults } from './known-results.ts'
import { needsSandbox } from './offer.ts'
import { runTrial } from './run-trial.ts'

const ASKING: ToolOffer = {
  needs: 'nothing',
  definitions: [{ name: 'ask', description: 'Asks.', parameters: { type: 'object' } }],
  open: () => ({
    definitions: ASKING.definitions,
    call: async (_, args) => ({ ...NOTHING_RUN, delivered: `asked ${JSON.stringify(args)}` }),
  }),
}

const task = await defineTask({
  id: 'asks',
  prompt: 'Ask.',
  allowedWrites: [],
  flags: { said: run => run.finalAnswer.includes('42') },
}).resolve()

/** What every trial here has besides its agent and its script. */
const withoutSandbox = () => ({
  limits: { maxTurns: 3, commandTimeoutMs: 1_000, trialTimeoutMs: 10_000 },
  seed: 1,
  tools: ASKING,
  sandbox: null,
  known: new KnownResults().of(task),
  signal: new AbortController().signal,
})

it('a trial whose tools and task need no sandbox runs without one', async () => {
  const finding = await runTrial(task, {
    agent: createScriptedAgent('reference'),
    play: async hands => `${await hands.call('ask', { n: 42 })}`,
    ...withoutSandbox(),
  })
  expect(finding).toMatchObject({ outcome: 'passed', score: 1, sandbox: null, resetProof: null, tamper: [] })
  expect(finding.log.calls.map(({ tool, args }) => [tool, args])).toEqual([['ask', { n: 42 }]])
})

it.each([
  ['max_turns', '42', 'passed', null],
  ['loop', '42', 'passed', null],
  ['empty_reply', '42', 'passed', null],
  ['max_turns', '', 'failed', 'max_turns'],
  ['empty_reply', '', 'failed', 'empty_reply'],
  ['answered', '', 'failed', 'flags_lost'],
  ['prompt_cut', '42', 'inconclusive', 'prompt_cut'],
  ['prompt_cut', '', 'inconclusive', 'prompt_cut'],
] as const)(
  'an end by %s with the text "%s" is %s, and stays on record',
  async (reason, finalText, outcome, failure) => {
    const finding = await runTrial(task, {
      agent: { name: 'ends', run: async () => ({ reason, finalText, detail: 'so', servedModel: null }) },
      play: null,
      ...withoutSandbox(),
    })
    expect(finding).toMatchObject({ outcome, failureReason: failure, ending: { reason } })
  },
)

it('a sandbox is needed by its tools, by the files of the setup and by checks', () => {
  const files = new Map([['a.txt', { bytes: new Uint8Array(), mode: 0o644 }]])
  expect(needsSandbox(task, ASKING)).toBe(false)
  expect(needsSandbox(task, WORKSPACE_TOOLS)).toBe(true)
  expect(needsSandbox({ ...task, setup: files }, ASKING)).toBe(true)
  expect(needsSandbox({ ...task, verify: new Map([['runs', () => ({ ok: true, reason: '' })]]) }, ASKING)).toBe(true)
})
