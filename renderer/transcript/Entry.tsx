import { memo } from 'react'
import type { TranscriptEntry } from '../../shared/session.js'
import { clockText } from '../ui/words.js'
import { Call } from './Call.js'
import { Folded } from './Folded.js'
import { Markdown } from '../ui/Markdown.js'

interface Props {
  readonly entry: TranscriptEntry
  readonly index: number
  readonly isOpen: boolean
  readonly isHit: boolean
  readonly onToggle: (index: number) => void
}

/** One entry of the transcript. Thoughts and calls open on demand. */
export const Entry = memo(function Entry({ entry, index, isOpen, isHit, onToggle }: Props) {
  const toggle = (): void => onToggle(index)
  return <article className={`entry ${entry.kind}${isHit ? ' hit-entry' : ''}`}>{body(entry, isOpen, toggle)}</article>
})

function body(entry: TranscriptEntry, isOpen: boolean, toggle: () => void) {
  switch (entry.kind) {
    case 'prompt':
      return (
        <>
          <h3 className="who">
            You <span className="t3 num">{clockText(entry.at)}</span>
          </h3>
          <Markdown text={entry.text} />
        </>
      )
    case 'reply':
      return (
        <>
          <h3 className="who">
            {entry.model ?? 'Agent'} <span className="t3 num">{clockText(entry.at)}</span>
          </h3>
          <Markdown text={entry.text} />
        </>
      )
    case 'thought':
      return (
        <Folded title="Thought" isOpen={isOpen} onToggle={toggle}>
          <Markdown text={entry.text} />
        </Folded>
      )
    case 'call':
      return <Call call={entry.call} isOpen={isOpen} onToggle={toggle} />
    case 'other':
      return (
        <Folded title={entry.label} isOpen={isOpen} onToggle={toggle}>
          <pre className="plain">{entry.raw}</pre>
        </Folded>
      )
  }
}
