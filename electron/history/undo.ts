import { ReviewError } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import type { OperationId } from '../../shared/ids.js'
import type { RewindChoices } from '../../shared/rewind.js'
import { storedContent } from './backup-store.js'
import type { KnownContent } from './content.js'
import type { HistoryParts } from './history-parts.js'
import type { StackEntry } from './journal.js'
import type { RewindRequest } from './rewind.js'

/**
 * The request that takes back, or does again, the operation on top of the undo or redo stack: every file that it changed goes
 * back to what stood there before it, by the same plan as any rewind, so that what was typed since is merged in or left.
 *
 * `id` guards against a stale view: it must name that operation; `null` takes whatever is on top.
 * Errors: NOTHING_TO_UNDO, NOTHING_TO_REDO.
 */
export function reversalOf(parts: HistoryParts, kind: 'undo' | 'redo', id: OperationId | null, choices: RewindChoices): RewindRequest {
  const stack = kind === 'undo' ? parts.journal.undoStack() : parts.journal.redoStack()
  const entry = stack[stack.length - 1]
  if (!entry || (id !== null && entry.root.intent.id !== id)) throw nothing(kind, entry)
  const { root, latest } = entry
  const contentOf = (state: FileState | null): KnownContent | null => state && storedContent(parts.store, state)
  const what = root.action === 'take-back' ? 'the take-back' : 'the rewind'
  return {
    subject: { kind, root: root.intent.id },
    label: root.intent.label,
    words: { to: `${kind === 'undo' ? 'before' : 'after'} ${what}`, by: `the ${kind}` },
    files: latest.changed.map(({ path, before, after, untyped }) => ({
      path,
      target: storedContent(parts.store, before),
      base: storedContent(parts.store, after),
      turn: null,
      untyped: untyped ? { before: contentOf(untyped.after), after: contentOf(untyped.before) } : 'kept',
    })),
    choices,
    folders: {
      mayEmpty: (folder) => latest.intent.madeFolders.includes(folder),
      modeOf: (folder) => latest.intent.emptiedFolders.find((each) => each.path === folder)?.mode ?? null,
    },
  }
}

function nothing(kind: 'undo' | 'redo', top: StackEntry | undefined): ReviewError {
  const code = kind === 'undo' ? 'NOTHING_TO_UNDO' : 'NOTHING_TO_REDO'
  if (!top) return new ReviewError(code, `There is nothing to ${kind}.`)
  return new ReviewError(code, `Another operation comes first: ${kind} that one, then this.`, { details: { first: top.root.intent.id } })
}
