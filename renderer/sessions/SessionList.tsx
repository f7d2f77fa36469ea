import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { SessionSummary } from '../../shared/session.js'
import { chooseLog, loadLibrary, openSearch, setSessionFilter } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Button, EmptyState, ErrorState, IconButton, LoadingState, PaneHead } from '../ui/parts.js'
import { FilterField } from './FilterField.js'
import { groupSessions, type SessionGroup } from './session-groups.js'
import { SessionRow } from './SessionRow.js'
import './sessions.css'

/** Every session that was found, by workspace. Choosing one opens it. */
export function SessionList() {
  const library = useStore((state) => state.library)
  const filter = useStore((state) => state.sessionFilter)
  const list = valueOf(library)
  const groups = useMemo(() => groupSessions(list?.sessions ?? [], filter ?? ''), [list, filter])
  return (
    <section className="pane bg" data-pane="sessions" aria-label="Sessions">
      <PaneHead title="Sessions" note={list?.isScanning ? 'looking…' : undefined}>
        <IconButton
          icon="search"
          label="Filter the sessions"
          isOn={filter !== null}
          onClick={() => setSessionFilter(filter === null ? '' : null)}
        />
        <IconButton icon="plus" label="Open a session file or folder" keys="O" onClick={() => void chooseLog()} />
      </PaneHead>
      {filter !== null && <FilterField words={filter} />}
      {library.kind === 'error' ? (
        <ErrorState error={library.error} onRetry={() => void loadLibrary()} />
      ) : list === null ? (
        <LoadingState label="Looking for sessions" />
      ) : groups.length === 0 ? (
        <EmptyState
          icon="folder"
          title={filter ? 'No session has these words' : 'No session found'}
          actions={
            <>
              {filter && (
                <Button size="small" icon="search" onClick={() => openSearch(filter)}>
                  Search inside all sessions
                </Button>
              )}
              <Button size="small" keys="O" onClick={() => void chooseLog()}>
                Open…
              </Button>
            </>
          }
        />
      ) : (
        <Rows groups={groups} />
      )}
    </section>
  )
}

type Row = { readonly kind: 'group'; readonly group: SessionGroup } | { readonly kind: 'session'; readonly session: SessionSummary }

function Rows({ groups }: { readonly groups: readonly SessionGroup[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const openKey = useStore((state) => state.opening?.key ?? state.session?.key ?? null)
  const [now] = useState(Date.now)
  const rows = useMemo(
    () =>
      groups.flatMap((group): Row[] => [{ kind: 'group', group }, ...group.sessions.map((session): Row => ({ kind: 'session', session }))]),
    [groups],
  )
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (rows[at]?.kind === 'group' ? 30 : 48),
    overscan: 8,
    paddingEnd: 16,
  })
  const openAt = rows.findIndex((row) => row.kind === 'session' && row.session.key === openKey)
  useEffect(() => {
    if (openAt >= 0) virtual.scrollToIndex(openAt, { align: 'auto' })
  }, [openAt, virtual])
  return (
    <div className="scroll grow" ref={scroller} style={{ minHeight: 0 }}>
      <div
        role="listbox"
        aria-label="Sessions"
        tabIndex={0}
        aria-activedescendant={openKey ? `session-${openKey}` : undefined}
        className="ses-list"
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]
          if (!row) return null
          const style = { transform: `translateY(${item.start}px)`, height: item.size }
          if (row.kind === 'group') {
            return (
              <div key={item.key} className="ws" role="presentation" style={style} title={row.group.folder ?? undefined}>
                <Icon name="folder" size={14} />
                <b className="ell">{row.group.name}</b>
                <span className="ell">{row.group.note}</span>
              </div>
            )
          }
          return <SessionRow key={item.key} session={row.session} isOn={row.session.key === openKey} now={now} style={style} />
        })}
      </div>
    </div>
  )
}
