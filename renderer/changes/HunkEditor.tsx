import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import type { ReviewError } from '../../shared/errors.js'
import { placesOf, shownText, type FileDraft } from '../state/approval-draft.js'
import { isCancelled, toReviewError } from '../state/loadable.js'
import { ErrorState, LoadingState } from '../ui/parts.js'
import { diffTexts } from './diff-engine.js'
import { markedUnits } from './hunk-limits.js'
import { LinePlace } from './LinePlace.js'
import type { PointedLine } from './pointed-line.js'
import type { HeadPlace, HunkView } from './hunk-view.js'
import { useMonaco } from './use-monaco.js'

interface HunkEditorProps {
  readonly path: string
  readonly draft: FileDraft
  readonly isSideBySide: boolean
  readonly isWrapped: boolean
  readonly isWritable: boolean
  /** 1-based number of the hunk to bring into view. */
  readonly current: number
  /** Counts up to move the focus into the right side. */
  readonly focusCount: number
  readonly onTyped: (read: () => string) => void
  readonly onLine: (line: number) => void
  /** The text goes off the screen; what was typed last can be read one more time. */
  readonly onLeave: () => void
  /** Something over the line of the side before that is pointed at, and who is told of it. */
  readonly pointed?: (pointed: PointedLine) => ReactNode
  readonly onPointed?: (pointed: PointedLine | null) => void
  /** Whether spaces and tabs are drawn, where nothing else differs. */
  readonly showsBlanks?: boolean
  /** The line over a hunk. */
  readonly head: (number: number) => ReactNode
}

/** A proposal whose right side can be written, hunk by hunk. */
export function HunkEditor({ path, draft, isSideBySide, isWrapped, isWritable, current, focusCount, onTyped, onLine, onLeave, pointed, onPointed, showsBlanks = false, head }: HunkEditorProps) {
  const monaco = useMonaco()
  const host = useRef<HTMLDivElement>(null)
  const strip = useRef<HTMLDivElement>(null)
  const view = useRef<HunkView | null>(null)
  const latest = useRef({ draft, isSideBySide, isWrapped, onTyped, onLine, onLeave, onPointed })
  const focusedAt = useRef(focusCount)
  const [heads, setHeads] = useState<readonly HeadPlace[]>([])
  const [isInside, setInside] = useState(false)
  const [line, setLine] = useState<PointedLine | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const [error, setError] = useState<ReviewError | null>(null)
  const editor = monaco.kind === 'ready' ? monaco.value : null
  const edition = `${path}\n${draft.revision} ${draft.edition}`

  useLayoutEffect(() => {
    latest.current = { draft, isSideBySide, isWrapped, onTyped, onLine, onLeave, onPointed }
  })

  useEffect(() => {
    if (!editor || !host.current || !strip.current) return
    const created = editor.createHunkView(host.current, strip.current, latest.current, {
      onTyped: (read) => latest.current.onTyped(read),
      onLine: (line) => latest.current.onLine(line),
      onHeads: setHeads,
      onFocus: setInside,
      onPointed: (line) => {
        setLine(line)
        latest.current.onPointed?.(line)
      },
    })
    view.current = created
    return () => {
      view.current = null
      latest.current.onLeave()
      created.dispose()
    }
  }, [editor])

  useEffect(() => {
    if (!editor) return
    const abort = new AbortController()
    const show = async (): Promise<void> => {
      setError(null)
      const { draft } = latest.current
      const [diff] = await Promise.all([diffTexts(draft.before, shownText(draft), abort.signal, markedUnits), editor.loadColouring(path)])
      if (abort.signal.aborted) return
      view.current?.show(path, latest.current.draft, diff)
      setShown(edition)
    }
    show().catch((thrown: unknown) => {
      if (!isCancelled(thrown)) setError(toReviewError(thrown))
    })
    return () => abort.abort()
  }, [editor, path, edition])

  useEffect(() => view.current?.setLayout({ isSideBySide, isWrapped }), [isSideBySide, isWrapped])
  useEffect(() => view.current?.setWritable(isWritable), [editor, isWritable])
  useEffect(() => view.current?.setBlanks(showsBlanks), [editor, showsBlanks])
  useEffect(() => {
    if (shown === edition) view.current?.mark(draft)
  }, [draft, isSideBySide, shown, edition])
  useEffect(() => {
    const place = placesOf(latest.current.draft)[current - 1]
    if (place && shown === edition && current > 0) view.current?.goTo(place)
  }, [current, shown, edition])
  useEffect(() => {
    // The count of before belongs to another text.
    if (focusCount > focusedAt.current) view.current?.focus()
    focusedAt.current = focusCount
  }, [focusCount])

  const failure = monaco.kind === 'error' ? monaco.error : error
  const isWaiting = shown !== edition && !failure
  return (
    <div className={`editor-frame with-overview hunk-frame${isInside && isWritable ? ' typing' : ''}`}>
      <div ref={host} className="editor-host" hidden={failure !== null} />
      <div ref={strip} className="overview" aria-hidden="true" />
      <div className="hunk-heads" onWheel={({ deltaY }) => view.current?.scrollBy(deltaY)}>
        {!isWaiting && heads.map(({ number, top }) => (
          <div key={number} className="hunk-place" style={{ transform: `translateY(${top}px)` }}>{head(number)}</div>
        ))}
      </div>
      {line && pointed && !isWaiting && <LinePlace line={line} host={host} onLeave={() => setLine(null)}>{pointed(line)}</LinePlace>}
      {failure && <ErrorState error={failure} />}
      {isWaiting && <div className="editor-cover"><LoadingState label="Comparing" lines={12} /></div>}
    </div>
  )
}
