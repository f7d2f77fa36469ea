import { z } from 'zod'
import type { Approval } from '../../shared/approval.js'
import { toWireError, type ErrorCode, type ErrorDetails } from '../../shared/errors.js'
import type { ToolAnswer, ToolDefinition } from '../agents/agent-desk.js'
import type { ToolSession } from './tool-session.js'

/** One call of a tool, while it runs. */
export interface CallScope {
  readonly callId: string
  readonly tool: string
  /** Fires when the agent gave the call up. */
  readonly signal: AbortSignal
  readonly progress: (message: string) => void
  /** Until when the agent waits in this call; `null` without limit. */
  readonly waitsUntil: number | null
}

/** What a tool may do to the world: `writes` covers files and commands, and is refused in plan mode and on protected branches. */
export type ToolEffect =
  | 'reads'
  | 'writes'
  | 'command'
  | 'plan'
  /** Is about the session: neither belongs to a turn nor is it logged as a call, since what it does is a record of its own. */
  | 'session'

/** A tool as its file declares it. `run` answers; a refusal may be thrown as `ReviewError`. */
export interface Tool<Params = unknown> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: ToolEffect
  /** The user's workspace, or one of the agent's own in the app's data folder. */
  readonly place: 'workspace' | 'scratch'
  readonly params: z.ZodType<Params>
  /** Fields of the structured answer beside those that every answer has; all optional, since a refusal has none. */
  readonly result: Readonly<Record<string, z.ZodType>>
  readonly run: (params: Params, session: ToolSession, call: CallScope) => Promise<ToolAnswer>
}

/** Keeps a tool's params typed where it is declared, and lets the registry hold tools of all kinds. */
export function tool<Params>(declared: Omit<Tool<Params>, 'place'>): Tool {
  return { ...declared, place: 'workspace', run: (params, session, call) => declared.run(declared.params.parse(params), session, call) }
}

/** What every structured answer holds. */
const common = {
  status: z.enum(['done', 'pending', 'refused', 'failed']),
  message: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }).optional(),
  review_id: z.string().optional(),
  /** What else the model must know: what the person did, what was cut or not looked at. */
  notes: z.array(z.string()).optional(),
}

/** A tool as agents are told of it. */
export function definitionOf({ name, title, description, effect, params, result }: Tool): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(params, 'input'),
    outputSchema: schemaOf(z.object({ ...common, ...Object.fromEntries(Object.entries(result).map(([key, type]) => [key, type.optional()])) }), 'output'),
    annotations: {
      readOnlyHint: effect === 'reads',
      // Every write is asked for by us, kept before it happens and can be taken back, so that an agent needs not ask a second time.
      destructiveHint: effect === 'command',
      idempotentHint: effect === 'reads',
      openWorldHint: effect === 'command',
    },
  }
}

/** JSON Schema that also lenient readers take: an object at the top, no dialect line. */
function schemaOf(type: z.ZodType, io: 'input' | 'output'): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, { io })
  return io === 'output' ? { ...schema, additionalProperties: true } : schema
}

export function done(text: string, structured: Readonly<Record<string, unknown>> = {}): ToolAnswer {
  return { isError: false, text, structured: { status: 'done', ...structured } }
}

/** Nothing was done, and this is why. */
export function refused(code: ErrorCode, message: string, details: ErrorDetails = {}, text = message): ToolAnswer {
  return { isError: true, text: `${code}: ${text}`, structured: { status: 'refused', message, error: { code, message, details } } }
}

/** What the asking call gets of a question that nothing was done about: how it ended, and what that means for the call. */
export function refusedBy({ error, outcome }: Pick<Approval, 'error' | 'outcome'>, otherwise: ErrorCode, means: string): ToolAnswer {
  const how = (outcome ?? '').trim()
  return refused(error ?? otherwise, `${/[^.!?]$/.test(how) ? `${how}.` : how} ${means}`.trim())
}

export function pending(reviewId: string, what: string): ToolAnswer {
  const message = `${what} waits for a person's decision. Nothing has been done yet. Call await_review with review_id "${reviewId}" to wait for it; only that call reports the end.`
  return { isError: false, text: message, structured: { status: 'pending', message, review_id: reviewId } }
}

/** Adds sentences that the model must read; some agents show it the text alone, others the structured part alone. */
export function withNotes(answer: ToolAnswer, notes: readonly string[]): ToolAnswer {
  if (notes.length === 0) return answer
  const before: unknown = answer.structured['notes']
  const text = `${notes.map((note) => `[${note}]`).join('\n')}\n${answer.text}`
  return { ...answer, text, structured: { ...answer.structured, notes: [...notes, ...(Array.isArray(before) ? (before as readonly unknown[]) : [])] } }
}

/** The answer for anything thrown; what is no refusal of ours says nothing of its inside. */
export function thrownAnswer(thrown: unknown): ToolAnswer {
  const { code, message, details } = toWireError(thrown)
  return refused(code, message, details)
}
