import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { addStat, type DiffStat } from '../../shared/changes.js'
import { ReviewError } from '../../shared/errors.js'
import type { PromptId } from '../../shared/ids.js'
import type { ProblemKind, TranscriptEntry } from '../../shared/session.js'
import { addUsage, type Usage } from '../../shared/usage.js'
import { openDocumentSession, type BegunDocument, type DocumentSource, type SessionDocument } from './document-session.js'
import { GeminiAgents, type GeminiAgent } from './gemini-agents.js'
import { callsIn, outputOf } from './gemini-calls.js'
import { GitFiles, readCheckpoints } from './gemini-evidence.js'
import { textOfBytes, type EditEvent } from './gemini-chain.js'
import { projectFolder } from './gemini-folder.js'
import { geminiLedger } from './gemini-ledger.js'
import { newestPrompts, readGeminiEnds, readGeminiLog, type GeminiLog } from './gemini-log.js'
import type { GeminiMessage } from './gemini-operations.js'
import { transcriptOf } from './gemini-transcript.js'
import { turnsOf, type GeminiTurn, type GeminiTurns } from './gemini-turns.js'
import { textAt } from './json-values.js'
import type { LogCounts } from './log-looks.js'
import type { LogEnds } from './log-ends.js'
import { lookInside, readInside } from './read-inside.js'
import type { LedgerPages } from './recorded-session.js'
import { expand } from './session-places.js'
import type { OpenOptions, OtherLogs, SessionReader } from './session-reader.js'

const logName = /^session-\d{4}-\d{2}-\d{2}T[\d-]+-[A-Za-z0-9-]+\.jsonl?$/
const wantedPrompts = 20
/** Holds the header, and mostly the first message, which names the folder. */
const headBytes = 1 << 18
/** Behind each of these problems is a record that was not read. */
const lostRecords: ReadonlySet<ProblemKind> = new Set(['bad-line', 'torn-line', 'oversized-line'])

const others: OtherLogs = {
  isLog: (name) => logName.test(name),
  sessionsIn: async (found) => (basename(dirname(found.file)) === 'chats' || !found.file.endsWith('.json') ? [found] : []),
  endsOf: async (file, signal) => {
    const ends = await readGeminiEnds(file, signal)
    if (!ends) return null
    const { head, tail } = ends
    refuseSubagent(head)
    const { newestPrompts: _, ...told } = await endsOf(file, head, turnsOf(head.document))
    return { ...told, model: tail.model ?? told.model, title: tail.title ?? told.title, lastActiveAt: tail.lastActiveAt ?? told.lastActiveAt }
  },
  look: async (file, signal) => {
    const log = await readGeminiLog(file, { signal, isDeep: false })
    refuseSubagent(log)
    const turns = turnsOf(log.document)
    const agents = await new GeminiAgents(file, log.document.sessionId).all(signal)
    return {
      ends: await endsOf(file, log, turns),
      counts: { lines: log.lines, prompts: turns.byId.size, turns: turns.live.length, problems: log.problems.total(), ...(log.hasLines ? editsIn(log, agents) : { stat: null, files: null }), usage: usageOf(allMessages(log), agents), trail: [] },
    }
  },
}

/**
 * Sessions of Gemini CLI.
 * Source: its logs are `~/.gemini/tmp/<project>/chats/session-*.jsonl`, before 0.5x one `.json` document each.
 */
export const geminiReader: SessionReader = {
  format: 'gemini',
  agent: 'gemini-cli',
  homeName: '.gemini',
  homes: (environment, home) => {
    const moved = environment['GEMINI_CLI_HOME']
    return [join(moved ? expand(moved, home) : home, '.gemini')]
  },
  logFolders: (agentHome) => [join(agentHome, 'tmp')],
  others,
  coveredLogs: () => new Set(),
  open: (options, signal) => openDocumentSession(new GeminiSource(options), options, signal),
}

/** A subagent's log belongs to the session that started it. */
function refuseSubagent({ document }: GeminiLog): void {
  if (document.kind === 'subagent') throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is the log of a subagent. Open the session that started it.')
}

