import { useEffect } from 'react'
import type { PromptId } from '../../shared/ids.js'
import { loadDetails } from '../state/actions.js'
import type { OpenSession } from '../state/shell-slice.js'
import type { TimelineEntry } from './rows.js'

/** Asks for the details of what is on screen, a little after scrolling has come to rest there. */
export function useVisibleDetails(session: OpenSession, entries: readonly TimelineEntry[], first: number, last: number): void {
  const { revision } = session.outline
  useEffect(() => {
    const wait = setTimeout(() => void loadDetails(entries.slice(first, last + 1).flatMap(promptsOf)), 40)
    return () => clearTimeout(wait)
  }, [session.key, revision, entries, first, last])
}

function promptsOf(entry: TimelineEntry): readonly PromptId[] {
  switch (entry.kind) {
    case 'turn':
      return [entry.turn.promptId]
    case 'set-aside-turn':
      return [entry.promptId]
    case 'set-aside':
      return entry.group.turns.map((turn) => turn.promptId)
    case 'day':
      return entry.isOpen ? [] : entry.turns.map((turn) => turn.promptId)
    default:
      return []
  }
}
