import { memo } from 'react'
import type { SessionHeader, TurnDetails } from '../../shared/timeline.js'
import { Icon } from '../ui/icons.js'
import { Stat } from '../ui/parts.js'
import { clockText, countText } from '../ui/words.js'
import { operationTitle, setAsideTitle, sumOf, userTitle } from './labels.js'
import type { RailRow } from './rail.js'
import { DayRow } from './DayRow.js'
import { Cap, Diamond, SideBranch, SideNode } from './RailMarks.js'
import { RailSvg } from './RailSvg.js'
import type { TimelineEntry } from './rows.js'

interface Props {
  readonly entry: Exclude<TimelineEntry, { kind: 'turn' | 'playhead' }>
  readonly details: ReadonlyMap<TurnDetails['promptId'], TurnDetails>
  readonly rail: RailRow
  readonly isOn: boolean
  readonly byUser: SessionHeader['byUser']
  readonly now: number
  /** Number of the last live turn. */
  readonly lastTurn: number
}

/** Every row that is no turn: days, turns set aside, rewinds, and what the user edited. */
export const SlimRow = memo(function SlimRow({ entry, details, rail, isOn, byUser, now, lastTurn }: Props) {
  const look = (extra = ''): string => `tr slim ${extra}${isOn ? ' on at' : ''}`
  switch (entry.kind) {
    case 'day':
      return <DayRow entry={entry} details={details} rail={rail} isOn={isOn} now={now} />
    case 'set-aside': {
      const sum = sumOf(
        entry.group.turns.map((turn) => turn.promptId),
        details,
      )
      return (
        <div className={look()}>
          <RailSvg rail={rail} nodeY={12} ground="var(--ground)">
            <SideBranch isOpen={entry.isOpen} />
          </RailSvg>
          <Icon name={entry.isOpen ? 'down' : 'right'} size={14} />
          <span className="t3 ell">
            {setAsideTitle(entry.group.turns.length)}
            {sum && (
              <>
                , <Stat stat={sum.stat} />
              </>
            )}
          </span>
        </div>
      )
    }
    case 'set-aside-turn': {
      const own = details.get(entry.promptId)
      return (
        <div className={look('inner t3')}>
          <RailSvg rail={rail} nodeY={12} ground="var(--ground)">
            <SideNode isLast={entry.isLast} />
          </RailSvg>
          <span className="ell grow" style={{ paddingLeft: 20 }}>
            {entry.prompt}
          </span>
          {own && (
            <span className="sm">
              <Stat stat={own.stat} />
            </span>
          )}
        </div>
      )
    }
    case 'agent-rewind':
      return (
        <div className={look()}>
          <RailSvg rail={rail} nodeY={12} ground="var(--ground)">
            <Diamond y={12} isUndone={false} />
          </RailSvg>
          <span className="ell" title={entry.label}>
            {entry.label}
          </span>
          <span className="grow" />
          <span className="when sm t3">{clockText(entry.at)}</span>
        </div>
      )
    case 'operation': {
      const { operation } = entry
      return (
        <div className={look(operation.isUndone ? 'undone' : '')}>
          <RailSvg rail={rail} nodeY={12} ground="var(--ground)">
            <Diamond y={12} isUndone={operation.isUndone} />
          </RailSvg>
          <span className="ell" title={operationTitle(operation)}>
            {operationTitle(operation)}
          </span>
          <span className="t3 opt">
            {operation.isUndone
              ? 'undone'
              : operation.outcome === 'partly'
                ? 'partly'
                : operation.outcome === 'interrupted'
                  ? 'cut off'
                  : countText(operation.files, 'file')}
          </span>
          <span className="grow" />
          <span className="when sm t3">{clockText(operation.at)}</span>
        </div>
      )
    }
    case 'end':
      if (!byUser || byUser.files === 0)
        return (
          <div className="tr slim cap">
            <RailSvg rail={rail} nodeY={2} ground="var(--ground)">
              <Cap />
            </RailSvg>
          </div>
        )
      return (
        <div className={look()}>
          <RailSvg rail={rail} nodeY={2} ground="var(--ground)">
            <Cap />
            <UserTicks files={byUser.files} />
          </RailSvg>
          <Icon name="person" size={14} />
          <span className="ell">
            {userTitle(byUser.files)}
            <span className="opt"> since turn {lastTurn}</span>
          </span>
          <span className="sm">
            <Stat stat={byUser.stat} />
          </span>
        </div>
      )
  }
})

/** One grey mark a file that the user edited, at most three. */
function UserTicks({ files }: { readonly files: number }) {
  return (
    <>
      {[12.5, 19.5, 26.5].slice(0, Math.min(files, 3)).map((y) => (
        <path key={y} d={`M41 ${y}h-5M47 ${y}h9`} className="tick user neither" />
      ))}
    </>
  )
}
