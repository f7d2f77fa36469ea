import type { TurnDetails } from '../../shared/timeline.js'
import { Icon } from '../ui/icons.js'
import { fitTicks, sumTicks } from '../ui/ticks.js'
import { countText } from '../ui/words.js'
import { dayOf, dayTitle, sumOf } from './labels.js'
import type { RailRow } from './rail.js'
import { Node, Ticks } from './RailMarks.js'
import { RailSvg } from './RailSvg.js'
import type { TimelineEntry } from './rows.js'
import { Meta } from './TurnRow.js'

interface DayRowProps {
  readonly entry: Extract<TimelineEntry, { kind: 'day' }>
  readonly details: ReadonlyMap<TurnDetails['promptId'], TurnDetails>
  readonly rail: RailRow
  readonly isOn: boolean
  readonly now: number
}

/** The turns of one day in one row; open, a line over them. */
export function DayRow({ entry, details, rail, isOn, now }: DayRowProps) {
  if (entry.isOpen) {
    return (
      <div className={`tr slim ${isOn ? ' on at' : ''}`}>
        <RailSvg rail={rail} nodeY={12} ground="var(--ground)" />
        <Icon name="down" size={14} />
        <span className="ell">{dayTitle(entry.turns)}</span>
        <span className="grow" />
        <span className="when sm t3">{dayOf(entry.turns, now)}</span>
      </div>
    )
  }
  const sum = sumOf(entry.turns.map((turn) => turn.promptId), details)
  return (
    <div className={`tr${isOn ? ' on at' : ''}`} style={{ minHeight: 46 }}>
      <RailSvg rail={rail} nodeY={14} ground="var(--ground)">
        {sum && <Ticks ticks={fitTicks(sumTicks(sum.ticks), 3)} isOut={rail.isOut} />}
        <Node look="day" />
      </RailSvg>
      <div className="p">
        <span className="n" />
        <span className="txt">{dayTitle(entry.turns)}</span>
        <span className="when">{dayOf(entry.turns, now)}</span>
      </div>
      {sum ? <Meta details={sum} isRoomy={false} isSum /> : <div className="m wait">{countText(entry.turns.length, 'turn')}</div>}
    </div>
  )
}
