import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange } from '../../shared/ledger.js'
import { makeDataFolder, removeUnfinished, replaceDataFile } from '../base/data-files.js'
import { namesIn } from '../base/folder-names.js'
import type { Log } from '../base/log.js'
import type { DiskStates, Seen } from '../workspace/disk-states.js'
import { makeParents, parentsOf } from '../workspace/text-files.js'
import { openWorkspace, type Workspace } from '../workspace/workspace.js'
import type { BackupStore } from './backup-store.js'
import type { OperationFile } from './operation.js'
import { removeAsides, removeEmptyFolders, settleFiles, standing, syncFolders, type SettleIntent } from './settle.js'
import { isState, writeState } from './write-state.js'

/** One file that an edit brings from what was read to something else. */
export interface EditChange {
  readonly path: WorkspacePath
  /** What must stand there right before the write, with its bytes where it is a file. */
  readonly before: Seen
  readonly after: FileState
  /** Bytes of an `after` that is a file with other content, else `null`. */
  readonly bytes: Uint8Array | null
}

/** Whose edit it is; comes back from `recoverEdits`. */
export interface EditNote {
  /** Log of the session, absolute. */
  readonly log: string
  readonly promptId: string
  readonly callId: string
}

export type WrittenEdit =
  | { readonly kind: 'written'; readonly changes: readonly LedgerChange[]; /** Folders that were made for its files. */ readonly madeFolders: readonly WorkspacePath[] }
  /**
   * Nothing of it is on the disk, but for `stuck`: files that it had written and that could not be put back, which `recoverEdits`
   * tries again. What somebody else changed at that very moment stays theirs.
   */
  | { readonly kind: 'undone'; readonly cause: unknown; readonly stuck: readonly LedgerChange[] }

export interface EditWriter {
  /**
   * Writes all changes of one edit or none. The old and the new bytes are in the store and the intent is on the disk first; each
   * file is replaced atomically, and read back. A crash at any point leaves what `recoverEdits` can end. To be called alone on the
   * workspace. `settled` runs once the files stand, before the intent goes: what it writes is never missing after a crash; where it
   * rejects, the edit is undone. `leaving` are folders that go where they are empty then.
   */
  write(note: EditNote, changes: readonly EditChange[], settled: (changes: readonly LedgerChange[]) => Promise<void>, leaving?: readonly WorkspacePath[]): Promise<WrittenEdit>
}

export interface EditWriterParts {
  readonly dataFolder: string
  readonly workspace: Workspace
  readonly store: BackupStore
  readonly disk: DiskStates
  readonly log: Log
}

/** An edit as it is noted before its first file is touched. */
interface PendingEdit extends SettleIntent {
  readonly workspace: string
  readonly note: EditNote
  /** It failed, and its files are to be put back. */
  readonly isUndone: boolean
}

export function createEditWriter(parts: EditWriterParts): EditWriter {
  const { workspace, store, disk, log } = parts
  const folder = pendingFolder(parts.dataFolder)
  /** The edit is over, whatever becomes of its note: an old one is recognised by what the log says. */
  const forget = (file: string): void => {
    try {
      rmSync(file, { force: true })
    } catch (thrown) {
      log.error('edit.note-left', thrown)
    }
  }
  return {
    write: async (note, changes, settled, leaving = []) => {
      const pending = pendingOf(workspace, note, changes, leaving)
      const file = join(folder, `${pending.id}.json`)
      const batch = store.batch()
      try {
        for (const { before, after, bytes } of changes) {
          if (before.state.kind === 'file' && before.bytes) await batch.add(before.state.sha256, before.bytes)
          if (after.kind === 'file' && bytes) await batch.add(after.sha256, bytes)
        }
        makeDataFolder(folder)
        // Both come to their end, so that no note is put down after it was given up.
        for (const each of await Promise.allSettled([batch.seal(), replaceDataFile(file, JSON.stringify(pending))])) if (each.status === 'rejected') throw each.reason
      } catch (thrown) {
        await batch.discard()
        removeUnfinished(file)
        return { kind: 'undone', cause: thrown, stuck: [] }
      }
      try {
        const done: LedgerChange[] = []
        for (const [index, { path, before, after, bytes }] of changes.entries()) {
          const place = await makeParents(workspace, path, () => null)
          const state = await writeState(place, disk, pending.id, { path, before, after, bytes, index })
          done.push({ path, before: before.state, after: state })
        }
        await syncFolders(parts, pending)
        await settled(done)
        await removeEmptyFolders(parts, leaving)
        forget(file)
        return { kind: 'written', changes: done, madeFolders: pending.madeFolders }
      } catch (thrown) {
        log.error('edit.not-written', thrown, { call: note.callId })
        // From now on it is to be undone, also by the next start.
        await replaceDataFile(file, JSON.stringify({ ...pending, isUndone: true })).catch((failed: unknown) => log.error('edit.note-not-changed', failed))
        const stuck = (await settleFiles(parts, pending, 'before')).flatMap(({ kind, file: { path, before }, now }) => (kind === 'stuck' && !isState(now, before) ? [{ path, before, after: now }] : []))
        if (stuck.length === 0) forget(file)
        return { kind: 'undone', cause: thrown, stuck }
      }
    },
  }
}

