import { fileColumn } from './sizes.js'
import type { MapLayout } from './layout.js'

/** Behind the cells: a dash in each empty place, hatching where turns were set aside. One element a column, not one a cell. */
export function MapStripes({ layout }: { readonly layout: MapLayout }) {
  return (
    <div className="map-stripes" style={{ left: fileColumn + 16, width: layout.totalWidth }} aria-hidden="true">
      {layout.shown.map((item) => (
        <span
          key={item.key}
          className={layout.columns[item.index]?.kind === 'set-aside' ? 'aside' : 'dashes'}
          style={{ transform: `translateX(${item.start}px)`, width: item.size }}
        />
      ))}
    </div>
  )
}
