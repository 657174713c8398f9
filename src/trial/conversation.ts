/** The user of a trial: says the task's turns, one after each answer, and keeps the answers. */
import { InfraError } from '../errors.ts'
import { UNCOUNTED } from '../task/run-within.ts'
import type { Task, TurnContext, UserTurn } from '../task/task.ts'

export class Conversation {
  readonly #turns: readonly UserTurn[]
  readonly #context: Omit<TurnContext, 'answers'>
  readonly #answers: string[] = []
  #isEnded = false

  /** @param verify Runs a check on what there is now; absent where the agent has a workspace of its own. */
  constructor(task: Pick<Task, 'turns' | 'instance'>, verify?: TurnContext['verify']) {
    this.#turns = task.turns
    this.#context = { instance: task.instance?.data, verify: verify ?? refuseVerify }
  }

  /**
   * What the user says to an answer; null when the conversation is over.
   * @throws InfraError code `turn_threw`
   */
  async reply(answer: string): Promise<string | null> {
    this.#answers.push(answer)
    const index = this.#answers.length - 1
    const said = await this.#say(index)
    if (said === null) this.#isEnded = true
    return said
  }

  async #say(index: number): Promise<string | null> {
    const turn = this.#turns[index]
    if (turn === undefined || typeof turn === 'string') return turn ?? null
    let said: unknown
    try {
      said = await turn({ ...this.#context, answers: [...this.#answers] })
    } catch (error) {
      if (error instanceof InfraError) throw error
      throw brokenTurn(index, `threw ${error instanceof Error ? error.message : String(error)}`, error)
    }
    if (said === null || (typeof said === 'string' && said.trim() !== '')) return said
    throw brokenTurn(index, `gave ${said === '' ? 'an empty text' : typeof said} instead of a text or null`)
  }

  /** An answer for each message: empty for those the agent never answered, none for those never said by a user who had ended. */
  answers(): readonly string[] {
    const missing = this.#isEnded ? 0 : 1 + this.#turns.length - this.#answers.length
    return [...this.#answers, ...Array.from({ length: missing }, () => '')]
  }
}

function brokenTurn(index: number, problem: string, cause?: unknown): InfraError {
  return new InfraError(`turns[${index}] of the task ${problem}`, {
    code: 'turn_threw',
    remedy: `Correct turns[${index}] in the spec file. ${UNCOUNTED}`,
    cause,
  })
}

async function refuseVerify(): Promise<never> {
  throw new InfraError('verify was asked in the middle of a conversation whose agent has a workspace', {
    code: 'turn_threw',
    remedy: 'Only a task without tools of the workspace can verify between turns: its files come from the answer.',
  })
}
