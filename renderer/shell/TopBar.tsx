import { useEffect, useState } from 'react'
import { folderName } from '../sessions/session-groups.js'
import { chooseWorkspace, openDialog, reconnectNow, setView } from '../state/actions.js'
import { rewindToSelected, undoLast } from '../state/rewind-actions.js'
import type { Connection, OpenSession } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { Brand, Icon, type IconName } from '../ui/icons.js'
import { Button, Kbd } from '../ui/parts.js'
import { Problems } from './Problems.js'

/** What is open, the views, and the ways to find and to rewind. */
export function TopBar() {
  const session = useStore((state) => state.session)
  const openingTitle = useStore((state) => state.opening?.title ?? null)
  const connection = useStore((state) => state.connection)
  const view = useStore((state) => state.view)
  const isMap = view === 'map'
  return (
    <div className="top-rows">
      <header className="top">
        <div className="row">
          <Brand />
          {session ? <Crumb session={session} /> : <h1 className="b ell">{openingTitle ?? 'No session yet'}</h1>}
        </div>
        <nav className="tabs" aria-label="Views">
          <ViewTab name="Review" icon="rail" isOn={!isMap} keys="1" onClick={() => setView('review')} />
          <ViewTab name="Map" icon="grid" isOn={isMap} keys="2" isDisabled={!session} onClick={() => setView('map')} />
        </nav>
        <div className="row end">
          <button
            type="button"
            className="find top-find"
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
        </div>
      </header>
      {connection.kind === 'lost' && <LostBanner connection={connection} />}
    </div>
  )
}

function Crumb({ session }: { readonly session: OpenSession }) {
  const { header } = session
  const { summary } = header
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
          Attach a folder…
        </Button>
      )}
    </div>
  )
}

interface TabProps {
  readonly name: string
  readonly icon: IconName
  readonly isOn: boolean
  readonly keys: string
  readonly isDisabled?: boolean
  readonly onClick: () => void
}

function ViewTab({ name, icon, isOn, keys, isDisabled, onClick }: TabProps) {
  return (
    <button
      type="button"
      className={isOn ? 'tab on' : 'tab'}
      aria-current={isOn ? 'page' : undefined}
      aria-keyshortcuts={keys}
      title={`${name} (${keys})`}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} size={14} />
      {name}
    </button>
  )
}

function LostBanner({ connection }: { readonly connection: Extract<Connection, { kind: 'lost' }> }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = connection.retryAt === null ? 0 : Math.max(0, Math.ceil((connection.retryAt - now) / 1000))
  const next = connection.retryAt === null ? 'Trying again…' : `Next try in ${seconds} s.`
  return (
    <div className="banner" role="status">
      <Icon name="conflict" />
      <span className="grow">
        <b className="b">{connection.isRefused ? 'Overturn was started anew.' : 'The connection to Overturn was lost.'}</b> What you see is the
        last that was heard. {connection.isRefused ? 'To go on, open the address that it printed.' : next}
      </span>
      <Button size="small" onClick={reconnectNow}>
        Reconnect now
      </Button>
    </div>
  )
}
