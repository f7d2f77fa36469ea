import { useMemo, useState } from 'react'
import { TextPane } from '../changes/TextPane.js'
import { restoreTyped } from '../changes/typed-text.js'
import type { LineMark } from '../changes/text-view.js'
import { composeResult } from '../state/conflict-text.js'
import type { OpenTexts } from '../state/rewind-slice.js'
import { acceptDraft, draftResult } from '../state/rewind-texts-actions.js'
import { useStore } from '../state/store.js'
import { Button } from '../ui/parts.js'
import { resultMarks } from './conflict-marks.js'

const noMarks: readonly LineMark[] = []

/** What the rewind will write into a file with conflicts. What is typed counts once it is used. */
export function ResultText({ open }: { readonly open: OpenTexts }) {
  const { texts, chosen, draft, current, edition } = open
  const { path } = texts
  const isWrapped = useStore((state) => state.prefs.wrap)
  const editRequests = useStore((state) => state.rewind.editRequests)
  const resolution = useStore((state) => state.rewind.resolutions[path])
  const composed = useMemo(() => composeResult(texts, chosen), [texts, chosen])
  const composedText = composed?.text ?? ''
  const laidAs = `${edition} ${path}\n${composedText}`
  // Laid in once for each edition; after that the field itself holds the newest text.
  const [laid, setLaid] = useState({ edition: laidAs, text: draft ?? composedText })
  if (laid.edition !== laidAs) setLaid({ edition: laidAs, text: draft ?? composedText })
  const isUntouched = draft === null
  const marks = useMemo(() => (composed && isUntouched ? resultMarks(composed) : noMarks), [composed, isUntouched])
  const isUsed = draft !== null && resolution?.kind === 'text' && resolution.text === draft
  return (
    <section className="result" aria-label="Result">
      <div className="text-head">
        <b>Result</b>
        <span className={draft !== null && !isUsed ? 'con ell' : 't3 ell'}>{draft === null ? 'editable, nothing is written yet' : isUsed ? 'your text, nothing is written yet: Esc leaves it' : 'typed, not used yet'}</span>
        <span className="grow" />
        {draft !== null && !isUsed && <Button size="small" look="primary" keys="Mod+Enter" onClick={acceptDraft}>Use this text</Button>}
      </div>
      <TextPane
        path={path}
        text={laid.text}
        edition={laid.edition}
        label="Result, editable"
        isWrapped={isWrapped}
        marks={marks}
        revealLine={composed?.places[current]?.line ?? null}
        onTyped={(typed) => draftResult(restoreTyped(laid.text, typed))}
        focusCount={editRequests}
      />
    </section>
  )
}
