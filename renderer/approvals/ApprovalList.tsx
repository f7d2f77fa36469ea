import { useEffect, useRef } from 'react'
import type { Approval } from '../../shared/approval.js'
import { selectEntry, showTab } from '../state/actions.js'
import { draftOf, groupApprovals, orderedEntries } from '../state/approval-view.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { EmptyState, Segments } from '../ui/parts.js'
import { useNow } from '../ui/use-now.js'
import { visibleText } from '../ui/visible-text.js'
import { waitingNote } from './approval-words.js'
import { ApprovalRow } from './ApprovalRow.js'
import { DecidedRow } from './DecidedRow.js'
import { ModeFoot } from './ModeFoot.js'
import { SessionLine } from './SessionLine.js'

const recentMs = 10 * 60_000
const shownRecent = 5

/** Questions by session, or what was decided. */
export function ApprovalList() {
  const tab = useStore((state) => state.approvals.tab)
  const list = useStore((state) => valueOf(state.approvals.list))
  const now = useNow(5_000)
  const waiting = list?.waiting ?? []
  const decided = list?.decided ?? []
  return (
    <section className="pane bg approval-list-pane" aria-label="Approvals" data-pane="questions">
      <div className="head">
        <h2>{tab === 'waiting' ? 'Waiting' : 'Decided'}</h2>
        <span className="md t3 ell">{tab === 'waiting' ? (waitingNote(waiting, now) ?? 'nothing') : 'newest first'}</span>
        <span className="grow" />
        <Segments
          label="Which approvals"
          value={tab}
          options={[
            { value: 'waiting', label: 'Waiting' },
            { value: 'decided', label: 'Decided' },
          ]}
          onChange={showTab}
        />
      </div>
      <Rows tab={tab} waiting={waiting} decided={decided} now={now} />
      <ModeFoot />
    </section>
  )
}

interface RowsProps {
  readonly tab: 'waiting' | 'decided'
  readonly waiting: readonly Approval[]
  readonly decided: readonly Approval[]
  readonly now: number
}

function Rows({ tab, waiting, decided, now }: RowsProps) {
  const selected = useStore((state) => state.approvals.selected)
  const approvals = useStore((state) => state.approvals)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [selected, tab])
  const entries = orderedEntries(approvals)
  const next = entries[entries.findIndex(({ id }) => id === selected) + 1]
  const recent = decided.filter(({ decidedAt }) => decidedAt !== null && now - decidedAt < recentMs).slice(0, shownRecent)
  return (
    <div className="approval-scroll scroll">
      <div ref={box} role="listbox" aria-label={tab === 'waiting' ? 'Waiting' : 'Decided'} tabIndex={0} className="approval-list" aria-activedescendant={selected === null ? undefined : `approval-${selected}`}>
        {tab === 'waiting'
          ? groupApprovals(waiting).map(({ session, source, approvals: own }) => (
              <div key={session} role="group" aria-label={visibleText(source.title)}>
                <SessionLine session={session} source={source} />
                {own.map((approval) => (
                  <ApprovalRow
                    key={approval.id}
                    approval={approval}
                    draft={draftOf(approvals, approval.id)}
                    isOn={approval.id === selected}
                    isNext={approval.id === next?.id && approval.source.session === entries.find(({ id }) => id === selected)?.source.session}
                    onSelect={() => selectEntry(approval.id)}
                  />
                ))}
              </div>
            ))
          : decided.map((approval) => <DecidedRow key={approval.id} approval={approval} isOn={approval.id === selected} now={now} />)}
      </div>
      {tab === 'waiting' && waiting.length === 0 && <EmptyState icon="tray" title="Nothing waits.">What is asked next appears here by itself.</EmptyState>}
      {tab === 'decided' && decided.length === 0 && <EmptyState icon="clock" title="Nothing was decided yet" />}
      {tab === 'waiting' && recent.length > 0 && (
        <div className="recent">
          <div className="approval-group">
            <b>Decided</b>
            <span>last 10 minutes</span>
          </div>
          {recent.map((approval) => (
            <DecidedRow key={approval.id} approval={approval} isOn={approval.id === selected} now={now} isButton />
          ))}
        </div>
      )}
    </div>
  )
}
