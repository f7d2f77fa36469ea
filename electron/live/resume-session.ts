import { closeSync, openSync, readSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { promptId as asPromptId, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import type { FileState } from '../../shared/file-state.js'
import { foldSnapshots, type PromptSnapshot, type SnapshotRecord } from '../../shared/snapshot.js'
import { eachLine } from '../history/log-records.js'
import { ownSubtypes } from '../history/session-log.js'
import { snapshotsIn, snapshotSubtypes } from '../history/snapshot-log.js'
import { decodeLedger } from '../sessions/ledger-records.js'
import { trackedPath } from '../sessions/tracked-paths.js'

/** Identity of a request as the agent gave it. */
export type RequestId = string | number

/** A call of which the log holds no answer, or whose answer its agent may still ask for: by a ticket, or since it did not get it. */
export interface EarlierCall {
  readonly callId: string
  readonly tool: string
  /** `null` where the log does not say, or another process of the agent asked. */
  readonly request: RequestId | null
  /** The ticket that its agent was given. */
  readonly review: string | null
  /** How the question that it asked ended. */
  readonly decision: { readonly state: string; readonly outcome: string } | null
  /** Whether a command was let run for it. */
  readonly hasRun: boolean
  /** Whether the end of its host cut it off, as a later one noted. */
  readonly isCutOff: boolean
  /** What the ledger says it changed; `null` for no entry. */
  readonly changed: readonly WorkspacePath[] | null
  /** What the agent was told, or would have been; where it has no ticket, the beginning of it. */
  readonly result: { readonly isDone: boolean; readonly text: string } | null
}

/** What the log of a session of ours says to whoever goes on with it. Times are milliseconds. */
export interface ResumedSession {
  /** Name that the agent gave itself; `null` where the log does not begin as one of ours. */
  readonly client: string | null
  /** Its workspace, absolute. */
  readonly folder: string | null
  /** For `openFileHistory`. */
  readonly snapshots: readonly PromptSnapshot[]
  readonly lastPromptId: PromptId | null
  /** Number of the last turn; 0 for none. */
  readonly turn: number
  readonly firstPrompt: string
  readonly lastPrompt: string
  /** When the last record was written; `null` for an empty or missing log. */
  readonly lastAt: number | null
  /** Every file that changed, its first state and its last. */
  readonly changed: ReadonlyMap<WorkspacePath, { readonly before: FileState; readonly after: FileState }>
  readonly calls: readonly EarlierCall[]
  /** Payload of the newest note of each kind. */
  readonly notes: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Lines and entries that could not be understood. */
  readonly skipped: number
}

type Fields = Readonly<Record<string, unknown>>
type GrowingCall = { -readonly [Key in keyof EarlierCall]: EarlierCall[Key] }

/** Reads a log of ours as far as it is needed to go on with it. Errors: those of the system. */
export async function resumeOf(file: string): Promise<ResumedSession> {
  const reading = new Reading()
  await eachLine(file, (line) => reading.line(line))
  return reading.result()
}

/** Longer than this the first record of a log of ours never is. */
const mostHeadBytes = 65_536
/** A higher number was never counted up to; the next turns could not be told apart by it. */
const mostTurns = 1_000_000_000
/** Characters of an answer that are kept for an agent that may not have got it. */
const keptOfAnswer = 4_000

/** Whose session a log of ours is, by its first record alone; `null` for any other file. */
export function ownerOf(file: string): Pick<ResumedSession, 'client' | 'folder'> | null {
  const handle = openSync(file, 'r')
  try {
    const head = Buffer.alloc(mostHeadBytes)
    const read = head.subarray(0, readSync(handle, head, 0, head.length, 0))
    const end = read.indexOf(10)
    if (end < 0) return null
    const reading = new Reading()
    reading.line(read.subarray(0, end))
    const { client, folder } = reading.result()
    return client === null ? null : { client, folder }
  } finally {
    closeSync(handle)
  }
}

class Reading {
  readonly #snapshots: SnapshotRecord[] = []
  readonly #prompts: string[] = []
  readonly #changed = new Map<WorkspacePath, { before: FileState; after: FileState }>()
  readonly #calls = new Map<string, GrowingCall>()
  readonly #notes = new Map<string, Fields>()
  #client: string | null = null
  #folder: string | null = null
  #lastPromptId: PromptId | null = null
  #turn = 0
  #lastAt: number | null = null
  #skipped = 0

  line(line: Buffer): void {
    let record: unknown
    try {
      record = JSON.parse(line.toString('utf8'))
    } catch {
      this.#skipped++
      return
    }
    if (!isFields(record)) return void this.#skipped++
    const at = Date.parse(textOf(record['timestamp']))
    if (Number.isFinite(at)) this.#lastAt = Math.max(at, this.#lastAt ?? at)
    switch (record['type']) {
      case 'user':
        if (typeof record['promptId'] === 'string') this.#prompt(record['promptId'], record)
        return
      case 'assistant':
        return this.#call(record)
      case 'tool_result':
        return this.#result(record)
      case 'system':
        return this.#system(textOf(record['subtype']), record)
    }
  }

  result(): ResumedSession {
    return {
      client: this.#client,
      folder: this.#folder,
      snapshots: foldSnapshots(this.#snapshots),
      lastPromptId: this.#lastPromptId,
      turn: this.#turn,
      firstPrompt: this.#prompts[0] ?? '',
      lastPrompt: this.#prompts.at(-1) ?? '',
      lastAt: this.#lastAt,
      changed: this.#changed,
      calls: [...this.#calls.values()].filter(({ result, review, request, isCutOff }) => result === null || review !== null || request !== null || isCutOff).map(shortened),
      notes: this.#notes,
      skipped: this.#skipped,
    }
  }

  #inTurn(id: string): void {
    this.#lastPromptId = asPromptId(id)
    const number = Number(/########(\d+)$/.exec(id)?.[1])
    if (number <= mostTurns) this.#turn = Math.max(this.#turn, number)
  }

  #prompt(id: string, record: Fields): void {
    this.#inTurn(id)
    this.#prompts.push(textOf(partOf(record)['text']))
    // Only the ends matter.
    if (this.#prompts.length > 2) this.#prompts.splice(1, 1)
  }

  #call(record: Fields): void {
    const asked = partOf(record)['functionCall']
    if (!isFields(asked) || typeof asked['id'] !== 'string') return
    const request = record['request']
    this.#calls.set(asked['id'], {
      callId: asked['id'],
      tool: textOf(asked['name']),
      request: typeof request === 'string' || typeof request === 'number' ? request : null,
      review: null,
      decision: null,
      hasRun: false,
      isCutOff: false,
      changed: null,
      result: null,
    })
  }

  #result(record: Fields): void {
    const answered = partOf(record)['functionResponse']
    const { response, id } = isFields(answered) ? answered : {}
    const call = this.#calls.get(textOf(id))
    if (!call || !isFields(response)) return
    call.result = 'output' in response ? { isDone: true, text: textOf(response['output']) } : { isDone: false, text: textOf(response['error']) }
  }

  #system(subtype: string, record: Fields): void {
    const payload = record['systemPayload']
    if (!isFields(payload)) return void this.#skipped++
    if (subtype === ownSubtypes.session) {
      const { client } = payload
      this.#client = isFields(client) ? textOf(client['name']) : null
      this.#folder = textOf(record['cwd'])
      return
    }
    if (subtype === ownSubtypes.ledger) return this.#ledger(record)
    if (subtype === ownSubtypes.note) return this.#note(payload)
    if (!snapshotSubtypes.some((each) => each === subtype)) return
    const found = snapshotsIn(record)
    for (const each of found.records) this.#snapshot(each)
    this.#skipped += found.skipped
    const last = found.records.at(-1)
    if (last) this.#inTurn(last.promptId)
  }

  /** What cannot be understood, or names no file of the workspace, is passed over; the good changes beside it count. */
  #ledger(record: Fields): void {
    const entry = decodeLedger(record, (recorded) => this.#pathOf(recorded), () => void this.#skipped++)
    if (!entry) return
    this.#inTurn(entry.promptId)
    for (const { path, before, after } of entry.changes) this.#changed.set(path, { before: this.#changed.get(path)?.before ?? before, after })
    const call = this.#calls.get(entry.callId ?? '')
    if (call) call.changed = [...(call.changed ?? []), ...entry.changes.map(({ path }) => path)]
  }

  #pathOf(recorded: string): WorkspacePath | null {
    const path = trackedPath(recorded, this.#folder)
    return path === null || isAbsolute(path) ? null : path
  }

  #snapshot(record: SnapshotRecord): void {
    const backups = [...record.backups].filter(([path]) => this.#pathOf(path) !== null)
    this.#skipped += record.backups.size - backups.length
    this.#snapshots.push(backups.length === record.backups.size ? record : { ...record, backups: new Map(backups) })
  }

  #note(payload: Fields): void {
    const kind = textOf(payload['kind'])
    this.#notes.set(kind, payload)
    // From here on it is another process of the agent, which counts its requests anew.
    if (kind === 'resumed') for (const each of this.#calls.values()) each.request = null
    const call = this.#calls.get(textOf(payload['callId']))
    if (!call) return
    if (kind === 'pending') call.review = textOf(payload['approval'])
    if (kind === 'running') call.hasRun = true
    if (kind === 'command-cut-off') call.isCutOff = true
    if (kind === 'decision') call.decision = { state: textOf(payload['state']), outcome: textOf(payload['outcome']) }
  }
}

/** A copy of its own, by which the whole text of a long answer is not kept. */
function shortened(call: EarlierCall): EarlierCall {
  const { result, review } = call
  if (result === null || review !== null || result.text.length <= keptOfAnswer) return call
  return { ...call, result: { ...result, text: `${Buffer.from(result.text.slice(0, keptOfAnswer)).toString()} [The rest is left out.]` } }
}

function partOf(record: Fields): Fields {
  const { message } = record
  const parts = isFields(message) ? message['parts'] : null
  const first: unknown = Array.isArray(parts) ? parts[0] : null
  return isFields(first) ? first : {}
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
