import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Approval, ApprovedFile, Decision } from '../../shared/approval.js'
import { workspacePath } from '../../shared/ids.js'
import type { LedgerEntry } from '../../shared/ledger.js'
import type { PolicySettings } from '../../shared/policy.js'
import type { AgentConnection, AgentHello, ToolAnswer } from '../agents/agent-desk.js'
import { silentLog, type Log } from '../base/log.js'
import { createSedRunner } from '../edits/sed-runner.js'
import { createDesk, type Desk } from '../live/desk.js'
import { recoverCutOff } from '../live/recover-cut-off.js'
import { openPolicyFile, type PolicyFile } from '../policy/policy-file.js'
import { tempHistory, type TempHistory, type TestContent } from './temp-history.js'

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly budgetMs?: number | null
  readonly request?: string | number | null
}

/** An agent that is connected without any transport. */
export interface TestAgent {
  readonly connection: AgentConnection
  /** One tool call. */
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolAnswer>
  close(): void
}

/** A desk with real services over a temporary workspace and data folder. */
export interface DeskHarness {
  readonly temp: TempHistory
  /** The one that runs now. */
  readonly desk: Desk
  readonly policy: PolicyFile
  /** Every question in the order in which a person was asked, and who was told of it. */
  readonly asked: Approval[]
  /** What was logged as an error: event names. */
  readonly errors: string[]
  put(path: string, content: TestContent): void
  /** The bytes of a file as Latin-1 text; `null` for none. */
  read(path: string): string | null
  connect(hello?: Partial<AgentHello>): Promise<TestAgent>
  /** The next question that nobody has taken yet. */
  nextAsked(): Promise<Approval>
  /** Takes the next question and decides it. */
  decideNext(decision: Decision): Promise<Approval>
  decide(asked: Approval, decision: Decision): Promise<Approval>
  /** The question as it stands now. */
  now(asked: Approval): Approval
  /** Absolute paths of all session logs. */
  logFiles(): readonly string[]
  /** Records of all session logs, in order; each with what it is: a subtype, or its type. */
  records(): readonly LogRecord[]
  ledger(): readonly LedgerEntry[]
  /** As if this process had been killed and another one started: the desk of before says no more, and nobody closed it. */
  restart(): Promise<void>
  /** The clock that sessions go by runs this much ahead from now on. */
  pass(ms: number): void
  dispose(): Promise<void>
}

export interface LogRecord {
  readonly kind: string
  readonly record: Readonly<Record<string, unknown>>
}

export interface HarnessOptions {
  readonly policy?: Partial<PolicySettings>
  readonly environment?: NodeJS.ProcessEnv
  /** Where the workspace lies, instead of the usual one. */
  readonly workspace?: string
  readonly dataFolder?: string
}

export async function deskHarness(files: Readonly<Record<string, TestContent>> = {}, options: HarnessOptions = {}): Promise<DeskHarness> {
  const temp = await tempHistory(files)
  const dataFolder = options.dataFolder ?? temp.data
  const errors: string[] = []
  const log: Log = { ...silentLog, error: (event) => void errors.push(event) }
  const policy = openPolicyFile(dataFolder, log)
  if (options.policy) await policy.update((settings) => ({ ...settings, ...options.policy }))
  const sed = createSedRunner(await sedWorkerFile())
  const asked: Approval[] = []
  const untaken: Approval[] = []
  const takers: ((approval: Approval) => void)[] = []
  let aheadMs = 0
  const desks: Desk[] = []
  const begin = (): Desk => createDesk({
    dataFolder,
    store: temp.store,
    policy,
    sed,
    log,
    version: '1.0.0',
    home: homedir(),
    environment: options.environment ?? process.env,
    onApprovals: () => undefined,
    onAgents: () => undefined,
    onPolicy: () => undefined,
    onAsked: (approval) => {
      asked.push(approval)
      const taker = takers.shift()
      if (taker) taker(approval)
      else untaken.push(approval)
    },
    now: () => Date.now() + aheadMs,
  })
  let desk = begin()
  const harness: DeskHarness = {
    temp,
    get desk() {
      return desk
    },
    policy,
    asked,
    errors,
    put: temp.put,
    read: (path) => readOrNull(temp.at(path)),
    connect: async (hello = {}) => {
      const connection = await desk.connect({ client: 'test-agent', clientVersion: '1', transport: 'stdio', workspace: options.workspace ?? temp.root, mode: null, resume: null, ...hello })
      return {
        connection,
        call: (name, args, { signal = new AbortController().signal, budgetMs = null, request = null } = {}) => connection.call(name, args, { signal, budgetMs, request, progress: () => undefined }),
        close: connection.close,
      }
    },
    nextAsked: () => {
      const first = untaken.shift()
      return first ? Promise.resolve(first) : new Promise((resolve) => takers.push(resolve))
    },
    decideNext: async (decision) => harness.decide(await harness.nextAsked(), decision),
    decide: ({ id, revision }, decision) => desk.queue.decide(id, revision, decision),
    now: ({ id }) => {
      const { waiting, decided } = desk.queue.list()
      const found = [...waiting, ...decided].find((approval) => approval.id === id)
      if (!found) throw new Error('The question is gone.')
      return found
    },
    logFiles: () => logFiles(dataFolder),
    records: () => logFiles(dataFolder).flatMap(recordsOf),
    ledger: () => harness.records().flatMap(({ kind, record }) => (kind === 'overturn_ledger' ? [record['systemPayload'] as LedgerEntry] : [])),
    restart: async () => {
      desks.push(desk)
      untaken.length = 0
      await recoverCutOff({ dataFolder, store: temp.store, log, version: '1.0.0' })
      desk = begin()
    },
    pass: (ms) => {
      aheadMs += ms
    },
    dispose: async () => {
      for (const each of [...desks, desk]) await each.close()
      await sed.close()
      temp.dispose()
    },
  }
  return harness
}

/** What an answer comes to: its status, or the code of its refusal. */
export function statusOf({ structured }: ToolAnswer): unknown {
  const { error, status } = structured
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : status
}

/** A decision to approve: everything, or as the changes say. */
export function approve(change: Partial<Extract<Decision, { readonly kind: 'approve' }>> = {}): Decision {
  return { kind: 'approve', files: [], comment: '', isForRestOfTurn: false, alwaysRules: [], ...change }
}

export function reject(reason = ''): Decision {
  return { kind: 'reject', reason }
}

/** A file of a decision: some of its hunks, or another text. */
export function chosen(path: string, what: { readonly hunks: readonly number[] } | { readonly text: string }): ApprovedFile {
  return { path: workspacePath(path), hunks: 'hunks' in what ? what.hunks : null, text: 'text' in what ? what.text : null }
}

/** Names and contents below a folder, for what must not be left behind. */
export function namesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort()
}

let worker: Promise<string> | null = null

/** The built program of the sed worker, once for each process. */
function sedWorkerFile(): Promise<string> {
  worker ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'overturn-sed-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    const outfile = join(folder, 'sed-worker.cjs')
    await build({ entryPoints: [join(import.meta.dirname, '../edits/sed-worker.ts')], outfile, bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' })
    return outfile
  })()
  return worker
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}

function logFiles(dataFolder: string): readonly string[] {
  try {
    const folder = join(dataFolder, 'sessions', 'projects')
    return readdirSync(folder, { recursive: true }).map(String).filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function recordsOf(file: string): readonly LogRecord[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const record = JSON.parse(line) as Readonly<Record<string, unknown>>
      const { type, subtype } = record
      return { kind: typeof subtype === 'string' ? subtype : String(type), record }
    })
}
