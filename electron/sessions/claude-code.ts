import { basename, join } from 'node:path'
import type { TranscriptEntry } from '../../shared/session.js'
import { finishClaudeCall, startsAgent, storedOutput } from './claude-calls.js'
import { ClaudeHistory } from './claude-history.js'
import { resultText } from './claude-messages.js'
import { decodeClaudeTurn } from './claude-records.js'
import { backgroundCall, ClaudeCompanions } from './claude-subagents.js'
import { folderBackups } from './folder-backups.js'
import { openJsonlSession, type JsonlFormat, type LogParts, type OpenedLog } from './jsonl-session.js'
import { copiedLogs } from './log-copies.js'
import { sessionBackups } from './own-backups.js'
import { PromptRows } from './prompt-rows.js'
import { lookInside } from './read-inside.js'
import { recordKind, type RecordKind } from './record-sniff.js'
import { expand, storeOf } from './session-places.js'
import type { Environment, OpenOptions, SessionReader } from './session-reader.js'
import type { SessionShape } from './session-shape.js'
import { TextLedger } from './text-ledger.js'

/** Kinds of records that are no part of a turn's transcript. */
const leftOut: ReadonlySet<RecordKind> = new Set<RecordKind>([recordKind.blank, recordKind.copies, recordKind.addedCopies, recordKind.foreign])
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Sessions of Claude Code.
 * Source: its logs are below `$CLAUDE_CONFIG_DIR`, else `~/.claude`: `projects/<folder>/<session>.jsonl`, backups in
 * `file-history/<session>/`.
 */
export const claudeReader: SessionReader = {
  format: 'claude',
  agent: 'claude-code',
  homeName: '.claude',
  homes: (environment, home) => [configFolder(environment, home)],
  logFolders: (agentHome) => [join(agentHome, 'projects')],
  others: null,
  usageBeside: (file) => (sum, isWhole, signal) => new ClaudeCompanions(file, basename(file, '.jsonl'), () => null).addUsage(sum, isWhole, signal),
  coveredLogs: (logs) => {
    // A subagent's log is read with its session; one in which nobody ever asked for anything is none.
    const others = logs.filter(({ file, counts }) => basename(file).startsWith('agent-') || counts?.prompts === 0)
    return new Set([...copiedLogs(logs), ...others.map(({ file }) => file)])
  },
  open: (options, signal) => openJsonlSession(options, formatFor(options), signal),
}

function configFolder(environment: Environment, home: string): string {
  const named = environment['CLAUDE_CONFIG_DIR']
  return named ? expand(named, home) : join(home, '.claude')
}

function formatFor(options: OpenOptions): JsonlFormat {
  return {
    format: 'claude',
    // The name of the file counts: a copied record may still name the session that it came from.
    idOf: ({ sessionId }, file) => {
      const name = basename(file).replace(/\.jsonl$/, '')
      return uuid.test(name) ? name : (sessionId ?? name)
    },
    parts: (log) => partsOf(log, options),
  }
}

function partsOf(log: OpenedLog, { file, environment, home, workspace }: OpenOptions): LogParts {
  const { reader, id, folder } = log
  const own = join(configFolder(environment, home), 'file-history')
  const base = storeOf(file)
  const companions = new ClaudeCompanions(file, id, folder)
  let history: ClaudeHistory | null = null
  const texts = new TextLedger({
    // Before a gap in the log nobody knows what is missing, or in which order turns came.
    turns: () => log.shape().turns.flatMap(({ promptId }) => (log.shape().places.get(promptId)?.live?.isProven ? [promptId] : [])),
    readTurn: log.readTurn,
    leftOut: async () => new Set(),
    readDisk: (path) => lookInside(workspace, path),
    folder,
  })
  let rows: { readonly shape: SessionShape; readonly rows: PromptRows } | null = null
  return {
    backups: sessionBackups(folderBackups([...new Set([...(base === null ? [] : [join(base, 'file-history')]), own])], id, [own]), null),
    // Where the agent kept copies, they tell more; print mode keeps none.
    get ledger() {
      return history?.isEmpty ? texts : null
    },
    history: (shape) => {
      texts.forget()
      return (history = new ClaudeHistory(log, shape))
    },
    rowsOf: (shape, { prompt }) => {
      if (rows?.shape !== shape) rows = { shape, rows: new PromptRows(reader.index, (kind) => leftOut.has(kind)) }
      return rows.rows.of(prompt)
    },
    // A record that stands twice is the same one.
    join: (first) => first,
    transcript: async (records, isOpen, signal) => {
      const turn = decodeClaudeTurn(records)
      const entries: TranscriptEntry[] = []
      for (const entry of turn.entries) {
        if (entry.kind !== 'call') {
          entries.push(entry)
          continue
        }
        const inner = startsAgent(entry.call) ? await companions.callsOf(entry.call, turn, signal) : []
        entries.push({ kind: 'call', call: finishClaudeCall(entry.call, folder(), isOpen, inner), at: entry.at })
      }
      const { atStart, atEnd } = await companions.inBackground(turn)
      const asked = entries[0]?.kind === 'prompt' ? 1 : 0
      if (atStart) entries.splice(asked, 0, backgroundCall(turn.startedAt, 'start'))
      if (atEnd) entries.push(backgroundCall(turn.endedAt, 'end'))
      return entries
    },
    outputOf: async (records, callId, signal) => {
      const turn = decodeClaudeTurn(records)
      const calls = turn.entries.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))
      let call = calls.find((each) => each.callId === callId) ?? null
      for (const each of calls.filter(startsAgent)) call ??= await companions.find(each, turn, callId, signal)
      if (!call?.block) return null
      const stored = storedOutput(call)
      return (stored === null ? null : companions.wholeOutput(stored)) ?? resultText(call.block)
    },
    usageBeside: (sum, isWhole, signal) => companions.addUsage(sum, isWhole, signal),
    refresh: () => companions.refresh(),
  }
}
