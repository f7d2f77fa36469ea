import { z } from 'zod'
import type { AgentSession, ConnectState } from './agents.js'
import type { Approval, ApprovalTexts, Decision } from './approval.js'
import type { FileChange, ReadChange, Scope } from './file-state.js'
import type { ApprovalId, OperationId, PromptId, SessionKey, WorkspacePath } from './ids.js'
import type { PolicySettings } from './policy.js'
import type { CallContext } from './rpc.js'
import type { Receipt, RewindChoices, RewindFileTexts, RewindPlan, RewindTarget, TakeBackPlan } from './rewind.js'
import type { SearchFilter, SearchPage, WhyAnswer } from './search.js'
import type { SessionSummary, TranscriptEntry } from './session.js'
import type { Hit, Outline, SessionHeader, SessionMap, TurnDetails } from './timeline.js'

/** What the host around the services can do; the renderer branches on these, never on which host it is. */
export interface HostAbilities {
  readonly canPickFolder: boolean
  readonly canPickFile: boolean
  readonly canReveal: boolean
  /** The host shows system notifications itself; otherwise the window may. */
  readonly canNotify: boolean
}

export interface AppState {
  readonly version: string
  readonly abilities: HostAbilities
  readonly platform: 'linux' | 'darwin' | 'win32' | 'other'
  /** Session to open first (from the command line), or `null`. */
  readonly openFirst: SessionKey | null
  readonly history: { readonly sizeBytes: number; readonly limitBytes: number }
}

export interface SessionList {
  readonly sessions: readonly SessionSummary[]
  /** Folders looked through, with what was found. */
  readonly stores: readonly { readonly agent: string; readonly folder: string; readonly sessions: number; readonly problem: string | null }[]
  readonly isScanning: boolean
}

/** What changed; the renderer asks again. */
export interface Events {
  readonly 'library.changed': Record<string, never>
  readonly 'session.changed': { readonly session: SessionKey }
  readonly 'approvals.changed': Record<string, never>
  readonly 'agents.changed': Record<string, never>
  readonly 'policy.changed': Record<string, never>
  /** A person is needed; `text` is hostile. */
  readonly 'approval.asked': { readonly approval: ApprovalId; readonly title: string; readonly text: string }
}

export interface PolicyState {
  readonly settings: PolicySettings
  /** Absolute path of the file that holds them. */
  readonly file: string
  /** What is wrong with the file as it is now; the last good settings stay in force meanwhile. */
  readonly problem: { readonly line: number | null; readonly message: string } | null
}

/** Questions that wait, oldest first, and the latest hundred that were decided, newest first. */
export interface ApprovalList {
  readonly waiting: readonly Approval[]
  readonly decided: readonly Approval[]
}

const key = z.string().regex(/^[0-9a-f]{16}$/).transform((value) => value as SessionKey)
const prompt = z.string().min(1).max(400).transform((value) => value as PromptId)
const path = z.string().min(1).max(4096).refine((value) => !value.includes('\0')).transform((value) => value as WorkspacePath)
const folder = z.string().min(1).max(4096).refine((value) => !value.includes('\0'))
const operation = z.string().min(1).max(80).transform((value) => value as OperationId)

const scope: z.ZodType<Scope, unknown> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('turn'), promptId: prompt }),
  z.object({ kind: z.literal('to-disk'), promptId: prompt }),
  z.object({ kind: z.literal('session') }),
  z.object({ kind: z.literal('range'), from: prompt, to: prompt }),
  z.object({ kind: z.literal('since-reviewed') }),
  z.object({ kind: z.literal('by-user'), after: prompt }),
  z.object({ kind: z.literal('user-in-turn'), promptId: prompt }),
  z.object({ kind: z.literal('operation'), operationId: operation }),
  z.object({ kind: z.literal('base') }),
])

const target: z.ZodType<RewindTarget, unknown> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), promptId: prompt }),
  z.object({ kind: z.literal('end'), promptId: prompt }),
  z.object({ kind: z.literal('step'), promptId: prompt, step: z.number().int().min(1) }),
])

const resolution = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('merge') }),
  z.object({ kind: z.literal('keep') }),
  z.object({ kind: z.literal('old') }),
  z.object({ kind: z.literal('text'), text: z.string().max(16_000_000) }),
])

