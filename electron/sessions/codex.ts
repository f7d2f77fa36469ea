import { join } from 'node:path'
import type { TranscriptEntry } from '../../shared/session.js'
import { noBackups } from './backup-history.js'
import { finishCall, outputOf } from './codex-calls.js'
import { CodexSession, rowsBetween, type Segment } from './codex-session.js'
import { earlierSegments, findSegment, segmentFacts } from './codex-segments.js'
import { threadName } from './codex-titles.js'
import { decodeTurn } from './codex-turn.js'
import { folderBackups } from './folder-backups.js'
import { openJsonlSession, type JsonlFormat, type LogParts, type OpenedLog } from './jsonl-session.js'
import { sessionBackups } from './own-backups.js'
import { recordKind } from './record-sniff.js'
import type { RecordedSession } from './recorded-session.js'
import { expand } from './session-places.js'
import type { Environment, OpenOptions, SessionReader } from './session-reader.js'

/** A session is made of no more files than these. */
const mostSegments = 100

/**
 * Sessions of Codex.
 * Source: its logs are below `$CODEX_HOME`, else `~/.codex`: `sessions/<year>/<month>/<day>/rollout-….jsonl`, `archived_sessions/`.
 */
export const codexReader: SessionReader = {
  format: 'codex',
  agent: 'codex',
  homeName: '.codex',
  homes: (environment, home) => [codexHome(environment, home)],
  logFolders: (agentHome) => [join(agentHome, 'sessions'), join(agentHome, 'archived_sessions')],
  others: null,
  coveredLogs: earlierSegments,
  titleBeside: threadName,
  open: openCodexSession,
}

/**
 * Opens a session with the files that it goes on from.
 * Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN.
 */
export async function openCodexSession(options: OpenOptions, signal?: AbortSignal): Promise<RecordedSession> {
  const segments = [await openSegment(options, Infinity, signal)]
  try {
    const seen = new Set([options.file])
    for (let first = segments[0]; first?.facts.base && segments.length < mostSegments; first = segments[0]) {
      const file = await findSegment(first.facts.base.segment, first.file, signal)
      if (file === null || seen.has(file)) break
      seen.add(file)
      segments.unshift(await openSegment({ ...options, file, indexFile: null, isFollowed: false }, first.facts.base.endOffset, signal))
    }
  } catch (thrown) {
    // What is there can be read all the same; the chain is shown as broken.
    if (signal?.aborted) {
      for (const { session } of segments) session.close()
      throw thrown
    }
    options.log.error('codex.segment-not-read', thrown)
  }
  return new CodexSession(segments, options.workspace)
}

async function openSegment(options: OpenOptions, endOffset: number, signal?: AbortSignal): Promise<Segment> {
  const opened: OpenedLog[] = []
  const format: JsonlFormat = {
    format: 'codex',
    idOf: ({ sessionId }, file) => sessionId ?? file.replace(/^.*[/\\]|\.jsonl$/g, ''),
    parts: (log) => {
      opened.push(log)
      return partsOf(log, endOffset)
    },
  }
  const session = await openJsonlSession(options, format, signal)
  const [log] = opened
  if (!log) throw new Error('A session was opened without its log.')
  return { file: options.file, session, log, endOffset, facts: segmentFacts(log.ends) }
}

function partsOf(log: OpenedLog, endOffset: number): LogParts {
  const transcriptOf = (entry: ReturnType<typeof decodeTurn>['entries'][number], isOpen: boolean): TranscriptEntry =>
    entry.kind === 'call' ? { kind: 'call', call: finishCall(entry.draft, log.folder(), isOpen), at: entry.at } : entry
  return {
    backups: sessionBackups(folderBackups([], log.id), null),
    ledger: null,
    history: () => noBackups,
    rowsOf: (_, { prompt }) => {
      const { rows, prompts } = log.reader.index
      const from = prompts[prompt]?.row ?? rows.count
      const isLeft = rows.offsetOf(from) >= endOffset
      return rowsBetween(from, prompts[prompt + 1]?.row ?? rows.count).filter((row) => rows.kindOf(row) !== recordKind.blank && (isLeft || rows.offsetOf(row) < endOffset))
    },
    join: (first) => first,
    transcript: async (records, isOpen) => decodeTurn(records).entries.map((entry) => transcriptOf(entry, isOpen)),
    outputOf: async (records, callId) => {
      const draft = decodeTurn(records).calls.find((each) => each.callId === callId)
      return draft && (draft.given || draft.shown !== null) ? outputOf(draft) : null
    },
    refresh: () => undefined,
  }
}

function codexHome(environment: Environment, home: string): string {
  const named = environment['CODEX_HOME']
  return named ? expand(named, home) : join(home, '.codex')
}
