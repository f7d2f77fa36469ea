import { isOpen } from '../../shared/approval.js'
import type { SessionSummary } from '../../shared/session.js'
import { chooseWorkspace, openDialog, openSearch, setView, showPolicy, useOpenSummary } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { rewindToSelected, undoLast } from '../state/rewind-actions.js'
import type { OpenSession, View } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { Brand, Icon } from '../ui/icons.js'
import { Button, Kbd, UsageText } from '../ui/parts.js'
import { folderName, sessionWhenSentence } from '../ui/words.js'
import { LostBanner } from './LostBanner.js'
import { Problems } from './Problems.js'
import { ViewTab } from './ViewTab.js'

/** What is open, the views, and the ways to find and to rewind. */
export function TopBar() {
  const session = useStore((state) => state.session)
  const openingTitle = useStore((state) => state.opening?.title ?? null)
  const connection = useStore((state) => state.connection)
  const view = useStore((state) => state.view)
  const waiting = useStore((state) => valueOf(state.approvals.list)?.waiting.filter((approval) => isOpen(approval.state)).length ?? 0)
  const isMap = view === 'map'
  const isApprovals = view === 'approvals' || view === 'policy' || view === 'connect'
  return (
    <div className="top-rows">
      <header className="top">
        <div className="row">
          <Brand />
          {isApprovals || view === 'search' ? <PlaceCrumb view={view} /> : session ? <Crumb session={session} /> : <h1 className="b ell">{openingTitle ?? 'No session yet'}</h1>}
        </div>
        <nav className="tabs" aria-label="Views">
          <ViewTab name="Review" icon="rail" isOn={!isMap && !isApprovals && view !== 'search'} keys="1" onClick={() => setView('review')} />
          <ViewTab name="Map" icon="grid" isOn={isMap} keys="2" isDisabled={!session} onClick={() => setView('map')} />
          <ViewTab name="Approvals" icon="tray" isOn={isApprovals} keys="3" count={waiting} onClick={() => setView('approvals')} />
          <ViewTab name="Search" icon="search" isOn={view === 'search'} keys="4" onClick={() => openSearch()} />
        </nav>
        <div className="row end">
          <button
            type="button"
            className="find top-find"
            aria-label="Find or run"
            title="Find or run"
            aria-keyshortcuts="Control+K"
            onClick={() => openDialog({ kind: 'palette', text: '', hits: { kind: 'idle' } })}
          >
            <Icon name="search" size={14} />
            <span className="grow md">Find or run</span>
            <Kbd keys="Mod+K" />
          </button>
          {session?.header.undo && view === 'receipt' && (
            <Button size="small" icon="back" keys="Mod+Z" onClick={undoLast}>
              Undo
            </Button>
          )}
          {session && (view === 'review' || view === 'map') && (
            <Button
              size="small"
              icon="back"
              className="top-rewind"
              disabledReason={session.header.canRewind.kind === 'no' ? session.header.canRewind.reason : null}
              onClick={rewindToSelected}
            >
              Rewind…
            </Button>
          )}
          {isApprovals && (
            <Button size="small" icon="lock" aria-pressed={view === 'policy'} onClick={showPolicy}>
              Policy
            </Button>
          )}
        </div>
      </header>
      {connection.kind === 'lost' && <LostBanner connection={connection} />}
    </div>
  )
}

function Crumb({ session }: { readonly session: OpenSession }) {
  const summary = useOpenSummary(session)
  const folder = summary.workspace ?? summary.recordedFolder
  return (
    <div className="crumb">
      <Icon name="folder" size={14} />
      <span className="ell crumb-folder" title={folder ?? undefined}>
        {folder === null ? 'no folder' : folderName(folder)}
      </span>
      <span className="t3">/</span>
      <h1 className="ell b" title={summary.title}>
        {summary.title}
      </h1>
      {summary.isLive && <span className="live" title="The log is still being written" />}
      <Problems session={session} />
      {summary.workspace === null && (
        <Button size="small" icon="folder" onClick={() => void chooseWorkspace(session.key)}>
          <span>
            Attach<span className="crumb-more"> a folder…</span>
          </span>
        </Button>
      )}
      {/* Last, since it may come later than the rest. */}
      <SessionFacts summary={summary} />
    </div>
  )
}

/** That the session is over, and what it took. */
function SessionFacts({ summary }: { readonly summary: SessionSummary }) {
  return (
    <>
      {summary.end && (
        <span className="crumb-fact" title={sessionWhenSentence(summary)}>
          Ended
        </span>
      )}
      <span className="crumb-fact crumb-usage">
        <UsageText usage={summary.usage} />
      </span>
    </>
  )
}

const placeNames = { policy: 'Policy', connect: 'Connect an agent', search: 'All sessions' } as const
const placeIcons = { policy: 'lock', search: 'search' } as const

/** Views of all sessions, whichever one is open. */
function PlaceCrumb({ view }: { readonly view: View }) {
  return (
    <div className="crumb">
      <Icon name={view === 'policy' || view === 'search' ? placeIcons[view] : 'tray'} size={14} />
      <span className="ell b crumb-title">{view === 'policy' || view === 'connect' || view === 'search' ? placeNames[view] : 'All sessions'}</span>
    </div>
  )
}
