import { Dialog } from 'radix-ui'
import type { TakeBackPlan } from '../../shared/rewind.js'
import { applyTakeBack, closeTakeBack } from '../state/take-back-actions.js'
import { useStore } from '../state/store.js'
import { Button, ErrorState, LoadingState, Stat } from '../ui/parts.js'
import { DiffEditor } from './DiffEditor.js'

/** Asks before one change is taken back: what the file will be, or why it cannot. */
export function TakeBackDialog() {
  const takingBack = useStore((state) => state.changes.takingBack)
  if (!takingBack) return null
  const { path, hunk, plan, isRunning, error } = takingBack
  const ready = plan.kind === 'ready' ? plan.value : null
  const isBare = ready !== null && ready.before.kind !== 'text' && ready.after.kind !== 'text'
  return (
    <Dialog.Root open onOpenChange={(isOpen) => { if (!isOpen) closeTakeBack() }}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil" />
        <Dialog.Content className={isBare ? 'dialog take-back bare' : 'dialog take-back'} aria-describedby="take-back-reason">
          <header className="dialog-head">
            <Dialog.Title className="b ell">Take back change {hunk} of {path}</Dialog.Title>
            {ready && ready.fits && <span className="md"><Stat stat={ready.stat} /></span>}
          </header>
          <p id="take-back-reason" className="t2">{ready?.reason ?? 'Looking at what the file is now.'}</p>
          <div className="take-back-body">
            {plan.kind === 'loading' && <LoadingState label="Making the preview" />}
            {plan.kind === 'error' && <ErrorState error={plan.error} />}
            {ready && <Preview plan={ready} />}
          </div>
          {error && <ErrorState error={error} />}
          <footer className="dialog-foot">
            <span className="md t2 grow">{ready?.fits ? 'All later changes stay. This can be undone.' : 'Nothing is written.'}</span>
            <Button autoFocus keys="Escape" onClick={closeTakeBack}>{ready && !ready.fits ? 'Close' : 'Cancel'}</Button>
            {ready?.fits && (
              <Button look="primary" icon="back" keys="Mod+Enter" disabledReason={isRunning ? 'It is being written.' : null} onClick={() => void applyTakeBack()}>
                Take back change {hunk}
              </Button>
            )}
          </footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Preview({ plan }: { readonly plan: TakeBackPlan }) {
  const { before, after, path } = plan
  const text = (side: typeof before): string | null => (side.kind === 'text' ? side.text : null)
  if (before.kind !== 'text' && after.kind !== 'text') return null
  return <DiffEditor path={path} before={text(before)} after={text(after)} isSideBySide={false} isWrapped />
}
