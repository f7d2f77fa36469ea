import type { Tick, TurnDetails } from '../../shared/timeline.js'
import { fitTicks, tickLength } from '../ui/ticks.js'

const axisY = 40
const nodeX = 8
const firstTick = 16.5
const tickPitch = 8

/** The rail of one turn, laid on its side. */
export function TurnRail({
  width,
  details,
  isFirst,
  isOn,
}: {
  readonly width: number
  readonly details: TurnDetails | undefined
  readonly isFirst: boolean
  readonly isOn: boolean
}) {
  const room = Math.max(0, Math.floor((width - firstTick - 2) / tickPitch))
  return (
    <svg className="rail map-rail" width={width} height="80" aria-hidden="true" fill="none">
      <path d={`M${isFirst ? nodeX : 0} ${axisY}H${width}`} className="axis" />
      {details &&
        room > 2 &&
        fitTicks(details.ticks, room).map((tick, at) => <LyingTick key={at} tick={tick} x={firstTick + at * tickPitch} />)}
      <circle cx={nodeX} cy={axisY} r="5.5" className={isOn ? 'node selected' : 'node'} />
      {isOn && <circle cx={nodeX} cy={axisY} r="1.8" fill="var(--panel)" />}
    </svg>
  )
}

function LyingTick({ tick, x }: { readonly tick: Tick; readonly x: number }) {
  switch (tick.kind) {
    case 'change': {
      const look = tick.cause === 'command' || tick.cause === 'unknown' ? 'tick seen' : 'tick'
      return (
        <>
          {tick.added > 0 && <path d={`M${x} 37v${-tickLength(tick.added)}`} className={`${look} added`} />}
          {tick.removed > 0 && <path d={`M${x} 43v${tickLength(tick.removed)}`} className={`${look} removed`} />}
        </>
      )
    }
    case 'refused':
      return (
        <>
          <path d={`M${x - 3} 37l6 6m0-6l-6 6`} className="cross-ground" />
          <path d={`M${x - 3} 37l6 6m0-6l-6 6`} className="cross" />
        </>
      )
    case 'failed':
      return <path d={`M${x} 36.4l3.6 6.2h-7.2z`} className="node failed" />
    case 'unknown':
      return (
        <>
          <path d={`M${x} 35v-14M${x} 45v14`} className="wings" />
          <circle cx={x} cy={axisY} r="3.4" className="node unknown" />
          <circle cx={x} cy={axisY} r=".9" className="dot" />
        </>
      )
    case 'command':
    case 'subagent':
      return <circle cx={x} cy={axisY} r="2.3" className="node command" />
  }
}

/** Where turns were set aside. */
export function AsideRail({ width }: { readonly width: number }) {
  return (
    <svg className="rail map-rail" width={width} height="80" aria-hidden="true" fill="none">
      <path d={`M0 ${axisY}H${width}`} className="axis" />
      <path d="M2 40c8 0 4 14 12 14h8M22 50v8" className="branch" />
    </svg>
  )
}

/** After the last turn. */
export function UserRail({ width }: { readonly width: number }) {
  return (
    <svg className="rail map-rail" width={width} height="80" aria-hidden="true" fill="none">
      <path d="M1 34v12" className="axis" />
      <path d={`M1 ${axisY}H${width}`} className="axis dotted" />
    </svg>
  )
}
