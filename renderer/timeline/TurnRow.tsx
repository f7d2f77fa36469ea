import { memo, type PointerEvent } from 'react'
import type { TurnDetails } from '../../shared/timeline.js'
import { selectUserPart } from '../state/actions.js'
import { Icon, type IconName } from '../ui/icons.js'
import { ChurnBars, Kbd, Stat, UsageText } from '../ui/parts.js'
import { clockText, countText, numberText } from '../ui/words.js'
import { userTitle, userTitleInside } from './labels.js'
import type { RailRow } from './rail.js'
import { Node, Ticks } from './RailMarks.js'
import { RailSvg } from './RailSvg.js'
import type { TimelineEntry } from './rows.js'
import { firstTick, fitTicks, tickPitch } from '../ui/ticks.js'

interface Props {
  readonly entry: Extract<TimelineEntry, { kind: 'turn' }>
  readonly details: TurnDetails | undefined
  readonly rail: RailRow
  /** Inside the selected range; `isAt`: the keyboard stands here. */
  readonly isOn: boolean
  readonly isAt: boolean
  /** What others changed is selected, instead of the turn. */
  readonly userPart: 'by-user' | 'inside' | null
  readonly canGrab: boolean
  readonly onGrab: (event: PointerEvent, row: number) => void
}

/** One turn: its node and ticks, the prompt, when it began, and what came of it. */
export const TurnRow = memo(function TurnRow({ entry, details, rail, isOn, isAt, userPart, canGrab, onGrab }: Props) {
  const { turn } = entry
  const ticks = details ? fitTicks(details.ticks) : []
  const minHeight = ticks.length === 0 ? undefined : Math.ceil(11 + firstTick + (ticks.length - 1) * tickPitch)
  const look = rail.isOut ? 'out' : isOn && isAt ? 'selected' : turn.hasSnapshot ? 'plain' : 'missing'
  const number = numberText(turn.index)
  return (
    <div className={`tr${isOn ? ' on' : ''}${isAt ? ' at' : ''}${rail.isOut ? ' out' : ''}`} style={{ minHeight }}>
      <RailSvg rail={rail} nodeY={14} ground="var(--ground)">
        <Ticks ticks={ticks} isOut={rail.isOut} />
        <Node look={look} />
      </RailSvg>
      {canGrab && (
        <>
          <span className="grip" onPointerDown={(event) => onGrab(event, entry.row)} />
          <span className="grip-tip">
            Rewind to here <Kbd keys="R" />
          </span>
        </>
      )}
      <div className="p" title={details?.ticks.map((tick) => tick.label).join('\n')}>
        <span className={number.length > 4 ? 'n long' : 'n'}>{number}</span>
        <span className="txt">{turn.prompt || 'No prompt was recorded'}</span>
        <span className="when">{clockText(turn.startedAt)}</span>
      </div>
      {details ? (
        <Meta details={details} isRoomy={details.refused > 0 && details.commands + details.unknown + details.failed === 0} />
      ) : (
        <div className="m wait late">…</div>
      )}
      {(['inside', 'by-user'] as const).map((part) => {
        const sum = part === 'inside' ? details?.byUserInside : details?.byUser
        if (!sum) return null
        return (
          <div
            key={part}
            className={`by-user${userPart === part ? ' on' : ''}`}
            title={part === 'inside' ? 'In the middle of this turn' : 'After this turn'}
            onClick={(event) => {
              event.stopPropagation()
              selectUserPart(turn.promptId, part)
            }}
          >
            <Icon name="person" size={13} />
            {part === 'inside' ? userTitleInside(sum.files) : userTitle(sum.files)}
            <Stat stat={sum.stat} />
          </div>
        )
      })}
    </div>
  )
})

/** The second line: files, lines, and what else happened, each with its sign. `isRoomy`: a refusal gets its word. `isSum`: of many turns only the grave things. */
export function Meta({
  details,
  isRoomy,
  isSum = false,
}: {
  readonly details: TurnDetails
  readonly isRoomy: boolean
  readonly isSum?: boolean
}) {
  return (
    <div className="m">
      {details.files === 0 ? <span>{details.limits.length > 0 ? 'No change seen' : 'No file changed'}</span> : <span>{countText(details.files, 'file')}</span>}
      {details.files > 0 && <Stat stat={details.stat} />}
      {details.files > 0 && <ChurnBars stat={details.stat} />}
      <UsageText usage={details.usage} />
      {!isSum && <Count icon="agent" count={details.subagents} what="subagent" />}
      {!isSum && <Count icon="command" count={details.commands} what="command" />}
      <Count icon="conflict" count={details.failed} what="failed" look="del" />
      <Count icon="cross" count={details.refused} what="refused" look="del" word={isRoomy ? 'refused' : ''} />
      <Count icon="question" count={details.unknown} what="unknown" />
      {details.unknown === 0 && <Count icon="blind" count={details.limits.length} what="not looked at or not kept" />}
    </div>
  )
}

interface CountProps {
  readonly icon: IconName
  readonly count: number
  readonly what: string
  readonly look?: 'del'
  readonly word?: string
}

function Count({ icon, count, what, look, word = '' }: CountProps) {
  if (count === 0) return null
  return (
    <span className={`g ${look ?? ''}`} title={`${count} ${what}`}>
      <Icon name={icon} size={13} />
      {count}
      {word && ` ${word}`}
    </span>
  )
}
