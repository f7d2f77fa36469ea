// Above the usual length: the one place where the parts of a session meet, each of its members a line or two.

import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { AgentSession } from '../../shared/agents.js'
import type { Approval, ApprovalMode, ApprovalSource } from '../../shared/approval.js'
import { ReviewError } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath, type SessionKey, type WorkspacePath } from '../../shared/ids.js'
import type { CommandJudgement } from '../../shared/policy.js'
import type { AgentHello, ToolAnswer } from '../agents/agent-desk.js'
import type { ApprovalQueue } from '../approvals/approval-queue.js'
import type { Asked } from '../approvals/question.js'
import { makeDataFolder } from '../base/data-files.js'
import type { Log } from '../base/log.js'
import type { SedRunner } from '../edits/sed-runner.js'
import type { BackupStore } from '../history/backup-store.js'
import { createEditWriter } from '../history/edit-writer.js'
import { openFileHistory } from '../history/file-history.js'
import { openSessionHistory } from '../history/session-history.js'
import { backUp } from '../history/back-up.js'
import { openSessionLog, sessionLogFile, type SessionLog } from '../history/session-log.js'
import { openWorkspaceIndex } from '../history/workspace-index.js'
import { judgeCommand } from '../policy/command-policy.js'
import { leadsOutside } from '../policy/leads-outside.js'
import type { PolicyFile } from '../policy/policy-file.js'
import { anyName } from '../policy/shell-fields.js'
import { keyOf } from '../sessions/log-catalog.js'
import { fewNames } from '../tools/few-names.js'
import { tools } from '../tools/registry.js'
import { withNotes } from '../tools/tool.js'
import type { ToolSession } from '../tools/tool-session.js'
import { isBelow } from '../tools/workspace-path.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import { createCallLog } from './call-log.js'
import { createChangeNotes } from './change-notes.js'
import { cutOffCommands, earlierCalls, earlierSession, modeOf, settleEarlier, taintOf } from './earlier-session.js'
import { guardedWorkspace, isOwnData } from './guarded-workspace.js'
import { createStance, type Stance } from './stance.js'
import { titleOf } from './title.js'
import { createTurns, type Turns } from './turns.js'
import { createWorktreeGuard } from './worktree-guard.js'

export interface RunningSessionDeps {
  readonly dataFolder: string
  readonly store: BackupStore
  readonly queue: ApprovalQueue
  readonly policy: PolicyFile
  readonly sed: SedRunner
  readonly log: Log
  readonly version: string
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  readonly now: () => number
  /** Something about the session is different. */
  readonly onChanged: () => void
  /** Whether an agent works on the session with this log now. */
  readonly isRunning: (logFile: string) => boolean
  /** A rule was stored. */
  readonly onPolicy: () => void
}

/** A session that an agent works through our tools. Its log begins with its first turn. */
export interface RunningSession extends ToolSession {
  readonly sessionId: string
  /** As `AgentConnection.cutOff`. */
  readonly cutOff: (request: string | number, tool: string) => string
  readonly summary: () => AgentSession
  readonly setMode: (mode: ApprovalMode) => void
  readonly noteDecision: (approval: Approval) => void
  /** Sessions that belong to it: the one in the agent's own workspace, once it is used. */
  readonly inner: () => readonly RunningSession[]
  /** Cancels its questions, stops its commands, and waits until what they did is noted. */
  readonly close: (why?: SessionEnd) => Promise<void>
}

/** Longer than this the first turn does not wait for the first look at the workspace. */
const firstLookMs = 2_000
/** Longer than this the end of a session does not wait for a call that was stopped. */
const lastCallsMs = 10_000

/** Opens a session for a connected agent. Errors: WORKSPACE_MISSING, OUTSIDE_WORKSPACE for our own data folder, those of `earlierSession`. */
export function openRunningSession(hello: AgentHello, deps: RunningSessionDeps): Promise<RunningSession> {
  return openSession(hello, deps, null)
}

interface Outer {
  /** Of the session that the agent's own workspace belongs to; they begin its own as well. */
  readonly turns: Turns
  readonly stance: Stance
}

