import { useState } from 'react'
import type { WhyAnswer } from '../../shared/search.js'
import { askWhyAgain, closeWhy, goToWriter } from '../state/why-actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import type { WhyState } from '../state/why-slice.js'
import { agentOfSession, AgentSign, sessionAgentText } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { Button, ErrorState, IconButton } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { clockText, dayText } from '../ui/words.js'
import { causeIcon } from './file-rows.js'
import { lineText, passedText, whereText } from './why-words.js'
import { causeText } from './words.js'

/** Lies over the line that is pointed at. The key does the same, so it stays out of the way of Tab. */
export function WhyButton({ onAsk }: { readonly onAsk: () => void }) {
  return (
    <Button size="small" className="why-button" icon="question" keys="Y" tabIndex={-1} aria-label="Why is this line here?" onMouseDown={(event) => event.preventDefault()} onClick={onAsk}>
      Why?
    </Button>
  )
}

/** Who wrote the line that was asked about, below the text that it stands in. */
export function WhyPanel() {
  const why = useStore((state) => state.why)
  if (!why) return null
  const answer = valueOf(why.answer)
  return (
    <section className="why" aria-label="Why this line is here" role="region">
      <header className="why-head">
        <Icon name="question" size={14} />
        <h4 className="b ell">{whereText(why)}</h4>
        <span className="grow" />
        {answer?.kind === 'written' && (
          <Button size="small" icon="rail" keys="Mod+Enter" onClick={() => void goToWriter()}>
            Go to the turn
          </Button>
        )}
        <IconButton icon="cross" label="Close" keys="Escape" onClick={closeWhy} />
      </header>
      <div className="why-body" role="status">
        <Body why={why} />
      </div>
    </section>
  )
}

function Body({ why }: { readonly why: WhyState }) {
  if (why.now?.kind === 'gone') return <p className="t2">This line does not stand in the file any more. The answer is about files as they are now; choose “To disk” to see that text.</p>
  switch (why.answer.kind) {
    case 'idle':
    case 'loading':
      return (
        <p className="t2 late">
          Looking through the sessions
          {/* Read aloud it would go on and on. */}
          <span aria-hidden="true">{why.progress ? `: ${why.progress.done} of ${why.progress.total}` : '…'}</span>
        </p>
      )
    case 'error':
      return <ErrorState error={why.answer.error} onRetry={askWhyAgain} />
    case 'ready':
      return (
        <>
          {why.now?.kind === 'unknown' && <p className="t2">The text on the screen could not be compared with the disk. This is about line {why.now.line} of the file as it is now.</p>}
          {why.answer.value.kind === 'written' ? <Written answer={why.answer.value} /> : <NotRecorded answer={why.answer.value} />}
        </>
      )
  }
}

function Written({ answer }: { readonly answer: Extract<WhyAnswer, { kind: 'written' }> }) {
  const [now] = useState(Date.now)
  return (
    <>
      <Line sign="+" text={answer.line} />
      {answer.before !== null && <Line sign="−" text={answer.before} />}
      <p className="why-who">
        <AgentSign agent={agentOfSession(answer)} />
        <span className="b">{sessionAgentText(answer)}</span>
        <span>turn {answer.turn}</span>
        <span className="ell" title={visibleText(answer.title)}>of “{visibleText(answer.title)}”</span>
        <span className="t2 num">{dayText(answer.at, now)}, {clockText(answer.at)}</span>
        <span className="prov">
          <Icon name={causeIcon({ kind: 'modified', cause: answer.cause })} size={13} />
          {causeText({ kind: 'modified', cause: answer.cause })}
        </span>
      </p>
      {answer.prompt !== '' && <blockquote className="why-prompt">{visibleText(answer.prompt)}</blockquote>}
      {answer.passed > 0 && <p className="t3">{passedText(answer.passed)}</p>}
    </>
  )
}

function NotRecorded({ answer }: { readonly answer: Extract<WhyAnswer, { kind: 'not-recorded' }> }) {
  return (
    <>
      <Line sign=" " text={answer.line} />
      <p className="why-who">
        <span className="bdg unk">not recorded</span>
        <span>{visibleText(answer.reason)}</span>
      </p>
    </>
  )
}

function Line({ sign, text }: { readonly sign: '+' | '−' | ' '; readonly text: string }) {
  return (
    <code className={sign === '−' ? 'why-line removed' : sign === '+' ? 'why-line added' : 'why-line'}>
      <span aria-hidden="true">{sign}</span>
      <span className="ell">{lineText(text) || <i className="t3">empty line</i>}</span>
    </code>
  )
}
