import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ToolCall } from '../../shared/session.js'
import { readPlainLog } from './plain-log.js'
import { finishCall, startsAgent, type CallContext, type CallDraft } from './qwen-calls.js'
import { decodeTurn } from './qwen-records.js'
import { qwenUsage } from './qwen-usage.js'
import { takeLines } from './recorded-usage.js'
import type { UsageSum } from './usage-sum.js'

/** Subagents that start subagents are read this deep. */
const deepest = 4

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

  /** Adds what the subagents of a sum's calls took, where no account of requests has it; those that they started, too. */
  async addUsage(sum: UsageSum, signal?: AbortSignal): Promise<void> {
    const read = new Set<string>()
    for (let open = sum.openCalls(); open.length > 0; open = sum.openCalls().filter((callId) => !read.has(callId))) {
      for (const callId of open) {
        read.add(callId)
        const file = await this.fileOf(callId)
        if (file !== null) await takeLines(file, qwenUsage, sum, signal)
      }
    }
  }

  private async draftsOf(callId: string, signal?: AbortSignal): Promise<readonly CallDraft[]> {
    const file = await this.fileOf(callId)
    const records = file === null ? [] : (await readPlainLog(file, signal)).filter(({ record }) => record !== null)
    return decodeTurn(records).flatMap((entry) => (entry.kind === 'call' ? [entry.draft] : []))
  }

  private async fileOf(callId: string): Promise<string | null> {
    if (callId === '') return null
    this.names ??= readdir(this.folder).catch(() => [])
    const ending = `-${plain(callId)}.jsonl`
    const name = (await this.names).find((each) => each.startsWith('agent-') && each.endsWith(ending))
    return name === undefined ? null : join(this.folder, name)
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
