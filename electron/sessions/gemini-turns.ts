import { promptId, type PromptId } from '../../shared/ids.js'
import type { RecordedRewind, Turn } from '../../shared/session.js'
import { cutText } from './json-values.js'
import type { GeminiDocument, GeminiMessage } from './gemini-operations.js'
import type { SetAsideBranch } from './recorded-session.js'

const keptPrompt = 4_000

export interface GeminiTurn {
  readonly turn: Turn
  readonly messages: readonly GeminiMessage[]
}

export interface GeminiTurns {
  readonly live: readonly GeminiTurn[]
  readonly setAside: readonly SetAsideBranch[]
  readonly rewinds: readonly RecordedRewind[]
  /** All turns, those set aside too. */
  readonly byId: ReadonlyMap<PromptId, GeminiTurn>
}

/** The turns of a log: a typed prompt with all messages up to the next one. */
export function turnsOf({ order, dropped }: GeminiDocument): GeminiTurns {
  const live = split(order, true)
  const byId = new Map(live.map((turn) => [turn.turn.promptId, turn]))
  const setAside: SetAsideBranch[] = []
  const rewinds: RecordedRewind[] = []
  for (const { messages, afterId, at } of dropped) {
    const turns = split(messages, false).filter(({ turn }) => !byId.has(turn.promptId))
    for (const turn of turns) byId.set(turn.turn.promptId, turn)
    const after = afterId === null ? null : (live.findLast((turn) => turn.messages.some(({ id }) => id === afterId))?.turn.promptId ?? null)
    const first = turns[0]?.turn.promptId
    if (first === undefined) continue
    setAside.push({ after, turns: turns.map(({ turn }) => turn) })
    rewinds.push({ at, droppedFrom: first, dropped: turns.map(({ turn }) => turn.promptId), after })
  }
  return { live, setAside, rewinds, byId }
}

function split(messages: readonly GeminiMessage[], isLive: boolean): readonly GeminiTurn[] {
  const turns: { turn: Turn; messages: GeminiMessage[] }[] = []
  for (const message of messages) {
    const { id, prompt, at, type } = message
    const last = turns.at(-1)
    const isReply = type === 'gemini'
    if (prompt === null && last) last.messages.push(message)
    // What was left of a turn whose prompt was dropped, or lost, is a turn too.
    else if (prompt !== null || isReply) {
      const index = isLive ? turns.length + 1 : null
      const turn = { promptId: promptId(id), index, prompt: cutText(prompt ?? '', keptPrompt), startedAt: at, hasSnapshot: false }
      turns.push({ turn, messages: [message] })
    }
  }
  return turns
}