async function endsOf(file: string, log: GeminiLog, { live }: GeminiTurns): Promise<LogEnds> {
  const { document } = log
  const prompts = live.map(({ turn }) => ({ prompt: turn.prompt, startedAt: turn.startedAt }))
  return {
    sessionId: document.sessionId,
    folder: await projectFolder(file, log),
    branch: null,
    agent: null,
    client: null,
    model: document.model,
    title: document.title,
    firstPrompt: prompts[0]?.prompt ?? null,
    startedAt: document.startedAt,
    lastActiveAt: document.lastActiveAt,
    // Its records tell nothing of an end.
    end: null,
    lineage: [],
    newestPrompts: prompts.slice(-wantedPrompts).reverse(),
  }
}

/** Those that a rewind dropped too: their tokens were spent. */
function allMessages({ document }: GeminiLog): readonly GeminiMessage[] {
  return [...document.order, ...document.dropped.flatMap(({ messages }) => messages)]
}

/** What the edits changed of the messages that a rewind did not drop, and those of the agents that were started there. */
function editsIn({ document }: GeminiLog, agents: readonly GeminiAgent[]): Pick<LogCounts, 'stat' | 'files'> {
  const isDropped = ({ startedAt }: GeminiAgent): boolean => document.dropped.some(({ messages, at }) => startedAt >= (messages[0]?.at ?? Infinity) && startedAt <= at)
  const started = agents.filter((agent) => !isDropped(agent))
  if (started.some(({ log }) => !log.hasLines)) return { stat: null, files: null }
  const all = [document, ...started.map(({ log }) => log.document)].flatMap(({ order }) => order.flatMap(({ edits }) => (edits ? [edits] : [])))
  const stat = all.reduce<DiffStat | null>(addStat, null)
  return { stat, files: stat && new Set(all.flatMap(({ paths }) => paths)).size }
}

/** A message counts once, also where a list brought it back after a rewind; what agents used that were started counts as well. */
function usageOf(messages: readonly GeminiMessage[], agents: readonly GeminiAgent[]): Usage | null {
  const byId = new Map(messages.flatMap(({ id, usage }) => (usage ? [[id, usage]] : [])))
  const beside = agents.map(({ log }) => usageOf(allMessages(log), []))
  return [...byId.values(), ...beside].reduce(addUsage, null)
}

class GeminiSource implements DocumentSource {
  readonly agent
  readonly files: readonly string[]
  private readonly git: GitFiles | null
  private readonly shadow: GitFiles | null
  private agents: GeminiAgents | null = null

  constructor(private readonly options: OpenOptions) {
    const { file, workspace } = options
    this.agent = options.agent
    this.files = [file]
    const project = dirname(dirname(file))
    this.git = gitFilesAt(workspace === null ? null : join(workspace, '.git'))
    this.shadow = gitFilesAt(join(dirname(dirname(project)), 'history', basename(project), '.git'))
  }

