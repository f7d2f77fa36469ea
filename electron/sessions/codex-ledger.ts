import { createHash } from 'node:crypto'
import { throwIfAborted } from '../../shared/errors.js'
import type { ContentSource, FileState, UnknownReason } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import { breathe } from '../base/pool.js'
import type { AgentLog, CodexAgents, Span } from './codex-agents.js'
import { withUnseenWork, withWorkBeside } from './codex-beside.js'
import { openEvidence } from './codex-evidence.js'
import type { Known, Touch } from './codex-states.js'
import { stepsOf, type TurnSteps } from './codex-steps.js'
import { TimelineSolver } from './codex-timeline.js'
import { decodeTurn } from './codex-turn.js'
import { computedPages, type ComputedEntry } from './computed-ledger.js'
import type { LedgerMark, LedgerPages, SessionLedger } from './recorded-session.js'
import type { ReadRecord } from './turn-records.js'

/** So many bytes of worked out contents stay at hand; others are worked out again. */
const keptBytes = 64 << 20
const groupsAtOnce = 32

/** One turn as the ledger reads it. */
export interface LedgerTurn {
  readonly promptId: PromptId
  /** What happened in it happened before the turn: it was set aside, or has no prompt. */
  readonly isBeforeTurn: boolean
  /** It was set aside: what it did is no part of the turn, not even where no turn came after it. */
  readonly isSetAside: boolean
  readonly isOpen: boolean
  /** Changes whenever its records do. */
  readonly version: string
  read(signal?: AbortSignal): Promise<readonly ReadRecord[]>
  /** Agents that its thread started, and the time of which their work counts as beside this turn; `null` for none. */
  readonly agents: CodexAgents
  readonly span: Span | null
}

export interface LedgerSource {
  /** All turns in order, as far as the log was read. */
  turns(): Promise<readonly LedgerTurn[]>
  /** What the log says of where it was recorded. */
  origin(): Promise<{ readonly folder: string; readonly commit: string | null; readonly version: string | null }>
}

/**
 * What each call of a Codex session did to files, worked out from diffs and proved at each step by known bytes: whole texts in the
 * log, commits, the disk. What is not proved is unknown.
 */
export class CodexLedger implements SessionLedger {
  private digests = new Map<string, { readonly version: string; readonly steps: TurnSteps }>()
  private work: Promise<LedgerPages | null> = Promise.resolve(null)
  private latest: { readonly version: string; readonly pages: LedgerPages } | null = null

  constructor(
    private readonly source: LedgerSource,
    private readonly workspace: string | null,
  ) {}

  /** The log was replaced by another one. */
  forget(): void {
    this.digests.clear()
    this.latest = null
  }

  async pages(signal?: AbortSignal): Promise<LedgerPages> {
    const next = this.work.catch(() => null).then(() => this.readOn())
    this.work = next
    const pages = await next
    throwIfAborted(signal)
    return pages
  }

  private async readOn(): Promise<LedgerPages> {
    const turns = await this.source.turns()
    const beside = new Map<CodexAgents, readonly AgentLog[]>()
    for (const agents of new Set(turns.map((turn) => turn.agents))) beside.set(agents, await agents.all())
    const logs = [...beside.values()].flat()
    const version = [...turns.map((turn) => `${turn.promptId} ${turn.version} ${turn.isOpen}`), ...logs.map(({ stamp }) => stamp)].join('\n')
    if (this.latest?.version === version) return this.latest.pages
    const origin = await this.source.origin()
    const steps: TurnSteps[] = []
    const digests: typeof this.digests = new Map()
    const work = new Map(logs.map((log) => [log, stepsOf(log.work, { folder: origin.folder, startFolder: log.folder ?? origin.folder, version: log.version, isOpen: true })]))
    let isUnseen = false
    for (const [at, turn] of turns.entries()) {
      const key = `${at} ${turn.promptId}`
      const known = this.digests.get(key)
      const startFolder = steps.at(-1)?.endFolder ?? origin.folder
      const wanted = `${turn.version} ${turn.isOpen} ${startFolder}`
      const own = known?.version === wanted ? known.steps : stepsOf(decodeTurn(await turn.read()), { ...origin, startFolder, isOpen: turn.isOpen })
      digests.set(key, { version: wanted, steps: own })
      const agents = beside.get(turn.agents) ?? []
      const merged = await this.withAgents(own, turn, agents, work)
      const unseen = await firstUnseen(merged, turn.agents)
      steps.push(isUnseen || unseen !== null ? withUnseenWork(merged, isUnseen ? 0 : (unseen ?? 0)) : merged)
      isUnseen ||= unseen !== null
      if (at % 16 === 15) await breathe()
    }
    this.digests = digests
    const evidence = await openEvidence(this.workspace)
    const solver = new TimelineSolver({ turns: steps, commit: origin.commit }, evidence)
    const pages = await pagesOf(turns, solver)
    this.latest = { version, pages }
    return pages
  }

  /** A turn with what agents did beside it. */
  private async withAgents(own: TurnSteps, { span }: LedgerTurn, agents: readonly AgentLog[], work: ReadonlyMap<AgentLog, TurnSteps>): Promise<TurnSteps> {
    const within = span === null ? [] : agents.flatMap((agent) => {
      const steps = work.get(agent)
      return steps && steps.times.some((time) => time >= span.from && time < span.to) ? [{ steps, ...span }] : []
    })
    return within.length === 0 ? own : withWorkBeside(own, within)
  }
}

