import { useEffect, useLayoutEffect, useRef } from 'react'
import { ErrorState, LoadingState } from '../ui/parts.js'
import { displayText } from './display-text.js'
import type { LineMark, TextView } from './text-view.js'
import { typingText } from './typed-text.js'
import { useMonaco } from './use-monaco.js'

interface TextPaneProps {
  readonly path: string
  readonly text: string
  /** Name for screen readers. */
  readonly label: string
  readonly isWrapped: boolean
  readonly marks?: readonly LineMark[]
  readonly revealLine?: number | null
  /** Makes the text writable; gets the whole of it after each edit. Whoever writes keeps the cursor: `text` is laid in anew only when `edition` changes. */
  readonly onTyped?: (text: string) => void
  readonly edition?: string
  /** Counts up to move the focus into the text. */
  readonly focusCount?: number
}

const noMarks: readonly LineMark[] = []

/** One text, to read or to write. */
export function TextPane({ path, text, label, isWrapped, marks = noMarks, revealLine = null, onTyped, edition = text, focusCount = 0 }: TextPaneProps) {
  const monaco = useMonaco()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<TextView | null>(null)
  const typed = useRef(onTyped)
  const isWritable = onTyped !== undefined
  const editor = monaco.kind === 'ready' ? monaco.value : null

  useLayoutEffect(() => {
    typed.current = onTyped
  })

  useEffect(() => {
    if (!editor || !host.current) return
    const created = editor.createTextView(host.current, label, isWritable ? (value) => typed.current?.(value) : null)
    view.current = created
    return () => {
      view.current = null
      created.dispose()
    }
  }, [editor, label, isWritable])

  useEffect(() => view.current?.setWrapped(isWrapped), [editor, label, isWritable, isWrapped])

  useEffect(() => {
    view.current?.show({ path, display: isWritable ? typingText(text) : displayText(text, false), edition, marks, revealLine })
  }, [editor, label, isWritable, path, text, edition, marks, revealLine])

  useEffect(() => {
    if (focusCount > 0) view.current?.focus()
  }, [focusCount, editor])

  return (
    <div className="editor-frame">
      <div ref={host} className="editor-host" data-single-keys={isWritable ? undefined : ''} />
      {monaco.kind === 'loading' && <div className="editor-cover"><LoadingState label="Loading the editor" /></div>}
      {monaco.kind === 'error' && <ErrorState error={monaco.error} />}
    </div>
  )
}
