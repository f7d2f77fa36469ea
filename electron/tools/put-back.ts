import { ReviewError } from '../../shared/errors.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange } from '../../shared/ledger.js'
import { isState } from '../history/write-state.js'
import { alone } from './alone.js'
import { fewNames } from './few-names.js'
import type { CallScope } from './tool.js'
import type { ToolSession } from './tool-session.js'

/**
 * Takes an applied edit back for a person, where its files are still as it left them, with the folders that it made where they are
 * empty; returns the sentence for the list. Also after the agent has gone.
 * Errors, and nothing was written: FILE_CHANGED_SINCE_READ, those of `assertWritable`, BACKUP_MISSING, DISK_FULL.
 */
export async function putBack(session: ToolSession, call: CallScope, changes: readonly LedgerChange[], madeFolders: readonly WorkspacePath[]): Promise<string> {
  return alone(session, new AbortController().signal, async () => {
    session.assertWritable('person')
    const back = await Promise.all(
      [...changes].reverse().map(async ({ path, before, after }) => {
        const seen = await session.disk.lookAndKeep(session.workspace.resolveInside(path))
        if (!isState(seen.state, after)) throw new ReviewError('FILE_CHANGED_SINCE_READ', `${path} was changed after this edit. Rewind the turn instead; that keeps later typing.`)
        const bytes = before.kind === 'file' ? await session.readState(before.sha256) : null
        return { path, before: seen, after: before, bytes }
      }),
    )
    const note = { log: session.logFile, promptId: session.source(call).promptId, callId: `${call.callId}-undone` }
    const result = await session.writer.write(note, back, (put) => session.noteWritten(note.callId, 'user', put), madeFolders)
    if (result.kind === 'undone') throw result.cause
    for (const { path } of result.changes) session.seen.delete(path)
    session.tell(`The person undid your edit of ${pathsOf(changes)}. Read before you edit there again.`)
    return `Undone: ${pathsOf(changes)} put back and read again.`
  })
}

function pathsOf(changes: readonly LedgerChange[]): string {
  return fewNames(changes.map(({ path }) => path), 3)
}
