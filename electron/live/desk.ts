import { randomBytes } from 'node:crypto'
import type { AgentSession } from '../../shared/agents.js'
import type { Approval, ApprovalMode } from '../../shared/approval.js'
import { ReviewError } from '../../shared/errors.js'
import { approvalId, type SessionKey } from '../../shared/ids.js'
import type { Progress } from '../../shared/rpc.js'
import type { AgentConnection, AgentDesk, AgentHello } from '../agents/agent-desk.js'
import { createApprovalQueue, type ApprovalQueue } from '../approvals/approval-queue.js'
import type { Log } from '../base/log.js'
import type { SedRunner } from '../edits/sed-runner.js'
import type { BackupStore } from '../history/backup-store.js'
import type { PolicyFile } from '../policy/policy-file.js'
import { tools } from '../tools/registry.js'
import { runTool } from '../tools/run-tool.js'
import { definitionOf } from '../tools/tool.js'
import { openRunningSession, type RunningSession } from './running-session.js'
import { makeWorktree, type MadeWorktree } from './make-worktree.js'

export interface DeskOptions {
  readonly dataFolder: string
  readonly store: BackupStore
  readonly policy: PolicyFile
  readonly sed: SedRunner
  readonly log: Log
  readonly version: string
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  readonly onApprovals: () => void
  readonly onAgents: () => void
  readonly onPolicy: () => void
  /** A person is needed. */
  readonly onAsked: (approval: Approval) => void
  readonly now?: () => number
}

/** The running sessions of this computer's agents, and the questions that wait for a person. */
export interface Desk extends AgentDesk {
  readonly queue: ApprovalQueue
  readonly list: () => readonly AgentSession[]
  /** Errors: SESSION_NOT_FOUND. */
  readonly setMode: (session: SessionKey, mode: ApprovalMode) => AgentSession
  readonly makeWorktree: (workspace: string, branch: string | null, watch: { readonly signal: AbortSignal; readonly progress: (progress: Progress) => void }) => Promise<MadeWorktree>
  readonly close: () => Promise<void>
}

/** Sessions of agents that left are listed so long. */
const keptEnded = 20

export function createDesk(options: DeskOptions): Desk {
  const { now = Date.now, onAgents, log } = options
  const sessions: RunningSession[] = []
  const all = (): readonly RunningSession[] => sessions.flatMap((session) => [session, ...session.inner()])
  const of = (key: SessionKey): RunningSession | undefined => all().find((session) => session.key === key)

  const queue = createApprovalQueue({
    now,
    newId: () => approvalId(randomBytes(5).toString('hex')),
    onChanged: () => {
      options.onApprovals()
      onAgents()
    },
    onAsked: options.onAsked,
    onEnded: (approval) => of(approval.source.session)?.noteDecision(approval),
  })
  let resuming: Promise<unknown> = Promise.resolve()
  const ending = new Set<Promise<void>>()
  const definitions = tools.map(definitionOf)

  let isClosed = false
  const assertOpen = (): void => {
    if (isClosed) throw new ReviewError('HOST_NOT_RUNNING', 'Overturn is ending. Start it again, then connect.')
  }

  const connect = async (hello: AgentHello): Promise<AgentConnection> => {
    assertOpen()
    if (hello.resume === null) return open(hello)
    // One after the other, and after those that are about to end: a session has one agent.
    const next = resuming.then(() => Promise.all(ending)).then(() => open(hello))
    resuming = next.catch(() => undefined)
    return next
  }

  const open = async (hello: AgentHello): Promise<AgentConnection> => {
    const isRunning = (logFile: string): boolean => sessions.some((each) => each.logFile === logFile && !each.ended.aborted)
    const session = await openRunningSession(hello, { ...options, queue, now, onChanged: onAgents, isRunning })
    if (isClosed) await session.close()
    assertOpen()
    // What goes on is listed once.
    for (const before of sessions.filter((each) => each.key === session.key)) sessions.splice(sessions.indexOf(before), 1)
    sessions.push(session)
    queue.beginSession(session.key)
    for (const ended of sessions.filter((each) => each.ended.aborted).slice(0, -keptEnded)) sessions.splice(sessions.indexOf(ended), 1)
    log.info('agent.connected', { client: hello.client, transport: hello.transport, session: session.key })
    onAgents()
    return {
      sessionId: session.sessionId,
      cutOff: session.cutOff,
      tools: () => definitions,
      call: (name, args, watch) => runTool(tools, session, { callId: `call-${randomBytes(6).toString('hex')}`, name, args }, watch),
      close: () => {
        log.info('agent.gone', { client: hello.client, session: session.key })
        const closing = session.close().catch((thrown: unknown) => log.error('session.not-closed', thrown, { session: session.key }))
        ending.add(closing)
        void closing.finally(() => ending.delete(closing))
      },
    }
  }

  return {
    connect,
    queue,
    // One that only looked at the list of tools is no session.
    list: () => all().map((session) => session.summary()).filter(({ isConnected, turn }) => isConnected || turn > 0),
    setMode: (key, mode) => {
      const session = of(key)
      if (!session || session.ended.aborted) throw new ReviewError('SESSION_NOT_FOUND', 'This session has ended. Its mode matters no more.', { details: { session: key } })
      session.setMode(mode)
      return session.summary()
    },
    makeWorktree: (workspace, branch, watch) => makeWorktree(options.dataFolder, workspace, branch, watch),
    close: async () => {
      isClosed = true
      await Promise.all(sessions.map((session) => session.close('host-ends')))
    },
  }
}

