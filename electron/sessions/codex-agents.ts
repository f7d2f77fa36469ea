import { closeSync, openSync, statSync, type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import type { Usage } from '../../shared/usage.js'
import type { StartedAgent } from './codex-drafts.js'
import { findSegment, segmentFacts, storeOf, type SegmentFacts } from './codex-segments.js'
import { codexSniffer } from './codex-sniff.js'
import { decodeTurn, type DecodedTurn } from './codex-turn.js'
import { usageOfAgent } from './codex-usage.js'
import { readBytes } from './file-reads.js'
import { objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { plainSize, readPlainLog } from './plain-log.js'
import type { ReadRecord } from './turn-records.js'

/** Agents that start agents are followed this deep. */
const deepest = 4
const mostAgents = 500
/** Most first lines tell within these bytes whether they are of an agent that another one started. */
const headBytes = 4096
const wholeHeadBytes = 1 << 18
/** Logs beside a session that are looked at. */
const mostLogs = 5000
const dayMs = 24 * 3600 * 1000

/** What an agent did that another one started. */
export interface AgentLog {
  readonly file: string
  readonly thread: string
  readonly parent: string
  readonly name: string
  readonly path: string | null
  readonly version: string | null
  readonly folder: string | null
  readonly work: DecodedTurn
  /** `null` where no tokens are recorded. */
  readonly usage: Usage | null
  /** Changes when the log does. */
  readonly stamp: string
}

/** Times from `from` on and before `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * The logs of the agents that a thread started, and of those that they started: each a rollout of its own, whose first line names the
 * thread above it. They lie in the folders of the days on which the session went on; one that a record names is found in any.
 */
export class CodexAgents {
  private found: Promise<readonly AgentLog[]> | null = null
  private readonly heads = new Map<string, Head | null>()
  private readonly read = new Map<string, AgentLog>()

  constructor(
    private readonly file: string,
    private readonly thread: string | null,
    /** When the session began, and when it was last active. */
    private readonly span: () => Span,
  ) {}

  /** The session went on: what lies beside it may have changed. */
  refresh(): void {
    this.found = null
  }

  /** All of them, those that began first before others. */
  async all(signal?: AbortSignal): Promise<readonly AgentLog[]> {
    const found = (this.found ??= this.find())
    found.catch(() => {
      if (this.found === found) this.found = null
    })
    const agents = await found
    throwIfAborted(signal)
    return agents
  }

  /** One that a record names, wherever its log lies. */
  async named(started: StartedAgent): Promise<AgentLog | null> {
    const known = agentOf(await this.all(), started)
    if (known || started.thread === null) return known
    const file = await findSegment(started.thread, this.file)
    const head = file === null ? null : await this.headOf(file)
    if (file === null || !head || head.facts.thread !== started.thread || head.facts.parent === null || started.thread === this.thread) return null
    return this.open(file, head)
  }

  private async find(): Promise<readonly AgentLog[]> {
    if (this.thread === null) return []
    const byParent = new Map<string, string[]>()
    for (const file of await this.logsBeside()) {
      const head = await this.headOf(file)
      const parent = head?.facts.parent ?? null
      if (parent === null) continue
      byParent.set(parent, [...(byParent.get(parent) ?? []), file])
    }
    const agents: AgentLog[] = []
    const seen = new Set([this.thread])
    let above: readonly string[] = [this.thread]
    for (let depth = 0; depth < deepest && above.length > 0; depth++) {
      const next: string[] = []
      for (const file of above.flatMap((parent) => byParent.get(parent) ?? [])) {
        const head = await this.headOf(file)
        const thread = head?.facts.thread ?? null
        if (!head || thread === null || seen.has(thread) || agents.length >= mostAgents) continue
        seen.add(thread)
        const agent = await this.open(file, head)
        if (agent) agents.push(agent)
        next.push(thread)
      }
      above = next
    }
    return agents.sort((one, two) => one.work.startedAt - two.work.startedAt)
  }

  /** Logs in the folders of the days of the session, or in its own folder. */
  private async logsBeside(): Promise<readonly string[]> {
    const own = dirname(this.file)
    const folders = storeOf(this.file) !== null && /[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/.test(own) ? daysOf(dirname(dirname(dirname(own))), own, this.span()) : [own]
    const files: string[] = []
    for (const folder of folders) {
      const entries: readonly Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        const isLog = entry.isFile() && entry.name.startsWith('rollout-') && entry.name.endsWith('.jsonl') && join(folder, entry.name) !== this.file
        if (isLog && files.length < mostLogs) files.push(join(folder, entry.name))
      }
    }
    return files
  }

  /** What the first line says; `null` for a log that no agent of another one wrote. A log never changes its first line. */
  private async headOf(file: string): Promise<Head | null> {
    const known = this.heads.get(file)
    if (known !== undefined) return known
    const { head, isWhole } = await readHead(file)
    if (isWhole) this.heads.set(file, head)
    return head
  }

  private async open(file: string, { facts, folder }: Head): Promise<AgentLog | null> {
    const stamp = stampOf(file)
    const { thread, parent } = facts
    if (stamp === null || thread === null || parent === null) return null
    const before = this.read.get(file)
    if (before?.stamp === stamp) return before
    const records = await this.ownRecords(await readPlainLog(file), thread, parent)
    const work = decodeTurn(records)
    const agent = { file, thread, parent, name: facts.agent ?? facts.path?.split('/').at(-1) ?? 'agent', path: facts.path, version: facts.version, folder, work, usage: usageOfAgent(records), stamp }
    this.read.set(file, agent)
    return agent
  }

  /** Without what an agent took over of the talk that started it: everything up to the last call of that one. */
  private async ownRecords(records: readonly ReadRecord[], thread: string, parent: string): Promise<readonly ReadRecord[]> {
    const metas = records.filter(({ record }) => textAt(record, 'type') === 'session_meta')
    const isTakenOver = metas.some(({ record }) => textAt(objectAt(record, 'payload'), 'id') !== thread)
    if (!isTakenOver) return records
    const above = parent === this.thread ? this.file : await findSegment(parent, this.file)
    const calls = new Set((above === null ? [] : await readPlainLog(above)).flatMap(({ record }) => callIdOf(record) ?? []))
    const last = records.findLastIndex(({ record }) => record !== null && (calls.has(callIdOf(record) ?? '') || isOfOther(record, thread)))
    return records.slice(last + 1)
  }
}

interface Head {
  readonly facts: SegmentFacts
  readonly folder: string | null
}

/** The agent that a record names, by its thread or else by its path. */
export function agentOf(agents: readonly AgentLog[], { thread, path }: StartedAgent): AgentLog | null {
  const byThread = agents.find((agent) => agent.thread === thread)
  if (byThread || path === null) return byThread ?? null
  const byPath = agents.filter((agent) => agent.path === path)
  return byPath.length === 1 ? (byPath[0] ?? null) : null
}

async function readHead(file: string): Promise<{ readonly head: Head | null; readonly isWhole: boolean }> {
  const size = plainSize(file)
  if (size === null) return { head: null, isWhole: false }
  const handle = openSync(file, 'r')
  try {
    let bytes = await readBytes(handle, 0, Math.min(size, headBytes))
    let text = bytes.toString('utf8')
    const isOthers = !text.includes('\n') && size > headBytes && text.includes('"source":') && !/"parent_thread_id"|"subagent"/.test(text)
    if (isOthers) return { head: null, isWhole: true }
    if (!text.includes('\n')) {
      bytes = await readBytes(handle, 0, Math.min(size, wholeHeadBytes))
      text = bytes.toString('utf8')
    }
    const end = text.indexOf('\n')
    const record = parseObject(end < 0 ? text : text.slice(0, end))
    const facts = record ? segmentFacts({ lineage: codexSniffer.lineageOf(record) }) : null
    const head = facts && facts.parent !== null && facts.thread !== null ? { facts, folder: textAt(objectAt(record, 'payload'), 'cwd') } : null
    return { head, isWhole: end >= 0 || bytes.length === wholeHeadBytes }
  } catch {
    return { head: null, isWhole: false }
  } finally {
    closeSync(handle)
  }
}

function callIdOf(record: JsonObject | null): string | null {
  const inside = objectAt(record, 'payload')
  return textAt(inside, 'call_id') ?? textAt(objectAt(inside, 'item'), 'id')
}

function isOfOther(record: JsonObject, thread: string): boolean {
  return textAt(record, 'type') === 'session_meta' && textAt(objectAt(record, 'payload'), 'id') !== thread
}

function stampOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats ? `${basename(file)} ${stats.ino} ${stats.size} ${stats.mtimeNs}` : null
}

/** The folders of the days from that of a log on, until a day behind the last one: names are in local time. */
function daysOf(root: string, own: string, { from, to }: Span): readonly string[] {
  const days = new Set([own])
  const [first, last] = [Number.isFinite(from) ? from : to, Number.isFinite(to) ? to : from]
  for (let at = first - dayMs; at <= last + dayMs && days.size < 400; at += dayMs / 2) {
    const day = new Date(at)
    if (Number.isNaN(day.getTime())) break
    days.add(join(root, String(day.getFullYear()), String(day.getMonth() + 1).padStart(2, '0'), String(day.getDate()).padStart(2, '0')))
  }
  return [...days]
}
