import { basename } from 'node:path'
import { promptId } from '../../shared/ids.js'
import type { Log } from '../base/log.js'
import type { BackupStore } from '../history/backup-store.js'
import { recoverEdits } from '../history/edit-writer.js'
import { eachRecord } from '../history/log-records.js'
import { openSessionLog, ownSubtypes } from '../history/session-log.js'
import { createDiskStates } from '../workspace/disk-states.js'

/** Ends the edits that a crash cut off, and tells the logs of their sessions; for the start, before agents connect. */
export async function recoverCutOff({ dataFolder, store, log, version }: { readonly dataFolder: string; readonly store: BackupStore; readonly log: Log; readonly version: string }): Promise<void> {
  await recoverEdits(
    { dataFolder, store, log, disk: createDiskStates() },
    {
      isNoted: async ({ log: file, callId }) => {
        let isThere = false
        await eachRecord(file, [ownSubtypes.ledger], (record) => {
          isThere ||= callOf(record) === callId
        })
        return isThere
      },
      settled: async ({ note, workspace, isWritten, changes }) => {
        const written = await openSessionLog({ dataFolder, sessionId: basename(note.log, '.jsonl'), folder: workspace, version, branch: null, client: { name: '', version: null } })
        await written.note('edit-cut-off', { callId: note.callId, isWritten })
        if (changes.length > 0) await written.ledger({ promptId: promptId(note.promptId), isBeforeTurn: false, callId: isWritten ? note.callId : `${note.callId}-undone`, cause: 'edit', at: Date.now(), changes, limits: [] })
      },
    },
  )
}

/** The call that a ledger record is about. */
function callOf(record: unknown): string | null {
  if (typeof record !== 'object' || record === null || !('systemPayload' in record)) return null
  const { systemPayload: payload } = record
  return typeof payload === 'object' && payload !== null && 'callId' in payload && typeof payload.callId === 'string' ? payload.callId : null
}
