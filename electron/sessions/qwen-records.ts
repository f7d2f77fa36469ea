import type { TranscriptEntry } from '../../shared/session.js'
import { cutText, isObject, listAt, numberAt, objectAt, textAt, timeAt, type JsonObject } from './json-values.js'
import { newDraft, type CallDraft } from './qwen-calls.js'
import { qwenSniffer } from './qwen-sniff.js'
import { keptRaw, lostRecord } from './lost-record.js'
import type { ReadRecord } from './turn-records.js'

/** An entry whose call is still to be finished. */
export type DraftEntry = Exclude<TranscriptEntry, { readonly kind: 'call' }> | { readonly kind: 'call'; readonly draft: CallDraft; readonly at: number }

/** System records that are about the recorder's own housekeeping, or that go into what other records show. */
const housekeeping: ReadonlySet<string> = new Set([
  'file_history_snapshot',
  'overturn_history_delta',
  'overturn_session',
  'overturn_ledger',
  'ui_telemetry',
  'attribution_snapshot',
  'branch_checkpoint',
  'custom_title',
  'session_model',
  'session_source',
  'session_sources_snapshot',
  'session_artifact_event',
  'session_artifact_snapshot',
  'parent_session',
  'turn_result',
  'user_text_elements',
  'at_command',
  'agent_bootstrap',
  'agent_launch_prompt',
  'agent_retry',
  'agent_session_ready',
  'managed_session_header_v1',
  'managed_session_event_v1',
  'managed_session_commit_v1',
])

const userSubtypes: ReadonlySet<string> = new Set(['mid_turn_user_message', 'realtime_message'])

/** The transcript of one turn, from its records in order. A call stands where it was asked for; its result is joined by call id. */
export function decodeTurn(records: readonly ReadRecord[]): readonly DraftEntry[] {
  const turn = new TurnDecoder()
  for (const read of records) turn.take(read)
  return turn.entries
}

/** Two records of one identity as one: parts of both, the first result. */
export function joinRecords(first: JsonObject, later: JsonObject): JsonObject {
  const message = objectAt(first, 'message')
  const parts = [...listAt(message, 'parts'), ...listAt(objectAt(later, 'message'), 'parts')]
  const toolCallResult = isObject(first['toolCallResult']) ? first['toolCallResult'] : later['toolCallResult']
  return { ...first, message: { ...message, parts }, ...(toolCallResult === undefined ? {} : { toolCallResult }) }
}

class TurnDecoder {
  readonly entries: DraftEntry[] = []
  private readonly drafts = new Map<string, CallDraft>()
  private at = 0

  take({ record, raw, length }: ReadRecord): void {
    if (!record) {
      const lost = lostRecord(raw, length)
      this.addOther(lost.label, lost.raw)
      return
    }
    this.at = timeAt(record, 'timestamp') ?? this.at
    const subtype = textAt(record, 'subtype')
    switch (record['type']) {
      case 'user':
        if (record['subtype'] === undefined || (subtype !== null && userSubtypes.has(subtype))) this.addPrompt(record)
        else this.addRaw(subtype ?? 'user', record)
        break
      case 'assistant':
        this.addReply(record)
        break
      case 'tool_result':
        this.addResult(record)
        break
      case 'system':
        this.addSystem(subtype ?? 'system', record)
        break
      default:
        this.addRaw(textAt(record, 'type') ?? 'record', record)
    }
  }

  private addPrompt(record: JsonObject): void {
    this.entries.push({ kind: 'prompt', text: qwenSniffer.promptText(record), at: this.at })
    this.addResponses(record, null)
  }

  private addReply(record: JsonObject): void {
    const model = textAt(record, 'model')
    const message = record['message']
    if (message !== undefined && !(isObject(message) && Array.isArray(message['parts']))) this.addRaw('assistant', record)
    for (const part of listAt(objectAt(record, 'message'), 'parts')) {
      if (!isObject(part)) continue
      const text = textAt(part, 'text')
      const call = objectAt(part, 'functionCall')
      if (call) this.addCall(call)
      else if (text === null || text === '') continue
      else if (part['thought'] === true) this.entries.push({ kind: 'thought', text, at: this.at })
      else this.entries.push({ kind: 'reply', text, at: this.at, model })
    }
  }

  private addCall(call: JsonObject): CallDraft {
    const name = textAt(call, 'name') ?? 'unknown'
    const callId = textAt(call, 'id') ?? `call-${this.drafts.size + 1}`
    const known = this.drafts.get(callId)
    if (known) return known
    const draft = newDraft(callId, name, objectAt(call, 'args') ?? {}, this.at)
    this.drafts.set(callId, draft)
    this.entries.push({ kind: 'call', draft, at: this.at })
    return draft
  }

  private addResult(record: JsonObject): void {
    const result = objectAt(record, 'toolCallResult')
    const found = this.addResponses(record, result)
    const callId = textAt(result, 'callId')
    if (found || !result || callId === null) return
    const draft = this.drafts.get(callId) ?? this.addCall({ id: callId, name: 'unknown' })
    draft.result ??= result
  }

  /** Joins each response in a message with its call; one without a call is shown all the same. */
  private addResponses(record: JsonObject, result: JsonObject | null): boolean {
    let found = false
    for (const part of listAt(objectAt(record, 'message'), 'parts')) {
      const response = isObject(part) ? objectAt(part, 'functionResponse') : null
      if (!response) continue
      const name = textAt(response, 'name') ?? 'unknown'
      const callId = textAt(response, 'id') ?? textAt(result, 'callId') ?? this.openCallOf(name)
      const draft = (callId === null ? undefined : this.drafts.get(callId)) ?? this.addCall({ id: callId ?? undefined, name })
      draft.response ??= objectAt(response, 'response') ?? {}
      const resultId = textAt(result, 'callId')
      if (result && (resultId === null || resultId === draft.callId)) {
        draft.result ??= result
        found = true
      }
    }
    return found
  }

  private openCallOf(name: string): string | null {
    for (const draft of this.drafts.values()) if (draft.name === name && draft.response === null) return draft.callId
    return null
  }

  private addSystem(subtype: string, record: JsonObject): void {
    if (subtype === 'ui_telemetry') {
      this.addTelemetry(objectAt(objectAt(record, 'systemPayload'), 'uiEvent'))
    } else if (subtype === 'slash_command') {
      const payload = objectAt(record, 'systemPayload')
      if (textAt(payload, 'phase') !== 'result') this.addRaw(textAt(payload, 'rawCommand') ?? subtype, record)
    } else if (subtype === 'overturn_note') {
      this.addRaw(textAt(objectAt(record, 'systemPayload'), 'kind') ?? subtype, record)
    } else if (!housekeeping.has(subtype)) {
      this.addRaw(subtype, record)
    }
  }

  private addTelemetry(event: JsonObject | null): void {
    const callId = textAt(event, 'call_id')
    if (textAt(event, 'event.name') !== 'qwen-code.tool_call' || callId === null) return
    const draft = this.drafts.get(callId)
    const durationMs = numberAt(event, 'duration_ms')
    const endedAt = timeAt(event, 'event.timestamp')
    if (!draft || durationMs === null) return
    draft.durationMs = durationMs
    if (endedAt !== null) draft.startedAt = Math.round(endedAt - durationMs)
  }

  private addRaw(label: string, record: JsonObject): void {
    this.addOther(label, JSON.stringify(record))
  }

  private addOther(label: string, raw: string): void {
    this.entries.push({ kind: 'other', label: cutText(label, 200), raw: cutText(raw, keptRaw), at: this.at })
  }
}
