import type { ReactNode } from 'react'
import { Icon } from '../ui/icons.js'
import type { SideFacts } from './diff-body.js'

interface FactsPanelProps {
  readonly title: string
  readonly text?: string
  readonly before: SideFacts
  readonly after: SideFacts
  readonly notes?: readonly string[]
  readonly sideNames?: readonly [before: string, after: string]
  readonly children?: ReactNode
  /** Below both sides. */
  readonly foot?: ReactNode
}

/** Both sides of a change that is not shown as text, in words and numbers. */
export function FactsPanel({ title, text, before, after, notes = [], sideNames = ['Before', 'After'], children, foot }: FactsPanelProps) {
  return (
    <div className="facts scroll">
      <div className="facts-head">
        <h4>{title}</h4>
        {text && <p className="t2">{text}</p>}
        {children && <div className="row">{children}</div>}
      </div>
      <div className="facts-sides">
        <Side name={sideNames[0]} facts={before} />
        <Side name={sideNames[1]} facts={after} />
      </div>
      {notes.length > 0 && <ul className="facts-notes">{notes.map((note) => <li key={note}>{note}</li>)}</ul>}
      {foot}
    </div>
  )
}

function Side({ name, facts }: { readonly name: string; readonly facts: SideFacts }) {
  return (
    <section className={facts.isUnknown ? 'facts-side unknown' : 'facts-side'} aria-label={name}>
      <span className="sm t3">{name}</span>
      <span className="facts-title">{facts.isUnknown && <Icon name="question" size={14} />}{facts.title}</span>
      <span className="md t2">{facts.text}</span>
      {facts.sha256 && <span className="mono t3" title={facts.sha256}>SHA-256 {facts.sha256.slice(0, 16)}…</span>}
    </section>
  )
}
