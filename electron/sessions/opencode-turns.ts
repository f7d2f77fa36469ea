import { promptId, type PromptId } from '../../shared/ids.js'
import type { RecordedRewind, Turn } from '../../shared/session.js'
import { addUsage, type Usage } from '../../shared/usage.js'
import { cutText, objectAt, textAt, type JsonObject } from './json-values.js'
import type { OpencodeRecords, SessionFacts, StoredMessage, StoredRecord } from './opencode-records.js'
import { usageOfMessage, usageOfSubagents } from './opencode-usage.js'
import type { SetAsideBranch } from './recorded-session.js'

const keptPrompt = 4_000

/** A turn with its messages: those that still stand by id, those that were thrown away as they were. */
export interface OpencodeTurn {
  readonly turn: Turn
  readonly messageIds: readonly string[]
  readonly removed: readonly StoredMessage[]
  /** What its own messages took, without subagents. */
  readonly usage: Usage | null
}

export interface OpencodeTurns {
  readonly facts: SessionFacts
  readonly live: readonly OpencodeTurn[]
  readonly setAside: readonly SetAsideBranch[]
  readonly rewinds: readonly RecordedRewind[]
  /** All turns by id, those set aside too. */
  readonly byId: ReadonlyMap<PromptId, OpencodeTurn>
  readonly model: string | null
  /** Of all turns, those set aside too, and of the subagents. */
  readonly usage: Usage | null
  readonly insertions: number
  readonly deletions: number
  /** Files that the turns changed. */
  readonly files: number
  readonly messages: number
  readonly damage: number
}

interface Draft {
  readonly id: string
  readonly prompt: string
  readonly at: number
  readonly messageIds: string[]
  readonly removed: StoredMessage[]
  usage: Usage | null
}

/**
 * The turns of a session: a prompt with what its assistant messages say is theirs. Messages that no person typed (a compaction, a
 * command that was run in between) belong to the turn that they stand in.
 * Returns: `null` for a session that is not there.
 */
export async function readTurns(records: OpencodeRecords, sessionId: string): Promise<OpencodeTurns | null> {
  const facts = await records.session(sessionId)
  if (!facts) return null
  const live = new Drafts()
  const takenBack = new Drafts()
  let [model, insertions, deletions, messages] = [facts.model, 0, 0, 0]
  const files = new Set<string>()
  let isTakenBack = false
  for await (const message of records.messages(sessionId)) {
    messages++
    isTakenBack ||= message.id === facts.takenBackFrom
    const drafts = isTakenBack ? takenBack : live
    if (textAt(message.data, 'role') === 'user') {
      drafts.begin(message, await promptOf(records, message.id))
      for (const diff of diffsOf(message.data)) {
        insertions += diff.insertions
        deletions += diff.deletions
        files.add(diff.file)
      }
    } else {
      model = textAt(message.data, 'modelID') ?? model
      drafts.add(message)
    }
  }
  const removed = new Drafts()
  for (const message of await records.removed(sessionId)) {
    if (textAt(message.data, 'role') === 'user') removed.begin(message, promptIn(message.parts), message)
    else removed.add(message, message)
  }
  const drafts = [...live.drafts, ...takenBack.drafts, ...removed.drafts]
  const usage = drafts.reduce((sum, draft) => addUsage(sum, draft.usage), await usageOfSubagents(records, sessionId))
  return { ...arranged(facts, live.drafts, [...removed.drafts, ...takenBack.drafts]), facts, model, usage, insertions, deletions, files: files.size, messages, damage: records.damage }
}

/** Gathers messages to turns, in their order. */
class Drafts {
  readonly drafts: Draft[] = []
  private readonly ofMessage = new Map<string, Draft>()

  begin(message: StoredRecord, prompt: string | null, removed?: StoredMessage): void {
    const before = this.drafts.at(-1)
    if (prompt === null && before) return this.put(before, message, removed)
    const draft: Draft = { id: message.id, prompt: prompt ?? '', at: message.createdAt, messageIds: [], removed: [], usage: null }
    this.drafts.push(draft)
    this.put(draft, message, removed)
  }

