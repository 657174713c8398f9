import { resolve } from 'node:path'
import { createAgent, needsModel } from '../agents/index.ts'
import { ConfigError } from '../errors.ts'
import type { ModelPlan } from '../model/chat-model.ts'
import { type PlannedModel, planFromRecording, planModel, USUAL_PORTS } from '../model/index.ts'
import { checkResultsDir } from '../results/journal.ts'
import { prepareSandbox } from '../sandbox/index.ts'
import type { HarnessInfo, RecordedTrial, TrialPlan } from '../trial/plan.ts'
import type { Settings } from './settings.ts'

export interface PlanContext {
  /** Absolute path of the project. */
  readonly root: string
  /** Absolute path. */
  readonly resultsDir: string
  readonly runId: string
  readonly harness: HarnessInfo
  readonly onProgress: (line: string) => void
  /** Trials of earlier runs that need not be run again. */
  readonly recorded: readonly RecordedTrial[]
}

export interface MadePlan {
  readonly plan: TrialPlan
  /** What the run is about to do, one line each. */
  readonly lines: readonly string[]
}

interface ChosenModel {
  readonly agent: string
  readonly model: ModelPlan | null
  readonly lines: readonly string[]
}

/** The agent of the run and, when it needs one, its model: the named one, else one that is found, else no model and the reference agent. */
async function chooseModel(settings: Settings, root: string): Promise<ChosenModel> {
  const asked = settings.agent
  if (asked !== null && !needsModel(asked)) {
    createAgent(asked, { model: null }) // an unknown name is refused here, before anything is started
    return { agent: asked, model: null, lines: [`agent    ${asked} (built in; no model takes part)`] }
  }
  const sampling = {
    temperature: settings.temperature,
    topP: settings.topP,
    maxTokens: settings.maxTokens,
    extraBody: settings.extraBody,
  }
  if (settings.replay !== null) {
    const dir = resolve(root, settings.replay)
    // The sampling is this run's: where it is another than the recorded one, the exchanges are missing, as they should.
    const model = { ...planFromRecording(dir, settings.model), sampling }
    return {
      agent: asked ?? 'tools',
      model,
      lines: [`model    ${model.model} from the recording in ${dir}; no server takes part`],
    }
  }
  const planned = await planModel({
    model: settings.model,
    baseUrl: settings.baseUrl,
    apiKey: settings.apiKey,
    sampling,
    idleTimeoutMs: settings.requestTimeout * 1_000,
  })
  if (planned !== null) {
    const lines = linesOf(planned, settings)
    if (settings.record === null) return { agent: asked ?? 'tools', model: planned.plan, lines }
    const dir = resolve(root, settings.record)
    const model: ModelPlan = { ...planned.plan, recording: { mode: 'record', dir } }
    return { agent: asked ?? 'tools', model, lines: [...lines, `record   ${dir}`] }
  }
  const ports = USUAL_PORTS.join(', ')
  if (asked !== null) {
    throw new ConfigError(
      `the agent ${asked} needs a model, but no model server answers on the usual ports (${ports})`,
      {
        code: 'no_server',
        remedy: 'Start a model server, or say where one is with BENCH_BASE_URL.',
      },
    )
  }
  const why = `no model was named and no model server answers on the usual ports ${ports}`
  return { agent: 'reference', model: null, lines: [`agent    reference (${why})`] }
}

function linesOf({ plan, warnings }: PlannedModel, settings: Settings): readonly string[] {
  const { server } = plan
  const context =
    server.contextTokens === null ? '' : `, ${server.contextTokens.toLocaleString('en-US')} tokens of context`
  const found = settings.baseUrl === null ? ' (found on a usual port)' : ''
  return [
    `model    ${plan.model} on ${server.kind} at ${server.baseUrl}${context}${found}`,
    ...warnings.map(warning => `warning  ${warning}`),
  ]
}

/**
 * Works out everything that is the same for all trials, before the first one: results directory, model and server, sandbox.
 * @throws ConfigError with a remedy when the run cannot be made.
 */
export async function makePlan(settings: Settings, context: PlanContext): Promise<MadePlan> {
  checkResultsDir(context.resultsDir)
  const { agent, model, lines } = await chooseModel(settings, context.root)
  const sandbox = await prepareSandbox(settings.sandbox, {
    image: settings.image,
    runId: context.runId,
    onProgress: context.onProgress,
  })
  const toMs = (seconds: number | null) => (seconds === null ? null : seconds * 1_000)
  const plan: TrialPlan = {
    runId: context.runId,
    root: context.root,
    resultsDir: context.resultsDir,
    agent,
    modelLabel: model?.model ?? agent,
    model,
    sandbox,
    k: settings.k,
    trials: settings.trials,
    seed: settings.seed,
    limits: {
      maxTurns: settings.maxTurns,
      commandTimeoutMs: toMs(settings.commandTimeout),
      trialTimeoutMs: toMs(settings.trialTimeout),
    },
    earlyStop: settings.earlyStop,
    fresh: settings.fresh,
    harness: context.harness,
    recorded: context.recorded,
  }
  const trials = plan.trials === plan.k ? '' : `, ${plan.trials} trials per task`
  return {
    plan,
    lines: [...lines, `sandbox  ${sandbox.why}`, `k        ${plan.k}${trials}`, `results  ${context.resultsDir}`],
  }
}
