import type { SessionMap } from '../../shared/timeline.js'
import type { OpenSession } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { Kbd, Stat, StatusLetter } from '../ui/parts.js'
import { clockText } from '../ui/words.js'
import { causeWords } from './cell-words.js'
import { useHover } from './hover.js'
import type { MapRow } from './map-model.js'

const cardWidth = 392
const letters = { added: 'A', modified: 'M', deleted: 'D', binary: 'M', unknown: '?' } as const

/** What a cell holds, beside the pointer; it says nothing that the cell's own name does not. */
export function MapCard({
  session,
  map,
  rows,
}: {
  readonly session: OpenSession
  readonly map: SessionMap
  readonly rows: readonly MapRow[]
}) {
  const hover = useHover((state) => state.hover)
  const peek = useStore((state) => state.mapPeek)
  const cell = hover && rows.find((row) => row.path === hover.path)?.cells.get(hover.turn)
  if (!hover || !cell) return null
  const turn = map.turns[hover.turn]
  const startedAt = session.outline.rows.find((row) => row.kind === 'turn' && row.promptId === turn?.promptId)
  const when = turn ? `Turn ${turn.index}${startedAt?.kind === 'turn' ? `, ${clockText(startedAt.startedAt)}` : ''}` : 'Since the last turn'
  const left = Math.max(8, Math.min(hover.box.left + hover.box.width / 2 - cardWidth / 2, window.innerWidth - cardWidth - 8))
  const isLow = hover.box.bottom > window.innerHeight - 180
  const place = isLow ? { left, bottom: window.innerHeight - hover.box.top + 6 } : { left, top: hover.box.bottom + 6 }
  return (
    <div className="map-card" style={{ ...place, width: cardWidth }} aria-hidden="true">
      <div className="row">
        <StatusLetter letter={letters[cell.kind]} title={cell.kind} />
        <span className="b ell grow">{hover.path}</span>
        {cell.stat && <Stat stat={cell.stat} />}
      </div>
      <div className="sm t2 map-card-note">
        <span>{when}</span>
        <span>{causeWords[cell.cause]}</span>
      </div>
      {peek && peek.path === hover.path && peek.promptId === turn?.promptId && peek.lines.length > 0 && (
        <div className="map-card-lines">
          {peek.lines.map(({ sign, text }, at) => (
            <div key={at} className={sign === '+' ? 'added' : 'removed'}>
              <span>{sign}</span>
              {text}
            </div>
          ))}
        </div>
      )}
      {turn && <p className="md t2 map-card-prompt">{turn.prompt}</p>}
      <div className="row sm t2 map-card-keys">
        <Kbd keys="Enter" /> open diff
        <span className="grow" />
        {turn && (
          <>
            <Kbd keys="R" /> rewind to turn {turn.index}
          </>
        )}
      </div>
    </div>
  )
}
