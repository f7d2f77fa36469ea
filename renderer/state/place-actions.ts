import type { PromptId, SessionKey, WorkspacePath } from '../../shared/ids.js'
import { openFile } from './changes-actions.js'
import { openSession } from './session-actions.js'
import { selectTurn } from './selection-actions.js'
import type { TranscriptGoal } from './shell-slice.js'
import { getState, setState } from './store.js'
import { openTranscript, setTranscriptSearch } from './view-actions.js'

/** A place in any session. */
export type Place = { readonly session: SessionKey; readonly promptId: PromptId } & (
  | { readonly kind: 'turn' }
  /** `hunk` from 1; `null` for the first one. */
  | { readonly kind: 'file'; readonly path: WorkspacePath; readonly hunk: number | null }
  | { readonly kind: 'transcript'; readonly goal: TranscriptGoal | null; readonly words: string }
)

/** Opens the session where it is not open, and shows the place. Where the session cannot be opened, that is shown in its stead. */
export async function goToPlace(place: Place): Promise<void> {
  setState({ view: 'review' })
  if (getState().session?.key !== place.session) await openSession(place.session)
  // Meanwhile the person may have gone elsewhere, or the session could not be read.
  const { session, opening, view } = getState()
  if (session?.key !== place.session || opening !== null || view !== 'review') return
  selectTurn(place.promptId)
  switch (place.kind) {
    case 'turn':
      return
    case 'file':
      return openFile(place.path, place.hunk)
    case 'transcript':
      await openTranscript(place.promptId, place.goal)
      setTranscriptSearch(place.words)
  }
}
