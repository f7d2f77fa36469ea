import type { PromptId, SessionKey } from '../../shared/ids.js'
import { promptId } from '../../shared/ids.js'
import type { Outline } from '../../shared/timeline.js'
import type { ScopeKind } from './scope.js'
import { noSelection, type Selection } from './shell-slice.js'
import { useStore, type AppStore } from './store.js'

const storageKey = 'overturn.place'
const scopeKinds: readonly ScopeKind[] = ['turn', 'to-disk', 'session', 'range', 'since-reviewed', 'base']

/** Where one is in a session; kept while the window lives, so that a reload comes back to it. */
export interface KeptPlace {
  readonly session: string
  readonly turn: PromptId | null
  readonly rangeTo: PromptId | null
  readonly scopeKind: ScopeKind
}

/** The kept place of a session; `null` where none was kept, or what was kept is damaged. */
export function keptPlace(session: SessionKey, stored: string | null = readStored()): KeptPlace | null {
  try {
    const value: unknown = JSON.parse(stored ?? 'null')
    if (typeof value !== 'object' || value === null || !('session' in value) || value.session !== session) return null
    const id = (name: 'turn' | 'rangeTo'): PromptId | null => {
      const known: unknown = Reflect.get(value, name)
      return typeof known === 'string' ? promptId(known) : null
    }
    const kind: unknown = Reflect.get(value, 'scopeKind')
    return { session, turn: id('turn'), rangeTo: id('rangeTo'), scopeKind: scopeKinds.find((known) => known === kind) ?? 'turn' }
  } catch {
    return null
  }
}

/** The selection that a kept place stands for in an outline; `null` where its turn is not there any more. */
export function keptSelection(place: KeptPlace, outline: Outline): Selection | null {
  const rowOf = (id: PromptId | null): number =>
    outline.rows.findIndex((row) => (row.kind === 'turn' ? row.promptId === id : row.kind === 'set-aside' && row.turns.some(({ promptId }) => promptId === id)))
  const rowIndex = rowOf(place.turn)
  if (place.turn === null || rowIndex < 0) return null
  return { ...noSelection, turn: place.turn, rowIndex, rangeTo: rowOf(place.rangeTo) < 0 ? null : place.rangeTo }
}

/** Keeps the place of the open session whenever it changes. */
export function keepPlace(signal: AbortSignal): void {
  const stop = useStore.subscribe((state, before) => {
    if (state.session && (state.session.selection !== before.session?.selection || state.changes.scopeKind !== before.changes.scopeKind)) store(state)
  })
  signal.addEventListener('abort', stop)
}

function store({ session, changes }: AppStore): void {
  if (!session || session.selection.turn === null) return
  const { turn, rangeTo } = session.selection
  const place: KeptPlace = { session: session.key, turn, rangeTo, scopeKind: changes.scopeKind }
  try {
    globalThis.sessionStorage?.setItem(storageKey, JSON.stringify(place))
  } catch {
    // Storage can be switched off; a reload then begins at the newest turn.
  }
}

function readStored(): string | null {
  try {
    return globalThis.sessionStorage?.getItem(storageKey) ?? null
  } catch {
    return null
  }
}
