import { ReviewError } from '../../shared/errors.js'
import type { Moment } from '../../shared/file-state.js'
import type { RewindTarget } from '../../shared/rewind.js'
import type { Turn } from '../../shared/session.js'
import type { SetAsideBranch } from '../sessions/recorded-session.js'

interface Turns {
  readonly turns: readonly Turn[]
  readonly setAside: readonly SetAsideBranch[]
}

/**
 * The live turn that a person named: its 1-based number or its promptId.
 * Errors: TURN_NOT_FOUND, TURN_SET_ASIDE.
 */
export function turnNamed(session: Turns, name: string): Turn {
  const turn = session.turns.find((each) => each.promptId === name) ?? session.turns.find((each) => String(each.index) === name)
  if (turn) return turn
  const isAside = session.setAside.some((branch) => branch.turns.some((each) => each.promptId === name))
  if (isAside) throw new ReviewError('TURN_SET_ASIDE', 'This turn was taken back by the agent, so no files can be read or restored from it. Name a live turn.')
  const range = session.turns.length === 0 ? 'The session has no turns.' : `Turns are numbered 1 to ${session.turns.length}.`
  throw new ReviewError('TURN_NOT_FOUND', `There is no turn "${name}". ${range}`)
}

/**
 * Where a person wants to go back to: the start of a turn, or with "3.2" right after the second change that the agent made in turn 3.
 * Errors: TURN_NOT_FOUND, TURN_SET_ASIDE.
 */
export function targetNamed(session: Turns, name: string): RewindTarget {
  const [, turn, step] = /^(.+)\.([1-9]\d{0,6})$/.exec(name) ?? []
  const isWhole = turn === undefined || session.turns.some(({ promptId }) => promptId === name)
  return isWhole ? { kind: 'start', promptId: turnNamed(session, name).promptId } : { kind: 'step', promptId: turnNamed(session, turn).promptId, step: Number(step) }
}

/**
 * The moment that a person named: `start` and a turn mean the start of a turn, `3.2` a moment inside one, `end` the end of the last one,
 * `disk` now.
 * Errors: TURN_NOT_FOUND, TURN_SET_ASIDE.
 */
export function momentNamed(session: Turns, name: string): Moment {
  if (name === 'disk') return { kind: 'disk' }
  const edge = name === 'start' ? session.turns.at(0) : name === 'end' ? session.turns.at(-1) : null
  if (edge === undefined) throw new ReviewError('TURN_NOT_FOUND', 'The session has no turns.')
  if (edge) return { kind: name === 'end' ? 'end' : 'start', promptId: edge.promptId }
  return targetNamed(session, name)
}
