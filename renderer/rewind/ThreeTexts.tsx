import { useMemo, useRef, useState } from 'react'
import type { FileSide } from '../../shared/file-state.js'
import { factsOf } from '../changes/diff-body.js'
import { TextPane } from '../changes/TextPane.js'
import type { LineMark } from '../changes/text-view.js'
import { useIsNarrow } from '../changes/use-size.js'
import type { OpenTexts } from '../state/rewind-slice.js'
import { useStore } from '../state/store.js'
import { Segments } from '../ui/parts.js'
import { conflictMarks, type TextName } from './conflict-marks.js'
import { ResultText } from './ResultText.js'
import { targetText } from './rewind-words.js'

const tabsBelowPx = 840

/** As the target had it, as the agent left it, as the disk has it; below them the result, to be typed into. */
export function ThreeTexts({ open }: { readonly open: OpenTexts }) {
  const frame = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow(frame, tabsBelowPx)
  const [tab, setTab] = useState<TextName>('target')
  const session = useStore((state) => state.session)
  const target = useStore((state) => state.rewind.target)
  const goal = session && target ? targetText(session, target) : ''
  const heads: Readonly<Record<TextName, { readonly title: string; readonly note: string }>> = {
    target: { title: 'The old one', note: goal },
    base: { title: 'Agent left last', note: 'before you typed' },
    disk: { title: 'Disk now', note: 'yours' },
  }
  const names: readonly TextName[] = ['target', 'base', 'disk']
  return (
    <div ref={frame} className="three">
      {isNarrow && (
        <div className="text-head">
          <Segments label="Text" value={tab} options={names.map((name) => ({ value: name, label: heads[name].title }))} onChange={setTab} />
        </div>
      )}
      <div className="three-texts">
        {names.filter((name) => !isNarrow || name === tab).map((name) => (
          <section key={name} className="three-text" aria-label={heads[name].title}>
            {!isNarrow && <div className="text-head"><b>{heads[name].title}</b><span className="t3 ell">{heads[name].note}</span></div>}
            <OneText name={name} side={open.texts[name]} open={open} label={heads[name].title} />
          </section>
        ))}
      </div>
      <ResultText open={open} />
    </div>
  )
}

function OneText({ name, side, open, label }: { readonly name: TextName; readonly side: FileSide; readonly open: OpenTexts; readonly label: string }) {
  const isWrapped = useStore((state) => state.prefs.wrap)
  const { texts: { conflicts }, current } = open
  const marks: readonly LineMark[] = useMemo(() => conflictMarks(conflicts, name, current), [conflicts, name, current])
  if (side.kind !== 'text') return <p className="md t2 three-none">{factsOf(side, 'after').title}. {factsOf(side, 'after').text}</p>
  return <TextPane path={open.texts.path} text={side.text} label={label} isWrapped={isWrapped} marks={marks} revealLine={marks[current]?.line ?? null} />
}
