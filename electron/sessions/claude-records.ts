import type { TranscriptEntry } from '../../shared/session.js'
import type { ClaudeCall } from './claude-calls.js'
import { blocksOf, labelOf, promptText, userRecordKind } from './claude-messages.js'
import { cutText, objectAt, textAt, timeAt, type JsonObject } from './json-values.js'
import { keptRaw, lostRecord } from './lost-record.js'
import type { ReadRecord } from './turn-records.js'

/** An entry whose call is still to be finished. */
export type ClaudeEntry = Exclude<TranscriptEntry, { readonly kind: 'call' }> | { readonly kind: 'call'; readonly call: ClaudeCall; readonly at: number }

/** A turn as its records tell it. */
export interface ClaudeTurn {
  readonly entries: readonly ClaudeEntry[]
  /** Records of subagents that older versions keep in the session's own log. */
  readonly sidechain: readonly ReadRecord[]
  /** Times of the first and of the last record. */
  readonly startedAt: number
  readonly endedAt: number
}

/** Attachments that tell the person something; the others are what the agent tells the model by itself. */
const shownAttachments: ReadonlySet<string> = new Set(['edited_text_file', 'hook_blocking_error', 'hook_permission_decision', 'hook_error_during_execution', 'hook_stopped_continuation'])
const hiddenSystem: ReadonlySet<string> = new Set(['turn_duration', 'stop_hook_summary', 'api_metrics', 'memory_saved'])

/** Decodes the records of a turn, in order. A call stands where it was asked for; its result is joined by its id. */
export function decodeClaudeTurn(records: readonly ReadRecord[], isSubagent = false): ClaudeTurn {
  const turn = new TurnDecoder(isSubagent)
  for (const read of records) turn.take(read)
  return turn
}

class TurnDecoder implements ClaudeTurn {
  readonly entries: ClaudeEntry[] = []
  readonly sidechain: ReadRecord[] = []
  startedAt = Infinity
  endedAt = 0
  private readonly calls = new Map<string, ClaudeCall>()
  private at = 0

  constructor(private readonly isSubagent: boolean) {}

  take(read: ReadRecord): void {
    const { record, raw, length } = read
    if (!record) {
      const lost = lostRecord(raw, length)
      this.addOther(lost.label, lost.raw)
      return
    }
    this.at = timeAt(record, 'timestamp') ?? this.at
    this.startedAt = Math.min(this.startedAt, this.at)
    this.endedAt = Math.max(this.endedAt, this.at)
    if (record['isSidechain'] === true && !this.isSubagent) {
      this.sidechain.push(read)
      return
    }
    switch (record['type']) {
      case 'user':
        this.addUser(record)
        break
      case 'assistant':
        this.addReply(record)
        break
      case 'attachment':
        this.addAttachment(record)
        break
      case 'system':
        if (!hiddenSystem.has(textAt(record, 'subtype') ?? '')) this.addRaw(textAt(record, 'subtype') ?? 'system', record)
        break
      case 'progress':
        break
      default:
        this.addRaw(textAt(record, 'type') ?? 'record', record)
    }
  }

  private addUser(record: JsonObject): void {
    const kind = userRecordKind(record)
    if (kind === 'prompt') this.entries.push({ kind: 'prompt', text: promptText(record), at: this.at })
    else if (kind === 'compaction') this.addRaw('summary of what came before', record)
    else if (kind === 'other') this.addRaw(labelOf(record), record)
    else this.addResults(record)
  }

  private addResults(record: JsonObject): void {
    const blocks = blocksOf(record)
    const results = blocks.filter((block) => block['type'] === 'tool_result')
    for (const block of results) {
      const callId = textAt(block, 'tool_use_id') ?? ''
      const call = this.calls.get(callId) ?? this.addCall({ id: callId, name: 'unknown' }, record)
      if (call.block) continue
      call.block = block
      // The record's one result can be of one call only.
      call.result = results.length === 1 ? record['toolUseResult'] : undefined
      call.answeredAt = this.at
    }
    const text = blocks.flatMap((block) => (block['type'] === 'text' ? [textAt(block, 'text') ?? ''] : [])).join('')
    if (text !== '') this.entries.push({ kind: 'prompt', text, at: this.at })
  }

  private addReply(record: JsonObject): void {
    const model = textAt(objectAt(record, 'message'), 'model')
    const blocks = blocksOf(record)
    if (blocks.length === 0) this.addRaw('assistant', record)
    for (const block of blocks) {
      const type = textAt(block, 'type')
      const text = textAt(block, 'text') ?? textAt(block, 'thinking')
      if (type === 'tool_use') this.addCall(block, record)
      else if (type === 'text' && text) this.entries.push({ kind: 'reply', text, at: this.at, model })
      else if (type === 'thinking' && text) this.entries.push({ kind: 'thought', text, at: this.at })
      else if (type !== 'text' && type !== 'thinking' && type !== 'redacted_thinking') this.addRaw(type ?? 'block', block)
    }
  }

  private addCall(block: JsonObject, record: JsonObject): ClaudeCall {
    const callId = textAt(block, 'id') ?? `call-${this.calls.size + 1}`
    const known = this.calls.get(callId)
    if (known) return known
    const call: ClaudeCall = {
      callId,
      name: textAt(block, 'name') ?? 'unknown',
      args: objectAt(block, 'input') ?? {},
      askedAt: this.at,
      directory: textAt(record, 'cwd'),
      version: textAt(record, 'version'),
      block: null,
      result: undefined,
      answeredAt: null,
    }
    this.calls.set(callId, call)
    this.entries.push({ kind: 'call', call, at: this.at })
    return call
  }

  private addAttachment(record: JsonObject): void {
    const attachment = objectAt(record, 'attachment')
    const type = textAt(attachment, 'type') ?? 'attachment'
    const typed = type === 'queued_command' ? textAt(attachment, 'prompt') : null
    if (typed !== null) this.entries.push({ kind: 'prompt', text: typed, at: this.at })
    else if (shownAttachments.has(type)) this.addRaw(type, record)
  }

  private addRaw(label: string, record: JsonObject): void {
    this.addOther(label, JSON.stringify(record))
  }

  private addOther(label: string, raw: string): void {
    this.entries.push({ kind: 'other', label: cutText(label, 200), raw: cutText(raw, keptRaw), at: this.at })
  }
}
