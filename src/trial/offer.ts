/** What a task offers to an agent, and what a trial of it has to have. */
import type { Task } from '../task/task.ts'
import type { ToolOffer } from '../tools/tool-set.ts'
import { WORKSPACE_TOOLS } from '../tools/workspace.ts'

/** The tools of a task: those of the workspace, until a task can name others. */
export function toolsOf(_task: Task): ToolOffer {
  return WORKSPACE_TOOLS
}

/** Whether a trial takes a sandbox: for its tools, for the files it begins with, or for its checks. */
export function needsSandbox(task: Pick<Task, 'setup' | 'verify'>, { needs }: Pick<ToolOffer, 'needs'>): boolean {
  return needs === 'sandbox' || task.setup.size > 0 || task.verify.size > 0
}
