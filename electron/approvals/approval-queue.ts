import { afterStep, isOpen, type Approval, type ApprovalSource, type ApprovalStep, type ApprovalSubject, type ApprovalTexts, type Decision } from '../../shared/approval.js'
import { ReviewError, type ErrorCode } from '../../shared/errors.js'
import type { ApprovalId, SessionKey, WorkspacePath } from '../../shared/ids.js'
import type { Approving, Asked, CarriedOut, Content, Ended, Question } from './question.js'

/** The questions of all running sessions. Each is decided once; what is never decided is refused. */
export interface ApprovalQueue {
  /** Puts a question; one of an ended session is cancelled at once. */
  readonly ask: <Value>(question: Question<Value>) => Asked<Value>
  /** The open question of a session that has this key, or the one with this id, however it stands. */
  readonly find: <Value>(session: SessionKey, by: { readonly sameAs: string } | { readonly id: string }) => Asked<Value> | null
  /** Notes a question that was answered without asking: by the mode, a rule or the policy. */
  readonly note: (source: ApprovalSource, subject: ApprovalSubject, end: NotedEnd) => ApprovalId
  /** Those that wait or are being carried out in the order in which they were asked; the last ones that ended, newest first. */
  readonly list: () => { readonly waiting: readonly Approval[]; readonly decided: readonly Approval[] }
  /** Errors: APPROVAL_NOT_WAITING where they are not kept (any more). */
  readonly texts: (id: ApprovalId, path: WorkspacePath, showOversized: boolean) => Promise<ApprovalTexts>
  /**
   * Decides and carries out. Errors: APPROVAL_NOT_WAITING (decided, cancelled, expired or of an ended session),
   * FILE_CHANGED_SINCE_READ (nothing was done; the question is still open, with a fresh diff), and what the decision itself lacks.
   */
  readonly decide: (id: ApprovalId, revision: number, decision: Decision) => Promise<Approval>
  /** Errors: APPROVAL_NOT_WAITING where nothing can be put back, and those of the undo. */
  readonly undo: (id: ApprovalId) => Promise<Approval>
  /** Looks at the files of a session's open questions again. */
  readonly refresh: (session: SessionKey) => Promise<void>
  /** A session begins, or goes on after it ended: its questions are asked. */
  readonly beginSession: (session: SessionKey) => void
  /** The session ended: its questions are cancelled. Resolves when nothing of it is being carried out any more. */
  readonly endSession: (session: SessionKey, outcome: string, error?: 'AGENT_GONE' | 'HOST_NOT_RUNNING') => Promise<void>
}

/** How a question ended that nobody was asked. */
export type NotedEnd =
  | { readonly kind: 'applied'; readonly by: 'mode' | 'rule'; readonly outcome: string; readonly undo: (() => Promise<string>) | null }
  | { readonly kind: 'failed'; readonly by: 'mode' | 'rule'; readonly outcome: string; readonly error: ErrorCode }
  | { readonly kind: 'denied'; readonly outcome: string }

export interface ApprovalQueueOptions {
  readonly now: () => number
  readonly newId: () => ApprovalId
  readonly onChanged: () => void
  /** A person is needed. */
  readonly onAsked: (approval: Approval) => void
  /** Each end of a question, for the log of its session. */
  readonly onEnded: (approval: Approval) => void
}

interface Entry {
  approval: Approval
  /** `null` for what nobody was asked, and long after the end. */
  content: Content<unknown> | null
  readonly asked: Asked<unknown> | null
  readonly settle: (value: unknown) => void
  readonly refused: (approval: Approval) => unknown
  undo: (() => Promise<string>) | null
  isUndoing: boolean
  /** Why nobody waits any more, while it is being carried out. */
  abandoned: string | null
  readonly stop: AbortController
  carrying: Promise<unknown>
}

const keptDecided = 100
/** The contents of a file or two each; of older ones the timeline has them. */
const keptContents = 20

