import { useEffect, useRef, useState } from 'react'
import { isOpen, type Approval } from '../../shared/approval.js'
import type { ApprovalId } from '../../shared/ids.js'
import { selectEntry, setView, showTab } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { getState, useStore } from '../state/store.js'
import { wantsText } from './approval-words.js'
import { permission } from './notify.js'

const none: readonly Approval[] = []

/**
 * Draws attention to questions: their number in the window's title, a sentence for screen readers when one comes, and a
 * system notification where the window is out of sight and the host around it shows none itself.
 */
export function Attention() {
  const waiting = useStore((state) => valueOf(state.approvals.list)?.waiting ?? none)
  const isListed = useStore((state) => valueOf(state.approvals.list) !== null)
  const known = useRef<ReadonlySet<ApprovalId> | null>(null)
  const [said, setSaid] = useState('')
  const open = waiting.filter(({ state }) => isOpen(state))
  const count = open.length
  useEffect(() => {
    document.title = count === 0 ? 'Overturn' : `(${count}) Overturn`
  }, [count])
  useEffect(() => {
    if (!isListed) return
    const open = waiting.filter(({ state }) => isOpen(state))
    const before = known.current
    known.current = new Set(waiting.map(({ id }) => id))
    const fresh = before === null ? [] : open.filter(({ id }) => !before.has(id))
    const [first] = fresh
    if (!first) return
    const text = `${wantsText(first)}.${fresh.length > 1 ? ` And ${fresh.length - 1} more.` : ''} ${open.length === 1 ? 'One question waits.' : `${open.length} questions wait.`}`
    setSaid(text)
    if (canSend()) send(first, text)
  }, [waiting, isListed])
  return (
    <div className="vh" role="status" aria-live="polite">
      {said}
    </div>
  )
}

function canSend(): boolean {
  const { app, prefs } = getState()
  return prefs.notify && app?.abilities.canNotify === false && document.hidden && permission() === 'granted'
}

function send(approval: Approval, body: string): void {
  const notification = new Notification('A question waits in Overturn', { body, tag: 'overturn-approvals' })
  notification.onclick = () => {
    window.focus()
    setView('approvals')
    showTab('waiting')
    selectEntry(approval.id)
    notification.close()
  }
}
