import type { Tick } from '../../shared/timeline.js'
import { firstTick, tickLength, tickPitch } from '../ui/ticks.js'
import { axisX } from './RailSvg.js'

/** The node of a turn: its prompt snapshot. */
export function Node({ look }: { readonly look: 'plain' | 'selected' | 'missing' | 'out' | 'day' }) {
  if (look === 'day')
    return (
      <>
        <circle cx={axisX} cy="14" r="8.5" className="node thin" />
        <circle cx={axisX} cy="14" r="5" className="node" />
        <path d={`M${axisX - 2} 14h4M${axisX} 12v4`} className="sign" />
      </>
    )
  return (
    <>
      <circle cx={axisX} cy="14" r="5.5" className={`node ${look}`} />
      {look === 'selected' && <circle cx={axisX} cy="14" r="1.8" fill="var(--bg)" />}
    </>
  )
}

/** The diamond of a rewind entry. */
export function Diamond({ y, isUndone }: { readonly y: number; readonly isUndone: boolean }) {
  return (
    <g className={isUndone ? 'undone' : undefined}>
      <rect x={axisX - 5} y={y - 5} width="10" height="10" rx="1.5" transform={`rotate(45 ${axisX} ${y})`} className="node diamond" />
      <path d={`M${axisX + 1.5} ${y - 2.5}l-3 2.5 3 2.5`} className="sign" />
    </g>
  )
}

/** Side branch of turns set aside: folded it ends in a bar, open it runs on. */
export function SideBranch({ isOpen }: { readonly isOpen: boolean }) {
  return isOpen ? (
    <>
      <path d="M44 -4C44 7 60 0 60 12" className="branch" />
      <line x1="60" x2="60" y1="12" y2="100%" className="branch" />
    </>
  ) : (
    <path d="M44 -4C44 7 60 0 60 12V20M56 20h8" className="branch" />
  )
}

export function SideNode({ isLast }: { readonly isLast: boolean }) {
  return (
    <>
      <line x1="60" x2="60" y1="0" y2={isLast ? 12 : '100%'} className="branch" />
      <path d="M63 12h6" className="branch solid" />
      <circle cx="60" cy="12" r="3.2" className="node side" />
      {isLast && <path d="M56 22h8M60 15v7" className="branch solid" />}
    </>
  )
}

/** The end of the agent's last turn. */
export function Cap() {
  return <path d={`M${axisX - 6} 2h12`} className="axis" />
}

/** The marks of a turn, below its node. */
export function Ticks({ ticks, isOut }: { readonly ticks: readonly Tick[]; readonly isOut: boolean }) {
  return (
    <>
      {ticks.map((tick, at) => (
        <TickMark key={at} tick={tick} y={14 + firstTick + at * tickPitch} isOut={isOut} />
      ))}
    </>
  )
}

function TickMark({ tick, y, isOut }: { readonly tick: Tick; readonly y: number; readonly isOut: boolean }) {
  switch (tick.kind) {
    case 'change': {
      const isSeen = tick.cause === 'command' || tick.cause === 'unknown'
      const look = `tick${isSeen ? ' seen' : ''}${isOut ? ' out' : ''}${tick.cause === 'user' ? ' user' : ''}`
      return (
        <>
          {tick.removed > 0 && <path d={`M41 ${y}h${-tickLength(tick.removed)}`} className={`${look} removed`} />}
          {tick.added > 0 && <path d={`M47 ${y}h${tickLength(tick.added)}`} className={`${look} added`} />}
          {tick.removed === 0 && tick.added === 0 && <path d={`M41 ${y}h6`} className={`${look} neither`} />}
        </>
      )
    }
    case 'command':
      return <circle cx={axisX} cy={y} r="2.3" className="node command" />
    case 'subagent':
      return <rect x={axisX - 3.5} y={y - 2.5} width="7" height="5" rx="1" className="node command" />
    case 'failed':
      return <path d={`M${axisX} ${y - 3.6}l3.6 6.2h-7.2z`} className={`node failed${isOut ? ' out' : ''}`} />
    case 'refused':
      return (
        <>
          <path d={crossAt(y)} className="cross-ground" />
          <path d={crossAt(y)} className={`cross${isOut ? ' out' : ''}`} />
        </>
      )
    case 'unknown':
      return (
        <>
          <path d={`M39 ${y}h-14M49 ${y}h14`} className="wings" />
          <circle cx={axisX} cy={y} r="3.4" className="node unknown" />
          <circle cx={axisX} cy={y} r=".9" className="dot" />
        </>
      )
  }
}

function crossAt(y: number): string {
  return `M41 ${y - 3}l6 6m0-6l-6 6`
}
