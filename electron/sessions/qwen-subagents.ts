import { closeSync, lstatSync, openSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ToolCall } from '../../shared/session.js'
import { throwIfAborted } from '../../shared/errors.js'
import { LineScanner } from './jsonl.js'
import { parseObject } from './json-values.js'
import { finishCall, type CallContext, type CallDraft } from './qwen-calls.js'
import { decodeTurn } from './qwen-records.js'
import type { ReadRecord } from './turn-records.js'

/** Subagents that start subagents are read this deep. */
const deepest = 4
/** What of one subagent's log is read. */
const largestLogBytes = 64 << 20

/**
 * The logs of the subagents of one session: `<project>/subagents/<session>/agent-<type>-<call id>.jsonl`.
 *
 * Names come from a log and are hostile: only plain files directly in that folder are read.
 */
export class SubagentLogs {
  private readonly folder: string
  private names: Promise<readonly string[]> | null = null

  constructor(
    sessionFile: string,
    sessionId: string,
    private readonly context: CallContext,
  ) {
    this.folder = join(projectFolder(sessionFile), 'subagents', plain(sessionId))
  }

  /** Forgets which logs there are, since the session went on. */
  refresh(): void {
    this.names = null
  }

  /** The calls of the subagent that a call started; empty where its log is not there. */
  async callsOf(callId: string, signal?: AbortSignal, depth = 1): Promise<readonly ToolCall[]> {
    const calls: ToolCall[] = []
    for (const draft of await this.draftsOf(callId, signal)) {
      const inner = depth < deepest && startsAgent(draft) && draft.callId !== callId ? await this.callsOf(draft.callId, signal, depth + 1) : []
      calls.push(finishCall(draft, { ...this.context, hasDisplays: false }, inner))
    }
    return calls
  }

  /** A call by its id, of the subagent that another call started or of one below it; `null` where it is not found. */
  async find(startedBy: string, callId: string, signal?: AbortSignal, depth = 1): Promise<CallDraft | null> {
    for (const draft of await this.draftsOf(startedBy, signal)) {
      if (draft.callId === callId) return draft
      const goesOn = depth < deepest && startsAgent(draft) && draft.callId !== startedBy
      const found = goesOn ? await this.find(draft.callId, callId, signal, depth + 1) : null
      if (found) return found
    }
    return null
  }

  private async draftsOf(callId: string, signal?: AbortSignal): Promise<readonly CallDraft[]> {
    if (callId === '') return []
    this.names ??= readdir(this.folder).catch(() => [])
    const ending = `-${plain(callId)}.jsonl`
    const name = (await this.names).find((each) => each.startsWith('agent-') && each.endsWith(ending))
    if (name === undefined) return []
    return decodeTurn(await readRecords(join(this.folder, name), signal)).flatMap((entry) => (entry.kind === 'call' ? [entry.draft] : []))
  }
}

/** Whether a call started a subagent. */
export function startsAgent({ name }: CallDraft): boolean {
  return name === 'agent' || name === 'task'
}

async function readRecords(file: string, signal?: AbortSignal): Promise<readonly ReadRecord[]> {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) return []
  const handle = openSync(file, 'r')
  try {
    const records: ReadRecord[] = []
    await new LineScanner().scan(handle, { from: 0, to: Math.min(stats.size, largestLogBytes), signal }, (bytes, start, end, _offset, length) => {
      const record = end - start === length ? parseObject(bytes.toString('utf8', start, end)) : null
      if (record) records.push({ record, raw: Buffer.alloc(0), length: 0 })
    })
    throwIfAborted(signal)
    return records
  } finally {
    closeSync(handle)
  }
}

/** The folder of the project that a log belongs to: above `chats`, or above `chats/archive`. */
function projectFolder(sessionFile: string): string {
  const folder = dirname(sessionFile)
  return basename(folder) === 'archive' ? dirname(dirname(folder)) : dirname(folder)
}

/** A name as the recorder makes it fit for a file. */
function plain(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_')
}
