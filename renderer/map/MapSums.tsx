import type { SessionHeader, SessionMap } from '../../shared/timeline.js'
import { Stat } from '../ui/parts.js'
import { countText } from '../ui/words.js'
import { numberWidth, type MapLayout } from './layout.js'

/** What each turn changed in all. */
export function MapSums({
  map,
  layout,
  byUser,
}: {
  readonly map: SessionMap
  readonly layout: MapLayout
  readonly byUser: SessionHeader['byUser']
}) {
  const total = map.turns.reduce(
    (sum, { stat }) => ({ insertions: sum.insertions + stat.insertions, deletions: sum.deletions + stat.deletions }),
    { insertions: 0, deletions: 0 },
  )
  return (
    <div className="map-sums" role="row">
      <div className="map-file" role="rowheader">
        Each turn
      </div>
      <div className="map-cells" role="presentation" style={{ width: layout.totalWidth }}>
        {layout.shown.map((item) => {
          const column = layout.columns[item.index]
          const sum = column?.kind === 'turn' ? map.turns[column.turn] : column?.kind === 'user' ? byUser : null
          const isNarrow = item.size < numberWidth
          return (
            <div key={item.key} className="map-cell" role="gridcell" style={{ transform: `translateX(${item.start}px)`, width: item.size }}>
              {sum &&
                (sum.files === 0 ? (
                  isNarrow ? (
                    '–'
                  ) : (
                    'no file'
                  )
                ) : (
                  <>
                    {isNarrow ? sum.files : countText(sum.files, 'file')}
                    <br />
                    {!isNarrow && <Stat stat={sum.stat} />}
                  </>
                ))}
            </div>
          )
        })}
      </div>
      <div className="map-total" role="gridcell">
        <Stat stat={total} />
      </div>
    </div>
  )
}
