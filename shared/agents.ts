import type { ApprovalMode } from './approval.js'
import type { SessionKey } from './ids.js'
import type { Sensitivity, SensitivityReason } from './policy.js'

/** The git worktree that a running session writes in. */
export interface WorktreeState {
  /** Real path of the worktree. */
  readonly folder: string
  readonly branch: string | null
  /** Commit that the branch left from, where the app made the worktree; its diff is a scope. */
  readonly base: string | null
  /** Whether its branch is one of the protected ones; then nothing is written. */
  readonly isProtected: boolean
}

/** One session that an agent works through our tools, now or since the app started. */
export interface AgentSession {
  readonly session: SessionKey
  /** Name that the agent gave itself ("claude-code"), and its version. */
  readonly client: string
  readonly clientVersion: string | null
  readonly transport: 'stdio' | 'http'
  readonly workspace: string
  readonly isConnected: boolean
  readonly connectedAt: number
  readonly lastCallAt: number | null
  readonly turn: number
  readonly mode: ApprovalMode
  /** In plan mode: whether the plan was approved, so that writing is possible until the next one. */
  readonly isPlanApproved: boolean
  /** Edits are applied unasked until the next turn. */
  readonly isRestOfTurnApproved: boolean
  readonly waiting: number
  readonly taint: { readonly level: Sensitivity; readonly reasons: readonly SensitivityReason[] }
  readonly worktree: WorktreeState | null
  /** What of the workspace is not watched, or not kept: sentences. */
  readonly limits: readonly string[]
}

/** How one agent program is told of us. `config` is what its command writes, or what is written by hand where it has none. */
export interface ConnectRecipe {
  readonly id: 'claude-code' | 'qwen-code' | 'gemini-cli' | 'codex' | 'opencode' | 'cursor' | 'vscode' | 'other'
  readonly name: string
  readonly stdio: { readonly command: string | null; readonly config: string; readonly file: string }
  readonly http: { readonly command: string | null; readonly config: string; readonly file: string }
  /** What to set so that the agent does not ask a second time, or waits long enough; sentences with literal settings. */
  readonly advice: readonly string[]
}

export interface ConnectState {
  readonly workspace: string
  readonly recipes: readonly ConnectRecipe[]
  readonly httpUrl: string | null
  readonly problem: string | null
}
