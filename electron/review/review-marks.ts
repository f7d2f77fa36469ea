import { join } from 'node:path'
import { z } from 'zod'
import type { FileChange, FileState, Scope } from '../../shared/file-state.js'
import { workspacePath, type SessionKey, type WorkspacePath } from '../../shared/ids.js'
import { makeDataFolder } from '../base/data-files.js'
import { dataFolderError } from '../base/disk-errors.js'
import { appendJsonLine, readJsonLines } from '../base/json-lines.js'

/** One mark of the reader: what it was put on, and what the file held then. */
export interface ReviewMark {
  readonly scope: Scope
  readonly path: WorkspacePath
  readonly contentKey: string
  /** What the file was after the marked change; its bytes are kept under the hash. */
  readonly after: FileState
  readonly markedAt: number
}

/**
 * The reader's marks of one session, in an append-only log of ours. A mark is bound to content: it counts for the same two
 * contents in every scope, and falls only when what it was put on has changed.
 */
export interface ReviewMarks {
  reviewOf(scope: Scope, path: WorkspacePath, contentKey: string | null): FileChange['review']
  /** Durable when it resolves. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE. */
  mark(mark: ReviewMark): Promise<void>
  /** Takes the mark off the content, wherever it was put on it. Errors: as of `mark`. */
  unmark(scope: Scope, path: WorkspacePath, contentKey: string): Promise<void>
  /** What the newest mark of each path was put on. */
  latest(): ReadonlyMap<WorkspacePath, Pick<ReviewMark, 'after' | 'markedAt'>>
  /** Hashes of the contents that must be kept. */
  neededBlobs(): ReadonlySet<string>
}

const fileState: z.ZodType<FileState, unknown> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), sha256: z.string().regex(/^[0-9a-f]{64}$/), sizeBytes: z.number(), mode: z.number().int().nullable() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('folder') }),
  z.object({ kind: z.literal('absent') }),
])

const path = z.string().transform(workspacePath)
const contentKey = z.string()
const scopeKey = z.string()
const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('mark'), scope: scopeKey, path, contentKey, after: fileState, markedAt: z.number() }),
  z.object({ type: z.literal('unmark'), scope: scopeKey, path, contentKey }),
])
type MarkRecord = z.output<typeof record>

/** Opens the marks of a session; damaged lines are left out. */
export async function openReviewMarks(dataFolder: string, session: SessionKey): Promise<ReviewMarks> {
  const folder = join(dataFolder, 'reviews')
  const file = join(folder, `${session}.jsonl`)
  const marks = new Map<WorkspacePath, (MarkRecord & { readonly type: 'mark' })[]>()

  const take = (next: MarkRecord): void => {
    const others = (marks.get(next.path) ?? []).filter((mark) => mark.contentKey !== next.contentKey && (next.type === 'unmark' || mark.scope !== next.scope))
    if (next.type === 'mark') others.push(next)
    if (others.length > 0) marks.set(next.path, others)
    else marks.delete(next.path)
  }

  const append = async (next: MarkRecord): Promise<void> => {
    makeDataFolder(folder)
    await appendJsonLine(file, next).catch((thrown: unknown) => {
      throw dataFolderError(thrown, 'the reviewed marks in it')
    })
    take(next)
  }

  for (const value of (await readJsonLines(file)).records) {
    const parsed = record.safeParse(value)
    if (parsed.success) take(parsed.data)
  }

  return {
    reviewOf: (scope, of, key) => {
      const known = marks.get(of) ?? []
      if (key !== null && known.some((mark) => mark.contentKey === key)) return 'reviewed'
      return known.some((mark) => mark.scope === keyOfScope(scope)) ? 'changed-since' : 'none'
    },
    mark: ({ scope, ...rest }) => append({ type: 'mark', scope: keyOfScope(scope), ...rest }),
    unmark: (scope, of, key) => append({ type: 'unmark', scope: keyOfScope(scope), path: of, contentKey: key }),
    latest: () => new Map([...marks].map(([of, all]) => [of, all.reduce((best, mark) => (mark.markedAt >= best.markedAt ? mark : best))])),
    neededBlobs: () => new Set([...marks.values()].flat().flatMap(({ after }) => (after.kind === 'file' ? [after.sha256] : []))),
  }
}

/** A scope as text, the same for equal scopes whatever the order of their fields. */
function keyOfScope(scope: Scope): string {
  return JSON.stringify(scope, Object.keys(scope).sort())
}
