import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import { readGeminiLog, type GeminiLog } from './gemini-log.js'
import { plainSize } from './plain-log.js'

const mostAgents = 500

/** The log of an agent that a session started. */
export interface GeminiAgent {
  readonly id: string
  readonly startedAt: number
  readonly log: GeminiLog
}

/**
 * The logs of the agents that a session started: `chats/<session>/<agent>.jsonl`, of agents that were started by other agents as well.
 * Names come from a log and are hostile: only plain files directly in that folder are read.
 * Source: Gemini CLI 0.61.
 */
export class GeminiAgents {
  private readonly folder: string | null
  private found: Promise<readonly GeminiAgent[]> | null = null

  constructor(file: string, sessionId: string | null) {
    const name = sessionId === null ? '' : sessionId.replace(/[^a-zA-Z0-9_-]/g, '_')
    this.folder = name === '' || name.length > 200 ? null : join(dirname(file), name)
  }

  /** Changes when one of them does. */
  stamp(): string {
    return this.files()
      .map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
      .map((stats) => (stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : ''))
      .join(' ')
  }

  /** All of them, those that began first before others. */
  async all(signal?: AbortSignal): Promise<readonly GeminiAgent[]> {
    const found = (this.found ??= this.read())
    found.catch(() => {
      if (this.found === found) this.found = null
    })
    const agents = await found
    throwIfAborted(signal)
    return agents
  }

  /** The log that a call names. */
  async named(agentId: string): Promise<GeminiAgent | null> {
    return (await this.all()).find(({ id }) => id === agentId) ?? null
  }

  private async read(): Promise<readonly GeminiAgent[]> {
    const agents: GeminiAgent[] = []
    for (const file of this.files()) {
      const log = await readGeminiLog(file).catch(() => null)
      if (log?.document.kind !== 'subagent') continue
      agents.push({ id: log.document.sessionId ?? basename(file, '.jsonl'), startedAt: log.document.startedAt ?? log.document.order[0]?.at ?? 0, log })
    }
    return agents.sort((one, two) => one.startedAt - two.startedAt)
  }

  private files(): readonly string[] {
    const { folder } = this
    if (folder === null) return []
    try {
      // Most sessions start none, and a failed look costs far more than this question.
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
      const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl')).sort()
      return names.slice(0, mostAgents).map((name) => join(folder, name)).filter((file) => plainSize(file) !== null)
    } catch {
      return []
    }
  }
}
