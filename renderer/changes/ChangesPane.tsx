import { useEffect, useRef } from 'react'
import type { FileChange } from '../../shared/file-state.js'
import { cancelChanges, loadChanges, reloadChanges } from '../state/changes-actions.js'
import { valueOf } from '../state/loadable.js'
import { rememberPanes } from '../state/prefs-actions.js'
import { scopeOf, seesDisk } from '../state/scope.js'
import { useStore } from '../state/store.js'
import { openTranscript } from '../state/view-actions.js'
import { Icon } from '../ui/icons.js'
import { Button, EmptyState, ErrorState, LoadingState, ProgressLine } from '../ui/parts.js'
import { countText } from '../ui/words.js'
import { ChangesHead } from './ChangesHead.js'
import { DiffPane } from './DiffPane.js'
import { FileList, rowHeight } from './FileList.js'
import { emptyTexts } from './scope-words.js'
import { SplitHandle } from './SplitHandle.js'
import { TakeBackDialog } from './TakeBackDialog.js'
import { TurnLimits } from './TurnLimits.js'
import { useIsNarrow } from './use-size.js'
import './changes.css'

const narrowPx = 760
const paneGroup = 'changes'

/** Files of the scope over the diff of the one that is selected. */
export function ChangesPane() {
  const pane = useRef<HTMLElement>(null)
  const isNarrow = useIsNarrow(pane, narrowPx)
  const scope = useStore((state) => (state.session ? JSON.stringify(scopeOf(state.session, state.changes.scopeKind)) : null))
  const key = useStore((state) => state.session?.key)
  const revision = useStore((state) => state.session?.outline.revision)
  const byUser = useStore(({ session, changes }) => (session && seesDisk(scopeOf(session, changes.scopeKind)) ? JSON.stringify(session.header.byUser) : null))
  const list = useStore((state) => state.changes.list)
  const files = valueOf(list)
  const turn = useStore(({ changes }) => (changes.scope?.kind === 'turn' ? changes.scope.promptId : null))

  useEffect(() => {
    void loadChanges(scope === null ? null : JSON.parse(scope))
  }, [scope, key, revision, byUser])

  return (
    <section ref={pane} className={`pane paper changes${isNarrow ? ' narrow' : ''}`} aria-label="Changes">
      <ChangesHead isNarrow={isNarrow} />
      {turn !== null && <TurnLimits key={turn} turn={turn} isOpen={files?.length === 0} />}
      {list.kind === 'loading' && !files && <Waiting />}
      {list.kind === 'idle' && <Idle />}
      {list.kind === 'error' && <ErrorState error={list.error} onRetry={reloadChanges} />}
      {files && files.length === 0 && <NoFiles />}
      {files && files.length > 0 && (
        <>
          <Files files={files} isNarrow={isNarrow} />
          <DiffPane isNarrow={isNarrow} />
        </>
      )}
      <TakeBackDialog />
    </section>
  )
}

function Files({ files, isNarrow }: { readonly files: readonly FileChange[]; readonly isNarrow: boolean }) {
  const selectedPath = useStore((state) => state.changes.selectedPath)
  const chosen = useStore((state) => state.prefs.panes[paneGroup]?.['list'] ?? null)
  const all = files.length * rowHeight
  const rest = files.length - 5
  const isFolded = isNarrow && chosen === null && rest > 1
  const height = Math.min(all, chosen ?? (isFolded ? 5 : 9) * rowHeight)
  const resize = (list: number): void => rememberPanes(paneGroup, { list })
  return (
    <>
      <div className="files" style={{ height }}><FileList files={files} selectedPath={selectedPath} /></div>
      {isFolded && (
        <button type="button" className="more-rows" onClick={() => resize(Math.min(all, 9 * rowHeight))}>
          <Icon name="down" size={14} />{countText(rest, 'more row')}
        </button>
      )}
      <SplitHandle
        label="Height of the file list"
        sizePx={height}
        minPx={Math.min(all, 3 * rowHeight)}
        maxPx={all}
        onResize={resize}
        onReset={() => rememberPanes(paneGroup, {})}
      />
    </>
  )
}

function Waiting() {
  const progress = useStore((state) => state.changes.progress)
  if (!progress) return <LoadingState label="Comparing files" />
  const { label, done, total } = progress
  return <div className="waiting"><ProgressLine title="Comparing files" note={label} done={done} total={total} onCancel={cancelChanges} /></div>
}

function Idle() {
  const hasSession = useStore((state) => state.session !== null)
  const scope = useStore((state) => state.changes.scope)
  if (!hasSession) return null
  if (scope) return <EmptyState icon="file" title="Stopped before all files were compared" actions={<Button size="small" onClick={reloadChanges}>Compare again</Button>} />
  return <EmptyState icon="rail" title="No turn is selected">Choose one in the timeline to see what it changed.</EmptyState>
}

function NoFiles() {
  const session = useStore((state) => state.session)
  const scope = useStore((state) => state.changes.scope)
  if (!session || !scope) return null
  const { title, text } = emptyTexts(session, scope, [])
  const turn = scope.kind === 'turn' ? scope.promptId : null
  return (
    <EmptyState icon="file" title={title} actions={turn && <Button size="small" icon="command" onClick={() => void openTranscript(turn)}>Show the transcript</Button>}>
      {text}
    </EmptyState>
  )
}
