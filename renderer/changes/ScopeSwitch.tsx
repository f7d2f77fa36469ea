import { scopeKindsOf, setScopeKind } from '../state/changes-actions.js'
import { rangeOf, scopeOf, type ScopeKind } from '../state/scope.js'
import { useStore } from '../state/store.js'
import { Segments } from '../ui/parts.js'
import { rangeText } from './scope-words.js'

/** Chooses between which two moments the files are compared. */
export function ScopeSwitch() {
  const session = useStore((state) => state.session)
  const kind = useStore((state) => state.changes.scopeKind)
  if (!session) return null
  const range = rangeOf(session)
  const shown = scopeOf(session, kind)?.kind
  // An entry that is no turn is compared with nothing but what was there before it.
  const isEntry = shown === 'operation' || shown === 'by-user' || shown === 'user-in-turn'
  const entry = shown === 'by-user' || shown === 'user-in-turn' ? { label: 'Edits by you', title: 'What others than the agent changed here' } : { label: 'This entry', title: 'What this entry of the timeline changed' }
  const labels: Readonly<Record<ScopeKind, { readonly label: string; readonly title: string }>> = {
    turn: isEntry ? entry : { label: 'This turn', title: 'What the selected turn changed' },
    'to-disk': { label: 'To disk', title: 'From the start of the selected turn to the disk now' },
    session: { label: 'Whole session', title: 'From the first turn to the end of the last one' },
    range: { label: range ? rangeText(session, range) : 'Range', title: 'From the start of the first to the end of the last turn of the bracket' },
    'since-reviewed': { label: 'Since I last looked', title: 'From what you marked as reviewed to what is there now' },
    base: { label: 'Since the branch began', title: `From the commit that ${session.header.base?.branch ?? 'the worktree'} left from to the disk, whoever changed it` },
  }
  return (
    <Segments
      label="Compare"
      value={range ? 'range' : isEntry ? 'turn' : kind}
      options={scopeKindsOf(range !== null, session.header.base !== null).filter((value) => !isEntry || value !== 'to-disk').map((value) => ({ value, ...labels[value] }))}
      onChange={setScopeKind}
    />
  )
}
