import { basename, dirname, join } from 'node:path'
import type { AgentName, TranscriptEntry } from '../../shared/session.js'
import type { Log } from '../base/log.js'
import type { BackupSource } from '../history/backup-source.js'
import { folderBackups } from './folder-backups.js'
import { openJsonlSession, type JsonlFormat, type LogParts, type OpenedLog } from './jsonl-session.js'
import { exportedLogs } from './log-copies.js'
import { sessionBackups } from './own-backups.js'
import { finishCall, outputOf, startsAgent } from './qwen-calls.js'
import { SnapshotHistory } from './qwen-history.js'
import { LedgerIndex } from './qwen-ledger.js'
import { decodeTurn, joinRecords } from './qwen-records.js'
import { SubagentLogs } from './qwen-subagents.js'
import type { RecordedSession } from './recorded-session.js'
import { backupHomes, ownBackupHomes, qwenFolders } from './session-places.js'
import type { SessionReader } from './session-reader.js'
import { chainRows } from './turn-records.js'

export interface QwenSessionOptions {
  readonly file: string
  readonly agent: AgentName
  /** Where the index of the log is kept; `null` for nowhere. */
  readonly indexFile: string | null
  /** Folders that hold a folder of backups for each session, the nearest first. */
  readonly backupHomes: readonly string[]
  /** Those of them that nobody has copied, so that the modes of their files are those that were recorded. */
  readonly exactHomes?: readonly string[]
  /** Where our own sessions keep their backups. */
  readonly store?: BackupSource
  /** Whether the log is read on while it grows. */
  readonly isFollowed: boolean
  readonly log: Log
}

export const qwenReader: SessionReader = {
  format: 'qwen',
  agent: 'qwen-code',
  homeName: '.qwen',
  homes: (environment, home) => {
    const { runtime, home: own } = qwenFolders(environment, home)
    return runtime === own ? [own] : [runtime, own]
  },
  logFolders: (agentHome) => [join(agentHome, 'projects')],
  others: null,
  usageBeside: (file) => (sum, _isWhole, signal) =>
    new SubagentLogs(file, basename(file, '.jsonl'), { folder: null, isOpen: false, hasDisplays: false }).addUsage(sum, signal),
  isArchived: (file) => basename(dirname(file)) === 'archive',
  coveredLogs: exportedLogs,
  open: (options, signal) => {
    const { file, environment, home, dataFolder } = options
    const homes = backupHomes(file, environment, home, dataFolder)
    return openQwenSession({ ...options, backupHomes: homes, exactHomes: ownBackupHomes(environment, home, dataFolder) }, signal)
  },
}

/**
 * Opens a log of qwen-code, or of a session of ours. Resolves as soon as both of its ends were read; `whenLoaded` waits for all.
 * Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN.
 */
export function openQwenSession(options: QwenSessionOptions, signal?: AbortSignal): Promise<RecordedSession> {
  const format: JsonlFormat = { format: 'qwen', idOf: ({ sessionId }, file) => sessionId ?? file.replace(/^.*[/\\]|\.jsonl$/g, ''), parts: (log) => partsOf(log, options) }
  return openJsonlSession(options, format, signal)
}

function partsOf(log: OpenedLog, options: QwenSessionOptions): LogParts {
  const { reader, ends, id, folder, shape, whenIndexed, report } = log
  const subagents = new SubagentLogs(options.file, id, { folder: folder(), isOpen: false, hasDisplays: false })
  let history: SnapshotHistory | null = null
  return {
    backups: sessionBackups(folderBackups(options.backupHomes, id, options.exactHomes), options.store ?? null),
    ledger: ends.agent === 'overturn' ? new LedgerIndex(reader, shape, whenIndexed, folder(), report) : null,
    history: (next) => (history = new SnapshotHistory(reader, next, folder(), report, history)),
    rowsOf: (from, place) => chainRows(reader, from, place),
    join: joinRecords,
    transcript: async (records, isOpen, signal) => {
      const context = { folder: folder(), isOpen, hasDisplays: true }
      const entries: TranscriptEntry[] = []
      for (const entry of decodeTurn(records)) {
        if (entry.kind !== 'call') {
          entries.push(entry)
          continue
        }
        const calls = startsAgent(entry.draft) ? await subagents.callsOf(entry.draft.callId, signal) : []
        entries.push({ kind: 'call', call: finishCall(entry.draft, context, calls), at: entry.at })
      }
      return entries
    },
    outputOf: async (records, callId, signal) => {
      const drafts = decodeTurn(records).flatMap((entry) => (entry.kind === 'call' ? [entry.draft] : []))
      let draft = drafts.find((each) => each.callId === callId) ?? null
      for (const each of drafts.filter(startsAgent)) draft ??= await subagents.find(each.callId, callId, signal)
      return draft?.response ? outputOf(draft) : null
    },
    usageBeside: (sum, _isWhole, signal) => subagents.addUsage(sum, signal),
    refresh: () => subagents.refresh(),
  }
}
