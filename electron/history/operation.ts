import { z } from 'zod'
import { errorCodes } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { operationId, promptId, workspacePath, type OperationId, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import type { FileResult, Receipt, RewindAction, RewindTarget } from '../../shared/rewind.js'
import type { OperationAction } from '../../shared/timeline.js'

/** What an operation was about. `root` is the rewind or take-back that a chain of undos and redos began with. */
export type OperationSubject =
  | { readonly kind: 'rewind'; readonly target: RewindTarget }
  | { readonly kind: 'take-back'; readonly promptId: PromptId; readonly path: WorkspacePath; readonly hunk: number }
  | { readonly kind: 'undo' | 'redo'; readonly root: OperationId }

/** One file that an operation meant to change. The bytes of both states are in the backup store. */
export interface OperationFile {
  readonly path: WorkspacePath
  readonly action: RewindAction
  readonly before: FileState
  readonly after: FileState
  /**
   * What would have stood there before and after had nobody typed: later typing is told apart from it. `null` where that is not
   * known; left out by an operation that changes nothing about it.
   */
  readonly untyped?: { readonly before: FileState | null; readonly after: FileState | null }
}

/** What an operation is about to do; durable before the first file is touched. */
export interface Intent {
  readonly id: OperationId
  readonly subject: OperationSubject
  /** "the start of turn 4" and the like. */
  readonly label: string
  readonly at: number
  /** Real path of the folder. */
  readonly workspace: string
  readonly files: readonly OperationFile[]
  /** Folders that are missing and will be made. */
  readonly madeFolders: readonly WorkspacePath[]
  /** Folders that may become empty and then go, with their modes. */
  readonly emptiedFolders: readonly { readonly path: WorkspacePath; readonly mode: number | null }[]
}

/** How an operation ended. `interrupted`: cancelled or cut off, and what it had done was undone. */
export interface Outcome {
  readonly id: OperationId
  readonly receipt: Receipt
  readonly outcome: 'done' | 'partly' | 'interrupted'
  /** One sentence when a later start had to end it; else `null`. */
  readonly recovered: string | null
}

/** A line of the journal. */
export type JournalRecord = ({ readonly type: 'intent' } & Intent) | ({ readonly type: 'outcome' } & Outcome)

/** The results that changed the disk. */
export function isChange(result: FileResult): boolean {
  return result === 'restored' || result === 'deleted' || result === 'recreated' || result === 'merged'
}

const path = z.string().transform(workspacePath)
const operation = z.string().transform(operationId)
const prompt = z.string().transform(promptId)
const mode = z.number().int().nullable()

const fileState: z.ZodType<FileState, unknown> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), sha256: z.string().regex(/^[0-9a-f]{64}$/), sizeBytes: z.number(), mode }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('folder') }),
  z.object({ kind: z.literal('absent') }),
])

const action: z.ZodType<RewindAction, unknown> = z.enum(['restore', 'delete', 'recreate', 'merge', 'conflict', 'unchanged', 'cannot'])
const operationAction: z.ZodType<OperationAction, unknown> = z.enum(['rewind', 'undo', 'redo', 'take-back'])

const subject: z.ZodType<OperationSubject, unknown> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rewind'),
    target: z.union([z.object({ kind: z.enum(['start', 'end']), promptId: prompt }), z.object({ kind: z.literal('step'), promptId: prompt, step: z.number().int().min(1) })]),
  }),
  z.object({ kind: z.literal('take-back'), promptId: prompt, path, hunk: z.number() }),
  z.object({ kind: z.enum(['undo', 'redo']), root: operation }),
])

const receipt: z.ZodType<Receipt, unknown> = z.object({
  operationId: operation,
  action: operationAction,
  label: z.string(),
  startedAt: z.number(),
  durationMs: z.number(),
  files: z.array(
    z.object({
      path,
      action,
      result: z.enum(['restored', 'deleted', 'recreated', 'merged', 'unchanged', 'left', 'failed']),
      reason: z.string(),
      error: z.enum(errorCodes).nullable(),
      sha256: z.string().nullable(),
    }),
  ),
  snapshot: z.object({ files: z.number(), sizeBytes: z.number() }),
})

const journalRecord = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('intent'),
    id: operation,
    subject,
    label: z.string(),
    at: z.number(),
    workspace: z.string(),
    files: z.array(z.object({ path, action, before: fileState, after: fileState, untyped: z.object({ before: fileState.nullable(), after: fileState.nullable() }).optional() })),
    madeFolders: z.array(path),
    emptiedFolders: z.array(z.object({ path, mode })),
  }),
  z.object({
    type: z.literal('outcome'),
    id: operation,
    receipt,
    outcome: z.enum(['done', 'partly', 'interrupted']),
    recovered: z.string().nullable(),
  }),
])

/** A line of the journal as data, or `null` for one that is none (a later version's, or damage). */
export function parseJournalRecord(value: unknown): JournalRecord | null {
  const parsed = journalRecord.safeParse(value)
  return parsed.success ? parsed.data : null
}