const choices: z.ZodType<RewindChoices, unknown> = z.object({
  paths: z.array(path).max(200_000).nullable(),
  resolutions: z.record(z.string(), resolution),
})

const approval = z.string().min(1).max(80).transform((value) => value as ApprovalId)
const mode = z.enum(['ask', 'review-after', 'plan'])
const sensitivity = z.enum(['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'])

const decision: z.ZodType<Decision, unknown> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('approve'),
    files: z
      .array(z.object({ path, hunks: z.array(z.number().int().min(1)).max(100_000).nullable(), text: z.string().max(16_000_000).nullable() }))
      .max(10_000),
    comment: z.string().max(20_000),
    isForRestOfTurn: z.boolean(),
    alwaysRules: z.array(z.string().max(4_000)).max(50),
  }),
  z.object({ kind: z.literal('reject'), reason: z.string().max(20_000) }),
])

const searchFilter: z.ZodType<SearchFilter, unknown> = z.object({
  agents: z.array(z.enum(['qwen-code', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'overturn'])).max(20).nullable(),
  kinds: z.array(z.enum(['prompt', 'reply', 'command', 'path', 'change'])).max(10).nullable(),
  workspace: folder.nullable(),
  path: z.string().min(1).max(4096).nullable(),
  from: z.number().int().nullable(),
  to: z.number().int().nullable(),
})

const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** Ties the result's type to a method; nothing is checked on the way back, since the host made it. */
const returns = <Result>() => ({}) as { readonly result?: Result }

const read = <Params extends z.ZodType, Result>(params: Params, result: { readonly result?: Result }) => ({ kind: 'read' as const, params, ...result })
const write = <Params extends z.ZodType, Result>(params: Params, result: { readonly result?: Result }) => ({ kind: 'write' as const, params, ...result })
const job = <Params extends z.ZodType, Result>(params: Params, result: { readonly result?: Result }) => ({ kind: 'job' as const, params, ...result })

/**
 * Every method of the app. `read` changes nothing and can be aborted, `write` runs to its end once begun, `job` is long,
 * reports progress and can be cancelled.
 */
