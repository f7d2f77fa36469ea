import { addStat, type DiffStat } from '../../shared/changes.js'
import type { Usage } from '../../shared/usage.js'
import { isObject, listAt, objectAt, textAt, timeAt, type JsonObject } from './json-values.js'
import type { CountedEdits } from './record-sniff.js'
import { tokensAt, usageFrom } from './usage-values.js'

/** Where a part of the log is: a line, or one of the messages that a line lists. */
export interface Spot {
  readonly offset: number
  readonly length: number
  /** `null` for the line itself. */
  readonly index: number | null
}

/** A message as far as all lines that tell of it say. */
export interface GeminiMessage {
  readonly id: string
  readonly type: string
  readonly at: number
  /** What a person typed; `null` for any other message. */
  readonly prompt: string | null
  /** Tokens of its request; `null` where none are recorded. */
  readonly usage: Usage | null
  /** What its edits changed; `null` where none are recorded. */
  readonly edits: CountedEdits | null
  /** Oldest first; later ones add to earlier ones. */
  readonly spots: readonly Spot[]
}

/** Messages that a rewind dropped, and the one that was before them. */
export interface DroppedMessages {
  readonly messages: readonly GeminiMessage[]
  readonly afterId: string | null
  readonly at: number
}

export type OperationKind = 'header' | 'message' | 'set' | 'rewind' | 'unknown'

/**
 * The document that a log's operations make, without the texts of its messages.
 *
 * A list of messages that an operation sets is what is sent to the model: shorter than the document after a compression, without tool
 * calls after a resume. So it adds what it has and takes nothing away; only a rewind does.
 * Source: Gemini CLI 0.61.
 */
export class GeminiDocument {
  sessionId: string | null = null
  projectHash: string | null = null
  /** `main`, or what a subagent's log calls itself. */
  kind: string | null = null
  startedAt: number | null = null
  lastActiveAt: number | null = null
  model: string | null = null
  /** Offset of the line that named the model. */
  modelFrom = -1
  title: string | null = null
  /** Folder that the first message names. */
  folder: string | null = null
  readonly order: OpenMessage[] = []
  readonly dropped: DroppedMessages[] = []
  private readonly aliases = new Map<string, string>()
  /** Where each message stands in the order. */
  private readonly places = new Map<string, number>()

  /** Takes in one line; what kind of operation it was. */
  apply(line: JsonObject, offset: number, length: number): OperationKind {
    const set = objectAt(line, '$set')
    if (set) {
      this.facts(set)
      this.list(listAt(set, 'messages'), offset, length)
      return 'set'
    }
    const rewindTo = textAt(line, '$rewindTo')
    if (rewindTo !== null) return this.rewind(rewindTo) ? 'rewind' : 'unknown'
    if (textAt(line, 'id') !== null && textAt(line, 'type') !== null) {
      this.upsert(line, { offset, length, index: null }, this.order.length)
      return 'message'
    }
    if (textAt(line, 'sessionId') === null) return 'unknown'
    this.facts(line)
    this.list(listAt(line, 'messages'), offset, length)
    return 'header'
  }

  /** Takes in a message that no person typed by what its bytes say; its model stays unknown. */
  note(id: string, type: string, at: number, tokens: JsonObject | null, edits: CountedEdits | null, offset: number, length: number): void {
    this.place(this.aliases.get(id) ?? id, type, at, { prompt: null, usage: usageOf(tokens), edits }, { offset, length, index: null }, this.order.length)
    this.lastActiveAt = Math.max(this.lastActiveAt ?? 0, at)
  }

  /** Takes in a line that sets nothing but the time. */
  touch(at: number | null): void {
    this.lastActiveAt = at ?? this.lastActiveAt
  }

  private facts(from: JsonObject): void {
    this.sessionId = textAt(from, 'sessionId') ?? this.sessionId
    this.projectHash ??= textAt(from, 'projectHash')
    this.kind ??= textAt(from, 'kind')
    this.startedAt ??= timeAt(from, 'startTime')
    this.lastActiveAt = timeAt(from, 'lastUpdated') ?? this.lastActiveAt
    this.title = textAt(from, 'summary') ?? this.title
  }

  private list(messages: readonly unknown[], offset: number, length: number): void {
    let at = 0
    messages.forEach((message, index) => {
      if (!isObject(message) || textAt(message, 'id') === null) return
      const known = this.placeOf(message, index)
      this.upsert(message, { offset, length, index }, known < 0 ? at : known)
      at = (known < 0 ? at : known) + 1
    })
  }

