import { openTranscript, setView } from '../state/actions.js'
import type { Command } from '../state/command.js'
import { liveTurns } from '../state/scope.js'
import { getState, type AppStore } from '../state/store.js'

const isReading = (state: AppStore): boolean => state.view === 'transcript'
const common = { group: 'Transcript', when: isReading } as const

/** Opens the transcript of the turn so many turns away. */
function stepTurn(delta: number): void {
  const { session } = getState()
  if (!session?.transcript) return
  const turns = liveTurns(session)
  const at = turns.findIndex(({ promptId }) => promptId === session.transcript?.promptId)
  const next = turns[at + delta]
  if (next) void openTranscript(next.promptId)
}

export const transcriptCommands: readonly Command[] = [
  { ...common, id: 'transcript.next', label: 'Read the next turn', hint: 'turn', keys: ['J'], run: () => stepTurn(1) },
  { ...common, id: 'transcript.previous', label: 'Read the previous turn', hint: 'turn', keys: ['K'], run: () => stepTurn(-1) },
  { ...common, id: 'transcript.find', label: 'Find in the transcript', hint: 'find', keys: ['/', 'Mod+F'], run: () => document.getElementById('transcript-search')?.focus() },
  { ...common, id: 'transcript.back', label: 'Go back to the changes', hint: 'back to the changes', keys: ['Escape'], run: () => setView('review') },
]
