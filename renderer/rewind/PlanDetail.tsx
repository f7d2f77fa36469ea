import type { PlannedFile } from '../../shared/rewind.js'
import { DiffEditor } from '../changes/DiffEditor.js'
import { FactsPanel } from '../changes/FactsPanel.js'
import { PathName } from '../changes/PathName.js'
import { valueOf } from '../state/loadable.js'
import type { OpenTexts } from '../state/rewind-slice.js'
import { canEdit, chooseSide, clearResolution, editInPlace, loadTexts, toggleDetail } from '../state/rewind-texts-actions.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Button, ErrorState, LoadingState } from '../ui/parts.js'
import { detailBodyOf } from './detail-body.js'
import { actionWords } from './rewind-words.js'
import { ThreeTexts } from './ThreeTexts.js'

/** The selected file of the preview: three texts and their result where they are in conflict, else disk against result. */
export function PlanDetail() {
  const file = useStore((state) => (state.rewind.selectedPath === null ? undefined : state.rewind.known.get(state.rewind.selectedPath)))
  const texts = useStore((state) => state.rewind.texts)
  const open = valueOf(texts)
  if (!file) return <span className="grow" />
  const isHere = open?.texts.path === file.path
  return (
    <section className="plan-detail" aria-label={file.path}>
      <DetailHead file={file} open={isHere ? open : null} />
      {texts.kind === 'error' && <ErrorState error={texts.error} onRetry={() => void loadTexts()} />}
      {texts.kind === 'loading' && !isHere && <LoadingState label="Reading the texts" />}
      {open && isHere && <Body open={open} />}
    </section>
  )
}

function DetailHead({ file, open }: { readonly file: PlannedFile; readonly open: OpenTexts | null }) {
  const resolution = useStore((state) => state.rewind.resolutions[file.path])
  const detail = useStore((state) => state.rewind.detail)
  const { icon, look } = actionWords(file.action)
  const conflicts = open?.chosen.length ?? 0
  const isConflict = conflicts > 0 || file.action === 'conflict'
  return (
    <div className="diff-head">
      <span className={`action ${look}`}><Icon name={icon} size={14} /></span>
      <h2 className="b ell"><PathName path={file.path} /></h2>
      <span className="md t2 ell plan-reason">{open && conflicts > 0 ? conflictText(open, resolution !== undefined) : file.reason}</span>
      <span className="grow" />
      {resolution && <Button size="small" look="quiet" onClick={clearResolution}>Choose again</Button>}
      {isConflict && (
        <>
          <Button size="small" keys="M" onClick={() => chooseSide('mine')}>Keep mine</Button>
          <Button size="small" keys="O" onClick={() => chooseSide('old')}>Take the old one</Button>
          {canEdit(open) && <Button size="small" keys="E" onClick={editInPlace}>Edit in place</Button>}
          {conflicts > 0 && <Button size="small" keys="Enter" onClick={toggleDetail}>{detail === 'texts' ? 'Diff' : 'Three texts'}</Button>}
        </>
      )}
    </div>
  )
}

function conflictText({ chosen, current }: OpenTexts, isResolved: boolean): string {
  if (isResolved) return chosen.length === 1 ? 'You have chosen' : `You have chosen for all ${chosen.length} conflicts`
  return `Conflict ${current + 1} of ${chosen.length}. Everything else merges cleanly`
}

function Body({ open }: { readonly open: OpenTexts }) {
  const resolution = useStore((state) => state.rewind.resolutions[open.texts.path] ?? null)
  const detail = useStore((state) => state.rewind.detail)
  const isSideBySide = useStore((state) => state.prefs.diffLayout === 'side')
  const isWrapped = useStore((state) => state.prefs.wrap)
  const body = detailBodyOf(open, resolution, detail)
  switch (body.kind) {
    case 'texts':
      return <ThreeTexts open={open} />
    case 'diff':
      return <DiffEditor path={open.texts.path} before={body.before} after={body.after} isSideBySide={isSideBySide} isWrapped={isWrapped} />
    case 'facts':
      return <FactsPanel title={body.title} before={body.before} after={body.after} sideNames={['Disk now', 'After the rewind']} />
  }
}
