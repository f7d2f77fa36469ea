import type { TranscriptEntry } from '../../shared/session.js'
import { kindOf, newDraft, type CallDraft } from './codex-drafts.js'
import { agentInOutput, agentStartedBy, argumentsOf, commandOf, fileEdits, ghostCommit, givenOutput, statusOf, wordsOf, type GivenOutput } from './codex-fields.js'
import { codexResponseSniffer, codexSniffer } from './codex-sniff.js'
import { cutText, numberAt, objectAt, textAt, timeAt, type JsonObject } from './json-values.js'
import { recordKind, type RecordSniffer } from './record-sniff.js'
import { keptRaw, lostRecord } from './lost-record.js'
import type { ReadRecord } from './turn-records.js'

/** Type of what stands for a record that is not read, but for its number. */
export const skippedType = 'overturn_skipped'

export type DraftEntry = Exclude<TranscriptEntry, { readonly kind: 'call' }> | { readonly kind: 'call'; readonly draft: CallDraft; readonly at: number }

export interface DecodedTurn {
  readonly entries: readonly DraftEntry[]
  readonly calls: readonly CallDraft[]
  readonly ghosts: readonly { readonly commit: string; readonly untracked: readonly string[]; readonly as: number }[]
  /** Orders of lines that cannot be read. */
  readonly lost: readonly number[]
  /** When each order came. */
  readonly times: readonly number[]
  /** Folder in which the agent worked, where the turn says so; that of the next turn stands before its prompt. */
  readonly folder: string | null
  readonly nextFolder: string | null
  /** Times of the prompt and of the last record. */
  readonly startedAt: number
  readonly endedAt: number
}

/** The records of one turn, in order, as entries and calls. What stands twice (for the model and for the user) is taken once. */
export function decodeTurn(records: readonly ReadRecord[]): DecodedTurn {
  const isPrompt = ({ record }: ReadRecord): boolean => record !== null && codexSniffer.classify(record).kind === recordKind.prompt
  const sniffer = records.some(isPrompt) ? codexSniffer : codexResponseSniffer
  const turn = new TurnDecoder(sniffer, records.some(({ record }) => isSaying(record)))
  for (const read of records) turn.take(read)
  return turn
}

/** Whether a record shows the user what the agent said. */
function isSaying(record: JsonObject | null): boolean {
  const event = record?.['type'] === 'event_msg' ? objectAt(record, 'payload') : null
  const kind = textAt(event, 'type')
  return kind === 'agent_message' || (kind === 'item_completed' && textAt(objectAt(event, 'item'), 'type') === 'AgentMessage')
}

class TurnDecoder implements DecodedTurn {
  readonly entries: DraftEntry[] = []
  readonly ghosts: { commit: string; untracked: readonly string[]; as: number }[] = []
  readonly lost: number[] = []
  readonly times: number[] = []
  folder: string | null = null
  nextFolder: string | null = null
  private turnId: string | null = null
  private readonly drafts = new Map<string, CallDraft>()
  startedAt = 0
  endedAt = 0
  private ordinal: number | null = null
  private at = 0
  private model: string | null = null

  constructor(
    private readonly sniffer: RecordSniffer,
    private readonly hasSayings: boolean,
  ) {}

  get calls(): readonly CallDraft[] {
    return [...this.drafts.values()]
  }

  take({ record, raw, length }: ReadRecord): void {
    if (!record) {
      this.lost.push(this.nextOrder())
      const lost = lostRecord(raw, length)
      this.addOther(lost.label, lost.raw)
      return
    }
    this.follow(numberAt(record, 'ordinal'))
    this.at = timeAt(record, 'timestamp') ?? this.at
    if (this.startedAt === 0) this.startedAt = this.at
    this.endedAt = Math.max(this.endedAt, this.at)
    if (record['type'] === skippedType) return
    const inside = objectAt(record, 'payload')
    const kind = this.sniffer.classify(record).kind
    if (kind === recordKind.prompt) {
      this.turnId ??= this.sniffer.promptIdOf(record)
      return void this.entries.push({ kind: 'prompt', text: this.sniffer.promptText(record), at: this.at })
    }
    switch (inside ? record['type'] : null) {
      case 'response_item':
        return this.response(inside ?? {}, record)
      case 'event_msg':
        return this.event(inside ?? {}, record)
      case 'turn_context':
        return this.context(inside)
      case 'compacted':
        return this.addOther('compacted', JSON.stringify(record))
      case 'session_meta':
      case 'world_state':
      case 'token_usage_record':
        return
      default:
        this.addOther(textAt(record, 'type') ?? 'record', JSON.stringify(record))
    }
  }

