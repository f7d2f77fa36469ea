import type { PromptId } from '../../shared/ids.js'
import { objectAt, textAt, type JsonObject } from './json-values.js'
import { kindOf, pathsOfCall } from './opencode-calls.js'
import type { OpencodeRecords } from './opencode-records.js'
import type { OpencodeTurns } from './opencode-turns.js'
import type { ToolKind } from '../../shared/session.js'
import { calledPath } from './tracked-paths.js'

const treeName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** A call as far as it matters for what changed. */
export interface StepCall {
  readonly callId: string
  readonly kind: ToolKind
  readonly isDone: boolean
  readonly paths: readonly string[]
}

/** A moment at which the agent may have recorded all files; `tree` is `null` where it did not. */
export interface SnapshotPoint {
  readonly tree: string | null
  readonly promptId: PromptId
  readonly at: number
}

/** What lies between one point and the next. */
export interface SnapshotGap {
  /** The turn in which it is; the later one of two. */
  readonly promptId: PromptId
  readonly isBeforeTurn: boolean
  readonly isInStep: boolean
  readonly calls: readonly StepCall[]
  /** Files that the agent itself found changed, by their safe paths. */
  readonly patched: readonly string[]
  readonly at: number
}

/** `gaps[i]` lies between `points[i]` and `points[i + 1]`; the last one has no point behind it. */
export interface SnapshotChain {
  readonly points: readonly SnapshotPoint[]
  readonly gaps: readonly SnapshotGap[]
}

/** The snapshots of the live turns in their order, with the calls between them. */
export async function readSnapshotChain(records: OpencodeRecords, { facts, live }: OpencodeTurns): Promise<SnapshotChain> {
  const chain = new ChainBuilder(facts.folder)
  for (const { turn, messageIds } of live) {
    chain.beginTurn(turn.promptId, turn.startedAt)
    for (const id of messageIds) {
      for await (const { data } of records.parts(id)) if (data) chain.add(data)
      chain.endMessage()
    }
  }
  return chain.end()
}

type Draft = { -readonly [Key in keyof SnapshotGap]: SnapshotGap[Key] } & { calls: StepCall[]; patched: string[] }

class ChainBuilder {
  private readonly points: SnapshotPoint[] = []
  private readonly gaps: Draft[] = []
  private turn: { readonly promptId: PromptId; readonly startedAt: number } | null = null
  private isInStep = false
  private isNewTurn = false

  constructor(private readonly folder: string | null) {}

  beginTurn(promptId: PromptId, startedAt: number): void {
    this.turn = { promptId, startedAt }
    this.isNewTurn = true
  }

  add(part: JsonObject): void {
    switch (textAt(part, 'type')) {
      case 'step-start':
        if (this.isInStep) this.point(null)
        this.point(textAt(part, 'snapshot'), true)
        return
      case 'step-finish':
        if (this.isInStep) this.point(textAt(part, 'snapshot'))
        return
      case 'tool': {
        // A call before any step is nowhere in the chain.
        this.gaps.at(-1)?.calls.push({
          callId: textAt(part, 'callID') ?? textAt(part, 'id') ?? '',
          kind: kindOf(textAt(part, 'tool') ?? ''),
          isDone: textAt(objectAt(part, 'state'), 'status') === 'completed',
          paths: pathsOfCall(part, this.folder),
        })
        return
      }
      case 'patch': {
        // It follows the step that it is about.
        const about = this.isInStep ? this.gaps.at(-1) : this.gaps.findLast((gap) => gap.isInStep)
        const files = Array.isArray(part['files']) ? part['files'] : []
        for (const file of files as readonly unknown[]) {
          const path = typeof file === 'string' ? calledPath(file, this.folder) : null
          if (path !== null) about?.patched.push(path)
        }
      }
    }
  }

  endMessage(): void {
    if (this.isInStep) this.point(null)
  }

  end(): SnapshotChain {
    return { points: this.points, gaps: this.gaps }
  }

  private point(tree: string | null, isStart = false): void {
    if (!this.turn) return
    const { promptId, startedAt } = this.turn
    const before = this.gaps.at(-1)
    if (before && isStart) {
      // What lies before the first step of a turn happened while nobody worked.
      before.promptId = promptId
      before.isBeforeTurn = this.isNewTurn
    }
    this.points.push({ tree: tree !== null && treeName.test(tree) ? tree : null, promptId, at: startedAt })
    this.gaps.push({ promptId, isBeforeTurn: false, isInStep: isStart, calls: [], patched: [], at: startedAt })
    this.isInStep = isStart
    if (isStart) this.isNewTurn = false
  }
}
