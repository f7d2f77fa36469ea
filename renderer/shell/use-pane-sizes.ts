import { useMemo, useRef } from 'react'
import type { LayoutChangedMeta, PanelSize } from 'react-resizable-panels'
import { rememberPanes } from '../state/actions.js'
import { getState } from '../state/store.js'

/** Props that make a group of panels start with the remembered sizes, in pixels, and remember what the person sets. */
export function usePaneSizes(group: string) {
  const now = useRef<Record<string, number>>({})
  return useMemo(() => {
    const remembered = (): Readonly<Record<string, number>> => getState().prefs.panes[group] ?? {}
    return {
      group: {
        onLayoutChanged: (_layout: unknown, { isUserInteraction }: LayoutChangedMeta) => {
          if (isUserInteraction) rememberPanes(group, { ...remembered(), ...now.current })
        },
      },
      panel: (id: string, defaultSize: number) => ({
        defaultSize: remembered()[id] ?? defaultSize,
        groupResizeBehavior: 'preserve-pixel-size' as const,
        onResize: ({ inPixels }: PanelSize) => {
          now.current[id] = Math.round(inPixels)
        },
      }),
    }
  }, [group])
}
