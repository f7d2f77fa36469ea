import type { RewindState } from '../state/rewind-slice.js'
import { applyRewind, closeRewind, countPlan, stopRunning } from '../state/rewind-actions.js'
import { useStore } from '../state/store.js'
import { Button } from '../ui/parts.js'
import { rewindHindrance, rewindSentence } from './rewind-words.js'

/** Says that nothing is written yet, and what the button will do. While it runs: how far it is, and the way back. */
export function RewindFoot({ title, isPlanReady }: { readonly title: string; readonly isPlanReady: boolean }) {
  const rewind = useStore((state) => state.rewind)
  if (rewind.running) return <Running running={rewind.running} />
  const count = countPlan(rewind)
  return (
    <footer className="rewind-foot">
      <p className="md t2 grow"><b>Nothing is written yet.</b> <span className="more">A snapshot of now comes first, so this can be undone.</span></p>
      <Button size="big" keys="Escape" onClick={closeRewind}>Cancel</Button>
      <Button size="big" look="primary" icon="back" keys="Mod+Enter" disabledReason={rewindHindrance(count, isPlanReady, title)} onClick={() => void applyRewind()}>
        {rewindSentence(count)}
      </Button>
    </footer>
  )
}

/** So many files still get a cell each; more share one bar. */
const mostCells = 60

function Running({ running }: { readonly running: NonNullable<RewindState['running']> }) {
  const { progress, isStopping } = running
  const done = progress?.done ?? 0
  const total = progress?.total ?? null
  return (
    <footer className="rewind-foot running" aria-live="polite">
      <div className="grow">
        <p className="md t2"><b>{isStopping ? 'Putting back' : 'Rewinding'}</b> {progress?.label ?? 'A snapshot of now comes first.'}</p>
        <div className={total !== null && total <= mostCells ? 'bar cells' : 'bar'} role="progressbar" aria-label="Rewinding" aria-valuemin={0} aria-valuemax={total ?? undefined} aria-valuenow={total === null ? undefined : done}>
          {total !== null && total <= mostCells
            ? Array.from({ length: total }, (_, at) => <i key={at} className={at < done ? 'full' : undefined} />)
            : <i style={{ width: total ? `${(done / total) * 100}%` : '30%' }} />}
        </div>
      </div>
      <span className="md t2">Stop leaves nothing half done</span>
      <Button size="big" disabledReason={isStopping ? 'It is being stopped.' : null} onClick={stopRunning}>Stop and undo</Button>
    </footer>
  )
}
