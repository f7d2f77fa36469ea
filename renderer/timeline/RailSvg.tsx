import type { ReactNode } from 'react'
import type { Axis, RailRow, Span } from './rail.js'

/** Where the axis runs, in pixels from the left. */
export const axisX = 44
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