  /** Newer versions number their records: one that does not go on from the last shows that others are lost. */
  private follow(ordinal: number | null): void {
    if (ordinal !== null && this.ordinal !== null && ordinal !== this.ordinal + 1) this.lost.push(this.nextOrder())
    this.ordinal = ordinal ?? this.ordinal
  }

  private context(context: JsonObject | null): void {
    const named = textAt(context, 'turn_id')
    const isOwn = named === null || (this.turnId === null ? this.entries.length > 0 : named === this.turnId)
    this.nextFolder = textAt(context, 'cwd') ?? this.nextFolder
    if (!isOwn) return
    this.folder ??= textAt(context, 'cwd')
    this.model = textAt(context, 'model') ?? this.model
  }

  private response(item: JsonObject, record: JsonObject): void {
    const kind = textAt(item, 'type') ?? ''
    const callId = textAt(item, 'call_id') ?? textAt(item, 'id')
    switch (kind) {
      case 'message':
        if (item['role'] === 'assistant' && !this.hasSayings) this.say('reply', wordsOf(item['content']))
        return
      case 'reasoning':
        if (!this.hasSayings) this.say('thought', wordsOf(item['summary']))
        return
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call': {
        const name = kind === 'local_shell_call' ? 'local_shell' : (textAt(item, 'name') ?? 'unknown')
        return this.ask(this.draft(callId, name), name, argumentsOf(item))
      }
      case 'ghost_snapshot': {
        const ghost = ghostCommit(item)
        if (ghost) this.ghosts.push({ ...ghost, as: this.nextOrder() })
        return
      }
      case 'web_search_call':
        return
      default:
        if (!kind.endsWith('_output') || callId === null) return this.addOther(kind, JSON.stringify(record))
        this.answer(this.draft(callId, 'unknown'), givenOutput(item['output']))
    }
  }

  private event(event: JsonObject, record: JsonObject): void {
    const kind = textAt(event, 'type') ?? ''
    const item = kind === 'item_completed' ? objectAt(event, 'item') : null
    const said = textAt(event, 'message') ?? textAt(event, 'text') ?? ''
    const started = agentStartedBy(item ?? event)
    if (started) return this.started(started, item ?? event)
    switch (item ? textAt(item, 'type') : kind) {
      case 'agent_message':
        return this.say('reply', said)
      case 'AgentMessage':
      case 'Plan':
        return this.say('reply', wordsOf(item?.['content']) || (textAt(item, 'text') ?? ''))
      case 'agent_reasoning':
        return this.say('thought', said)
      case 'Reasoning':
        return this.say('thought', wordsOf(item?.['summary_text']))
      case 'CommandExecution':
        return this.ran(item ?? {}, textAt(item, 'id'))
      case 'exec_command_begin':
      case 'exec_command_end':
        return this.ran(event, textAt(event, 'call_id'), kind === 'exec_command_begin')
      case 'FileChange':
        return this.patched(item ?? {}, textAt(item, 'id'))
      case 'patch_apply_begin':
      case 'patch_apply_end':
        return this.patched(event, textAt(event, 'call_id'), kind === 'patch_apply_begin')
      case 'turn_aborted':
        return this.addOther('turn aborted', JSON.stringify(record))
      default:
        this.otherEvent(event, item, record)
    }
  }

  private started({ callId, thread, path }: NonNullable<ReturnType<typeof agentStartedBy>>, said: JsonObject): void {
    const draft = this.draft(callId, 'spawn_agent')
    if (kindOf(draft) !== 'subagent') draft.name = 'spawn_agent'
    this.takeAgent(draft, thread, path)
    if (Object.keys(draft.args).length === 0 && typeof said['prompt'] === 'string') draft.args = { message: said['prompt'] }
    if (said['type'] === 'CollabAgentToolCall') draft.status = statusOf(said) ?? draft.status
    if (said['type'] !== 'collab_agent_spawn_begin') this.end(draft, said)
  }

  private takeAgent(draft: CallDraft, thread: string | null, path: string | null): void {
    draft.agent = { thread: draft.agent?.thread ?? thread, path: draft.agent?.path ?? path }
  }

  private otherEvent(event: JsonObject, item: JsonObject | null, record: JsonObject): void {
    const kind = textAt(item, 'type') ?? textAt(event, 'type') ?? 'event'
    const callId = textAt(item, 'id') ?? textAt(event, 'call_id')
    if (this.sniffer.classify(record).kind !== recordKind.ledger) return
    // What an agent that was started goes on to do stands in its own log.
    if (/^sub_?agent_?activity$/i.test(kind)) return
    if (callId === null) return this.addOther(kind, JSON.stringify(record))
    const draft = this.draft(callId, kind)
    const inside = item ?? event
    draft.args = Object.keys(draft.args).length > 0 ? draft.args : inside
    draft.status ??= statusOf(inside)
    this.end(draft, inside)
  }

  private nextOrder(): number {
    return this.times.push(this.at) - 1
  }

  private say(kind: 'reply' | 'thought', text: string): void {
    if (text === '') return
    this.entries.push(kind === 'reply' ? { kind, text, at: this.at, model: this.model } : { kind, text, at: this.at })
  }

  private draft(callId: string | null, name: string): CallDraft {
    const id = callId ?? `call-${this.drafts.size + 1}`
    const known = this.drafts.get(id)
    if (known) return known
    const draft = newDraft(id, name, this.nextOrder(), this.at)
    this.drafts.set(id, draft)
    this.entries.push({ kind: 'call', draft, at: this.at })
    return draft
  }

  private ask(draft: CallDraft, name: string, args: JsonObject): void {
    draft.name = name
    draft.args = args
    if (kindOf(draft) === 'command') draft.command ??= commandOf(args)
  }

  private answer(draft: CallDraft, given: GivenOutput): void {
    draft.given ??= given
    if (kindOf(draft) === 'subagent') {
      const { thread, path } = agentInOutput(given.text)
      this.takeAgent(draft, thread, path)
    }
    draft.exitCode ??= given.exitCode
    draft.endedAs ??= this.nextOrder()
    draft.endedAt ??= this.at
  }

  private ran(said: JsonObject, callId: string | null, isBegin = false): void {
    const draft = this.draft(callId, 'exec_command')
    draft.command = commandOf(said) ?? draft.command
    if (Object.keys(draft.args).length === 0 && draft.command) draft.args = { cmd: draft.command.text }
    if (isBegin) return
    draft.shown = textAt(said, 'aggregated_output') ?? draft.shown
    draft.exitCode = numberAt(said, 'exit_code') ?? draft.exitCode
    draft.status = statusOf(said) ?? draft.status
    this.end(draft, said)
  }

  private patched(said: JsonObject, callId: string | null, isBegin = false): void {
    const draft = this.draft(callId, 'apply_patch')
    const edits = fileEdits(said['changes'])
    if (edits.length > 0) draft.edits = edits
    if (isBegin) return
    draft.isSureOfEdits = draft.edits !== null
    draft.status = statusOf(said) ?? draft.status
    draft.shown ??= [textAt(said, 'stdout'), textAt(said, 'stderr')].filter((text) => text !== null && text !== '').join('\n') || null
    this.end(draft, said)
  }

  private end(draft: CallDraft, said: JsonObject): void {
    const duration = objectAt(said, 'duration')
    const ended = numberAt(said, 'completed_at_ms')
    draft.durationMs ??= duration ? Math.round((numberAt(duration, 'secs') ?? 0) * 1000 + (numberAt(duration, 'nanos') ?? 0) / 1e6) : null
    draft.endedAs ??= this.nextOrder()
    draft.endedAt ??= ended ?? this.at
  }

  private addOther(label: string, raw: string): void {
    this.entries.push({ kind: 'other', label: cutText(label === '' ? 'record' : label, 200), raw: cutText(raw, keptRaw), at: this.at })
  }
}
