/**
 * The question which of several served models is meant, to somebody at a terminal. It is asked while Vitest starts: later its
 * reporter draws over the list and its keys (`q` quits, Enter runs again) would hear the answer.
 */
import { escapeForTerminal } from '../../reporters/terminal.ts'
import { ConfigError } from '../errors.ts'
import { type ModelCandidate, ModelNotChosenError, planModel } from '../model/index.ts'
import { modelQuestion } from './model-question.ts'
import type { Settings } from './settings.ts'

/** Rows of the list that are shown at once. */
const ROWS = 12

/** A person, and not a pipe, a robot or `vitest list`, which only shows what there is. */
function isAttended(): boolean {
  const hasTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  return hasTerminal && !process.env.CI && process.argv[2] !== 'list'
}

/**
 * Settings that name a model, where several are served, none is named and somebody is there to choose; else the settings as
 * they are, and making the plan of the run says what is wrong.
 * @throws ConfigError code `model_not_chosen` when the question is left with Escape or Ctrl-C
 */
export async function withChosenModel(settings: Settings): Promise<Settings> {
  const [setting, ...others] = settings.models
  const isOpen = setting !== undefined && others.length === 0 && setting.model === null && settings.replay === null
  if (!isOpen || !isAttended()) return settings
  try {
    await planModel(modelQuestion(settings, setting))
    return settings
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (!(error instanceof ModelNotChosenError)) return settings
    const { model, baseUrl } = await pickModel(error.candidates)
    return { ...settings, models: [{ ...setting, model, baseUrl }] }
  }
}

async function pickModel(candidates: readonly ModelCandidate[]): Promise<ModelCandidate> {
  const { isCancel, select } = await import('@clack/prompts')
  const options = candidates.map(({ model, baseUrl, isLoaded }, value) => ({
    value,
    label: escapeForTerminal(model),
    hint: `${isLoaded === true ? 'loaded, ' : ''}${baseUrl}`,
  }))
  const chosen = await select({ message: 'Which model is to be measured?', options, maxItems: ROWS })
  const candidate = isCancel(chosen) ? undefined : candidates[chosen]
  if (candidate !== undefined) return candidate
  throw new ConfigError('no model was chosen', {
    code: 'model_not_chosen',
    remedy: `Choose one, or name it: BENCH_MODEL=${candidates[0]?.model ?? '…'}.`,
  })
}
