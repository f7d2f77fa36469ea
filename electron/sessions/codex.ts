import { join } from 'node:path'
import { noBackups } from './backup-history.js'
import { CodexAgents } from './codex-agents.js'
import { outputOf } from './codex-calls.js'
import { CodexSession, rowsBetween, type Segment } from './codex-session.js'
import { earlierPart, findSegment, mostSegments, segmentFacts, shownElsewhere, usageOfStarted } from './codex-segments.js'
import { threadName } from './codex-titles.js'
import { transcriptOf } from './codex-transcript.js'
import { decodeTurn } from './codex-turn.js'
import { folderBackups } from './folder-backups.js'
import { openJsonlSession, type JsonlFormat, type LogParts, type OpenedLog } from './jsonl-session.js'
import { sessionBackups } from './own-backups.js'
import { recordKind } from './record-sniff.js'
import type { RecordedSession } from './recorded-session.js'
import { expand } from './session-places.js'
import type { Environment, OpenOptions, SessionReader } from './session-reader.js'

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
  isArchived: (file) => file.split(/[/\\]/).includes('archived_sessions'),
  earlierPart,
  coveredLogs: shownElsewhere,
  usageOfStarted,
  titleBeside: threadName,
  open: openCodexSession,
}

/**
 * Opens a session with the files that it goes on from.
 * Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN.
 */
export async function openCodexSession(options: OpenOptions, signal?: AbortSignal): Promise<RecordedSession> {
  const segments = [await openSegment(options, Infinity, Infinity, signal)]
  try {
    const seen = new Set([options.file])
    for (let first = segments[0]; first?.facts.base && segments.length < mostSegments; first = segments[0]) {
      const file = await findSegment(first.facts.base.segment, first.file, signal)
      if (file === null || seen.has(file)) break
      seen.add(file)
      segments.unshift(await openSegment({ ...options, file, indexFile: null, isFollowed: false }, first.facts.base.endOffset, first.facts.beganAt ?? Infinity, signal))
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

async function openSegment(options: OpenOptions, endOffset: number, until: number, signal?: AbortSignal): Promise<Segment> {
  const opened: OpenedLog[] = []
  const beside: CodexAgents[] = []
  const format: JsonlFormat = {
    format: 'codex',
    idOf: ({ sessionId }, file) => sessionId ?? file.replace(/^.*[/\\]|\.jsonl$/g, ''),
    parts: (log) => {
      const { thread } = segmentFacts(log.ends)
      const agents = new CodexAgents(options.file, thread, () => ({ from: log.ends.startedAt ?? NaN, to: lastActive(log) }))
      opened.push(log)
      beside.push(agents)
      return partsOf(log, { endOffset, until, agents })
    },
  }
  const session = await openJsonlSession(options, format, signal)
  const [[log], [agents]] = [opened, beside]
  if (!log || !agents) throw new Error('A session was opened without its log.')
  return { file: options.file, session, log, endOffset, until, facts: segmentFacts(log.ends), agents }
}

/** When a log was last written to, as far as it was read. */
function lastActive({ ends, reader }: OpenedLog): number {
  const last = reader.index.prompts.at(-1)?.at ?? 0
  return Math.max(ends.lastActiveAt ?? 0, last) || NaN
}

function partsOf(log: OpenedLog, { endOffset, until, agents }: Pick<Segment, 'endOffset' | 'until' | 'agents'>): LogParts {
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
    transcript: async (records, isOpen, signal) => {
      const turn = decodeTurn(records)
      const to = log.reader.index.prompts.find(({ at }) => at > turn.startedAt)?.at ?? until
      return transcriptOf(turn, agents, { folder: log.folder(), isOpen, to }, signal)
    },
    outputOf: async (records, callId, signal) => {
      const calls = [decodeTurn(records), ...(await agents.all(signal)).map(({ work }) => work)].flatMap((work) => work.calls)
      const draft = calls.find((each) => each.callId === callId)
      return draft && (draft.given || draft.shown !== null) ? outputOf(draft) : null
    },
    usageBeside: async () => undefined,
    refresh: () => agents.refresh(),
  }
}

function codexHome(environment: Environment, home: string): string {
  const named = environment['CODEX_HOME']
  return named ? expand(named, home) : join(home, '.codex')
}
