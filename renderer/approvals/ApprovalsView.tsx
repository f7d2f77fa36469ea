import { Group, Panel, Separator } from 'react-resizable-panels'
import { loadApprovals, showConnect } from '../state/actions.js'
import { selectedEntry } from '../state/approval-view.js'
import { valueOf } from '../state/loadable.js'
import { rememberPanes } from '../state/prefs-actions.js'
import { getState, useStore } from '../state/store.js'
import { Button, EmptyState, ErrorState, LoadingState } from '../ui/parts.js'
import { ApprovalDetail } from './ApprovalDetail.js'
import { ApprovalList } from './ApprovalList.js'
import './approvals.css'

/** Everything that agents ask, and the one question that is looked at. */
export function ApprovalsView() {
  const list = useStore((state) => state.approvals.list)
  const isEmpty = useStore(({ approvals }) => {
    const value = valueOf(approvals.list)
    return value !== null && value.waiting.length + value.decided.length === 0
  })
  if (list.kind === 'error') {
    return (
      <section className="pane paper" aria-label="Approvals">
        <ErrorState error={list.error} onRetry={() => void loadApprovals()} />
      </section>
    )
  }
  if (valueOf(list) === null) {
    return (
      <section className="pane paper" aria-label="Approvals">
        <LoadingState label="Asking what waits" />
      </section>
    )
  }
  return isEmpty ? <NothingYet /> : <Panes />
}

function Panes() {
  const width = useStore((state) => state.prefs.panes['approvals']?.['list'] ?? null)
  const defaultSize = width ?? (window.innerWidth < 1280 ? 320 : 372)
  return (
    <Group
      className="panes"
      style={{ height: '100%' }}
      onLayoutChanged={(_layout, { isUserInteraction }) => {
        const pane = document.querySelector('.approval-list-pane')
        if (isUserInteraction && pane) rememberPanes('approvals', { ...getState().prefs.panes['approvals'], list: Math.round(pane.getBoundingClientRect().width) })
      }}
    >
      <Panel id="questions" defaultSize={defaultSize} minSize={280} maxSize={480} groupResizeBehavior="preserve-pixel-size">
        <ApprovalList />
      </Panel>
      <Separator className="splitter" aria-label="Width of the list of approvals" />
      <Panel id="question" minSize={520}>
        <Question />
      </Panel>
    </Group>
  )
}

function Question() {
  const entry = useStore((state) => selectedEntry(state.approvals))
  const tab = useStore((state) => state.approvals.tab)
  if (!entry) return <section className="pane paper" aria-label="Question">{tab === 'waiting' ? <Calm /> : <EmptyState icon="tray" title="Nothing is selected">Choose a decision in the list.</EmptyState>}</section>
  return <ApprovalDetail key={entry.id} entry={entry} />
}

/** Where nothing waits: what this place is for, and how an agent gets here. */
function NothingYet() {
  return (
    <section className="pane paper approvals-empty" aria-label="Approvals">
      <Calm />
    </section>
  )
}

function Calm() {
  return (
    <EmptyState
      icon="tray"
      title="Nothing waits."
      actions={
        <Button size="small" keys="C" onClick={() => showConnect()}>
          Connect an agent…
        </Button>
      }
    >
      What a connected agent wants to write or run appears here, before it happens. You approve it, change it first, or reject it with a
      reason. Without an answer nothing is done.
    </EmptyState>
  )
}
