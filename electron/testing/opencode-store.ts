import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from 'node-sqlite3-wasm'

type Json = Readonly<Record<string, unknown>>

/** A store of opencode as it writes one, record by record. */
export class OpencodeStore {
  readonly file: string
  private readonly database: Database
  private count = 0

  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true })
    this.file = join(folder, 'opencode.db')
    this.database = new Database(this.file)
    this.database.exec(`
      CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, title text NOT NULL, revert text, model text, time_created integer NOT NULL, time_updated integer NOT NULL);
      CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
      CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
      CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
      CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message (session_id, seq);
      CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL);
      CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL);
      CREATE INDEX event_aggregate_type_seq_idx ON event (aggregate_id, type, seq);
      CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
      CREATE INDEX part_message_id_id_idx ON part (message_id, id)`)
  }

  session(id: string, folder: string, more: { readonly parentId?: string; readonly projectId?: string } = {}): void {
    this.database.run('INSERT INTO session VALUES (?, ?, ?, ?, ?, NULL, NULL, 1000, 1000)', [id, more.projectId ?? 'project', more.parentId ?? null, folder, `Session ${id}`])
  }

  /** A typed prompt; returns the id of its message. */
  prompt(sessionId: string, text: string): string {
    return this.message(sessionId, { role: 'user' }, [{ type: 'text', text }])
  }

  /** A message of the agent with a step in it: the trees before and after, and the calls between; `after` is `null` for a step that was cut off. */
  step(sessionId: string, parentID: string, before: string | null, calls: readonly Json[], after: string | null): string {
    const start = { type: 'step-start', ...(before === null ? {} : { snapshot: before }) }
    return this.message(sessionId, { role: 'assistant', parentID, modelID: 'model-1' }, [start, ...calls, ...(after === null ? [] : [{ type: 'step-finish', snapshot: after }])])
  }

  message(sessionId: string, data: Json, parts: readonly Json[]): string {
    const id = this.nextId('msg')
    const at = 1000 + this.count
    const info = { ...data, time: { created: at } }
    this.database.run('INSERT INTO message VALUES (?, ?, ?, ?)', [id, sessionId, at, JSON.stringify(info)])
    this.event(sessionId, 'message.updated.1', { info: { ...info, id } })
    for (const part of parts) {
      const partId = this.nextId('prt')
      this.database.run('INSERT INTO part VALUES (?, ?, ?, ?)', [partId, id, sessionId, JSON.stringify(part)])
      this.event(sessionId, 'message.part.updated.1', { part: { ...part, id: partId, messageID: id } })
    }
    return id
  }

  /** A message as the new engine keeps it. */
  newer(sessionId: string, type: string, data: Json): string {
    const id = this.nextId('msg')
    const at = 1000 + this.count
    this.database.run('INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)', [id, sessionId, type, this.count, at, at, JSON.stringify({ ...data, time: { created: at } })])
    return id
  }

  /** A person takes back everything from a message on. */
  takeBack(sessionId: string, messageId: string): void {
    this.database.run('UPDATE session SET revert = ? WHERE id = ?', [JSON.stringify({ messageID: messageId }), sessionId])
  }

  /** What the next prompt does with messages that were taken back. */
  throwAway(sessionId: string, messageIds: readonly string[]): void {
    this.database.run('UPDATE session SET revert = NULL WHERE id = ?', [sessionId])
    for (const id of messageIds) {
      this.database.run('DELETE FROM message WHERE id = ?', [id])
      this.database.run('DELETE FROM part WHERE message_id = ?', [id])
      this.event(sessionId, 'message.removed.1', { messageID: id })
    }
  }

  run(sql: string, values: readonly string[] = []): void {
    this.database.run(sql, [...values])
  }

  rows(sql: string): readonly { readonly id: string; readonly data: string }[] {
    return this.database.all(sql).map((row) => ({ id: String(row['id']), data: String(row['data']) }))
  }

  close(): void {
    this.database.close()
  }

  private event(sessionId: string, type: string, data: Json): void {
    const id = this.nextId('evt')
    this.database.run('INSERT INTO event VALUES (?, ?, ?, ?, ?)', [id, sessionId, this.count, type, JSON.stringify(data)])
    this.database.run('INSERT INTO event_sequence VALUES (?, ?) ON CONFLICT (aggregate_id) DO UPDATE SET seq = excluded.seq', [sessionId, this.count])
  }

  private nextId(kind: string): string {
    return `${kind}_${String(++this.count).padStart(8, '0')}`
  }
}

/** A `tool` part that ended well. */
export function toolPart(tool: string, callID: string, input: Json, metadata: Json = {}, output = 'Done.'): Json {
  return { type: 'tool', tool, callID, state: { status: 'completed', input, output, metadata, time: { start: 5, end: 7 } } }
}