export function createApprovalQueue(options: ApprovalQueueOptions): ApprovalQueue {
  const { now, newId, onChanged } = options
  /** In the order in which they were asked. */
  const entries = new Map<ApprovalId, Entry>()
  const endedSessions = new Set<SessionKey>()

  const step = (entry: Entry, what: ApprovalStep): boolean => {
    const next = afterStep(entry.approval, what, now())
    if (!next) return false
    entry.approval = next
    if (isOver(next) && what.kind !== 'undo') options.onEnded(next)
    onChanged()
    return true
  }

  /** Ends a question that nothing is done about. */
  const refuse = (entry: Entry, what: ApprovalStep): void => {
    if (!step(entry, what)) return
    entry.settle(entry.refused(entry.approval))
    forgetOld()
  }

  const cancel = (entry: Entry, outcome: string, error: 'AGENT_GONE' | 'HOST_NOT_RUNNING' = 'AGENT_GONE'): void => {
    refuse(entry, { kind: 'cancel', outcome, error })
    if (entry.approval.state !== 'approved') return
    entry.abandoned ??= outcome
    entry.stop.abort()
  }

  const forgetOld = (): void => {
    const over = [...entries.values()].filter(({ approval }) => isOver(approval)).reverse()
    for (const [at, entry] of over.entries()) {
      if (at >= keptContents) entry.content = null
      const { id, hasTicket, source } = entry.approval
      // An agent with a ticket may come for its answer as long as it is there.
      if (at >= keptDecided && (!hasTicket || endedSessions.has(source.session))) entries.delete(id)
    }
  }

  const add = (source: ApprovalSource, subject: ApprovalSubject, waitsUntil: number | null, rest: Partial<Entry>): Entry => {
    const approval: Approval = {
      id: newId(),
      source,
      subject,
      state: 'waiting',
      revision: 1,
      askedAt: now(),
      waitsUntil,
      hasTicket: false,
      decidedAt: null,
      decidedBy: null,
      outcome: null,
      error: null,
      isModified: false,
      canUndo: false,
    }
    const entry: Entry = {
      approval, content: null, asked: null, settle: () => undefined, refused: () => undefined, undo: null, isUndoing: false, abandoned: null,
      stop: new AbortController(), carrying: Promise.resolve(), ...rest,
    }
    entries.set(approval.id, entry)
    return entry
  }

  const replaceContent = (entry: Entry, content: Content<unknown>): void => {
    entry.content = content
    entry.approval = { ...entry.approval, subject: content.subject }
    step(entry, { kind: 'changed-on-disk' })
    // Whoever waited for it went away in the middle.
    if (entry.abandoned !== null) cancel(entry, entry.abandoned)
  }

  /** As before a decision that could not be carried out. */
  const reopen = (entry: Entry, { state, decidedAt, decidedBy, isModified }: Approval): void => {
    entry.approval = { ...entry.approval, state, decidedAt, decidedBy, isModified }
    onChanged()
    if (entry.abandoned !== null) cancel(entry, entry.abandoned)
  }

  const end = (entry: Entry, ended: Ended<unknown>): void => {
    if (ended.kind === 'failed') step(entry, { kind: 'fail', outcome: ended.outcome, error: ended.error })
    else {
      entry.undo = ended.undo
      if (entry.content && ended.written) entry.content = { ...entry.content, texts: ended.written.texts }
      step(entry, { kind: 'apply', outcome: ended.outcome, written: ended.written?.subject ?? null })
    }
    entry.settle(ended.value)
    forgetOld()
  }

  const carryOut = async (entry: Entry, content: Content<unknown>, decision: Approving): Promise<Approval> => {
    const before = entry.approval
    step(entry, { kind: 'approve', by: 'person', isModified: decision.files.some(({ hunks, text }) => hunks !== null || text !== null) })
    let done: CarriedOut<unknown>
    try {
      done = await content.carryOut(decision, entry.stop.signal)
    } catch (thrown) {
      reopen(entry, before)
      throw thrown
    }
    switch (done.kind) {
      case 'stale':
        replaceContent(entry, done.content)
        throw new ReviewError('FILE_CHANGED_SINCE_READ', 'The file was changed after you saw this diff. Nothing was written. The diff is fresh now; decide again.', {
          details: { approval: entry.approval.id },
        })
      case 'running':
        entry.carrying = done.end.then((ended) => end(entry, ended))
        return entry.approval
      default:
        end(entry, done)
        return entry.approval
    }
  }

  const open = (id: ApprovalId): Entry & { readonly content: Content<unknown> } => {
    const entry = entries.get(id)
    if (entry?.content && isOpen(entry.approval.state)) return entry as Entry & { readonly content: Content<unknown> }
    const how = entry?.approval.state === 'approved' ? 'It is being carried out right now.' : (entry?.approval.outcome ?? 'It was decided, or its agent is gone.')
    throw new ReviewError('APPROVAL_NOT_WAITING', `This question does not wait any more. ${how}`, { details: { approval: id } })
  }

  return {
    ask: <Value>({ source, waitsUntil, content, refused }: Question<Value>): Asked<Value> => {
      let settle: (value: Value) => void = () => undefined
      const answer = new Promise<Value>((resolve) => (settle = resolve))
      const asked: Omit<Asked<Value>, 'id'> = {
        answer,
        now: () => entry.approval,
        giveTicket: () => {
          if (isOver(entry.approval)) return
          entry.approval = { ...entry.approval, hasTicket: true, waitsUntil: null }
          onChanged()
        },
        cancel: (outcome) => cancel(entry, outcome),
      }
      // The queue hands a question's own values back to it and looks into none.
      const kept = { content: content as Content<unknown>, settle: settle as (value: unknown) => void, refused }
      const entry = add(source, content.subject, waitsUntil, kept)
      const whole: Asked<Value> = { id: entry.approval.id, ...asked }
      Object.assign(entry, { asked: whole })
      onChanged()
      if (endedSessions.has(source.session)) cancel(entry, 'The agent is gone. Nothing was done.')
      else options.onAsked(entry.approval)
      return whole
    },
    find: <Value>(session: SessionKey, by: { readonly sameAs: string } | { readonly id: string }) => {
      for (const { approval, content, asked } of entries.values()) {
        if (approval.source.session !== session || !asked) continue
        if ('id' in by ? approval.id === by.id : content?.sameAs === by.sameAs && isOpen(approval.state)) return asked as Asked<Value>
      }
      return null
    },
    note: (source, subject, noted) => {
      const entry = add(source, subject, null, { undo: noted.kind === 'applied' ? noted.undo : null })
      if (noted.kind === 'denied') step(entry, { kind: 'deny', outcome: noted.outcome })
      else {
        step(entry, { kind: 'approve', by: noted.by, isModified: false })
        step(entry, noted.kind === 'applied' ? { kind: 'apply', outcome: noted.outcome, written: null } : { kind: 'fail', outcome: noted.outcome, error: noted.error })
      }
      forgetOld()
      return entry.approval.id
    },
    list: () => {
      const all = [...entries.values()].map(({ approval }) => approval)
      const decided = all.filter(isOver).sort((one, two) => (two.decidedAt ?? 0) - (one.decidedAt ?? 0))
      return { waiting: all.filter((approval) => !isOver(approval)), decided: decided.slice(0, keptDecided) }
    },
    texts: async (id, path, showOversized) => {
      const entry = entries.get(id)
      if (!entry?.content) throw new ReviewError('APPROVAL_NOT_WAITING', 'The texts of this question are not kept any more. Look at the turn in the timeline.', { details: { approval: id } })
      const { revision } = entry.approval
      return { revision, ...(await entry.content.texts(path, showOversized)) }
    },
    decide: async (id, revision, decision) => {
      const entry = open(id)
      if (entry.approval.revision !== revision) {
        throw new ReviewError('FILE_CHANGED_SINCE_READ', 'The file was changed after you saw this diff. Nothing was written. Look at the fresh diff, then decide.', { details: { approval: id } })
      }
      if (decision.kind === 'approve') {
        const carried = carryOut(entry, entry.content, decision)
        entry.carrying = carried.catch(() => undefined)
        return carried
      }
      const said = decision.reason.trim()
      refuse(entry, { kind: 'reject', by: 'person', outcome: said === '' ? 'Rejected without a reason.' : `Rejected: ${said}` })
      return entry.approval
    },
    undo: async (id) => {
      const entry = entries.get(id)
      if (!entry?.undo || !entry.approval.canUndo || entry.isUndoing) {
        throw new ReviewError('APPROVAL_NOT_WAITING', 'This decision cannot be undone here. Rewind the turn instead.', { details: { approval: id } })
      }
      entry.isUndoing = true
      try {
        step(entry, { kind: 'undo', outcome: await entry.undo() })
      } finally {
        entry.isUndoing = false
      }
      return entry.approval
    },
    refresh: async (session) => {
      for (const entry of entries.values()) {
        const { content } = entry
        if (entry.approval.source.session !== session || !isOpen(entry.approval.state) || !content) continue
        const fresh = await content.refresh().catch(() => null)
        // Meanwhile it may have been decided, or have become stale by a decision.
        if (fresh && entry.content === content && isOpen(entry.approval.state)) replaceContent(entry, fresh)
      }
    },
    beginSession: (session) => void endedSessions.delete(session),
    endSession: async (session, outcome, error) => {
      endedSessions.add(session)
      const its = [...entries.values()].filter(({ approval }) => approval.source.session === session)
      for (const entry of its) cancel(entry, outcome, error)
      // A command that was approved a moment ago puts its end in the place of its decision.
      for (const entry of its) while (!isOver(entry.approval)) await entry.carrying
    },
  }
}

function isOver({ state }: Approval): boolean {
  return !isOpen(state) && state !== 'approved'
}