  /** Where a listed message stands already: by its id, else, since ids may be made anew, by its place and what it says. */
  private placeOf(message: JsonObject, index: number): number {
    const id = this.idOf(message)
    const byId = this.places.get(id)
    if (byId !== undefined) return byId
    const there = this.order[index]
    const prompt = promptOf(message)
    if (!there || there.prompt === null || there.prompt !== prompt) return -1
    this.aliases.set(id, there.id)
    return index
  }

  private upsert(message: JsonObject, spot: Spot, place: number): void {
    const type = textAt(message, 'type') ?? ''
    const model = textAt(message, 'model')
    if (model !== null) {
      this.model = model
      this.modelFrom = spot.offset
    }
    if (type === 'user') this.folder ??= folderIn(message)
    const at = timeAt(message, 'timestamp') ?? 0
    this.place(this.idOf(message), type, at, { prompt: promptOf(message), usage: usageOf(objectAt(message, 'tokens')), edits: editsOf(message) }, spot, place)
    this.lastActiveAt = Math.max(this.lastActiveAt ?? 0, at)
  }

  private place(id: string, type: string, at: number, { prompt, usage, edits }: Pick<GeminiMessage, 'prompt' | 'usage' | 'edits'>, spot: Spot, place: number): void {
    // Most often a line adds to the message before it.
    const last = this.order[this.order.length - 1]
    const known = last?.id === id ? last : this.order[this.places.get(id) ?? -1]
    if (!known) return this.insert({ id, type, at, prompt, usage, edits, spots: [spot] }, place)
    known.prompt ??= prompt
    known.usage = usage ?? known.usage
    known.edits = edits ?? known.edits
    if (spot.index === null || known.spots.length < mostListed) known.spots.push(spot)
  }

  private insert(message: OpenMessage, place: number): void {
    if (place >= this.order.length) {
      this.places.set(message.id, this.order.push(message) - 1)
      return
    }
    this.order.splice(place, 0, message)
    for (let at = place; at < this.order.length; at++) this.places.set(this.order[at]?.id ?? '', at)
  }

  private rewind(toId: string): boolean {
    const id = this.aliases.get(toId) ?? toId
    const at = this.places.get(id)
    if (at === undefined) return false
    const messages = this.order.splice(at)
    for (const message of messages) this.places.delete(message.id)
    this.dropped.push({ messages, afterId: this.order.at(-1)?.id ?? null, at: this.lastActiveAt ?? 0 })
    return true
  }

  private idOf(message: JsonObject): string {
    const id = textAt(message, 'id') ?? ''
    return this.aliases.get(id) ?? id
  }
}

function usageOf(told: JsonObject | null): Usage | null {
  return usageFrom({ input: tokensAt(told, 'input'), cached: tokensAt(told, 'cached'), output: tokensAt(told, 'output'), total: tokensAt(told, 'total') })
}

/** As the calls of a message counted them, of edits that were made. */
function editsOf(message: JsonObject): CountedEdits | null {
  const edits = listAt(message, 'toolCalls').flatMap((call): CountedEdits[] => {
    const display = isObject(call) && textAt(call, 'status') === 'success' ? objectAt(call, 'resultDisplay') : null
    const told = objectAt(display, 'diffStat')
    const [insertions, deletions] = [tokensAt(told, 'model_added_lines'), tokensAt(told, 'model_removed_lines')]
    const path = textAt(display, 'filePath') ?? textAt(display, 'fileName')
    return insertions === null || deletions === null ? [] : [{ insertions, deletions, paths: path === null ? [] : [path] }]
  })
  return edits.length === 0 ? null : { ...edits.reduce<DiffStat>(addStat, { insertions: 0, deletions: 0 }), paths: edits.flatMap(({ paths }) => paths) }
}

/** Of the lists that repeat a message the first ones count: each resume repeats all of it. */
const mostListed = 4

/** A message while the log is read. */
interface OpenMessage extends GeminiMessage {
  prompt: string | null
  usage: Usage | null
  edits: CountedEdits | null
  readonly spots: Spot[]
}

/** What a person typed in a message; `null` where nobody did. */
export function promptOf(message: JsonObject): string | null {
  if (textAt(message, 'type') !== 'user') return null
  const text = textOf(message['displayContent'] ?? message['content'])
  return text.trim() === '' || text.startsWith('<session_context>') ? null : text
}

/** The plain text of a content: a text, or parts; calls, answers and thoughts are none. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter((part): part is JsonObject => isObject(part) && part['thought'] !== true)
    .map((part) => textAt(part, 'text') ?? '')
    .join('')
}

function folderIn(message: JsonObject): string | null {
  const text = textOf(message['content'])
  return text.startsWith('<session_context>') ? (/\*\*Workspace Directories:\*\*\n {2}- ([^\n]+)/.exec(text)?.[1] ?? null) : null
}
