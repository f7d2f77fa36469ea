import { useEffect } from 'react'
import type { ReviewError } from '../../shared/errors.js'
import { chooseLog, chooseWorkspace, dismissNotice } from '../state/actions.js'
import type { Notice } from '../state/shell-slice.js'
import { getState, useStore } from '../state/store.js'
import { errorTexts, errorWords } from '../ui/error-text.js'
import { Icon } from '../ui/icons.js'
import { Button, IconButton } from '../ui/parts.js'

const looks = {
  done: { className: 'notice', icon: 'check' },
  news: { className: 'notice', icon: 'agent' },
  warning: { className: 'notice warn', icon: 'conflict' },
  error: { className: 'notice error', icon: 'cross' },
  unknown: { className: 'notice unknown', icon: 'question' },
} as const

/** What just happened, above the foot bar; the newest one lowest. */
export function Notices() {
  const notices = useStore((state) => state.notices)
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

/** What went well, and what was only to be known, needs no answer and goes by itself. An error stays. */
const staysMs = { done: 10_000, news: 20_000, warning: 30_000 } as const

function NoticeLine({ notice }: { readonly notice: Notice }) {
  useEffect(() => {
    if (notice.kind === 'error' || notice.kind === 'unknown') return
    const timer = setTimeout(() => dismissNotice(notice.id), staysMs[notice.kind])
    return () => clearTimeout(timer)
  }, [notice])
  const { className, icon } = looks[notice.kind]
  const action = notice.kind === 'error' ? actionFor(notice.error, notice.retry) : notice.action
  const { title, text } = notice.kind === 'error' ? errorWords(notice.error) : notice
  return (
    <div className={className}>
      <Icon name={icon} />
      <span className="grow">
        <b className="b">{title}</b> <span className="t2">{text}</span>
      </span>
      {action && (
        <Button
          size="small"
          keys={action.key}
          onClick={() => {
            dismissNotice(notice.id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="cross" label="Dismiss" onClick={() => dismissNotice(notice.id)} />
    </div>
  )
}

/** The one thing that helps after an error; `null` where nothing does. */
function actionFor(
  error: ReviewError,
  retry: (() => void) | null,
): { readonly label: string; readonly key: string | null; readonly run: () => void } | null {
  switch (errorTexts[error.code].action) {
    case 'retry':
      return retry && { label: 'Try again', key: null, run: retry }
    case 'reload':
      return { label: 'Reload the window', key: null, run: () => window.location.reload() }
    case 'open-other':
      return { label: 'Open…', key: null, run: () => void chooseLog() }
    case 'attach':
      return { label: 'Attach a folder…', key: null, run: attachToOpen }
    case 'none':
      return null
  }
}

function attachToOpen(): void {
  const { session } = getState()
  if (session) void chooseWorkspace(session.key)
}
