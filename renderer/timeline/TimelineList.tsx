import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { liveTurns } from '../state/scope.js'
import type { OpenSession } from '../state/shell-slice.js'
import { Icon } from '../ui/icons.js'
import { BracketGrips } from './BracketGrips.js'
import { entryLabel, playheadText } from './labels.js'
import { Playhead, PlayheadGap } from './Playhead.js'
import type { TimelineEntry } from './rows.js'
import { SlimRow } from './SlimRows.js'
import { clickEntry, openEntry } from './timeline-commands.js'
import { estimatedSize, hiddenSide, isInSelection, placeWords, rangeRows, rowId, selectedEntry } from './timeline-view.js'
import { TurnRow } from './TurnRow.js'
import { useDrags } from './use-drags.js'
import type { TimelineModel } from './use-timeline.js'
import { useVisibleDetails } from './use-visible-details.js'

/** The rows on screen, the playhead over them, and the pill that stands in for it when it is elsewhere. */
export function TimelineList({ session, model }: { readonly session: OpenSession; readonly model: TimelineModel }) {
  const { entries, rails, heldAt } = model
  const scroller = useRef<HTMLDivElement>(null)
  const [now] = useState(Date.now)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => estimatedSize(entries[at]),
    getItemKey: (at) => entries[at]?.key ?? at,
    overscan: 6,
    paddingStart: 10,
    paddingEnd: 16,
    scrollPaddingStart: 10,
    scrollPaddingEnd: 16,
  })
  const items = virtual.getVirtualItems()
  const drags = useDrags({ entries, virtual, scroller })
  useVisibleDetails(session, entries, items[0]?.index ?? 0, items.at(-1)?.index ?? -1)

  const selected = selectedEntry(entries, session)
  const selectedKey = entries[selected]?.key ?? null
  const main = entries.findIndex((entry) => entry.kind === 'playhead' && entry.place !== 'left')
  const showSelected = useEffectEvent(() => {
    // The newest turn is shown together with the playhead below it.
    const goal =
      main > selected && main - selected < 4 && entries.slice(selected + 1, main).every((entry) => entry.kind !== 'turn') ? main : selected
    if (selected >= 0) virtual.scrollToIndex(goal, { align: 'auto' })
  })
  // Only a new selection moves the view: rows that open or move by themselves do not.
  useEffect(() => showSelected(), [session.key, selectedKey])

  const { header, outline } = session
  const range = rangeRows(session)
  const fixedReason = header.canRewind.kind === 'no' ? header.canRewind.reason : null
  const lastTurn = liveTurns(session).at(-1)?.index ?? 0
  const mainTop = middleOf(virtual.measurementsCache[main])
  const side = hiddenSide(mainTop, virtual.scrollOffset ?? 0, virtual.scrollRect?.height ?? 0)
  const at = entries[selected]
  const row = (item: VirtualItem, entry: TimelineEntry) => {
    const rail = rails[item.index]
    if (!rail) return null
    if (entry.kind === 'playhead') return <PlayheadGap place={entry.place} rail={rail} isLast={item.index === entries.length - 1} />
    const isAt = heldAt === null && item.index === selected
    const isOn = heldAt === null && isInSelection(entry, item.index, selected, range)
    if (entry.kind !== 'turn')
      return (
        <SlimRow entry={entry} details={session.details} rail={rail} isOn={isAt} byUser={header.byUser} now={now} lastTurn={lastTurn} />
      )
    const userPart = isAt && session.selection.part !== 'turn' ? session.selection.part : null
    return (
      <TurnRow
        entry={entry}
        details={session.details.get(entry.turn.promptId)}
        rail={rail}
        isOn={isOn && userPart === null}
        isAt={isAt}
        userPart={userPart}
        canGrab={fixedReason === null}
        onGrab={drags.grabNode}
      />
    )
  }
  const option = (item: VirtualItem, entry: TimelineEntry) => ({
    role: 'option',
    id: rowId(entry),
    'aria-selected': isInSelection(entry, item.index, selected, range),
    'aria-setsize': entries.length,
    'aria-posinset': item.index + 1,
    'aria-label': entryLabel(
      entry,
      entry.kind === 'turn' ? session.details.get(entry.turn.promptId) : undefined,
      rails[item.index]?.isOut ?? false,
      header.byUser,
    ),
  })
  return (
    <div className="tl">
      <div className="tl-scroll" ref={scroller}>
        <div
          className="tl-list"
          style={{ height: virtual.getTotalSize() }}
          role="listbox"
          aria-label="Timeline"
          aria-multiselectable="true"
          tabIndex={0}
          aria-activedescendant={at && rowId(at)}
        >
          {items.map((item) => {
            const entry = entries[item.index]
            return (
              entry && (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  className="tl-item"
                  style={{ transform: `translateY(${item.start}px)` }}
                  onClick={(event) => clickEntry(entry, event.shiftKey)}
                  onDoubleClick={() => openEntry(entry)}
                  {...(entry.kind === 'playhead' ? { role: 'presentation' } : option(item, entry))}
                >
                  {row(item, entry)}
                </div>
              )
            )
          })}
        </div>
        <BracketGrips
          session={session}
          model={model}
          topOf={(index) => virtual.measurementsCache[index]?.start ?? 0}
          onGrab={drags.grabBracket}
        />
        {entries.map((entry, index) =>
          entry.kind === 'playhead' ? (
            <Playhead
              key={entry.place === 'left' ? 'left' : 'main'}
              outline={outline}
              top={middleOf(virtual.measurementsCache[index])}
              place={entry.place}
              fixedReason={fixedReason}
              row={heldAt ?? outline.playhead}
              text={playheadText(placeWords(session, heldAt ?? outline.playhead), header.byUser)}
              onGrab={drags.grabPlayhead}
            />
          ) : null,
        )}
      </div>
      {side && (
        <>
          <span className={`tl-edge ${side}`} />
          <button
            type="button"
            className={`ph-dock ${side}`}
            onClick={() => scroller.current?.scrollTo({ top: Math.max(0, mainTop - 160) })}
          >
            Disk is here
            <Icon name={side === 'top' ? 'up' : 'down'} size={14} />
          </button>
        </>
      )}
    </div>
  )
}

function middleOf(item: VirtualItem | undefined): number {
  return item ? (item.start + item.end) / 2 : 0
}
