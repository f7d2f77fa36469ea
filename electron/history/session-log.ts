import { join } from 'node:path'
import type { DiffStat } from '../../shared/changes.js'
import type { LedgerEntry } from '../../shared/ledger.js'
import type { PromptId } from '../../shared/ids.js'
import { makeDataFolder } from '../base/data-files.js'
import { logSize } from '../base/json-lines.js'
import { diffStatOf, displayOf, keptText, outputText, type ResultDisplay } from './call-display.js'
import { createRecordChain, lastUuid } from './record-chain.js'
import { snapshotRecorder, type SnapshotRecorder } from './snapshot-log.js'

export interface SessionLogOptions {
  readonly dataFolder: string
  /** A UUID. */
  readonly sessionId: string
  /** Root of the workspace, absolute. */
  readonly folder: string
  /** Version of this program. */
  readonly version: string
  readonly branch: string | null
  /** The agent by the name that it gave itself. */
  readonly client: { readonly name: string; readonly version: string | null }
  readonly now?: () => number
}

/** A call as it is asked for. `name` is the tool's; `args` are JSON, in which texts above 256 Ki characters are cut. */
export interface LoggedCall {
  readonly callId: string
  readonly name: string
  readonly args: unknown
  /** Identity of the request that asked for it, where there was one: by it an agent is told what became of a call that a crash cut off. */
  readonly request: string | number | null
  readonly at: number
}

/** What a call came to. `refused`: nothing ran, since a person or the policy said no; `failed`: it ran and reported an error. */
export interface LoggedResult {
  readonly callId: string
  readonly name: string
  readonly status: 'done' | 'failed' | 'refused'
  /** What the agent was told. */
  readonly text: string
  readonly display: ResultDisplay
  /** Lines that it changed in files, where the display does not count them. */
  readonly lines?: DiffStat | null
  readonly durationMs: number
  readonly at: number
}

/**
 * The log of one running session, in qwen-code's shape with records of our own beside (`overturn_session` first,
 * `overturn_ledger`, `overturn_note`). Everything is appended in the order in which it was asked for. Snapshots and ledger entries
 * are on the disk when they resolve; the others may be lost in a power failure.
 *
 * Order at a turn's start: `prompt`, the ledger of what happened before it, then the snapshot, whose promptId names the turn.
 * Errors of all: DISK_FULL, DATA_FOLDER_UNWRITABLE. A lost record damages none of the others.
 */
export interface SessionLog {
  readonly file: string
  readonly sessionId: string
  /** A prompt: a turn begins. */
  prompt(text: string, promptId: PromptId, at: number): Promise<void>
  /** For the file history. */
  readonly snapshot: SnapshotRecorder
  call(call: LoggedCall): Promise<void>
  result(result: LoggedResult): Promise<void>
  /** What the agent said. */
  reply(text: string): Promise<void>
  ledger(entry: LedgerEntry): Promise<void>
  /** A fact of our own, for people who read the log: a mode, a decision, a classification. */
  note(kind: string, payload: Readonly<Record<string, unknown>>): Promise<void>
}

export const ownSubtypes = { session: 'overturn_session', ledger: 'overturn_ledger', note: 'overturn_note' } as const

/** An entry with more changes goes into several records: readers do not take lines above 8 MiB. */
const changesInRecord = 2_000
const longestClientName = 200

/** The folder of a project as qwen-code names it: everything but letters and digits becomes a dash. */
export function projectIdOf(folder: string, platform: NodeJS.Platform = process.platform): string {
  return (platform === 'win32' ? folder.toLowerCase() : folder).replace(/[^A-Za-z0-9]/g, '-')
}

/** Where the log of a session of ours lies. */
export function sessionLogFile(dataFolder: string, folder: string, sessionId: string): string {
  return join(dataFolder, 'sessions', 'projects', projectIdOf(folder), 'chats', `${sessionId}.jsonl`)
}

/** Begins the log of a session, or goes on with the one that is there. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE. */
export async function openSessionLog(options: SessionLogOptions): Promise<SessionLog> {
  const { dataFolder, sessionId, folder, version, branch, client, now } = options
  const file = sessionLogFile(dataFolder, folder, sessionId)
  makeDataFolder(join(file, '..'))
  const chain = createRecordChain(file, { sessionId, folder, version, branch }, lastUuid(file), now)

  const system = (subtype: string, systemPayload: unknown, durability?: 'may-be-lost'): Promise<void> =>
    chain.append({ type: 'system', at: null, rest: { subtype, systemPayload } }, durability)

  const said = (part: Readonly<Record<string, unknown>>, at: number | null, rest: Readonly<Record<string, unknown>> = {}): Promise<void> =>
    chain.append({ type: 'assistant', at, rest: { message: { role: 'model', parts: [part] }, ...rest } }, 'may-be-lost')

  if (logSize(file) === 0) {
    const name = client.name.slice(0, longestClientName)
    await system(ownSubtypes.session, { client: { name, version: client.version }, version })
  }

  return {
    file,
    sessionId,
    prompt: (text, promptId, at) => chain.append({ type: 'user', at, rest: { message: { role: 'user', parts: [{ text: outputText(text) }] }, promptId } }, 'may-be-lost'),
    snapshot: snapshotRecorder(chain),
    call: ({ callId, name, args, request, at }) => said({ functionCall: { id: callId, name, args: keptArgs(args) } }, at, request === null ? {} : { request }),
    result: (result) => chain.append({ type: 'tool_result', at: result.at, rest: resultRecord(result, folder) }, 'may-be-lost'),
    reply: (text) => said({ text: keptText(text) }, null),
    ledger: async (entry) => {
      for (let from = 0; from === 0 || from < entry.changes.length; from += changesInRecord) {
        await system(ownSubtypes.ledger, { ...entry, changes: entry.changes.slice(from, from + changesInRecord) })
      }
    },
    note: (kind, payload) => system(ownSubtypes.note, { kind, ...payload }, 'may-be-lost'),
  }
}

/** How qwen-code says each status: (of the call, of its execution). */
const statuses = { done: ['success', 'success'], failed: ['error', 'error'], refused: ['cancelled', 'not_started'] } as const

function resultRecord({ callId, name, status, text, display, lines, durationMs }: LoggedResult, folder: string): Readonly<Record<string, unknown>> {
  const [said, execution] = statuses[status]
  const output = outputText(text)
  const response = status === 'done' ? { output } : { error: output }
  const shown = displayOf(display, folder)
  return {
    message: { role: 'user', parts: [{ functionResponse: { id: callId, name, response } }] },
    toolCallResult: { callId, status: said, executionStatus: execution, ...(shown === null ? {} : { resultDisplay: shown }), ...(!lines ? {} : { diffStat: diffStatOf(lines) }), durationMs },
  }
}

/** JSON as it was given, its long texts cut. */
function keptArgs(value: unknown): unknown {
  if (typeof value === 'string') return keptText(value)
  if (Array.isArray(value)) return value.map(keptArgs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, keptArgs(each)]))
}
