import { dragPlayhead, goToPlayhead, openTranscript, selectRange, selectRow, selectTurn, setTimelineFilter, setView, toggleFold, extendRange, clearRange } from '../state/actions.js'
import type { Command } from '../state/command.js'
import type { OpenSession } from '../state/shell-slice.js'
import { getState, type AppStore } from '../state/store.js'
import { isSelectable, timelineEntries, type TimelineEntry } from './rows.js'
import { selectedEntry } from './timeline-view.js'

/** A click on a row: selects it, opens or folds a group; with Shift it makes a range up to a turn. */
export function clickEntry(entry: TimelineEntry, isShift: boolean): void {
  if (isShift && entry.kind === 'turn') selectRange(entry.turn.promptId)
  else if (entry.kind === 'day' || entry.kind === 'set-aside') toggleFold(entry.kind === 'day' ? entry.foldId : entry.group.id)
  else selectEntry(entry)
}

/** Enter, or a double click: the transcript of a turn, or the inside of a group. */
export function openEntry(entry: TimelineEntry): void {
  if (entry.kind === 'turn') void openTranscript(entry.turn.promptId)
  else if (entry.kind === 'set-aside-turn') void openTranscript(entry.promptId)
}

function selectEntry(entry: TimelineEntry): void {
  if (entry.kind === 'turn') selectTurn(entry.turn.promptId)
  else if (entry.kind === 'set-aside-turn') selectTurn(entry.promptId)
  else if (entry.kind !== 'playhead') selectRow(entry.row)
}

/** Moves the selection over what can be selected; at the ends it stays. */
export function moveSelection(delta: number): void {
  withEntries((entries, selected, session) => {
    const step = Math.sign(delta)
    let at = selected
    for (let left = Math.abs(delta); left > 0; left--) {
      let next = at + step
      for (let entry = entries[next]; entry && !canSelect(entry, session); entry = entries[next]) next += step
      if (!entries[next]) break
      at = next
    }
    const entry = entries[at]
    if (entry && at !== selected) selectEntry(entry)
  })
}

/** The first turn from the selected one on, in one direction, whose number or prompt has these words. */
export function findTurn(words: string, delta: 1 | -1): void {
  const { session } = getState()
  const wanted = words.trim().toLowerCase()
  if (!session || wanted === '') return
  const rows = session.outline.rows
  const byNumber = /^\d+$/.test(wanted) ? rows.findIndex((row) => row.kind === 'turn' && row.index === Number(wanted)) : -1
  if (byNumber >= 0) return selectRow(byNumber)
  for (let step = 1; step <= rows.length; step++) {
    const at = (session.selection.rowIndex + delta * step + rows.length * 2) % rows.length
    const row = rows[at]
    if (row?.kind === 'turn' && row.prompt.toLowerCase().includes(wanted)) return selectRow(at)
    if (row?.kind === 'set-aside') {
      const turn = row.turns.find(({ prompt }) => prompt.toLowerCase().includes(wanted))
      if (turn) return selectTurn(turn.promptId)
    }
  }
}

function canSelect(entry: TimelineEntry, session: OpenSession): boolean {
  return isSelectable(entry, (session.header.byUser?.files ?? 0) > 0)
}

function withEntries(act: (entries: readonly TimelineEntry[], selected: number, session: OpenSession) => void): void {
  const { session } = getState()
  if (!session) return
  const entries = timelineEntries(session.outline, session.openFolds, null)
  act(entries, selectedEntry(entries, session), session)
}

function setFold(isOpen: boolean): void {
  withEntries((entries, selected, session) => {
    const entry = entries[selected]
    const id = entry?.kind === 'day' ? entry.foldId : entry?.kind === 'set-aside' ? entry.group.id : entry?.kind === 'set-aside-turn' ? entry.key.split(' ')[0] : undefined
    if (id !== undefined && session.openFolds.has(id) !== isOpen) toggleFold(id)
  })
}

function openSelected(): void {
  withEntries((entries, selected) => {
    const entry = entries[selected]
    if (entry?.kind === 'day' || entry?.kind === 'set-aside') clickEntry(entry, false)
    else if (entry) openEntry(entry)
  })
}

const isReading = ({ session, view, changes }: AppStore): boolean => session !== null && view === 'review' && changes.takingBack === null
const isDragging = ({ session }: AppStore): boolean => session !== null && session.dragTo !== null
const inTimeline = (state: AppStore): boolean => isReading(state) && state.focusedPane === 'timeline'
const hasSession = ({ session, view }: AppStore): boolean => session !== null && (view === 'review' || view === 'map' || view === 'transcript')

export const timelineCommands: readonly Command[] = [
  { id: 'timeline.next', label: 'Go to the next turn', hint: 'turn', keys: ['J', 'ArrowDown'], group: 'Timeline', when: inTimeline, run: () => moveSelection(1) },
  { id: 'timeline.previous', label: 'Go to the previous turn', hint: 'turn', keys: ['K', 'ArrowUp'], group: 'Timeline', when: inTimeline, run: () => moveSelection(-1) },
  { id: 'timeline.first', label: 'Go to the first turn', hint: null, keys: ['Home'], group: 'Timeline', when: inTimeline, run: () => moveSelection(-Infinity) },
  { id: 'timeline.last', label: 'Go to the last turn', hint: null, keys: ['End'], group: 'Timeline', when: inTimeline, run: () => moveSelection(Infinity) },
  { id: 'timeline.page-down', label: 'Go ten turns down', hint: null, keys: ['PageDown'], group: 'Timeline', when: inTimeline, run: () => moveSelection(10) },
  { id: 'timeline.page-up', label: 'Go ten turns up', hint: null, keys: ['PageUp'], group: 'Timeline', when: inTimeline, run: () => moveSelection(-10) },
  { id: 'timeline.open', label: 'Read the transcript of the turn', hint: 'transcript', keys: ['Enter'], group: 'Timeline', when: inTimeline, run: openSelected },
  { id: 'timeline.unfold', label: 'Open a folded group', hint: null, keys: ['ArrowRight'], group: 'Timeline', when: inTimeline, run: () => setFold(true) },
  { id: 'timeline.fold', label: 'Fold a group', hint: null, keys: ['ArrowLeft'], group: 'Timeline', when: inTimeline, run: () => setFold(false) },
  { id: 'timeline.extend-down', label: 'Extend the range to a later turn', hint: null, keys: ['Shift+J', 'Shift+ArrowDown'], group: 'Timeline', when: isReading, run: () => extendRange(1) },
  { id: 'timeline.extend-up', label: 'Extend the range to an earlier turn', hint: null, keys: ['Shift+K', 'Shift+ArrowUp'], group: 'Timeline', when: isReading, run: () => extendRange(-1) },
  { id: 'timeline.put-back', label: 'Put the playhead back', hint: null, keys: ['Escape'], group: 'Timeline', when: isDragging, run: () => dragPlayhead(null) },
  { id: 'timeline.one', label: 'Look at one turn instead of a range', hint: null, keys: ['Escape'], group: 'Timeline', when: (state) => isReading(state) && state.session?.selection.rangeTo !== null, run: clearRange },
  { id: 'timeline.playhead', label: 'Go to where the disk stands', hint: null, keys: ['D'], group: 'Timeline', when: hasSession, run: goToPlayhead },
  { id: 'timeline.find', label: 'Find a turn by number or words', hint: null, keys: ['/'], group: 'Timeline', when: hasSession, run: showFinder },
]

function showFinder(): void {
  if (getState().view !== 'review') setView('review')
  setTimelineFilter(getState().timelineFilter ?? '')
}
