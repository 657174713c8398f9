/** What a task offers to an agent, and what a trial of it has to have. */
import type { Task } from '../task/task.ts'
import { ownTools } from '../tools/own-tools.ts'
import type { ToolOffer } from '../tools/tool-set.ts'
import { WORKSPACE_TOOLS, workspaceTools } from '../tools/workspace.ts'

/** The tools of a task. */
export function toolsOf({ tools }: Pick<Task, 'tools'>): ToolOffer {
  if (tools === 'workspace') return WORKSPACE_TOOLS
  if (isNames(tools)) return tools.length === 0 ? ownTools({}) : workspaceTools(tools)
  return isOffer(tools) ? tools : ownTools(tools)
}

type Choice = Exclude<Task['tools'], 'workspace'>

const isNames = (tools: Choice): tools is Extract<Choice, readonly unknown[]> => Array.isArray(tools)
const isOffer = (tools: Choice): tools is ToolOffer => 'needs' in tools && typeof tools.needs === 'string'

/** Whether a trial takes a sandbox: for its tools, for the files it begins with, or for its checks. */
export function needsSandbox(task: Pick<Task, 'setup' | 'verify'>, { needs }: Pick<ToolOffer, 'needs'>): boolean {
  return needs === 'sandbox' || task.setup.size > 0 || task.verify.size > 0
}
