import type { ApprovalMode } from '../../shared/approval.js'

/** Which session of before an agent goes on with. */
export type Resume =
  | { readonly kind: 'session'; readonly sessionId: string }
  /** The last one of this agent in this folder; a new one where there is none. */
  | { readonly kind: 'newest' }
  /** Its connection was lost, and it is back: it goes on in its turn. */
  | { readonly kind: 'lost-connection'; readonly sessionId: string }

/** Who connects, as its first message said, and for which folder. */
export interface AgentHello {
  /** Name that the agent gave itself ("claude-code"); hostile text, at most 200 characters. */
  readonly client: string
  readonly clientVersion: string | null
  readonly transport: 'stdio' | 'http'
  /** Absolute. */
  readonly workspace: string
  /** Asked for on the command line; `null` takes the setting of the policy. */
  readonly mode: ApprovalMode | null
  /** `null` begins a session. */
  readonly resume: Resume | null
}

/** A tool as it is announced. Schemas are JSON Schema (2020-12) objects. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema: Readonly<Record<string, unknown>>
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** What a call comes to. `structured` fits the tool's output schema, and `text` says the same to a model. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  readonly structured: Readonly<Record<string, unknown>>
}

export interface CallWatch {
  /** Fires when the agent gave the call up, or is gone. A question that waits for it is cancelled then. */
  readonly signal: AbortSignal
  /** Tells what the call waits for or does; may be called often. */
  readonly progress: (message: string) => void
  /** After so long without a decision the call is answered with a ticket for `await_review`; `null` waits for ever. */
  readonly budgetMs: number | null
  /** Identity that the agent gave the request; `null` where it gave none. */
  readonly request: string | number | null
}

/** One connected agent. */
export interface AgentConnection {
  /** Identity of its session, a UUID. */
  readonly sessionId: string
  readonly tools: () => readonly ToolDefinition[]
  /** Never throws for what a tool refuses: that is an answer with `isError`. */
  readonly call: (name: string, args: unknown, watch: CallWatch) => Promise<ToolAnswer>
  /** What became of a request that had no answer when the session's last host ended. */
  readonly cutOff: (request: string | number, tool: string) => string
  /** The agent is gone: its open questions without a ticket are cancelled. */
  readonly close: () => void
}

/** Where agents connect to, whatever carries them. */
export interface AgentDesk {
  /** Errors: WORKSPACE_MISSING, DATA_FOLDER_UNWRITABLE; SESSION_NOT_FOUND and NOT_ADMITTED for one to go on with. */
  readonly connect: (hello: AgentHello) => Promise<AgentConnection>
}
