import type { DiffStat } from './changes.js'
import type { ErrorCode } from './errors.js'
import type { ChangeBadge, FileSide } from './file-state.js'
import type { ApprovalId, PromptId, SessionKey, WorkspacePath } from './ids.js'
import type { ApprovalMode, CommandJudgement } from './policy.js'

/**
 * Where a question stands. `waiting` and `stale` (the disk changed under it; its diff is fresh) can be decided; all others are
 * final but `approved`, which becomes `applied` or `not-applied` within the same call.
 */
export type ApprovalState =
  'waiting' | 'stale' | 'approved' | 'applied' | 'not-applied' | 'rejected' | 'denied' | 'cancelled' | 'expired'

/** What an edit does to one file. `rename` has its old path in `from`. */
export type EditOperation = 'create' | 'modify' | 'delete' | 'rename' | 'mode'

/** One file of an edit that waits. Its texts are asked for with `approval.read`. */
export interface ApprovalFile {
  readonly path: WorkspacePath
  readonly from: WorkspacePath | null
  readonly operation: EditOperation
  /** `null` where it cannot be counted (binary). */
  readonly stat: DiffStat | null
  /** Blocks of changed lines; 0 where the file has no text on both sides, and can then only be taken as a whole. */
  readonly hunks: number
  readonly badges: readonly ChangeBadge[]
  /** One sentence about how the edit found its place ("3 characters matched after normalising"); else `null`. */
  readonly note: string | null
  /** Of an edit that was written: what the person took of this file; `null` while it waits, and where it was written as proposed. */
  readonly taken: TakenPart | null
}

/** What was written of a proposed file, where it is not all of it. `hunks` are 1-based, of the `of` proposed ones. */
export type TakenPart =
  | { readonly kind: 'left-out' }
  | { readonly kind: 'hunks'; readonly hunks: readonly number[]; readonly of: number }
  /** Other text than proposed; of all hunks, or without those that are not named. */
  | { readonly kind: 'edited'; readonly hunks: readonly number[]; readonly of: number }

/** "left out", "written as you changed it", "hunks 1, 3 of 4 written". */
export function takenText(taken: TakenPart): string {
  if (taken.kind === 'left-out') return 'left out'
  const hunks = `${taken.hunks.length === 1 ? 'hunk' : 'hunks'} ${taken.hunks.join(', ')} of ${taken.of}`
  if (taken.kind === 'hunks') return `${hunks} written`
  return taken.hunks.length === taken.of ? 'written as you changed it' : `${hunks} written as you changed it`
}

/** What a person is asked about. */
export type ApprovalSubject =
  | { readonly kind: 'edit'; readonly files: readonly ApprovalFile[]; /** A `sed -i` that we carry out ourselves, as it was asked for. */ readonly sed: string | null }
  | {
      readonly kind: 'command'
      readonly command: string
      readonly directory: string
      readonly judgement: CommandJudgement
      readonly timeLimitMs: number
      /** Why a command that looks like an edit is run as a command; else `null`. */
      readonly note: string | null
    }
  /** `markdown` is hostile text. */
  | { readonly kind: 'plan'; readonly markdown: string; readonly files: readonly WorkspacePath[] }

/** Who asks. `client` is the name that the agent gave itself. */
export interface ApprovalSource {
  readonly session: SessionKey
  readonly client: string
  readonly clientVersion: string | null
  /** The first line of the prompt of its turn. */
  readonly title: string
  readonly promptId: PromptId
  /** 1-based. */
  readonly turn: number
  readonly tool: string
  readonly callId: string
}

/** One question, as the window and the command line show it. Times are integer milliseconds. */
export interface Approval {
  readonly id: ApprovalId
  readonly source: ApprovalSource
  readonly subject: ApprovalSubject
  readonly state: ApprovalState
  /** Grows when the content that is asked about changes; a decision names the revision that the person saw. */
  readonly revision: number
  readonly askedAt: number
  /** The agent waits until then in its call; after it, it was given a ticket and asks again. `null`: no limit. */
  readonly waitsUntil: number | null
  readonly hasTicket: boolean
  readonly decidedAt: number | null
  /** Who decided: a person, the mode of the session, a rule, the policy; `null` while open. */
  readonly decidedBy: 'person' | 'mode' | 'rule' | 'policy' | 'nobody' | null
  /** What the agent was told, or why nothing was done: one sentence. `null` while open. */
  readonly outcome: string | null
  readonly error: ErrorCode | null
  /** Whether the person changed the content before it was written. */
  readonly isModified: boolean
  /** An applied edit whose files can still be put back, as far as is known. */
  readonly canUndo: boolean
}

