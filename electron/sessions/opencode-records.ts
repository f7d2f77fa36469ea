import type { JsonObject } from './json-values.js'
import { objectAt, parseObject, textAt, timeAt } from './json-values.js'
import { isOfTalk, projected } from './opencode-projection.js'
import { readDatabase, valueOr, type Database, type Row } from './sqlite-database.js'

/** What the store says of a session itself. */
export interface SessionFacts {
  readonly id: string
  readonly parentId: string | null
  readonly projectId: string
  readonly folder: string | null
  readonly title: string
  readonly model: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** When a person put it away; `null` where nobody did. */
  readonly archivedAt: number | null
  /** Set while a person has taken messages back and not gone on: the first of them. */
  readonly takenBackFrom: string | null
  /** Changes with each record that is added; 0 where the store does not count. */
  readonly sequence: number
}

/** A message, or a part of one. `data` is `null` where it cannot be read. */
export interface StoredRecord {
  readonly id: string
  readonly createdAt: number
  readonly data: JsonObject | null
}

export interface StoredMessage extends StoredRecord {
  readonly parts: readonly StoredRecord[]
}

/** The records of opencode, whichever way they are stored. Messages and parts come in their order. */
export interface OpencodeRecords {
  sessions(): AsyncGenerator<SessionFacts>
  session(id: string): Promise<SessionFacts | null>
  /** Sessions that a session's subagents worked in. */
  children(id: string): AsyncGenerator<SessionFacts>
  messages(sessionId: string): AsyncGenerator<StoredRecord>
  message(sessionId: string, id: string): Promise<StoredRecord | null>
  parts(messageId: string): AsyncGenerator<StoredRecord>
  /** Messages that were taken back and then thrown away, as far as the store still tells, in their order. */
  removed(sessionId: string): Promise<readonly StoredMessage[]>
  /** How much of what was read is damaged. */
  readonly damage: number
}

/** Reads records as they were at one moment. Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, CANCELLED. */
export type ReadRecords = <Value>(read: (records: OpencodeRecords) => Promise<Value>, signal?: AbortSignal) => Promise<Value>

/** Records in the database. Source: opencode 1.18.33. */
export function recordsOfDatabase(file: string): ReadRecords {
  return (read, signal) => readDatabase(file, (database) => read(new DatabaseRecords(database)), signal)
}

class DatabaseRecords implements OpencodeRecords {
  private broken = 0

  constructor(private readonly database: Database) {}

  get damage(): number {
    return this.database.damage + this.broken
  }

  async *sessions(): AsyncGenerator<SessionFacts> {
    const sequences = new Map<string, number>()
    for await (const row of this.database.rows('event_sequence')) {
      const id = valueOr(null, () => row.text('aggregate_id'))
      if (id !== null) sequences.set(id, valueOr(0, () => row.number('seq') ?? 0))
    }
    for await (const row of this.database.rows('session')) {
      const facts = this.tried(() => sessionOfRow(row, sequences))
      if (facts) yield facts
    }
  }

  async session(id: string): Promise<SessionFacts | null> {
    for await (const row of this.database.where('session', { id })) {
      const facts = this.tried(() => sessionOfRow(row, new Map()))
      if (facts) return facts
    }
    return null
  }

  async *children(id: string): AsyncGenerator<SessionFacts> {
    for await (const row of this.database.where('session', { parent_id: id })) {
      const facts = this.tried(() => sessionOfRow(row, new Map()))
      if (facts) yield facts
    }
  }

  /** Those of the older tables, and what came after them in the newer one: it repeats no message. */
  async *messages(sessionId: string): AsyncGenerator<StoredRecord> {
    let last = -Infinity
    for await (const message of this.inOrder('message', { session_id: sessionId }, (one, two) => one.createdAt - two.createdAt || byText(one.id, two.id))) {
      last = Math.max(last, message.createdAt)
      yield message
    }
    const rows: { readonly seq: number; readonly row: Row }[] = []
    for await (const row of this.database.where('session_message', { session_id: sessionId })) {
      const seq = this.tried(() => row.number('seq'))
      if (seq !== null) rows.push({ seq, row })
    }
    let isBegun = Number.isFinite(last)
    for (const { row } of rows.sort((one, two) => one.seq - two.seq)) {
      if (valueOr(0, () => row.number('time_created') ?? 0) <= last) continue
      isBegun ||= isOfTalk(valueOr('', () => row.text('type') ?? ''))
      const message = isBegun ? this.projectedRow(row) : null
      if (message) yield message
    }
  }

  async message(sessionId: string, id: string): Promise<StoredRecord | null> {
    for await (const message of this.inOrder('message', { id, session_id: sessionId }, () => 0)) return message
    return this.newerMessage(id, sessionId)
  }

