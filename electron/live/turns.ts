import { promptId, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import type { FileHistory } from '../history/file-history.js'
import type { SessionLog } from '../history/session-log.js'
import type { ChangeNotes } from './change-notes.js'
import { titleOf } from './title.js'

/** The turns of a session: one for each prompt that the agent tells of, or that its silence lets suppose. */
export interface Turns {
  /** 0 before the first. */
  readonly number: () => number
  readonly promptId: () => PromptId
  /** The first prompt's first line. */
  readonly title: () => string
  readonly lastPrompt: () => string
  readonly lastCallAt: () => number | null
  /** Begins one; resolves when its snapshot is in the log. Errors: those of the log, WORKSPACE_MISSING; then none has begun. */
  readonly begin: (text: string) => Promise<{ readonly turn: number; readonly changedByOthers: readonly WorkspacePath[] }>
  /** A call belongs to a turn: begins one where none runs, or the agent was silent for long. */
  readonly touch: (tool: string) => Promise<void>
  /** A call comes; `touch` does not take the time of an open one for silence. */
  readonly callBegins: () => void
  readonly callEnds: () => void
  /** Resolves when no turn is about to begin. */
  readonly settled: () => Promise<unknown>
}

export interface TurnsParts {
  readonly sessionId: string
  readonly openedLog: () => Promise<SessionLog>
  readonly notes: ChangeNotes
  readonly history: FileHistory
  /** Where an earlier session goes on. */
  readonly earlier: EarlierTurns | null
  /** Notes what others changed since it ended; for the first call of a session that goes on. */
  readonly lookBack: () => Promise<void>
  /** Resolves after the first look at the workspace, or when that takes too long. */
  readonly whenLooked: () => Promise<void>
  /** Whether silence begins a turn now. */
  readonly mayBeIdle: () => boolean
  readonly onBegun: (text: string) => Promise<void>
  readonly now: () => number
}

export interface EarlierTurns {
  readonly number: number
  readonly title: string
  readonly lastPrompt: string
  /** `null`: another turn begins with the first call. */
  readonly lastCallAt: number | null
}

/** The first call after so long without one begins a turn, where the agent does not say when a prompt came. */
const idleMs = 5 * 60_000

export function createTurns({ sessionId, openedLog, notes, history, earlier, lookBack, whenLooked, mayBeIdle, onBegun, now }: TurnsParts): Turns {
  let { number, title, lastPrompt, lastCallAt }: EarlierTurns = earlier ?? { number: 0, title: '', lastPrompt: '', lastCallAt: null }
  let hasLooked = false
  let openCalls = 0
  let last: Promise<unknown> = Promise.resolve()

  const idOf = (turn: number): PromptId => promptId(`${sessionId}########${turn}`)

  /** What changes before it is not known, but for the files that an earlier session had changed. */
  const firstLook = async (): Promise<void> => {
    if (hasLooked) return
    await whenLooked()
    if (earlier) await lookBack()
    hasLooked = true
  }

  const beginNow = async (text: string): ReturnType<Turns['begin']> => {
    const isFirst = number === 0
    await firstLook()
    // What changed since the agent connected comes before the first turn. A first look that goes on for longer is not waited for.
    if (!isFirst || notes.isReady()) await notes.look()
    await (await openedLog()).prompt(text, idOf(number + 1), now())
    number++
    lastCallAt = now()
    lastPrompt = text
    if (isFirst) title = titleOf(text)
    const changedByOthers = await notes.noteFound(true)
    await history.makeSnapshot(idOf(number))
    await onBegun(text)
    return { turn: number, changedByOthers }
  }

  /** Turns begin one after the other, however many calls come at once. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }

  return {
    number: () => number,
    promptId: () => idOf(number),
    title: () => title,
    lastPrompt: () => lastPrompt,
    lastCallAt: () => lastCallAt,
    begin: (text) => inTurn(() => beginNow(text)),
    touch: (tool) =>
      inTurn(async () => {
        const isIdle = openCalls <= 1 && (lastCallAt === null || now() - lastCallAt > idleMs) && mayBeIdle()
        if (number > 0 && !isIdle && !hasLooked) {
          await firstLook()
          await notes.noteFound(false)
        }
        if (number === 0 || isIdle) await beginNow(`(The agent gave no prompt. Its first call was ${tool}.)`)
        lastCallAt = now()
      }),
    callBegins: () => {
      openCalls++
    },
    callEnds: () => {
      openCalls--
      lastCallAt = now()
    },
    settled: () => last,
  }
}
