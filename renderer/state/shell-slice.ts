import type { AppState, SessionList } from '../../shared/contract.js'
import type { ReviewError } from '../../shared/errors.js'
import type { PromptId, SessionKey, WorkspacePath } from '../../shared/ids.js'
import type { Progress } from '../../shared/rpc.js'
import type { ProblemKind, SessionSummary, TranscriptEntry } from '../../shared/session.js'
import type { Hit, Outline, SessionHeader, SessionMap, TurnDetails } from '../../shared/timeline.js'
import type { Loadable } from './loadable.js'
import { loadPrefs, type Prefs } from './prefs.js'

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** `retryAt`: when the next try begins; `null` while one runs. `isRefused`: the host is there and does not know this window. */
  | { readonly kind: 'lost'; readonly retryAt: number | null; readonly tries: number; readonly isRefused: boolean }

export type View = 'review' | 'map' | 'rewind' | 'receipt' | 'transcript' | 'approvals' | 'policy' | 'connect' | 'search'

/** Views that belong to no session: opening one does not take a person away from there. */
const viewsOfAll: ReadonlySet<View> = new Set(['approvals', 'policy', 'connect', 'search'])

export function isViewOfAll(view: View): boolean {
  return viewsOfAll.has(view)
}

export type Pane = 'sessions' | 'timeline' | 'files' | 'diff' | 'questions' | 'question' | 'filters' | 'results'

export interface Selection {
  readonly turn: PromptId | null
  /** The other end of a range, earlier or later than `turn`; `null` where one turn is looked at. */
  readonly rangeTo: PromptId | null
  /** Index into `outline.rows`; -1 while nothing is selected. A turn set aside has the index of its group. */
  readonly rowIndex: number
  /** `by-user`: what others changed after that turn; `inside`: in the middle of it. */
  readonly part: 'turn' | 'by-user' | 'inside'
}

export interface OpenSession {
  readonly key: SessionKey
  readonly header: SessionHeader
  readonly outline: Outline
  readonly details: ReadonlyMap<PromptId, TurnDetails>
  /** Revision of the outline that each entry of `details` belongs to. */
  readonly detailsRevision: ReadonlyMap<PromptId, number>
  readonly selection: Selection
  /** Groups of turns set aside, and folded days, that are open. */
  readonly openFolds: ReadonlySet<string>
  /** Where the playhead is held while it is dragged or moved by keys: before the row with this index. */
  readonly dragTo: number | null
  readonly map: Loadable<SessionMap>
  /** Revision of the outline that the map was asked for with; -1 while there is none. */
  readonly mapRevision: number
  readonly transcript: OpenTranscript | null
}

export interface OpenTranscript {
  readonly promptId: PromptId
  readonly entries: Loadable<readonly TranscriptEntry[]>
  readonly search: string
  /** What to show first, when one came here from a change. */
  readonly goal: TranscriptGoal | null
  /** Whole outputs that were asked for, by call. */
  readonly outputs: ReadonlyMap<string, Loadable<string>>
}

export type TranscriptGoal =
  | { readonly kind: 'call'; readonly callId: string }
  | { readonly kind: 'file'; readonly path: WorkspacePath }
  /** The first entry that holds these words. */
  | { readonly kind: 'text'; readonly text: string }

/** A session that is being opened. */
export interface Opening {
  readonly key: SessionKey
  readonly title: string
  readonly progress: Progress | null
  readonly error: ReviewError | null
}

export type Notice =
  | { readonly kind: 'error'; readonly id: number; readonly error: ReviewError; readonly retry: (() => void) | null }
  | {
      /** `news` happened elsewhere and can wait. */
      readonly kind: 'done' | 'news' | 'warning' | 'unknown'
      readonly id: number
      /** What happened, one short sentence. */
      readonly title: string
      /** What it means, or what was left out. */
      readonly text: string
      readonly action: { readonly label: string; readonly key: string | null; readonly run: () => void } | null
      /** Of several that speak of the same only the newest is shown: an older one would offer what is done already. */
      readonly about?: 'last operation' | 'new turns'
    }

export type Dialog =
  | { readonly kind: 'palette'; readonly text: string; readonly hits: Loadable<readonly Hit[]> }
  | { readonly kind: 'keys' }
  | { readonly kind: 'open'; readonly busy: boolean; readonly error: ReviewError | null }
  | { readonly kind: 'attach'; readonly session: SessionSummary; readonly busy: boolean; readonly error: ReviewError | null }

/** Lines of the log that one kind of problem is about. */
export interface RawLines {
  readonly problem: ProblemKind
  readonly lines: Loadable<readonly { readonly line: number; readonly raw: string; readonly isCut: boolean }[]>
}

/** Some changed lines of the cell under the pointer. */
export interface MapPeek {
  readonly path: WorkspacePath
  readonly promptId: PromptId
  readonly lines: readonly PeekLine[]
}

export interface PeekLine {
  readonly sign: '+' | '−'
  readonly text: string
}

/** The cell of the map that has the focus. */
export interface MapCursor {
  readonly path: WorkspacePath
  /** Index into `map.turns`; `turns.length` is the user's column. */
  readonly turn: number
}

export interface ShellState {
  readonly connection: Connection
  /** Whether it has been decided what to show first. */
  readonly isStarted: boolean
  readonly app: AppState | null
  readonly library: Loadable<SessionList>
  readonly session: OpenSession | null
  readonly opening: Opening | null
  readonly view: View
  readonly focusedPane: Pane
  readonly dialog: Dialog | null
  readonly notices: readonly Notice[]
  readonly mapCursor: MapCursor | null
  readonly mapProgress: Progress | null
  readonly mapPeek: MapPeek | null
  readonly rawLines: RawLines | null
  /** Words to filter the session list by; `null` while the field is closed. */
  readonly sessionFilter: string | null
  /** Words to look for in the timeline; `null` while the field is closed. */
  readonly timelineFilter: string | null
  readonly prefs: Prefs
}

export const noSelection: Selection = { turn: null, rangeTo: null, rowIndex: -1, part: 'turn' }

export function initialShell(): ShellState {
  return {
    connection: { kind: 'connecting' },
    isStarted: false,
    app: null,
    library: { kind: 'idle' },
    session: null,
    opening: null,
    view: 'review',
    focusedPane: 'timeline',
    dialog: null,
    notices: [],
    mapCursor: null,
    mapProgress: null,
    mapPeek: null,
    rawLines: null,
    sessionFilter: null,
    timelineFilter: null,
    prefs: loadPrefs(),
  }
}