/** An edit that a crash had cut off, and how it stands now. */
export interface RecoveredEdit {
  readonly note: EditNote
  /** Real path of the folder. */
  readonly workspace: string
  readonly isWritten: boolean
  /**
   * What is to be noted of it: all of it where it was written whole; what was put back where that had been tried in vain before.
   * Nothing where nobody had been told of a write.
   */
  readonly changes: readonly LedgerChange[]
}

/** The session logs, as recovery needs them. */
export interface EditRecords {
  /** Whether `settled` of the writer came to its end for this edit: then it was written, whatever lies on the disk now. */
  readonly isNoted: (note: EditNote) => Promise<boolean>
  /** Gets each edit that nobody had noted before it is forgotten. */
  readonly settled: (edit: RecoveredEdit) => Promise<void>
}

/**
 * Ends the edits that a crash cut off: one whose files all stand as planned has been written, any other is put back. To be called
 * once, before agents connect.
 */
export async function recoverEdits({ dataFolder, store, log, disk }: Omit<EditWriterParts, 'workspace'>, { isNoted, settled }: EditRecords): Promise<void> {
  const folder = pendingFolder(dataFolder)
  for (const name of namesIn(folder)) {
    const file = join(folder, name)
    try {
      // A note that was cut off itself: its edit had not begun.
      if (!name.endsWith('.json')) {
        rmSync(file, { force: true })
        continue
      }
      const pending = parsePending(readFileSync(file, 'utf8'))
      if (pending) {
        const workspace = await openWorkspace(pending.workspace)
        const parts = { workspace, store, disk, log }
        await removeAsides(parts, pending)
        if (!(await isNoted(pending.note))) {
          const stand = await standing(parts, pending)
          const isWritten = !pending.isUndone && stand.every((each) => each === 'after')
          const back = isWritten ? [] : await settleFiles(parts, pending, 'before')
          if (back.some(({ kind }) => kind === 'stuck')) continue
          const putBack = pending.isUndone ? pending.files.filter((_, at) => stand[at] === 'after').map(({ path, before, after }) => ({ path, before: after, after: before })) : []
          const changes = isWritten ? pending.files.map(({ path, before, after }) => ({ path, before, after })) : putBack
          await settled({ note: pending.note, workspace: workspace.root, isWritten, changes })
          log.warn('edit.recovered', { call: pending.note.callId, isWritten })
        }
        await removeEmptyFolders(parts, pending.emptiedFolders.map((each) => each.path))
      }
      rmSync(file, { force: true })
    } catch (thrown) {
      // Its folder is not here now; the next start tries again.
      log.error('edit.not-recovered', thrown, { file: name })
    }
  }
}

function pendingOf(workspace: Workspace, note: EditNote, changes: readonly EditChange[], leaving: readonly WorkspacePath[]): PendingEdit {
  const made = new Set<WorkspacePath>()
  for (const { path, before, after } of changes) {
    if (before.state.kind !== 'absent' || after.kind === 'absent') continue
    for (const folder of parentsOf(path).map(workspacePath)) if (!workspace.resolveInside(folder).stats) made.add(folder)
  }
  return {
    id: `edit${Date.now().toString(36)}${randomBytes(4).toString('hex')}` as SettleIntent['id'],
    workspace: workspace.root,
    note,
    isUndone: false,
    files: changes.map(({ path, before, after }) => ({ path, action: actionOf(before.state, after), before: before.state, after })),
    madeFolders: [...made].sort(),
    emptiedFolders: leaving.map((each) => ({ path: each, mode: null })),
  }
}

function actionOf(before: FileState, after: FileState): OperationFile['action'] {
  if (after.kind === 'absent') return 'delete'
  return before.kind === 'absent' ? 'recreate' : 'restore'
}

function pendingFolder(dataFolder: string): string {
  return join(dataFolder, 'edits')
}

const state: z.ZodType<FileState, unknown> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), sha256: z.string().regex(/^[0-9a-f]{64}$/), sizeBytes: z.number(), mode: z.number().int().nullable() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('folder') }),
  z.object({ kind: z.literal('absent') }),
])
const path = z.string().transform(workspacePath)

const pendingShape: z.ZodType<PendingEdit, unknown> = z.object({
  id: z.string().regex(/^edit[0-9a-z]+$/).transform((id) => id as SettleIntent['id']),
  workspace: z.string(),
  note: z.object({ log: z.string(), promptId: z.string(), callId: z.string() }),
  files: z.array(z.object({ path, action: z.enum(['restore', 'delete', 'recreate']), before: state, after: state })),
  madeFolders: z.array(path),
  emptiedFolders: z.array(z.object({ path, mode: z.number().nullable() })),
  isUndone: z.boolean(),
})

/** `null` for a file that is damaged: it was cut off before its edit began. */
function parsePending(text: string): PendingEdit | null {
  try {
    const parsed = pendingShape.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null
    throw new ReviewError('INTERNAL', 'A note of an edit cannot be read.', { cause: thrown })
  }
}
