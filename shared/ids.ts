/** Branded identities: a plain string at run time, its own type while compiling. */
declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** One session log as the library knows it: derived from the log's real path, so that copies of one session stay apart. */
export type SessionKey = Branded<'SessionKey'>
/** Identity of a turn as the recording agent wrote it; `record:<uuid>` where it wrote none. Never an index. */
export type PromptId = Branded<'PromptId'>
/** Path of a file: relative to the workspace with `/`, or absolute where it lies outside. */
export type WorkspacePath = Branded<'WorkspacePath'>
/** One long-running call. */
export type JobId = Branded<'JobId'>
/** One rewind, take-back, undo or redo in our own journal. */
export type OperationId = Branded<'OperationId'>
/** One question to a person: an edit, a command or a plan that waits. */
export type ApprovalId = Branded<'ApprovalId'>

export const approvalId = (value: string): ApprovalId => value as ApprovalId
export const sessionKey = (value: string): SessionKey => value as SessionKey
export const promptId = (value: string): PromptId => value as PromptId
export const workspacePath = (value: string): WorkspacePath => value as WorkspacePath
export const jobId = (value: string): JobId => value as JobId
export const operationId = (value: string): OperationId => value as OperationId
