import type { VirtualItem } from '@tanstack/react-virtual'
import type { MapColumn } from './map-model.js'

/** What every line of the map needs to put its cells under the right heads. */
export interface MapLayout {
  readonly columns: readonly MapColumn[]
  /** The columns on screen. */
  readonly shown: readonly VirtualItem[]
  readonly width: number
  readonly totalWidth: number
}

/** Below this width a cell has no room for its number; the shade stays. */
export const numberWidth = 52
