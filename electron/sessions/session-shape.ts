import { promptId, type PromptId } from '../../shared/ids.js'
import type { RecordedRewind, Turn } from '../../shared/session.js'
import type { LogIndex } from './log-index.js'
import { findBranches, type Branches, type LiveTurn } from './log-branches.js'
import type { SetAsideBranch } from './recorded-session.js'

/** The longest identity that the app passes on. */
const longestPromptId = 400

/** Where a turn is in the log. `live` is `null` on a branch that was set aside. */
export interface TurnPlace {
  readonly turn: Turn
  /** Ordinal of its prompt. */
  readonly prompt: number
  /** The promptId as recorded, which another turn may have too; `null` where none. */
  readonly recordedId: string | null
  readonly live: LiveTurn | null
}

/** The turns of a log by branch, as far as it was read. */
export interface SessionShape {
  readonly branches: Branches
  readonly turns: readonly Turn[]
  readonly setAside: readonly SetAsideBranch[]
  readonly rewinds: readonly RecordedRewind[]
  readonly places: ReadonlyMap<PromptId, TurnPlace>
}

/**
 * The turns of a log.
 *
 * A turn's identity is its recorded promptId, else `record:<uuid>`. Where the recorder gave one promptId twice (a known fault of
 * resumed sessions), the second turn in file order is `<promptId>~2`, and so on: two turns never share an identity, and a turn
 * keeps its own while the log grows.
 */
export function shapeOf(log: LogIndex): SessionShape {
  const branches = findBranches(log)
  const ids = identities(log)
  const places = new Map<PromptId, TurnPlace>()
  const idOf = (prompt: number): PromptId => ids[prompt] ?? promptId('')

  const place = (prompt: number, live: LiveTurn | null, index: number | null): Turn => {
    const { text = '', at = 0, recordedId = null } = log.prompts[prompt] ?? {}
    const id = idOf(prompt)
    const turn: Turn = { promptId: id, index, prompt: text, startedAt: at, hasSnapshot: live?.hasSnapshot ?? false }
    places.set(id, { turn, prompt, recordedId, live })
    return turn
  }

  return {
    branches,
    turns: branches.live.map((live, position) => place(live.prompt, live, position + 1)),
    setAside: branches.dead.map(({ after, prompts }) => ({
      after: after === null ? null : idOf(after),
      turns: prompts.map((prompt) => place(prompt, null, null)),
    })),
    rewinds: branches.rewinds.map(({ at, dropped, after }) => ({
      at,
      droppedFrom: idOf(dropped[0] ?? -1),
      dropped: dropped.map(idOf),
      after: after === null ? null : idOf(after),
    })),
    places,
  }
}

function identities({ prompts, rows, sniffer }: LogIndex): readonly PromptId[] {
  const taken = new Set<string>()
  return prompts.map(({ recordedId, row }) => {
    const isUsable = recordedId !== null && recordedId !== '' && recordedId.length < longestPromptId - 20
    const wanted = isUsable ? recordedId : sniffer.hasIds ? `record:${rows.idOf(row)}` : `row:${row}`
    let id = wanted
    for (let count = 2; taken.has(id); count++) id = `${wanted}~${count}`
    taken.add(id)
    return promptId(id)
  })
}
