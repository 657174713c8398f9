import { resolve } from 'node:path'
import { createAgent, needsModel } from '../agents/index.ts'
import { ConfigError } from '../errors.ts'
import type { ModelPlan } from '../model/chat-model.ts'
import { labelsOf, type PlannedModel, planFromRecording, planModel, USUAL_PORTS } from '../model/index.ts'
import { checkResultsDir } from '../results/journal.ts'
import type { HarnessInfo, RecordedTrial, TrialPlan } from '../trial/plan.ts'
import { modelQuestion } from './model-question.ts'
import type { ModelSetting } from './model-settings.ts'
import type { Settings } from './settings.ts'

export interface PlanContext {
  /** Absolute path of the project. */
  readonly root: string
  /** Absolute path. */
  readonly resultsDir: string
  readonly runId: string
  readonly harness: HarnessInfo
  /** Trials of earlier runs that need not be run again. */
  readonly recorded: readonly RecordedTrial[]
}

export interface MadePlans {
  /** One for each model, in the order they are run; one in all for an agent without a model. */
  readonly plans: readonly TrialPlan[]
  /** What the run is about to do, one line each. */
  readonly lines: readonly string[]
}

interface Chosen {
  readonly agent: string
  /** Empty for an agent without a model. */
  readonly models: readonly ModelPlan[]
  readonly lines: readonly string[]
}

/** The agent of the run and, when it needs one, its models: the named ones, else one that is found, else none and the reference agent. */
async function chooseModels(settings: Settings, root: string): Promise<Chosen> {
  const asked = settings.agent
  if (asked !== null && !needsModel(asked)) {
    createAgent(asked, { model: null }) // an unknown name is refused here, before anything is started
    return { agent: asked, models: [], lines: [`agent    ${asked} (built in; no model takes part)`] }
  }
  const found: FoundModel[] = []
  for (const setting of settings.models) {
    const one = await findModel(settings, setting, root)
    if (one !== null) found.push(one)
  }
  refuseOneModelTwice(found)
  if (found.length > 0) {
    const lines = found.flatMap(one => one.lines)
    return { agent: asked ?? 'tools', models: found.map(({ model }) => model), lines }
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
  return { agent: 'reference', models: [], lines: [`agent    reference (${why})`] }
}

/** A server that ignores names answers each of them with the one model it has: two columns would show one model. */
function refuseOneModelTwice(found: readonly FoundModel[]): void {
  for (const [at, { model, served }] of found.entries()) {
    const other = found
      .slice(0, at)
      .find(one => served !== null && one.served === served && one.model.baseUrl === model.baseUrl)
    if (other === undefined || other.model.model === model.model) continue
    throw new ConfigError(
      `"${other.model.model}" and "${model.model}" are one model: the server at ${model.baseUrl} answers both with ${served}`,
      {
        code: 'one_model_twice',
        remedy:
          'Start a server for each model and give its address in models of bench.config.ts. One model in two settings is listed there under one name with two labels.',
      },
    )
  }
}

interface FoundModel {
  readonly model: ModelPlan
  /** The model that will answer, as its server lists it; null = not known. */
  readonly served: string | null
  readonly lines: readonly string[]
}

/** One model of the run, on its server or in its recording; null when none is named and none is found. */
async function findModel(settings: Settings, setting: ModelSetting, root: string): Promise<FoundModel | null> {
  const question = modelQuestion(settings, setting)
  if (settings.replay !== null) {
    const dir = resolve(root, settings.replay)
    // The sampling is this run's: where it is another than the recorded one, the exchanges are missing, as they should.
    const recorded = planFromRecording(dir, setting.model, setting.labels.label ?? null)
    const labels = labelsOf(recorded.model, recorded.server.modelPath, { ...recorded.labels, ...setting.labels })
    const model = { ...recorded, labels, sampling: question.sampling }
    return {
      model,
      served: null,
      lines: [`model    ${nameOfModel(model)} from the recording in ${dir}; no server takes part`],
    }
  }
  const planned = await planModel(question)
  if (planned === null) return null
  const lines = linesOf(planned, setting)
  const { served } = planned
  if (settings.record === null) return { model: planned.plan, served, lines }
  const dir = resolve(root, settings.record)
  const model: ModelPlan = { ...planned.plan, recording: { mode: 'record', dir } }
  return { model, served, lines: [...lines, `record   ${dir}`] }
}

/** What results call a model. */
function nameOfModel(model: ModelPlan): string {
  return model.labels?.label ?? model.model
}

function linesOf({ plan, warnings }: PlannedModel, setting: ModelSetting): readonly string[] {
  const { server } = plan
  const context =
    server.contextTokens === null ? '' : `, ${server.contextTokens.toLocaleString('en-US')} tokens of context`
  const found = setting.baseUrl === null ? ' (found on a usual port)' : ''
  const label = nameOfModel(plan) === plan.model ? '' : ` as "${nameOfModel(plan)}"`
  return [
    `model    ${plan.model}${label} on ${server.kind} at ${server.baseUrl}${context}${found}`,
    ...(setting.isUnlisted
      ? [`warning  ${plan.model} is none of the models in bench.config.ts: it runs with the settings of the run`]
      : []),
    ...warnings.map(warning => `warning  ${warning}`),
  ]
}

const REPAIR_LINE =
  'repair   trials lost with leaked or malformed calls are played once more with them understood; the score stays strict'

/** It keeps trials apart, although no server gets it. */
const UNSENT_SEED = 42

/**
 * Works out everything that is the same for all trials of a model, before the first one: results directory, models and
 * servers. A run of several models is made whole or not at all.
 * @throws ConfigError with a remedy when the run cannot be made.
 */
export async function makePlans(settings: Settings, context: PlanContext): Promise<MadePlans> {
  checkResultsDir(context.resultsDir)
  const { agent, models, lines } = await chooseModels(settings, context.root)
  const toMs = (seconds: number | null) => (seconds === null ? null : seconds * 1_000)
  const planFor = (model: ModelPlan | null): TrialPlan => ({
    runId: context.runId,
    root: context.root,
    resultsDir: context.resultsDir,
    agent,
    modelLabel: model === null ? agent : nameOfModel(model),
    model,
    sandbox: null,
    k: settings.k,
    trials: settings.trials,
    seed: settings.seed === 'off' ? UNSENT_SEED : settings.seed,
    limits: {
      maxTurns: settings.maxTurns,
      commandTimeoutMs: toMs(settings.commandTimeout),
      trialTimeoutMs: toMs(settings.trialTimeout),
    },
    earlyStop: settings.earlyStop,
    repair: settings.repair,
    examines: settings.examine,
    fresh: settings.fresh,
    harness: context.harness,
    recorded: context.recorded,
  })
  const trials = settings.trials === settings.k ? '' : `, ${settings.trials} trials per task`
  return {
    plans: models.length === 0 ? [planFor(null)] : models.map(planFor),
    lines: [
      ...lines,
      `k        ${settings.k}${trials}`,
      ...(settings.repair === 'report' && models.length > 0 ? [REPAIR_LINE] : []),
      `results  ${context.resultsDir}`,
    ],
  }
}
