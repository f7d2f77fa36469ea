import type { ReactNode, RefObject } from 'react'
import type { PointedLine } from './pointed-line.js'

interface LinePlaceProps {
  readonly line: PointedLine
  /** The editor that it lies over. */
  readonly host: RefObject<HTMLElement | null>
  /** The pointer went off it, and not back to the text. */
  readonly onLeave: () => void
  readonly children: ReactNode
}

/** Something at the right end of the line that is pointed at. */
export function LinePlace({ line, host, onLeave, children }: LinePlaceProps) {
  return (
    <div
      className="line-place"
      style={{ transform: `translate(calc(${line.right}px - 100% - 8px), ${line.top}px)` }}
      onMouseLeave={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && host.current?.contains(relatedTarget))) onLeave()
      }}
    >
      {children}
    </div>
  )
}
