import { useLayoutEffect, useState, type RefObject } from 'react'

/** What `measure` reads off an element, kept up to date; `initial` until it has been laid out. */
function useMeasure<Value>(element: RefObject<HTMLElement | null>, initial: Value, measure: (element: HTMLElement) => Value): Value {
  const [value, setValue] = useState(initial)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const read = (): void => setValue(() => measure(current))
    read()
    const observer = new ResizeObserver(read)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element, measure])
  return value
}

const widthOf = (element: HTMLElement): number => element.clientWidth
const heightOf = (element: HTMLElement): number => element.clientHeight

/** Whether an element is narrower than so many pixels. */
export function useIsNarrow(element: RefObject<HTMLElement | null>, belowPx: number): boolean {
  return useMeasure(element, Infinity, widthOf) < belowPx
}

/** The height of an element in pixels. */
export function useHeight(element: RefObject<HTMLElement | null>): number {
  return useMeasure(element, 800, heightOf)
}
