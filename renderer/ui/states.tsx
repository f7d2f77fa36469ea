import type { ReactNode } from 'react'
import type { ReviewError } from '../../shared/errors.js'
import { errorWords } from './error-text.js'
import { Icon, type IconName } from './icons.js'
import { Button } from './parts.js'

interface StateProps {
  readonly icon?: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** A panel without content: what that means, and what can be done. */
export function EmptyState({ icon = 'file', title, children, actions }: StateProps) {
  return (
    <div className="state">
      <Icon name={icon} />
      <h3 className="b">{title}</h3>
      {children && <p>{children}</p>}
      {actions && <div className="row">{actions}</div>}
    </div>
  )
}

/** Grey lines, shown only when the wait lasts more than 150 ms. */
export function LoadingState({ label = 'Loading', lines = 6 }: { readonly label?: string; readonly lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, at) => (
        <i key={at} style={{ width: `${45 + ((at * 37) % 50)}%` }} />
      ))}
    </div>
  )
}

/** A refusal in place of a panel's content. */
export function ErrorState({
  error,
  onRetry,
  actions,
}: {
  readonly error: ReviewError
  readonly onRetry?: () => void
  readonly actions?: ReactNode
}) {
  const { title, text } = errorWords(error)
  return (
    <div className="state" role="alert">
      <Icon name="conflict" />
      <h3 className="b">{title}</h3>
      <p>{text}</p>
      <div className="row">
        {onRetry && (
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        )}
        {actions}
      </div>
    </div>
  )
}

export function PaneHead({ title, note, children }: { readonly title: string; readonly note?: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className="head">
      <h2>{title}</h2>
      {note !== undefined && <span className="md t3 ell">{note}</span>}
      <span className="grow" />
      {children}
    </div>
  )
}

/** Progress of a job, with the way out. */
export function ProgressLine({
  title,
  note,
  done,
  total,
  onCancel,
}: {
  readonly title: string
  readonly note: string
  readonly done: number
  readonly total: number | null
  readonly onCancel: (() => void) | null
}) {
  const share = total ? Math.min(1, done / total) : null
  return (
    <div className="late">
      <div className="row">
        <span className="b ell">{title}</span>
        <span className="md t2 ell grow">{note}</span>
        {onCancel && (
          <Button size="small" keys="Escape" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
      <div
        className="bar"
        style={{ marginTop: 6 }}
        role="progressbar"
        aria-label={title}
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: share === null ? '30%' : `${share * 100}%` }} />
      </div>
    </div>
  )
}
