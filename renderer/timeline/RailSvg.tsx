import type { ReactNode } from 'react'
import type { Tick } from '../../shared/timeline.js'
import type { Axis, RailRow, Span } from './rail.js'
import { firstTick, tickLength, tickPitch } from '../ui/ticks.js'

const axisX = 44
const bracketX = 10.5
const arcX = 24
const holdX = 14

interface Props {
  readonly rail: RailRow
  /** Where the row's node sits, in pixels from its top. */
  readonly nodeY: number
  readonly ground: string
  /** The knob of the playhead stands in this row: arcs end at it. */
  readonly isPlayhead?: boolean
  readonly children?: ReactNode
}

/** The rail of one row: one small picture, as high as the row. */
export function RailSvg({ rail, nodeY, ground, isPlayhead = false, children }: Props) {
  return (
    <svg className="rail" aria-hidden="true" fill="none">
      <Piece axis={rail.above} from={0} to={nodeY} />
      <Piece axis={rail.below} from={nodeY} to="100%" />
      <Arc span={rail.arc} nodeY={nodeY} headY={isPlayhead ? nodeY : 0} />
      <Hold span={rail.hold} nodeY={nodeY} />
      <Bracket span={rail.bracket} nodeY={nodeY} />
      <g style={{ color: ground }}>{children}</g>
    </svg>
  )
}

function Piece({ axis, from, to }: { readonly axis: Axis; readonly from: number; readonly to: number | '100%' }) {
  if (axis === 'none') return null
  const line = (x: number, className: string) => <line x1={x} x2={x} y1={from} y2={to} className={className} />
  if (axis === 'double')
    return (
      <>
        {line(axisX - 1.5, 'axis-out')}
        {line(axisX + 1.5, 'axis-out')}
      </>
    )
  return line(axisX, axis === 'dotted' ? 'axis dotted' : 'axis')
}

/** The bracket: a line at the left with a short arm and a dot at each end. */
function Bracket({ span, nodeY }: { readonly span: Span; readonly nodeY: number }) {
  if (span === 'none') return null
  const end = (y: number) => (
    <g key={y}>
      <path d={`M16 ${y}H${bracketX}`} className="bracket" />
      <circle cx="16.5" cy={y} r="2.6" className="bracket-end" />
    </g>
  )
  switch (span) {
    case 'head':
      return (
        <>
          {end(nodeY)}
          <line x1={bracketX} x2={bracketX} y1={nodeY - 1} y2="100%" className="bracket" />
        </>
      )
    case 'through':
      return <line x1={bracketX} x2={bracketX} y1="0" y2="100%" className="bracket" />
    case 'foot':
      return (
        <>
          <line x1={bracketX} x2={bracketX} y1="0" y2={nodeY + 1} className="bracket" />
          {end(nodeY)}
        </>
      )
    case 'both':
      return (
        <>
          {end(nodeY)}
          <line x1={bracketX} x2={bracketX} y1={nodeY - 1} y2="100%" className="bracket" />
          <svg y="100%" overflow="visible">
            {end(-1)}
          </svg>
        </>
      )
  }
}

/** From a rewind's diamond, up along the left, to the place that the disk went back to. */
function Arc({ span, nodeY, headY }: { readonly span: Span; readonly nodeY: number; readonly headY: number }) {
  switch (span) {
    case 'none':
      return null
    case 'both':
      return <path d={`M37 ${nodeY}C27 ${nodeY} 27 ${nodeY - 13} 38 ${nodeY - 13}m-4.5-3l5 3-3.5 4.6`} className="arc" />
    case 'foot':
      return <path d={`M37 ${nodeY}C${arcX + 2} ${nodeY} ${arcX} ${nodeY / 2} ${arcX} 0`} className="arc" />
    case 'through':
      return <line x1={arcX} x2={arcX} y1="0" y2="100%" className="arc" />
    case 'head':
      return (
        <>
          <line x1={arcX} x2={arcX} y1={headY + 14} y2="100%" className="arc" />
          <path
            d={`M${arcX} ${headY + 14}C${arcX} ${headY + 4} 27 ${headY} ${headY === 0 ? 38 : 33} ${headY}m-4.5-3.2l5 3-3.5 4.6`}
            className="arc"
          />
        </>
      )
  }
}

/** Dashed, from the place that the disk stands at to where the playhead is held. */
function Hold({ span, nodeY }: { readonly span: Span; readonly nodeY: number }) {
  switch (span) {
    case 'none':
    case 'both':
      return null
    case 'foot':
      return <path d={`M35 ${nodeY}C18 ${nodeY} ${holdX} ${nodeY - 6} ${holdX} 0`} className="hold" />
    case 'through':
      return <line x1={holdX} x2={holdX} y1="0" y2="100%" className="hold" />
    case 'head':
      return (
        <>
          <path d={`M27 ${nodeY}C18 ${nodeY} ${holdX} ${nodeY + 4} ${holdX} ${nodeY + 16}`} className="hold" />
          <line x1={holdX} x2={holdX} y1={nodeY + 16} y2="100%" className="hold" />
          <path d={`M23 ${nodeY - 4}l6 4-6 4`} className="hold-arrow" />
        </>
      )
  }
}

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
