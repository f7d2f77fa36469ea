import type { Approval, ApprovalSource, ApprovalSubject, ApprovalTexts, Decision } from '../../shared/approval.js'
import type { ErrorCode } from '../../shared/errors.js'
import type { ApprovalId, WorkspacePath } from '../../shared/ids.js'

export type Approving = Decision & { readonly kind: 'approve' }

/** How something that was carried out ended. `value` goes to whoever asked. */
export type Ended<Value> =
  | {
      readonly kind: 'applied'
      readonly outcome: string
      readonly value: Value
      /** Puts back what was applied; the sentence of what came of it. */
      readonly undo: (() => Promise<string>) | null
      /** What was written, where it is not all that was asked about. */
      readonly written: Pick<Content<Value>, 'subject' | 'texts'> | null
    }
  | { readonly kind: 'failed'; readonly outcome: string; readonly error: ErrorCode; readonly value: Value }

/** What carrying a decision out came to. */
export type CarriedOut<Value> =
  | Ended<Value>
  /** The disk has changed: nothing was done, and this is what is asked about from now on. */
  | { readonly kind: 'stale'; readonly content: Content<Value> }
  /** It has begun and may take minutes; a decision does not wait for it. `end` never rejects. */
  | { readonly kind: 'running'; readonly end: Promise<Ended<Value>> }

/** What one revision of a question is about. It never changes, so that a decision carries out exactly what was shown. */
export interface Content<Value> {
  readonly subject: ApprovalSubject
  /** Calls that are the same question share this within a session: asked twice, it is answered once. */
  readonly sameAs: string
  readonly texts: (path: WorkspacePath, showOversized: boolean) => Promise<Omit<ApprovalTexts, 'revision'>>
  /**
   * Does what was approved. `signal` fires when nobody waits for it any more. Throws where the decision cannot be carried out as it
   * stands, before anything was done: the question stays open then.
   */
  readonly carryOut: (decision: Approving, signal: AbortSignal) => Promise<CarriedOut<Value>>
  /** Looks at the disk again; the fresh content where it has changed, else `null`. */
  readonly refresh: () => Promise<Content<Value> | null>
}

/** A question as it is put. `Value` is what its answer comes to. */
export interface Question<Value> {
  readonly source: ApprovalSource
  readonly waitsUntil: number | null
  readonly content: Content<Value>
  /** What the asking call gets where nothing is to be done. */
  readonly refused: (approval: Approval) => Value
}

/** A question that was put. */
export interface Asked<Value> {
  readonly id: ApprovalId
  /** Settles with the answer; never rejects. */
  readonly answer: Promise<Value>
  readonly now: () => Approval
  /** The agent was told to come back with the id; nothing ends the question but its session. */
  readonly giveTicket: () => void
  /** Nobody waits for the answer any more: nothing will be done; what is being carried out is stopped where it can be. */
  readonly cancel: (outcome: string) => void
}