async function openSession(hello: AgentHello, deps: RunningSessionDeps, outer: Outer | null): Promise<RunningSession> {
  const { store, queue, policy, log, now, onChanged } = deps
  const dataFolder = realpathSync(deps.dataFolder)
  const workspace = guardedWorkspace(await openWorkspace(hello.workspace), dataFolder)
  const earlier = await earlierSession(hello, { dataFolder, folder: workspace.root, isRunning: deps.isRunning })
  const stance = outer?.stance ?? createStance(modeOf(hello, earlier), () => policy.current().approvalMode, taintOf(earlier))
  const sessionId = earlier?.sessionId ?? randomUUID()
  const logFile = sessionLogFile(dataFolder, workspace.root, sessionId)
  const key: SessionKey = keyOf(logFile)
  const disk = createDiskStates(now)
  const operations = await openSessionHistory({ dataFolder, session: key, workspace, store, log, disk, now })
  const refresh = (): void => void queue.refresh(key).catch((thrown: unknown) => log.error('session.not-refreshed', thrown))
  const index = await openWorkspaceIndex({ workspace, store, dataFolder, log, onHint: refresh })
  const guard = createWorktreeGuard(dataFolder, workspace.root, () => policy.current().protectedBranches)
  const ended = new AbortController()
  const connectedAt = now()

  let sessionLog: Promise<SessionLog> | null = null
  const openedLog = (): Promise<SessionLog> => {
    const opened = (sessionLog ??= openSessionLog({
      dataFolder,
      sessionId,
      folder: workspace.root,
      version: deps.version,
      branch: guard.branch(),
      client: { name: hello.client, version: hello.clientVersion },
      now,
    }))
    // A full disk may have room later.
    opened.catch(() => {
      if (sessionLog === opened) sessionLog = null
    })
    return opened
  }

  let isRestOfTurn = false
  let told: readonly string[] = []
  let logProblem: string | null = null
  const running = new Set<Promise<unknown>>()
  let scratch: Promise<RunningSession> | null = null
  let innerSessions: readonly RunningSession[] = []

  const history = await openFileHistory({ workspace, store, disk, history: operations, record: async (snapshot) => (await openedLog()).snapshot(snapshot), log, earlier: earlier?.snapshots, now })
  const lookAt = async (path: WorkspacePath): Promise<FileState> => {
    const made = await backUp(path, undefined, { disk, log, now, resolve: (each) => workspace.resolveInside(each), keep: (_sha256, bytes) => store.put(bytes).then(() => undefined) })
    return made === 'same' ? { kind: 'unknown', reason: 'unreadable' } : made.state
  }
  const writer = createEditWriter({ dataFolder, workspace, store, disk, log })
  const notes = createChangeNotes({
    index,
    journal: operations.journal,
    openedLog,
    turn: () => turns.promptId(),
    ended: ended.signal,
    log,
    now,
    onChanged,
    earlier: earlier?.changed ?? new Map(),
    cutOff: cutOffCommands(earlier?.calls ?? [], tools),
    earlierAt: earlier?.lastAt ?? null,
    onRewound: (paths) => {
      told = [...told, `The person rewound ${fewNames(paths, 20)}. Read before you edit there again.`]
    },
    lookAt,
  })
  const readState = (sha256: string): Promise<Uint8Array> => store.readBlob(sha256)
  const calls = createCallLog({ openedLog, root: workspace.root, stance, policy: () => policy.current(), environment: deps.environment, readState, log, now, onChanged })

  const turns = createTurns({
    sessionId,
    openedLog,
    notes,
    history,
    earlier: earlier && { number: earlier.turn, title: titleOf(earlier.firstPrompt), lastPrompt: earlier.lastPrompt, lastCallAt: earlier.isSameTurn ? earlier.lastAt : null },
    lookBack: notes.lookBack,
    whenLooked: () => withinMs(firstLookMs, index.whenReady(ended.signal)).catch((thrown: unknown) => log.error('session.not-looked', thrown)),
    mayBeIdle: () => outer === null && !queue.list().waiting.some((approval) => approval.source.session === key),
    onBegun: async (text) => {
      isRestOfTurn = false
      for (const each of innerSessions) await each.beginTurn(text).catch((thrown: unknown) => log.error('session.inner-turn-not-begun', thrown))
      onChanged()
    },
    now,
  })

  const judge = (command: string): CommandJudgement => {
    try {
      const judgement = judgeCommand(command, {
        workspaceRoot: workspace.root,
        directory: workspace.root,
        home: deps.home,
        settings: policy.current(),
        taint: stance.taint().level,
        isPlanMode: stance.isPlanning(),
        branch: guard.branch(),
        leadsOutside: (path) => leadsOutside(workspace.root, path, anyName),
        shell: process.platform === 'win32' ? 'cmd' : 'bash',
      })
      log.info('policy.judged', { session: key, verdict: judgement.verdict, reason: judgement.reason, parts: judgement.parts.length })
      return judgement
    } catch (thrown) {
      log.error('policy.failed', thrown, { session: key })
      return { verdict: 'denied', isParsed: false, parts: [], reason: 'The policy check failed, and what cannot be checked is refused. The log in the data folder has the cause.' }
    }
  }

  const source = ({ callId, tool }: { readonly callId: string; readonly tool: string }): ApprovalSource => ({
    session: key,
    client: hello.client,
    clientVersion: hello.clientVersion,
    title: titleOf(turns.lastPrompt()),
    promptId: turns.promptId(),
    turn: turns.number(),
    tool,
    callId,
  })

  const findReview = (id: string): Asked<ToolAnswer> | null => {
    for (const session of [key, ...innerSessions.map((each) => each.key)]) {
      const asked = queue.find<ToolAnswer>(session, { id })
      if (asked) return asked
    }
    return null
  }

  /** The log failed, or works again: shown with the session. */
  const logged = async (work: Promise<void>): Promise<boolean> => {
    const before = logProblem
    try {
      await work
      logProblem = null
    } catch (thrown) {
      log.error('session.log-not-written', thrown, { session: key })
      logProblem = 'The log of this session cannot be written now. Calls are missing in its timeline; free the disk.'
    }
    if (logProblem !== before) onChanged()
    return logProblem === null
  }

  const openScratch = async (): Promise<RunningSession> => {
    // Its name is what the agent calls itself, which may be anything.
    const name = hello.client.replace(/[^\w-]+/g, '-').slice(0, 60)
    const folder = join(dataFolder, 'scratch', /^\w/.test(name) ? name : `agent-${name}`)
    makeDataFolder(folder)
    const inside = await openSession({ ...hello, workspace: folder, resume: null }, deps, { turns, stance })
    await inside.beginTurn(turns.lastPrompt())
    innerSessions = [inside]
    if (ended.signal.aborted) await inside.close()
    onChanged()
    return inside
  }

  // Another process of the agent has request numbers of its own.
  const before = earlierCalls(earlier?.isSameTurn === false ? earlier.calls.map((call) => ({ ...call, request: null })) : (earlier?.calls ?? []), tools)
  if (earlier) {
    // A new one of an agent that wanted to go on, or what could not be read, must not pass for the whole.
    if (earlier.skipped > 0) told = [...told, `${earlier.skipped} damaged lines of this session's log were passed over.`]
    await logged(openedLog().then(async (written) => {
      await settleEarlier(written, earlier.calls, tools, now)
      if (hello.resume?.kind !== 'lost-connection') await written.note('resumed', {})
    }))
  } else if (hello.resume?.kind === 'newest') told = [...told, 'There is no earlier session of this agent in this folder: a new one begins.']

  const session: RunningSession = {
    sessionId,
    cutOff: (request, tool) => before.ofRequest(request, tool).text,
    key,
    workspace,
    disk,
    history,
    operations,
    writer,
    queue,
    sed: deps.sed,
    ended: ended.signal,
    now,
    logFile,
    mode: stance.mode,
    policy: () => policy.current(),
    editsUnasked: () => (isRestOfTurn ? 'rest-of-turn' : stance.mode() === 'review-after' ? 'mode' : null),
    approveRestOfTurn: (askedIn) => {
      if (askedIn !== turns.promptId()) return
      isRestOfTurn = true
      onChanged()
    },
    approvePlan: () => {
      stance.approvePlan()
      onChanged()
    },
    source,
    assertWritable: (by) => {
      if (by === 'agent' && stance.isPlanning()) {
        throw new ReviewError('PLAN_NOT_APPROVED', 'Plan mode is on: nothing is written before a plan is approved. Read what you need, then call submit_plan.')
      }
      guard.assert()
    },
    assertReadable: (absolute) => {
      if (isOwnData(absolute, dataFolder)) throw new ReviewError('OUTSIDE_WORKSPACE', 'This file belongs to Overturn itself and is not shown.', { details: { why: 'outside' } })
    },
    ownData: isBelow(workspace.root, dataFolder) ? workspacePath(relative(workspace.root, dataFolder).split(sep).join('/')) : null,
    beginTurn: turns.begin,
    seen: new Map(),
    judge,
    allowAlways: async (rules) => {
      await policy.update((settings) => ({
        ...settings,
        rules: [
          ...settings.rules,
          ...rules
            .filter((command) => !settings.rules.some((rule) => rule.command === command && rule.workspace === workspace.root))
            .map((command) => ({ id: randomUUID(), command, workspace: workspace.root, addedAt: now() })),
        ],
      }))
      deps.onPolicy()
    },
    noteTyping: notes.noteTyping,
    beginCommand: async (callId) => {
      const watch = await notes.beginCommand()
      // By this a call that a crash cut off is told from one that was not let run yet.
      await logged(openedLog().then((written) => written.note('running', { callId })))
      return {
        ...watch,
        end: async (id, cause) => {
          const end = await watch.end(id, cause)
          calls.written(id, end.entry?.changes ?? [])
          return end
        },
      }
    },
    noteWritten: async (callId, cause, changes) => {
      await notes.noteWritten(callId, cause, changes)
      calls.written(callId, changes)
    },
    tell: (sentence) => {
      told = [...told, sentence]
    },
    during: (work) => {
      const settled = work.then(
        () => undefined,
        () => undefined,
      )
      running.add(settled)
      void settled.then(() => running.delete(settled))
      return work
    },
    begin: async (call, isPartOfTurn) => {
      turns.callBegins()
      outer?.turns.callBegins()
      if (!isPartOfTurn) return
      await turns.touch(call.tool)
      await logged(calls.call(call))
    },
    finish: async (call, answer, isPartOfTurn) => {
      turns.callEnds()
      outer?.turns.callEnds()
      const safe = await calls.classify(call, answer, isPartOfTurn && turns.number() > 0)
      const { status, review_id: id } = answer.structured
      const waitsFor = status === 'pending' && typeof id === 'string' ? findReview(id) : null
      const isLogged = !isPartOfTurn || turns.number() === 0 || (await logged(calls.answer(call, safe, waitsFor)))
      const sentences = [...told, ...(isLogged ? [] : ['The log of the session cannot be written; what this answer says is done all the same.'])]
      told = []
      return withNotes(safe, sentences)
    },
    findReview,
    endedReview: before.ofReview,
    failed: (tool, thrown) => log.error('tool.failed', thrown, { tool, session: key }),
    environment: () => deps.environment,
    exec: async (tool) => {
      if (ended.signal.aborted) throw new ReviewError('AGENT_GONE', 'This session has ended. Connect again; nothing was done.')
      await turns.touch(tool)
      const opened = (scratch ??= openScratch())
      opened.catch(() => {
        if (scratch === opened) scratch = null
      })
      return opened
    },
    changedFiles: () => notes.changed,
    readState,
    summary: () => ({
      session: key,
      client: hello.client,
      clientVersion: hello.clientVersion,
      transport: hello.transport,
      workspace: workspace.root,
      isConnected: !ended.signal.aborted,
      connectedAt,
      lastCallAt: turns.lastCallAt(),
      turn: turns.number(),
      mode: stance.mode(),
      isPlanApproved: stance.isPlanApproved(),
      isRestOfTurnApproved: isRestOfTurn,
      waiting: queue.list().waiting.filter((approval) => approval.source.session === key).length,
      taint: stance.taint(),
      worktree: guard.state(),
      limits: [...notes.limits(), ...(logProblem === null ? [] : [logProblem])],
    }),
    setMode: (next) => {
      stance.setMode(next)
      isRestOfTurn = false
      if (turns.number() > 0) void session.during(logged(openedLog().then((written) => written.note('mode', { mode: next }))))
      onChanged()
    },
    noteDecision: ({ id, state, decidedBy, outcome, isModified, source: { callId } }) => {
      if (turns.number() === 0) return
      void session.during(logged(openedLog().then((written) => written.note('decision', { approval: id, callId, state, decidedBy, outcome, isModified }))))
    },
    inner: () => innerSessions,
    close: async (why = 'agent-gone') => {
      if (ended.signal.aborted) return
      ended.abort()
      const stopped = Promise.allSettled([queue.endSession(key, sessionEnds[why].outcome, sessionEnds[why].error), ...innerSessions.map((each) => each.close(why))])
      await withinMs(lastCallsMs, stopped.then(() => Promise.all(running)))
      await turns.settled()
      if (turns.number() > 0) {
        await history.close()
        await logged(openedLog().then((written) => written.note('session-ended', {})))
      }
      await index.close()
      onChanged()
    },
  }
  return session
}

/** What ended a session, and what is said of its questions then. */
type SessionEnd = keyof typeof sessionEnds
const sessionEnds = {
  'agent-gone': { outcome: 'The agent is gone. No answer is a refusal: nothing was done.', error: 'AGENT_GONE' },
  'host-ends': { outcome: 'Overturn ended before this was decided. No answer is a refusal: nothing was done.', error: 'HOST_NOT_RUNNING' },
} as const

async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]).finally(() => clearTimeout(timer))
}
