import { ReviewError } from '../../shared/errors.js'
import type { CallWatch, ToolAnswer } from '../agents/agent-desk.js'
import { refused, thrownAnswer, type Tool } from './tool.js'
import type { ToolCallFacts, ToolSession } from './tool-session.js'

export interface ToolRequest {
  readonly callId: string
  readonly name: string
  /** As it came from the agent. */
  readonly args: unknown
}

/**
 * The way of every tool call: a session that lasts, a known tool, a turn that runs, parameters that fit; then the tool; then its
 * answer is classified and noted. Never throws: a refusal is an answer, and so is a failure inside.
 */
export async function runTool(tools: readonly Tool[], session: ToolSession, request: ToolRequest, watch: CallWatch): Promise<ToolAnswer> {
  const { callId, name, args } = request
  if (session.ended.aborted) return refused('AGENT_GONE', 'This session has ended. Connect again; nothing was done.')
  const tool = tools.find((each) => each.name === name)
  if (!tool) return refused('UNKNOWN_TOOL', `There is no tool ${name.slice(0, 60)}. Ask for the list of tools.`)
  try {
    const inside = tool.place === 'scratch' ? await session.exec(name) : session
    return await session.during(runInside(inside, tool, { callId, tool: name, args: args ?? {}, startedAt: session.now(), request: watch.request }, watch))
  } catch (thrown) {
    session.failed(name, thrown)
    return thrownAnswer(thrown)
  }
}

async function runInside(session: ToolSession, tool: Tool, call: ToolCallFacts, watch: CallWatch): Promise<ToolAnswer> {
  const isPartOfTurn = tool.effect !== 'session'
  const answer = async (): Promise<ToolAnswer> => {
    try {
      await session.begin(call, isPartOfTurn)
    } catch (thrown) {
      // What only reads can be done without a log.
      if (tool.effect !== 'reads') throw thrown
      session.failed(call.tool, thrown)
    }
    const params = tool.params.safeParse(call.args)
    if (!params.success) return invalidParams(call.tool, params.error.issues)
    const waitsUntil = watch.budgetMs === null ? null : call.startedAt + watch.budgetMs
    return await tool.run(params.data, session, { callId: call.callId, tool: call.tool, signal: watch.signal, progress: watch.progress, waitsUntil })
  }
  const found = await answer().catch((thrown: unknown) => {
    if (!(thrown instanceof ReviewError)) session.failed(call.tool, thrown)
    return thrownAnswer(thrown)
  })
  return session.finish(call, found, isPartOfTurn)
}

function invalidParams(name: string, issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): ToolAnswer {
  const said = issues.slice(0, 3).map(({ path, message }) => `${path.map(String).join('.') || 'arguments'}: ${message}`)
  return refused('INVALID_PARAMS', `The arguments of ${name} do not fit: ${said.join('; ').slice(0, 1_000)}. Nothing was done.`, { field: issues[0]?.path.map(String).join('.') ?? '' })
}
