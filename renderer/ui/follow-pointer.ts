/**
 * Follows a pressed pointer until it is let go. `onEnd` gets `false` when Escape, or the system, took it away.
 */
export function followPointer(onMove: (event: PointerEvent) => void, onEnd: (isDone: boolean) => void): void {
  const listening = new AbortController()
  const options = { signal: listening.signal, capture: true }
  const end = (isDone: boolean): void => {
    listening.abort()
    onEnd(isDone)
  }
  window.addEventListener('pointermove', onMove, options)
  window.addEventListener('pointerup', () => end(true), options)
  window.addEventListener('pointercancel', () => end(false), options)
  window.addEventListener('blur', () => end(false), options)
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopImmediatePropagation()
      end(false)
    },
    options,
  )
}