/** What of a file is approved. Both `null`: all of it. */
export interface ApprovedFile {
  readonly path: WorkspacePath
  /** 1-based numbers of the hunks that are taken; an empty list leaves the file out. */
  readonly hunks: readonly number[] | null
  /** The text that is to be written instead, with the line ends that `approval.read` gave; goes before `hunks`. */
  readonly text: string | null
}

export type Decision =
  | {
      readonly kind: 'approve'
      /** Files that are not listed are taken whole. Ignored for a command. */
      readonly files: readonly ApprovedFile[]
      /** For a plan: what is to be kept in mind; for others left empty. */
      readonly comment: string
      /** Edits of this session are applied unasked until its next turn; commands still ask. */
      readonly isForRestOfTurn: boolean
      /** Rules that are stored first: the exact texts of parts that offered one. */
      readonly alwaysRules: readonly string[]
    }
  | { readonly kind: 'reject'; readonly reason: string }

/** Both sides of one file of an edit, and its text as it would be written. */
export interface ApprovalTexts {
  readonly revision: number
  readonly before: FileSide
  readonly after: FileSide
}

export type { ApprovalMode } from './policy.js'
export const approvalModes: readonly ApprovalMode[] = ['ask', 'review-after', 'plan']

/** An event in the life of an approval. */
export type ApprovalStep =
  | { readonly kind: 'changed-on-disk' }
  | { readonly kind: 'approve'; readonly by: NonNullable<Approval['decidedBy']>; readonly isModified: boolean }
  | { readonly kind: 'apply'; readonly outcome: string; /** What was written, where it is not all that was asked about. */ readonly written: ApprovalSubject | null }
  | { readonly kind: 'undo'; readonly outcome: string }
  | { readonly kind: 'fail'; readonly outcome: string; readonly error: ErrorCode }
  | { readonly kind: 'reject'; readonly by: NonNullable<Approval['decidedBy']>; readonly outcome: string }
  | { readonly kind: 'deny'; readonly outcome: string }
  /** Nobody is there any more to hear the answer, or to give it. */
  | { readonly kind: 'cancel'; readonly outcome: string; readonly error?: 'AGENT_GONE' | 'HOST_NOT_RUNNING' }
  | { readonly kind: 'expire'; readonly outcome: string }

/** Whether it can still be decided. */
export function isOpen(state: ApprovalState): boolean {
  return state === 'waiting' || state === 'stale'
}

/**
 * The approval after a step, or `null` where the step is not allowed from its state: what was decided, cancelled or has expired
 * stays so.
 */
export function afterStep(approval: Approval, step: ApprovalStep, at: number): Approval | null {
  const { state } = approval
  switch (step.kind) {
    case 'changed-on-disk':
      return isOpen(state) || state === 'approved'
        ? { ...approval, state: 'stale', revision: approval.revision + 1, decidedAt: null, decidedBy: null, isModified: false }
        : null
    case 'approve':
      return isOpen(state) ? { ...approval, state: 'approved', decidedAt: at, decidedBy: step.by, isModified: step.isModified } : null
    case 'apply':
      if (state !== 'approved') return null
      return {
        ...approval,
        ...(step.written && { subject: step.written, revision: approval.revision + 1 }),
        state: 'applied',
        outcome: step.outcome,
        canUndo: approval.subject.kind === 'edit',
      }
    case 'undo':
      return state === 'applied' && approval.canUndo ? { ...approval, canUndo: false, outcome: step.outcome } : null
    case 'fail':
      return state === 'approved' ? { ...approval, state: 'not-applied', outcome: step.outcome, error: step.error } : null
    case 'reject':
      return isOpen(state) ? { ...approval, state: 'rejected', decidedAt: at, decidedBy: step.by, outcome: step.outcome, error: 'APPROVAL_REJECTED' } : null
    case 'deny':
      return isOpen(state) ? { ...approval, state: 'denied', decidedAt: at, decidedBy: 'policy', outcome: step.outcome, error: 'COMMAND_DENIED' } : null
    case 'cancel':
      return isOpen(state) ? { ...approval, state: 'cancelled', decidedAt: at, decidedBy: 'nobody', outcome: step.outcome, error: step.error ?? 'AGENT_GONE' } : null
    case 'expire':
      return isOpen(state) ? { ...approval, state: 'expired', decidedAt: at, decidedBy: 'nobody', outcome: step.outcome, error: 'APPROVAL_UNANSWERED' } : null
  }
}
