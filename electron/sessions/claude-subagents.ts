import { closeSync, openSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import { agentCall } from './agent-call.js'
import { finishClaudeCall, startsAgent, type ClaudeCall } from './claude-calls.js'
import { blocksOf } from './claude-messages.js'
import { decodeClaudeTurn, type ClaudeTurn } from './claude-records.js'
import { claudeUsage } from './claude-usage.js'
import { readBytes } from './file-reads.js'
import { isObject, parseObject, textAt } from './json-values.js'
import { plainSize, readPlainLog } from './plain-log.js'
import { takeLines } from './recorded-usage.js'
import type { ReadRecord } from './turn-records.js'
import type { UsageSum } from './usage-sum.js'

/** Subagents that start subagents are read this deep. */
const deepest = 4
const largestMetaBytes = 1 << 16
/** So much of both ends of a subagent's log tells when it worked. */
const spanBytes = 1 << 16
const largestOutputBytes = 16_000_000
const plainId = /^[0-9A-Za-z_-]{1,100}$/
const plainOutput = /^[0-9A-Za-z_-]{1,200}\.(txt|json)$/

interface Span {
  readonly from: number
  readonly to: number
}

/**
 * What lies beside a session's log `<folder>/<session>.jsonl`: logs of its subagents `<session>/subagents/agent-<id>.jsonl` (of older
 * versions beside the log itself, or among its records), and whole outputs `<session>/tool-results/<id>.txt`.
 *
 * Names come from a log and are hostile: only plain files directly in these folders are read.
 */
export class ClaudeCompanions {
  private readonly beside: string
  private readonly own: string
  /** Ids of subagents by the call that started them. */
  private started: Promise<ReadonlyMap<string, string>> | null = null
  /** When each subagent worked. */
  private spans: Promise<readonly Span[]> | null = null

  constructor(
    sessionFile: string,
    sessionId: string,
    private readonly folder: () => string | null,
  ) {
    this.beside = dirname(sessionFile)
    this.own = plainId.test(sessionId) ? join(this.beside, sessionId) : ''
  }

  /** Forgets what is there, since the session went on. */
  refresh(): void {
    this.started = null
    this.spans = null
  }

  /** The calls of the subagent that a call started; empty where its log is not there, or where it ran on beyond the turn. */
  async callsOf(call: ClaudeCall, turn: ClaudeTurn, signal?: AbortSignal, depth = 1): Promise<readonly ToolCall[]> {
    const inner = await this.turnOf(call, turn, signal)
    if (!inner || (isInBackground(call) && inner.endedAt > turn.endedAt)) return []
    const calls: ToolCall[] = []
    for (const entry of inner.entries) {
      if (entry.kind !== 'call') continue
      const below = depth < deepest && startsAgent(entry.call) && entry.call.callId !== call.callId ? await this.callsOf(entry.call, inner, signal, depth + 1) : []
      calls.push(finishClaudeCall(entry.call, this.folder(), false, below))
    }
    return calls
  }

  /** A call by its id, of the subagent that another call started or of one below it; `null` where it is not found. */
  async find(startedBy: ClaudeCall, turn: ClaudeTurn, callId: string, signal?: AbortSignal, depth = 1): Promise<ClaudeCall | null> {
    const inner = await this.turnOf(startedBy, turn, signal)
    for (const entry of inner?.entries ?? []) {
      if (!inner || entry.kind !== 'call') continue
      if (entry.call.callId === callId) return entry.call
      const goesOn = depth < deepest && startsAgent(entry.call) && entry.call.callId !== startedBy.callId
      const found = goesOn ? await this.find(entry.call, inner, callId, signal, depth + 1) : null
      if (found) return found
    }
    return null
  }

  /**
   * Which agents worked beside a turn in the background: some that an earlier turn started, and some at its end. What they did stands
   * in no order to the turn's own calls.
   */
  async inBackground(turn: ClaudeTurn): Promise<{ readonly atStart: boolean; readonly atEnd: boolean }> {
    this.spans ??= this.readSpans()
    const spans = await this.spans
    const atStart = spans.some(({ from, to }) => from < turn.startedAt && to > turn.startedAt)
    const isStartedHere = turn.entries.some((entry) => entry.kind === 'call' && startsAgent(entry.call) && isInBackground(entry.call))
    return { atStart, atEnd: atStart || isStartedHere }
  }

  /** Adds what subagents took: all that have a log of the session, or those that a sum names, and those that they started. */
  async addUsage(sum: UsageSum, isWhole: boolean, signal?: AbortSignal): Promise<void> {
    const started = await this.startedBy()
    const named = isWhole ? (await this.ownLogs()).map((name) => name.slice('agent-'.length, -'.jsonl'.length)) : []
    for (const read = new Set<string>(), ids = new Set(named); ; ) {
      for (const id of sum.agents) ids.add(id)
      for (const callId of sum.openCalls()) ids.add(started.get(callId) ?? '')
      const next = [...ids].find((id) => !read.has(id))
      if (next === undefined) return
      read.add(next)
      for (const file of this.logsOf(next)) await takeLines(file, claudeUsage, sum, signal)
    }
  }

  /** The whole of an output that the log holds only the beginning of. */
  wholeOutput(name: string): string | null {
    if (this.own === '' || !plainOutput.test(name)) return null
    return readSmall(join(this.own, 'tool-results', name), largestOutputBytes)
  }

  private async turnOf(call: ClaudeCall, turn: ClaudeTurn, signal?: AbortSignal): Promise<ClaudeTurn | null> {
    const id = textAt(isObject(call.result) ? call.result : null, 'agentId') ?? (await this.startedBy()).get(call.callId) ?? null
    const records = id === null ? [] : await this.readLog(id, signal)
    if (records.length > 0) return decodeClaudeTurn(records, true)
    const among = sidechainOf(turn.sidechain, textAt(call.args, 'prompt'))
    return among.length > 0 ? decodeClaudeTurn(among, true) : null
  }

  private async readLog(id: string, signal?: AbortSignal): Promise<readonly ReadRecord[]> {
    for (const file of this.logsOf(id)) {
      const records = await readRecords(file, signal)
      if (records.length > 0) return records
    }
    return []
  }

  /** Where the log of a subagent may lie. */
  private logsOf(id: string): readonly string[] {
    if (!plainId.test(id)) return []
    const name = `agent-${id}.jsonl`
    return [...(this.own === '' ? [] : [join(this.own, 'subagents', name)]), join(this.beside, name)]
  }

  private async ownLogs(): Promise<readonly string[]> {
    if (this.own === '') return []
    return (await readdir(join(this.own, 'subagents')).catch(() => [])).filter((name) => /^agent-[0-9A-Za-z_-]{1,100}\.jsonl$/.test(name))
  }

  private async readSpans(): Promise<readonly Span[]> {
    const spans: Span[] = []
    for (const name of await this.ownLogs()) {
      const span = await spanOf(join(this.own, 'subagents', name))
      if (span) spans.push(span)
    }
    return spans
  }

  private startedBy(): Promise<ReadonlyMap<string, string>> {
    this.started ??= this.readMetas()
    return this.started
  }

  private async readMetas(): Promise<ReadonlyMap<string, string>> {
    const started = new Map<string, string>()
    if (this.own === '') return started
    const folder = join(this.own, 'subagents')
    for (const name of await readdir(folder).catch(() => [])) {
      const id = /^agent-([0-9A-Za-z_-]{1,100})\.meta\.json$/.exec(name)?.[1]
      const callId = id === undefined ? null : textAt(parseObject(readSmall(join(folder, name), largestMetaBytes) ?? ''), 'toolUseId')
      if (id !== undefined && callId !== null) started.set(callId, id)
    }
    return started
  }
}

/** Stands in a transcript for what agents did in the background, wherever in the turn. */
export function backgroundCall(at: number, edge: 'start' | 'end'): TranscriptEntry {
  return { kind: 'call', call: agentCall(`background-${edge}`, 'Agent', 'in the background', null), at }
}

function isInBackground({ args, result }: ClaudeCall): boolean {
  const told = isObject(result) ? result : null
  return args['run_in_background'] === true || told?.['isAsync'] === true || textAt(told, 'status') === 'async_launched'
}

/** The records of the one talk with a subagent that began with this prompt; empty where several did. */
function sidechainOf(records: readonly ReadRecord[], prompt: string | null): readonly ReadRecord[] {
  if (prompt === null) return []
  const starts = records.filter(({ record }) => record?.['parentUuid'] === null && record['type'] === 'user' && blocksOf(record).some((block) => textAt(block, 'text') === prompt))
  if (starts.length !== 1) return []
  const known = new Set(starts.map(({ record }) => textAt(record, 'uuid')))
  return records.filter((read) => {
    const isOfIt = read === starts[0] || known.has(textAt(read.record, 'parentUuid'))
    if (isOfIt) known.add(textAt(read.record, 'uuid'))
    return isOfIt
  })
}

/** Times of the first and the last record of a log, by its ends. */
async function spanOf(file: string): Promise<Span | null> {
  const size = plainSize(file)
  if (size === null) return null
  const handle = openSync(file, 'r')
  try {
    const head = await readBytes(handle, 0, Math.min(size, spanBytes))
    const tail = await readBytes(handle, Math.max(0, size - spanBytes), Math.min(size, spanBytes))
    const times = [head, tail].flatMap((bytes) => [...bytes.toString('latin1').matchAll(/"timestamp":"([0-9TZ:.+-]{10,40})"/g)].map((match) => Date.parse(match[1] ?? '')))
    const known = times.filter(Number.isFinite)
    return known.length === 0 ? null : { from: Math.min(...known), to: Math.max(...known) }
  } finally {
    closeSync(handle)
  }
}

async function readRecords(file: string, signal?: AbortSignal): Promise<readonly ReadRecord[]> {
  const seen = new Set<string>()
  return (await readPlainLog(file, signal)).filter(({ record }) => {
    const id = textAt(record, 'uuid')
    if (id === null || seen.has(id)) return false
    seen.add(id)
    return true
  })
}

function readSmall(file: string, limit: number): string | null {
  const size = plainSize(file)
  return size === null || size > limit ? null : readFileSync(file, 'utf8')
}
