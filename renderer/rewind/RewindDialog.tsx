import { useMemo, useRef } from 'react'
import { liveWarning } from '../../shared/rewind.js'
import { SplitHandle } from '../changes/SplitHandle.js'
import { useHeight } from '../changes/use-size.js'
import { valueOf } from '../state/loadable.js'
import { rememberPanes } from '../state/prefs-actions.js'
import { closeRewind, loadPlan } from '../state/rewind-actions.js'
import { useOpenSummary } from '../state/session-actions.js'
import type { OpenSession } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { agentName, agentOfSession } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { EmptyState, ErrorState, LoadingState, ProgressLine } from '../ui/parts.js'
import { PlanDetail } from './PlanDetail.js'
import { PlanList, planRowHeight } from './PlanList.js'
import { RewindFoot } from './RewindFoot.js'
import { actionWords, talliesOf, targetText } from './rewind-words.js'
import './rewind.css'

/** The preview of a rewind: what happens to each file, the texts of the selected one, and the button that does it. */
export function RewindDialog() {
  const pane = useRef<HTMLElement>(null)
  const room = useHeight(pane)
  const session = useStore((state) => state.session)
  const target = useStore((state) => state.rewind.target)
  const plan = useStore((state) => state.rewind.plan)
  const known = useStore((state) => state.rewind.known)
  const chosen = useStore((state) => state.prefs.panes['rewind']?.['list'] ?? null)
  const files = useMemo(() => [...known.values()], [known])
  if (!session || !target) return null
  const title = targetText(session, target)
  const hasPlan = valueOf(plan) !== null
  const all = files.length * planRowHeight + 10
  const height = Math.min(all, chosen ?? Math.max(120, Math.round(room * (room < 780 ? 0.36 : 0.48))))
  return (
    <section ref={pane} className="pane paper rewind" aria-label={`Rewind to ${title}`}>
      <header className="rewind-head">
        <h1>Rewind to {title}</h1>
        <span className="grow" />
        <ul className="tallies num" aria-label="What will happen">
          {talliesOf(files).map(({ action, text }) => (
            <li key={action} className={action === 'conflict' ? 'con' : undefined}><Icon name={actionWords(action).icon} size={13} />{text}</li>
          ))}
        </ul>
      </header>
      <AgentAtWork session={session} />
      {plan.kind === 'error' && <ErrorState error={plan.error} onRetry={() => void loadPlan()} />}
      {plan.kind === 'loading' && !hasPlan && <Planning />}
      {hasPlan && files.length === 0 && <EmptyState icon="check" title="Nothing to rewind">Every file is as it was at {title}.</EmptyState>}
      {hasPlan && files.length > 0 && (
        <>
          <div className="plan" style={{ height }}><PlanList files={files} /></div>
          <SplitHandle
            label="Height of the file list"
            sizePx={height}
            minPx={Math.min(all, 96)}
            maxPx={all}
            onResize={(list) => rememberPanes('rewind', { list })}
            onReset={() => rememberPanes('rewind', {})}
          />
          <PlanDetail />
        </>
      )}
      {(!hasPlan || files.length === 0) && <span className="grow" />}
      <RewindFoot title={title} isPlanReady={plan.kind === 'ready'} />
    </section>
  )
}

/** A rewind changes files under an agent that goes on with what it has read. */
function AgentAtWork({ session }: { readonly session: OpenSession }) {
  const summary = useOpenSummary(session)
  const warning = liveWarning(summary, agentName(agentOfSession(summary)))
  if (warning === null) return null
  return (
    <p className="rewind-live md" role="note">
      <span className="live" />
      {warning}
    </p>
  )
}

function Planning() {
  const progress = useStore((state) => state.rewind.progress)
  if (!progress) return <LoadingState label="Making the preview" lines={10} />
  return <div className="waiting"><ProgressLine title="Making the preview" note={progress.label} done={progress.done} total={progress.total} onCancel={closeRewind} /></div>
}
