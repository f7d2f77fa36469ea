interface SplitHandleProps {
  readonly label: string
  readonly sizePx: number
  readonly minPx: number
  readonly maxPx: number
  readonly onResize: (sizePx: number) => void
  /** Back to the size that fits the content. */
  readonly onReset: () => void
}

/** The line between what lies above and below: dragged, or moved by the arrow keys; a double click lets it fit again. */
export function SplitHandle({ label, sizePx, minPx, maxPx, onResize, onReset }: SplitHandleProps) {
  const resize = (wanted: number): void => onResize(Math.round(Math.max(minPx, Math.min(maxPx, wanted))))
  return (
    <div
      className="split-handle"
      role="separator"
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuenow={Math.round(sizePx)}
      aria-valuemin={minPx}
      aria-valuemax={maxPx}
      tabIndex={0}
      onDoubleClick={onReset}
      onKeyDown={({ key }) => {
        if (key === 'ArrowUp') resize(sizePx - 26)
        else if (key === 'ArrowDown') resize(sizePx + 26)
      }}
      onPointerDown={(down) => {
        const handle = down.currentTarget
        handle.setPointerCapture(down.pointerId)
        const move = (event: PointerEvent): void => resize(sizePx + event.clientY - down.clientY)
        handle.addEventListener('pointermove', move)
        handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', move), { once: true })
      }}
    />
  )
}