  stamp(): string {
    const { file } = this.options
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${this.agents?.stamp() ?? ''}` : ''
  }

  async begin(signal?: AbortSignal): Promise<BegunDocument | null> {
    const { file } = this.options
    const newest = await newestPrompts(file, wantedPrompts)
    if (!newest) return null
    const head = await readGeminiLog(file, { signal, to: headBytes })
    return { id: idOf(file, head), folder: await projectFolder(file, head, signal), newestPrompts: newest.prompts, sizeBytes: newest.sizeBytes }
  }

  async read(signal?: AbortSignal, onProgress?: (done: number) => void): Promise<SessionDocument> {
    const { file } = this.options
    const log = await readGeminiLog(file, { signal, onProgress })
    const turns = turnsOf(log.document)
    const folder = await projectFolder(file, log, signal)
    const isBroken = log.problems.list().some(({ kind }) => lostRecords.has(kind))
    const lastId = turns.live.at(-1)?.turn.promptId
    const agents = (this.agents = new GeminiAgents(file, log.document.sessionId))
    const starts = [...turns.byId.values()].map(({ turn }) => turn.startedAt).sort((one, two) => one - two)
    const endOf = ({ turn }: GeminiTurn): number => starts.find((at) => at > turn.startedAt) ?? Infinity
    const readTurn = async (promptId: PromptId, abort?: AbortSignal): Promise<readonly TranscriptEntry[] | null> => {
      const turn = turns.byId.get(promptId)
      return turn ? transcriptOf(log, turn, agents, { folder, isOpen: promptId === lastId, to: endOf(turn) }, abort) : null
    }
    return {
      id: idOf(file, log),
      folder,
      turns: turns.live.map(({ turn }) => turn),
      setAside: turns.setAside,
      rewinds: turns.rewinds,
      problems: log.problems.list(),
      readTurn,
      usage: async (promptId) => {
        if (promptId === null) return usageOf(allMessages(log), await agents.all())
        const turn = turns.byId.get(promptId)
        if (!turn) return null
        return usageOf(turn.messages, (await agents.all()).filter(({ startedAt }) => startedAt >= turn.turn.startedAt && startedAt < endOf(turn)))
      },
      readOutput: async (promptId, callId, abort) => {
        const turn = turns.byId.get(promptId)
        const beside = turn ? (await agents.all(abort)).map((agent) => ({ log: agent.log, messages: agent.log.document.order })) : []
        for (const each of turn ? [{ log, messages: turn.messages }, ...beside] : []) {
          for (const message of each.messages) {
            const call = callsIn((await each.log.read(message, abort)).message).find((one) => textAt(one, 'id') === callId)
            if (call) return outputOf(call)
          }
        }
        return null
      },
      rawLines: async () => [],
      ledger: (abort) => this.ledger(turns, folder, isBroken, async (promptId) => (await readTurn(promptId, abort)) ?? [], abort),
    }
  }

  close(): void {
    this.git?.close()
    this.shadow?.close()
  }

  private async ledger(
    { live, rewinds }: GeminiTurns,
    folder: string | null,
    isBroken: boolean,
    readTurn: (promptId: PromptId) => Promise<readonly TranscriptEntry[]>,
    signal?: AbortSignal,
  ): Promise<LedgerPages> {
    const { workspace, file, sedOutcome } = this.options
    const [git, shadow] = [this.git, this.shadow]
    const checkpoints = shadow ? await readCheckpoints(join(dirname(dirname(file)), 'checkpoints')) : []
    const commits = (await git?.commits(signal)) ?? []
    const used = new Set<number>()
    const checkpointOf = async ({ call }: EditEvent, path: string): Promise<Buffer | null> => {
      const at = checkpoints.findIndex(({ tool, args }, index) => !used.has(index) && tool === call.name && args === call.args)
      const commit = checkpoints[at]?.commit
      if (!shadow || commit === undefined || path.startsWith('/')) return null
      used.add(at)
      return shadow.fileIn(commit, path, signal)
    }
    const committed = async (path: string, text: string): Promise<Buffer | null> => {
      for (const commit of path.startsWith('/') ? [] : commits) {
        const bytes = (await git?.fileIn(commit, path, signal)) ?? null
        if (textOfBytes(bytes) === text) return bytes
      }
      return null
    }
    const turns = live.map(({ turn }) => turn.promptId)
    return geminiLedger({
      turns,
      readTurn,
      isBroken,
      folder,
      disk: (path) => lookInside(workspace, path),
      sedOutcome,
      afterRewinds: new Set(rewinds.flatMap(({ after }) => turns[after === null ? 0 : turns.indexOf(after) + 1] ?? [])),
      evidenceOf: async (path) => {
        const disk = await readInside(workspace, path)
        return {
          disk: disk && Buffer.from(disk),
          isPosix: folder?.startsWith('/') ?? false,
          checkpointOf: (event) => checkpointOf(event, path),
          committed: (text) => committed(path, text),
        }
      },
    })
  }
}

function idOf(file: string, { document }: GeminiLog): string {
  return document.sessionId ?? basename(file).replace(/\.jsonl?$/, '')
}

function gitFilesAt(gitFolder: string | null): GitFiles | null {
  return gitFolder !== null && statSync(gitFolder, { throwIfNoEntry: false })?.isDirectory() ? new GitFiles(gitFolder) : null
}
