import { useSyncExternalStore } from 'react'

/** How much fits side by side: all panes, sessions as a strip, or one slot for sessions and timeline. */
export type Room = 'wide' | 'strip' | 'slot'

export function roomOf(width: number): Room {
  if (width >= 1280) return 'wide'
  return width >= 1000 ? 'strip' : 'slot'
}

/** The room of the window, as it is resized. */
export function useRoom(): Room {
  return useSyncExternalStore(
    (onChange) => {
      window.addEventListener('resize', onChange)
      return () => window.removeEventListener('resize', onChange)
    },
    () => roomOf(window.innerWidth),
  )
}
