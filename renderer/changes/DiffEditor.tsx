import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import type { ReviewError } from '../../shared/errors.js'
import { isCancelled, toReviewError } from '../state/loadable.js'
import type { ShownLine } from '../state/why-slice.js'
import { ErrorState, LoadingState } from '../ui/parts.js'
import { diffTexts } from './diff-engine.js'
import type { DiffView } from './diff-view.js'
import { LinePlace } from './LinePlace.js'
import type { PointedLine } from './pointed-line.js'
import { displayPair } from './display-text.js'
import { useMonaco } from './use-monaco.js'

interface DiffEditorProps {
  readonly path: string
  /** `null` where the side is not there. */
  readonly before: string | null
  readonly after: string | null
  readonly isSideBySide: boolean
  readonly isWrapped: boolean
  /** Whether spaces and tabs are drawn, where nothing else differs. */
  readonly showsBlanks?: boolean
  /** The change to mark and to bring into view. */
  readonly current?: number
  /** A line that somebody wants to see. */
  readonly asked?: ShownLine | null
  readonly onShown?: (changes: number) => void
  readonly onChosen?: (change: number) => void
  /** Something that lies over the line under the pointer, or under the cursor; `null` is told too. */
  readonly onPointed?: (pointed: PointedLine | null) => void
  readonly pointed?: (pointed: PointedLine) => ReactNode
}

/** Two texts and what differs between them. */
export function DiffEditor({ path, before, after, isSideBySide, isWrapped, showsBlanks = false, current = 0, asked = null, onShown, onChosen, onPointed, pointed }: DiffEditorProps) {
  const monaco = useMonaco()
  const host = useRef<HTMLDivElement>(null)
  const strip = useRef<HTMLDivElement>(null)
  const view = useRef<DiffView | null>(null)
  const latest = useRef({ isSideBySide, isWrapped, current, onShown, onChosen, onPointed })
  const [isComputing, setComputing] = useState(true)
  const [error, setError] = useState<ReviewError | null>(null)
  const [line, setLine] = useState<PointedLine | null>(null)
  const editor = monaco.kind === 'ready' ? monaco.value : null

  useLayoutEffect(() => {
    latest.current = { isSideBySide, isWrapped, current, onShown, onChosen, onPointed }
  })

  useEffect(() => {
    if (!editor || !host.current || !strip.current) return
    const created = editor.createDiffView(host.current, strip.current, latest.current, {
      onChosen: (change) => latest.current.onChosen?.(change),
      onPointed: (line) => {
        setLine(line)
        latest.current.onPointed?.(line)
      },
    })
    view.current = created
    return () => {
      view.current = null
      created.dispose()
    }
  }, [editor])

  useEffect(() => {
    if (!editor) return
    const abort = new AbortController()
    const show = async (): Promise<void> => {
      setComputing(true)
      setError(null)
      const [diff] = await Promise.all([diffTexts(before ?? '', after ?? '', abort.signal), editor.loadColouring(path)])
      if (abort.signal.aborted) return
      view.current?.show({ path, ...displayPair(before, after), diff })
      latest.current.onShown?.(diff.changes.length)
      view.current?.goTo(latest.current.current)
      setComputing(false)
    }
    show().catch((thrown: unknown) => {
      if (!isCancelled(thrown)) setError(toReviewError(thrown))
    })
    return () => abort.abort()
  }, [editor, path, before, after])

  useEffect(() => view.current?.setLayout({ isSideBySide, isWrapped }), [isSideBySide, isWrapped])
  useEffect(() => view.current?.setBlanks(showsBlanks), [editor, showsBlanks])
  useEffect(() => view.current?.goTo(current), [current])
  useEffect(() => {
    if (asked) view.current?.revealLine(asked.side, asked.line)
  }, [asked])

  const failure = monaco.kind === 'error' ? monaco.error : error
  return (
    <div className="editor-frame with-overview">
      <div ref={host} className="editor-host" data-single-keys hidden={failure !== null} />
      <div ref={strip} className="overview" aria-hidden="true" />
      {line && pointed && !isComputing && <LinePlace line={line} host={host} onLeave={() => setLine(null)}>{pointed(line)}</LinePlace>}
      {failure && <ErrorState error={failure} />}
      {!failure && isComputing && <div className="editor-cover"><LoadingState label="Comparing" lines={12} /></div>}
    </div>
  )
}