  add(message: StoredRecord, removed?: StoredMessage): void {
    const parent = textAt(message.data, 'parentID')
    const draft = (parent === null ? undefined : this.ofMessage.get(parent)) ?? this.drafts.at(-1)
    if (draft) this.put(draft, message, removed)
    else this.begin(message, null, removed)
  }

  private put(draft: Draft, message: StoredRecord, removed: StoredMessage | undefined): void {
    if (removed) draft.removed.push(removed)
    else draft.messageIds.push(message.id)
    draft.usage = addUsage(draft.usage, usageOfMessage(message.data))
    this.ofMessage.set(message.id, draft)
  }
}

/** Puts the turns that were taken back beside the live turn that they followed, by their times. */
function arranged(facts: SessionFacts, live: readonly Draft[], dead: readonly Draft[]): Pick<OpencodeTurns, 'live' | 'setAside' | 'rewinds' | 'byId'> {
  const turns = live.map((draft, index) => turnOf(draft, index + 1))
  const byId = new Map(turns.map((turn) => [turn.turn.promptId, turn]))
  const branches = new Map<number, OpencodeTurn[]>()
  for (const draft of dead) {
    const turn = turnOf(draft, null)
    if (byId.has(turn.turn.promptId)) continue
    byId.set(turn.turn.promptId, turn)
    const after = live.findLastIndex(({ at, id }) => at < draft.at || (at === draft.at && id < draft.id))
    const branch = branches.get(after)
    if (branch) branch.push(turn)
    else branches.set(after, [turn])
  }
  const setAside = [...branches].map(([after, branch]) => ({ after: turns[after]?.turn.promptId ?? null, turns: branch.map(({ turn }) => turn) }))
  const rewinds = [...branches].flatMap(([after, branch]): readonly RecordedRewind[] => {
    const first = branch[0]?.turn.promptId
    const at = live[after + 1]?.at ?? facts.updatedAt
    return first === undefined ? [] : [{ at, droppedFrom: first, dropped: branch.map(({ turn }) => turn.promptId), after: turns[after]?.turn.promptId ?? null }]
  })
  return { live: turns, setAside, rewinds, byId }
}

function turnOf({ id, prompt, at, messageIds, removed, usage }: Draft, index: number | null): OpencodeTurn {
  return { turn: { promptId: promptId(id), index, prompt: cutText(prompt, keptPrompt), startedAt: at, hasSnapshot: false }, messageIds, removed, usage }
}

async function promptOf(records: OpencodeRecords, messageId: string): Promise<string | null> {
  const parts: StoredRecord[] = []
  for await (const part of records.parts(messageId)) parts.push(part)
  return promptIn(parts)
}

/** What a person typed; `null` where nobody did. */
export function promptIn(parts: readonly StoredRecord[]): string | null {
  const texts = parts.flatMap(({ data }) => (data && isTyped(data) ? [textAt(data, 'text') ?? ''] : []))
  if (texts.length > 0) return texts.join('\n')
  const asked = parts.find(({ data }) => textAt(data, 'type') === 'subtask')?.data
  if (asked) return textAt(asked, 'prompt') ?? textAt(asked, 'description') ?? ''
  const attached = parts.find(({ data }) => textAt(data, 'type') === 'file')?.data
  return attached && !parts.some(({ data }) => textAt(data, 'type') === 'text') ? (textAt(attached, 'filename') ?? '') : null
}

/** Whether a part is a text that the person wrote, and none that the program added. */
export function isTyped(part: JsonObject): boolean {
  return textAt(part, 'type') === 'text' && part['synthetic'] !== true && part['ignored'] !== true
}

function diffsOf(message: JsonObject | null): readonly { readonly file: string; readonly insertions: number; readonly deletions: number }[] {
  const diffs = objectAt(message, 'summary')?.['diffs']
  if (!Array.isArray(diffs)) return []
  return diffs.map((diff: unknown) => {
    const counts = typeof diff === 'object' && diff !== null ? (diff as JsonObject) : {}
    const count = (name: string): number => (typeof counts[name] === 'number' && counts[name] >= 0 ? counts[name] : 0)
    return { file: textAt(counts, 'file') ?? '', insertions: count('additions'), deletions: count('deletions') }
  })
}