/** The first order at which an agent was started whose log is not here; `null` where there is none. */
async function firstUnseen({ started }: TurnSteps, agents: CodexAgents): Promise<number | null> {
  for (const each of started) if (!(await agents.named(each))) return each.order
  return null
}

const anyFile = 'A command may have changed files that no record names.'

/** One entry of the pages as it is put together. */
interface Entry {
  readonly at: number
  readonly turn: number
  readonly facts: Omit<LedgerMark, 'promptId' | 'paths' | 'limits'>
  readonly limits: Set<string>
  readonly changes: Map<WorkspacePath, { readonly before: FileState; readonly after: FileState }>
}

async function pagesOf(turns: readonly LedgerTurn[], solver: TimelineSolver): Promise<LedgerPages> {
  const bytes = new KeptBytes()
  const groupOf = new Map<string, readonly WorkspacePath[]>()
  const state = (known: Known | UnknownReason, group: readonly WorkspacePath[]): FileState => {
    if (typeof known === 'string') return { kind: 'unknown', reason: known }
    if (known.bytes === null) return { kind: 'absent' }
    const sha256 = bytes.put(known.bytes, known.source)
    groupOf.set(sha256, group)
    return { kind: 'file', sha256, sizeBytes: known.bytes.length, mode: null }
  }

  const entries = new Map<number, Entry>()
  for (const { at, turn, step } of solver.steps) {
    const { isBeforeTurn = false, isSetAside = false } = turns[turn] ?? {}
    const facts = { isBeforeTurn, callId: isBeforeTurn || isSetAside ? null : step.callId, cause: step.cause, at: step.endedAt, ...(isSetAside ? { isSetAside } : {}) }
    entries.set(at, { at, turn, facts, limits: new Set(step.limits), changes: new Map() })
  }
  const sights: Entry[] = []
  for (const [at, group] of solver.groups.entries()) {
    const solved = await solver.solve(group)
    for (const touch of solved.touches) {
      const entry = entries.get(touch.event.at)
      if (!entry || touch.event.kind === 'look' || touch.event.kind === 'unsure look') continue
      // Of several changes of one path in a call, the first tells the start and the last the end.
      const before = entry.changes.get(touch.path)?.before ?? state(solved.before(touch), group)
      entry.changes.set(touch.path, { before, after: state(solved.after(touch), group) })
      if (solved.broken.has(touch)) entry.limits.add(brokenBefore(touch))
    }
    for (const { at: order, turn, isBeforeTurn, path, before, after } of solved.sights) {
      const own = turns[turn]
      // What was set aside behind the last turn stands behind it as a whole.
      const isBefore = own?.isSetAside ? own.isBeforeTurn : isBeforeTurn || (own?.isBeforeTurn ?? false)
      const facts = { isBeforeTurn: isBefore, ...(own?.isSetAside ? { isSetAside: true } : {}), callId: null, cause: 'unknown', at: 0, isFirstSight: true } as const
      sights.push({ at: order, turn, facts, limits: new Set(), changes: new Map([[path, { before: state(before, group), after: state(after, group) }]]) })
    }
    if (at % groupsAtOnce === groupsAtOnce - 1) await breathe()
  }

  // A turn in which a command may have done anything is never told as one that did nothing.
  const unseen = solver.unforeseen.flatMap(({ at, turn }): readonly Entry[] => {
    const own = turns[turn]
    return own && !own.isBeforeTurn && !own.isSetAside ? [{ at, turn, facts: { isBeforeTurn: false, callId: null, cause: 'command', at: 0, isFirstSight: true }, limits: new Set([anyFile]), changes: new Map() }] : []
  })
  const computed = [...entries.values(), ...sights, ...unseen]
    .sort((one, two) => one.at - two.at)
    .flatMap(({ turn, facts, limits, changes }): readonly ComputedEntry[] => {
      const promptId = turns[turn]?.promptId
      if (promptId === undefined || (changes.size === 0 && !limits.has(anyFile))) return []
      const told = [...changes].map(([path, { before, after }]) => ({ path, before: async () => before, after: async () => after }))
      return [{ ...facts, promptId, limits: [...limits], changes: told }]
    })
  return computedPages(computed, {
    read: async (sha256, signal) => {
      throwIfAborted(signal)
      const group = groupOf.get(sha256)
      if (!bytes.get(sha256) && group) {
        const { touches, before, after } = await solver.solve(group, signal)
        for (const touch of touches) for (const known of [before(touch), after(touch)]) state(known, group)
      }
      return bytes.get(sha256)
    },
    sourceOf: (sha256) => bytes.sourceOf(sha256),
  })
}

function brokenBefore(touch: Touch): string {
  return `Somebody else changed ${touch.path} before this: what was known of it no longer fits.`
}

/** Contents by their hash, the latest of them. */
class KeptBytes {
  private readonly kept = new Map<string, Buffer>()
  private readonly sources = new Map<string, ContentSource>()
  private size = 0

  put(bytes: Buffer, source: ContentSource): string {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (!this.sources.has(sha256)) this.sources.set(sha256, source)
    if (this.kept.has(sha256)) return sha256
    this.kept.set(sha256, bytes)
    this.size += bytes.length
    for (const [oldest, each] of this.kept) {
      if (this.size <= keptBytes || oldest === sha256) break
      this.kept.delete(oldest)
      this.size -= each.length
    }
    return sha256
  }

  get(sha256: string): Buffer | null {
    return this.kept.get(sha256) ?? null
  }

  sourceOf(sha256: string): ContentSource {
    return this.sources.get(sha256) ?? 'edit'
  }
}
