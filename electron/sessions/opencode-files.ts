import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { numberAt, objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { plainSize } from './plain-log.js'
import { byText, createdAt, inOrder, type OpencodeRecords, type ReadRecords, type SessionFacts, type StoredMessage, type StoredRecord } from './opencode-records.js'

/** Ids become names of folders, so only harmless ones count. */
const plainId = /^[A-Za-z0-9_-]{1,200}$/
const largestFile = 64 << 20

/**
 * Records in the older store, one file each: `storage/session/<project>/<session>.json`, `message/<session>/<message>.json`,
 * `part/<message>/<part>.json`. `file` is that of the session. Source: opencode before 1.2.
 */
export function recordsOfFiles(file: string): ReadRecords {
  return async (read, signal) => {
    const records = new FileRecords(file, signal)
    const value = await read(records)
    throwIfAborted(signal)
    return value
  }
}

class FileRecords implements OpencodeRecords {
  damage = 0
  private readonly storage: string

  constructor(
    private readonly file: string,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.storage = dirname(dirname(dirname(file)))
  }

  async *sessions(): AsyncGenerator<SessionFacts> {
    const facts = await this.session(basename(this.file, '.json'))
    if (facts) yield facts
  }

  async session(id: string): Promise<SessionFacts | null> {
    if (!plainId.test(id)) return null
    const file = join(dirname(this.file), `${id}.json`)
    const [data, stats] = [await this.readObject(file), await stat(file).catch(() => null)]
    if (!stats) throw new ReviewError('SESSION_NOT_FOUND', 'The files of this session are not there any more.')
    if (!data || textAt(data, 'id') !== id) throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is no session log that is known here. Choose another file.')
    return {
      id,
      parentId: textAt(data, 'parentID'),
      projectId: textAt(data, 'projectID') ?? basename(dirname(this.file)),
      folder: textAt(data, 'directory'),
      title: textAt(data, 'title') ?? '',
      model: null,
      createdAt: createdAt(data),
      updatedAt: numberAt(objectAt(data, 'time'), 'updated') ?? Math.trunc(stats.mtimeMs),
      archivedAt: numberAt(objectAt(data, 'time'), 'archived'),
      takenBackFrom: textAt(objectAt(data, 'revert'), 'messageID'),
      sequence: 0,
    }
  }

  async *children(id: string): AsyncGenerator<SessionFacts> {
    for (const child of (await childrenIn(dirname(this.file))).get(id) ?? []) {
      const facts = await this.session(child)
      if (facts) yield facts
    }
  }

  messages(sessionId: string): AsyncGenerator<StoredRecord> {
    return this.recordsIn('message', sessionId, inOrder)
  }

  async message(sessionId: string, id: string): Promise<StoredRecord | null> {
    if (!plainId.test(sessionId) || !plainId.test(id)) return null
    const data = await this.readObject(join(this.storage, 'message', sessionId, `${id}.json`))
    return { id, createdAt: data ? createdAt(data) : 0, data }
  }

  parts(messageId: string): AsyncGenerator<StoredRecord> {
    return this.recordsIn('part', messageId, (one, two) => byText(one.id, two.id))
  }

  async removed(): Promise<readonly StoredMessage[]> {
    return []
  }

  private async *recordsIn(kind: string, id: string, order: (one: StoredRecord, two: StoredRecord) => number): AsyncGenerator<StoredRecord> {
    if (!plainId.test(id)) return
    const folder = join(this.storage, kind, id)
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort()
    const records: StoredRecord[] = []
    for (const name of names) {
      throwIfAborted(this.signal)
      const data = await this.readObject(join(folder, name))
      // Ids ascend, so one that cannot be read keeps its place.
      records.push({ id: basename(name, '.json'), createdAt: data ? createdAt(data) : (records.at(-1)?.createdAt ?? 0), data })
    }
    yield* records.sort(order)
  }

  private async readObject(file: string): Promise<JsonObject | null> {
    try {
      // A link would lead out of the store.
      const size = plainSize(file)
      const data = size !== null && size <= largestFile ? parseObject(await readFile(file, 'utf8')) : null
      if (!data) this.damage++
      return data
    } catch {
      this.damage++
      return null
    }
  }
}

type Children = ReadonlyMap<string, readonly string[]>

/** The sessions of subagents by the session that started them, as they were when a folder last got a file: each file is read once. */
const childrenOf = new Map<string, { readonly changedAt: number; readonly children: Promise<Children> }>()

async function childrenIn(folder: string): Promise<Children> {
  const changedAt = (await stat(folder).catch(() => null))?.mtimeMs ?? 0
  const known = childrenOf.get(folder)
  if (known?.changedAt === changedAt) return known.children
  const children = readChildren(folder)
  childrenOf.set(folder, { changedAt, children })
  return children
}

async function readChildren(folder: string): Promise<Children> {
  const children = new Map<string, string[]>()
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const text = name.endsWith('.json') ? await readFile(join(folder, name), 'utf8').catch(() => '') : ''
    const parentId = textAt(parseObject(text), 'parentID')
    if (parentId !== null) children.set(parentId, [...(children.get(parentId) ?? []), basename(name, '.json')])
  }
  return children
}