export const contract = {
  'app.state': read(z.object({}), returns<AppState>()),
  'app.reveal': write(z.object({ session: key, path }), returns<null>()),

  'session.list': read(z.object({}), returns<SessionList>()),
  /** Adds a folder of logs or one log file to the library; returns the sessions found there. */
  'session.add': job(z.object({ location: folder }), returns<{ readonly added: readonly SessionKey[] }>()),
  /** Takes a place off the library again that a person added; nothing on the disk changes. Errors: FOLDER_NOT_FOUND. */
  'session.removePlace': write(z.object({ location: folder }), returns<null>()),
  /** Lets the host ask for a file or folder; `null` when the person closed the dialog. */
  'session.pick': write(z.object({ what: z.enum(['log', 'workspace']) }), returns<string | null>()),
  'session.attach': write(z.object({ session: key, workspace: folder.nullable() }), returns<null>()),
  /** Copies the bundled sample (log, backups, files) into the data folder and returns its key. */
  'session.openSample': job(z.object({}), returns<SessionKey>()),
  'session.open': job(z.object({ session: key }), returns<SessionHeader>()),
  'session.header': read(z.object({ session: key }), returns<SessionHeader>()),
  'session.outline': read(z.object({ session: key }), returns<Outline>()),
  'session.turns': read(z.object({ session: key, promptIds: z.array(prompt).max(200) }), returns<readonly TurnDetails[]>()),
  'session.transcript': read(z.object({ session: key, promptId: prompt }), returns<readonly TranscriptEntry[]>()),
  /** The whole recorded output of one call, at most 16 million characters. */
  'session.toolOutput': read(z.object({ session: key, promptId: prompt, callId: z.string().max(400) }), returns<string>()),
  'session.map': job(z.object({ session: key }), returns<SessionMap>()),
  'session.find': read(z.object({ session: key, text: z.string().max(400), limit: z.number().int().min(1).max(200) }), returns<readonly Hit[]>()),
  /** Raw text of lines that were not understood, each cut to 16 KiB. */
  'session.rawLines': read(
    z.object({ session: key, lines: z.array(z.number().int().min(1)).max(50) }),
    returns<readonly { readonly line: number; readonly raw: string; readonly isCut: boolean }[]>(),
  ),

  /** Looks through all sessions, newest first; answers with what it has after a moment, and goes on with `cursor`. */
  'search.find': job(
    z.object({ text: z.string().min(1).max(400), filter: searchFilter, cursor: z.string().max(400).nullable(), limit: z.number().int().min(1).max(500) }),
    returns<SearchPage>(),
  ),
  /** Who wrote a line of a file as it is on the disk now. `line` from 1; `file` absolute. */
  'search.why': job(z.object({ file: folder, line: z.number().int().min(1).max(10_000_000) }), returns<WhyAnswer>()),

  'change.list': job(z.object({ session: key, scope }), returns<readonly FileChange[]>()),
  'change.read': read(
    z.object({ session: key, scope, path, showOversized: z.boolean() }),
    returns<ReadChange>(),
  ),
  /** Marks a file of a scope as reviewed, bound to the content that `contentKey` names; `false` takes the mark off. */
  'change.review': write(z.object({ session: key, scope, path, contentKey: hash, isReviewed: z.boolean() }), returns<null>()),

  'rewind.preview': job(z.object({ session: key, target, choices }), returns<RewindPlan>()),
  'rewind.file': read(z.object({ session: key, target, path, choices }), returns<RewindFileTexts>()),
  'rewind.apply': job(z.object({ session: key, target, choices, planHash: hash }), returns<Receipt>()),
  'rewind.undo': job(z.object({ session: key, operationId: operation }), returns<Receipt>()),
  'rewind.redo': job(z.object({ session: key, operationId: operation }), returns<Receipt>()),
  'rewind.receipt': read(z.object({ session: key, operationId: operation }), returns<Receipt>()),
  'takeBack.preview': read(z.object({ session: key, promptId: prompt, path, hunk: z.number().int().min(1) }), returns<TakeBackPlan>()),
  'takeBack.apply': write(
    z.object({ session: key, promptId: prompt, path, hunk: z.number().int().min(1), planHash: hash }),
    returns<Receipt>(),
  ),

  'approval.list': read(z.object({}), returns<ApprovalList>()),
  'approval.read': read(z.object({ approval, path, showOversized: z.boolean() }), returns<ApprovalTexts>()),
  /**
   * Decides a question once, and carries the decision out: what comes back has been written and read again, or says why not.
   * Bound to the revision that the person saw.
   */
  'approval.decide': write(z.object({ approval, revision: z.number().int().min(1), decision }), returns<Approval>()),
  /** Puts back what an applied edit changed, while the files still are as it left them. The agent is told at its next call. */
  'approval.undo': write(z.object({ approval }), returns<Approval>()),

  'agent.list': read(z.object({}), returns<readonly AgentSession[]>()),
  'agent.setMode': write(z.object({ session: key, mode }), returns<AgentSession>()),
  /** How agents are told of us, for one workspace. */
  'agent.connect': read(z.object({ workspace: folder.nullable() }), returns<ConnectState>()),
  /** A fresh worktree of the workspace's repository, on a branch of its own from what is checked out there. */
  'agent.makeWorktree': job(
    z.object({ workspace: folder, branch: z.string().min(1).max(200).nullable() }),
    returns<{ readonly folder: string; readonly branch: string; readonly base: string; readonly filtersLeftOut: readonly string[] }>(),
  ),

  'policy.read': read(z.object({}), returns<PolicyState>()),
  'policy.removeRule': write(z.object({ id: z.string().min(1).max(80) }), returns<PolicyState>()),
  'policy.update': write(
    z.object({
      approvalMode: mode.optional(),
      redactSecrets: z.boolean().optional(),
      askForNetworkFrom: sensitivity.nullable().optional(),
      commandTimeLimitMs: z.number().int().min(1_000).max(86_400_000).optional(),
      protectedBranches: z.array(z.string().min(1).max(200)).max(100).optional(),
    }),
    returns<PolicyState>(),
  ),
} as const

export type Contract = typeof contract
export type Method = keyof Contract
export type Params<M extends Method> = z.output<Contract[M]['params']>
export type Result<M extends Method> = NonNullable<Contract[M]['result']> | Extract<Contract[M]['result'], null>

/** One function a method; the compiler asks for each. */
export type Handlers = { readonly [M in Method]: (params: Params<M>, context: CallContext) => Promise<Result<M>> }
