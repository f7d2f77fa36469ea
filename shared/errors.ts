/** Every way in which a call can be refused. The name states the fact, never the place. */
export const errorCodes = [
  'AGENT_GONE',
  'ANCHOR_NOT_UNIQUE',
  'APPROVAL_NOT_WAITING',
  'APPROVAL_REJECTED',
  'APPROVAL_UNANSWERED',
  'BACKUP_DAMAGED',
  'BACKUP_MISSING',
  'CANCELLED',
  'COMMAND_DENIED',
  'CONNECTION_LOST',
  'CONTENT_UNKNOWN',
  'DATA_FOLDER_UNWRITABLE',
  'DISK_FULL',
  'ENCODING_CANNOT',
  'FILE_BINARY',
  'FILE_CHANGED_SINCE_READ',
  'FILE_EXISTS',
  'FILE_NOT_FOUND',
  'FILE_OVERSIZED',
  'FILE_UNREADABLE',
  'FOLDER_NOT_FOUND',
  'HOST_CANNOT',
  'HOST_NOT_RUNNING',
  'HUNK_NOT_FOUND',
  'INTERNAL',
  'INVALID_PARAMS',
  'NOTHING_TO_REDO',
  'NOTHING_TO_UNDO',
  'NOT_ADMITTED',
  'NO_CHANGE',
  'OUTSIDE_WORKSPACE',
  'PATCH_MALFORMED',
  'PATCH_NOT_APPLICABLE',
  'PERMISSION_DENIED',
  'PLAN_NOT_APPROVED',
  'POLICY_FAILED',
  'POLICY_INVALID',
  'REWIND_CONFLICTS',
  'REWIND_PLAN_STALE',
  'REWIND_RUNNING',
  'SESSION_AMBIGUOUS',
  'SESSION_FORMAT_UNKNOWN',
  'SESSION_NOT_FOUND',
  'SESSION_UNREADABLE',
  'TAKE_BACK_CONFLICT',
  'TOOL_FAILED',
  'TURN_NOT_FOUND',
  'TURN_SET_ASIDE',
  'UNKNOWN_METHOD',
  'UNKNOWN_TOOL',
  'WORKSPACE_MISSING',
  'WORKTREE_PROTECTED',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** Plain facts that go with an error; JSON only. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** The form in which an error crosses the wire. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly details: ErrorDetails
}

/**
 * A refusal with its reason. The message is one sentence that says what to do next, for a person or a model.
 */
export class ReviewError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, options: { readonly details?: ErrorDetails; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ReviewError'
    this.code = code
    this.details = options.details ?? {}
  }
}

/**
 * The wire form of anything thrown. What is not a `ReviewError` becomes INTERNAL with a fixed sentence, so that no
 * inner message (paths, stack) leaves the host; an abort becomes CANCELLED.
 */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof ReviewError) return { code: thrown.code, message: thrown.message, details: thrown.details }
  if (isAbort(thrown)) return { code: 'CANCELLED', message: 'Cancelled. Nothing more was done.', details: {} }
  if (isDiskFull(thrown)) return { code: 'DISK_FULL', message: 'The disk is full, the one of the data folder perhaps. Free some space and try again.', details: {} }
  return { code: 'INTERNAL', message: 'Something failed inside Overturn. The log in the data folder has the cause.', details: {} }
}

/** The error object of a wire error, as the caller of a remote method sees it. */
export function fromWireError(wire: WireError): ReviewError {
  return new ReviewError(wire.code, wire.message, { details: wire.details })
}

/** Wherever it was met: not every writer can say which file it was. */
function isDiskFull(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOSPC' || thrown.code === 'EDQUOT')
}

export function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError'
}

/** Throws CANCELLED when the signal has fired; call it after each wait that lets the world change. */
export function throwIfAborted(signal: { readonly aborted: boolean } | undefined): void {
  if (signal?.aborted) throw new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.')
}
