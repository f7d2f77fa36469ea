import { create } from 'zustand'

/** The cell under the pointer and where it is on screen; `null` while there is none. */
export interface Hover {
  readonly path: string
  readonly turn: number
  readonly box: DOMRect
}

export const useHover = create<{ readonly hover: Hover | null }>()(() => ({ hover: null }))

const delayMs = 180
let waiting: ReturnType<typeof setTimeout> | undefined

/** The pointer came to a cell, or left it; the card opens when it stays. `onStay` fetches what the card shows besides. */
export function hoverCell(path: string | null, turn: number, element: Element | null, onStay?: () => void): void {
  clearTimeout(waiting)
  if (path === null || !element) return useHover.setState({ hover: null })
  waiting = setTimeout(() => {
    useHover.setState({ hover: { path, turn, box: element.getBoundingClientRect() } })
    onStay?.()
  }, delayMs)
}