  async *parts(messageId: string): AsyncGenerator<StoredRecord> {
    let hasOwn = false
    for await (const part of this.inOrder('part', { message_id: messageId }, (one, two) => byText(one.id, two.id))) {
      hasOwn = true
      yield part
    }
    if (!hasOwn) yield* (await this.newerMessage(messageId))?.parts ?? []
  }

  private async newerMessage(id: string, sessionId?: string): Promise<StoredMessage | null> {
    for await (const row of this.database.where('session_message', { id, ...(sessionId === undefined ? {} : { session_id: sessionId }) })) return this.projectedRow(row)
    return null
  }

  private projectedRow(row: Row): StoredMessage | null {
    return this.tried(() => {
      const [id, type] = [row.text('id'), row.text('type')]
      return id === null || type === null ? null : projected(id, type, row.number('time_created') ?? 0, this.tried(() => parseObject(row.text('data') ?? '')))
    })
  }

  async removed(sessionId: string): Promise<readonly StoredMessage[]> {
    const gone = new Set<string>()
    for await (const event of this.events(sessionId, 'message.removed.1')) gone.add(textAt(event, 'messageID') ?? '')
    // It may have been thrown away in one session and still stand: an import, for one.
    for await (const message of this.messages(sessionId)) gone.delete(message.id)
    if (gone.size === 0) return []
    const messages = new Map<string, StoredRecord>()
    const parts = new Map<string, Map<string, StoredRecord>>()
    for await (const event of this.events(sessionId, 'message.updated.1')) {
      const info = objectAt(event, 'info')
      const id = textAt(info, 'id')
      if (info && id !== null && gone.has(id)) messages.set(id, { id, createdAt: createdAt(info), data: info })
    }
    for await (const event of this.events(sessionId, 'message.part.updated.1')) {
      const part = objectAt(event, 'part')
      const [id, messageId] = [textAt(part, 'id'), textAt(part, 'messageID')]
      if (!part || id === null || messageId === null || !gone.has(messageId)) continue
      const known = parts.get(messageId) ?? new Map<string, StoredRecord>()
      parts.set(messageId, known.set(id, { id, createdAt: 0, data: part }))
    }
    return [...messages.values()]
      .sort(inOrder)
      .map((message) => ({ ...message, parts: [...(parts.get(message.id)?.values() ?? [])].sort((one, two) => byText(one.id, two.id)) }))
  }

  private async *events(sessionId: string, type: string): AsyncGenerator<JsonObject> {
    for await (const row of this.database.where('event', { aggregate_id: sessionId, type })) {
      const data = this.tried(() => parseObject(row.text('data') ?? ''))
      if (data) yield data
    }
  }

  /** Rows are put in order by their keys alone, and opened one after the other. */
  private async *inOrder(table: string, values: Readonly<Record<string, string>>, order: (one: Key, two: Key) => number): AsyncGenerator<StoredRecord> {
    const keys: (Key & { readonly row: Row })[] = []
    for await (const row of this.database.where(table, values)) {
      const key = this.tried(() => keyOf(row))
      if (key) keys.push({ ...key, row })
    }
    for (const { id, createdAt: at, row } of keys.sort(order)) {
      const data = this.tried(() => parseObject(row.text('data') ?? ''))
      yield { id, createdAt: at, data }
    }
  }

  private tried<Value>(read: () => Value | null): Value | null {
    const value = valueOr(null, read)
    if (value === null) this.broken++
    return value
  }
}

interface Key {
  readonly id: string
  readonly createdAt: number
}

function keyOf(row: Row): Key | null {
  const id = row.text('id')
  return id === null ? null : { id, createdAt: row.number('time_created') ?? 0 }
}

function sessionOfRow(row: Row, sequences: ReadonlyMap<string, number>): SessionFacts | null {
  const id = row.text('id')
  if (id === null) return null
  return {
    id,
    parentId: row.text('parent_id'),
    projectId: row.text('project_id') ?? '',
    folder: row.text('directory'),
    title: row.text('title') ?? '',
    model: textAt(parseObject(row.text('model') ?? ''), 'id'),
    createdAt: row.number('time_created') ?? 0,
    updatedAt: row.number('time_updated') ?? 0,
    archivedAt: row.number('time_archived'),
    takenBackFrom: textAt(parseObject(row.text('revert') ?? ''), 'messageID'),
    sequence: sequences.get(id) ?? 0,
  }
}

/** When a message was made, as it says itself. */
export function createdAt(data: JsonObject): number {
  const time = objectAt(data, 'time')
  const at = time?.['created']
  return typeof at === 'number' && Number.isFinite(at) ? at : (timeAt(time, 'created') ?? 0)
}

export function inOrder(one: StoredRecord, two: StoredRecord): number {
  return one.createdAt - two.createdAt || byText(one.id, two.id)
}

export function byText(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0
}
