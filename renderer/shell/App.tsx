import { lazy, Suspense, useEffect } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { AgentLine } from '../approvals/AgentLine.js'
import { Attention } from '../approvals/Attention.js'
import { ChangesPane } from '../changes/ChangesPane.js'
import { MapView } from '../map/MapView.js'
import { ReceiptView } from '../rewind/ReceiptView.js'
import { RewindDialog } from '../rewind/RewindDialog.js'
import { SearchView } from '../search/SearchView.js'
import { SessionList } from '../sessions/SessionList.js'
import { SessionStrip } from '../sessions/SessionStrip.js'
import type { View } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { Timeline } from '../timeline/Timeline.js'
import { LoadingState } from '../ui/parts.js'
import { FirstRun } from './FirstRun.js'
import { FootBar } from './FootBar.js'
import { KeySheet } from './KeySheet.js'
import { Notices } from './Notices.js'
import { Palette } from './Palette.js'
import { PathDialog } from './PathDialog.js'
import { TopBar } from './TopBar.js'
import { usePaneSizes } from './use-pane-sizes.js'
import { useRoom } from './use-window-size.js'
import './shell.css'

// Markdown is a large part of the code, and only the transcript needs it.
const Transcript = lazy(() => import('../transcript/Transcript.js').then(({ Transcript }) => ({ default: Transcript })))
const ApprovalsView = lazy(() => import('../approvals/ApprovalsView.js').then(({ ApprovalsView }) => ({ default: ApprovalsView })))
const PolicyView = lazy(() => import('../approvals/PolicyView.js').then(({ PolicyView }) => ({ default: PolicyView })))
const ConnectView = lazy(() => import('../approvals/ConnectView.js').then(({ ConnectView }) => ({ default: ConnectView })))

/** The window: bar, panes, foot, and what floats over them. */
export function App() {
  const theme = useStore((state) => state.prefs.theme)
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const apply = (): void => {
      document.documentElement.dataset['theme'] = theme !== 'system' ? theme : dark.matches ? 'dark' : 'light'
    }
    apply()
    dark.addEventListener('change', apply)
    return () => dark.removeEventListener('change', apply)
  }, [theme])
  return (
    <div className="app">
      <TopBar />
      <main className="stage" tabIndex={-1}>
        <Stage />
      </main>
      <FootBar />
      <Notices />
      <Attention />
      <Palette />
      <KeySheet />
      <PathDialog />
    </div>
  )
}

function Stage() {
  const isEmpty = useStore((state) => state.session === null && state.opening === null)
  const isStarted = useStore((state) => state.isStarted)
  const view = useStore((state) => state.view)
  if (view === 'approvals' || view === 'policy' || view === 'connect') {
    return (
      <Suspense fallback={<LoadingState label="Opening the approvals" />}>
        {view === 'approvals' ? <ApprovalsView /> : view === 'policy' ? <PolicyView /> : <ConnectView />}
      </Suspense>
    )
  }
  // Not fetched when it is wanted: whoever opens it types at once.
  if (view === 'search') return <SearchView />
  if (!isEmpty) return <Panes view={view} />
  return isStarted ? <FirstRun /> : <LoadingState label="Starting" lines={3} />
}

/** Views of one session, beside its timeline. */
type SessionView = Exclude<View, 'approvals' | 'policy' | 'connect' | 'search'>

function Panes({ view }: { readonly view: SessionView }) {
  const session = useStore((state) => state.session)
  const opening = useStore((state) => state.opening)
  const focusedPane = useStore((state) => state.focusedPane)
  const room = useRoom()
  const isNarrowView = view === 'rewind' || view === 'receipt'
  const isStrip = room === 'strip' || (isNarrowView && room !== 'slot')
  const hasList = room === 'wide' && !isStrip
  const sizes = usePaneSizes('window')
  const timeline = room === 'slot' && focusedPane === 'sessions' ? <SessionList /> : (
    <div className="timeline-slot">
      {session && <AgentLine session={session.key} />}
      <Timeline session={session} opening={opening} />
    </div>
  )
  return (
    <div className="row stage-row">
      {isStrip && <SessionStrip />}
      {/* The set of panels differs from view to view, so each set is a group of its own. */}
      <Group key={`${hasList} ${view === 'map'}`} className="panes" {...sizes.group}>
        {hasList && (
          <>
            <Panel id="sessions" {...sizes.panel('sessions', 216)} minSize={180} maxSize={320}>
              <SessionList />
            </Panel>
            <Separator className="splitter" aria-label="Width of the sessions" />
          </>
        )}
        {view !== 'map' && (
          <>
            <Panel id="timeline" {...sizes.panel('timeline', room === 'wide' || isNarrowView ? 372 : 300)} minSize={300} maxSize={480}>
              {timeline}
            </Panel>
            <Separator className="splitter" aria-label="Width of the timeline" />
          </>
        )}
        <Panel id="main" minSize={520}>
          <Main view={view} />
        </Panel>
      </Group>
    </div>
  )
}

function Main({ view }: { readonly view: SessionView }) {
  switch (view) {
    case 'review':
      return <ChangesPane />
    case 'map':
      return <MapView />
    case 'rewind':
      return <RewindDialog />
    case 'receipt':
      return <ReceiptView />
    case 'transcript':
      return (
        <Suspense fallback={<LoadingState label="Opening the transcript" />}>
          <Transcript />
        </Suspense>
      )
  }
}
