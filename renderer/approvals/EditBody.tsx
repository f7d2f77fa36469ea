import { useMemo } from 'react'
import { isOpen, type Approval, type ApprovalFile, type ApprovalSubject, type ApprovalTexts } from '../../shared/approval.js'
import { BlanksNote, isOnlyBlanks } from '../changes/BlanksNote.js'
import { diffBodyOf } from '../changes/diff-body.js'
import { DiffEditor } from '../changes/DiffEditor.js'
import { FactsPanel } from '../changes/FactsPanel.js'
import { HunkEditor } from '../changes/HunkEditor.js'
import { TextPane } from '../changes/TextPane.js'
import { WhyButton, WhyPanel } from '../changes/WhyPanel.js'
import { askWhyHere, canAskWhyHere, chooseHunkAt, flushTyping, readTexts, setApprovals, showInFull, typedSoon } from '../state/actions.js'
import { draftOf, shownDraft } from '../state/approval-view.js'
import { textsKey } from '../state/approvals-slice.js'
import { valueOf } from '../state/loadable.js'
import { getState, useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Button, ErrorState, LoadingState } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { ApprovalFiles } from './ApprovalFiles.js'
import { EditHead } from './EditHead.js'
import { HunkHead } from './HunkHead.js'
import { isEditable, openFileOf } from './open-file.js'
import { toldText } from './told.js'

interface EditBodyProps {
  readonly entry: Approval
  readonly subject: Extract<ApprovalSubject, { kind: 'edit' }>
  readonly isNarrow: boolean
}

/** What an edit would write: its files, the diff of one of them, and what the agent will be told. */
export function EditBody({ entry, subject, isNarrow }: EditBodyProps) {
  const path = useStore((state) => state.approvals.path)
  const file = subject.files.find((one) => one.path === path)
  const texts = useStore((state) => (path === null ? undefined : state.approvals.texts.get(textsKey(entry.id, path))))
  const value = texts ? valueOf(texts) : null
  return (
    <div className="edit-body">
      {subject.sed !== null && (
        <div className="sed-line">
          <span className="bdg acc">
            <Icon name="sed" size={13} />
            sed -i, simulated
          </span>
          <code className="mono ell" title={visibleText(subject.sed)}>
            {visibleText(subject.sed)}
          </code>
          <span className="md t3">no shell runs</span>
        </div>
      )}
      {subject.files.length > 1 && <ApprovalFiles entry={entry} files={subject.files} />}
      {file && <EditHead entry={entry} file={file} isAlone={subject.files.length === 1} hasNav={subject.files.length > 1 || isNarrow} />}
      {texts?.kind === 'error' && path !== null && <ErrorState error={texts.error} onRetry={() => void readTexts(entry.id, path)} />}
      {file && isOnlyBlanks(file.badges) && <BlanksNote />}
      {file && value && texts?.kind !== 'error' ? <FileBody entry={entry} file={file} texts={value} isNarrow={isNarrow} /> : texts?.kind !== 'error' && <LoadingState label="Reading both sides" lines={10} />}
      <WhyPanel />
      <Told entry={entry} />
    </div>
  )
}

function Told({ entry }: { readonly entry: Approval }) {
  const draft = useStore((state) => draftOf(state.approvals, entry.id))
  const told = isOpen(entry.state) ? toldText(entry, draft) : null
  if (told === null) return null
  return (
    <p className="told md t2" role="status">
      <Icon name="person" size={14} />
      <span>{told}</span>
    </p>
  )
}

interface FileBodyProps {
  readonly entry: Approval
  readonly file: ApprovalFile
  readonly texts: ApprovalTexts
  readonly isNarrow: boolean
}

function FileBody({ entry, file, texts, isNarrow }: FileBodyProps) {
  const isExpanded = useStore((state) => state.approvals.expanded.has(textsKey(entry.id, file.path)))
  const isSideBySide = useStore((state) => !isNarrow && state.prefs.diffLayout === 'side')
  const isWrapped = useStore((state) => state.prefs.wrap)
  const hunk = useStore((state) => state.approvals.hunk)
  const focusCount = useStore((state) => state.approvals.focusCount)
  const draft = useStore((state) => shownDraft(state.approvals))
  const body = useMemo(() => diffBodyOf(openFileOf(file, texts), isExpanded), [file, texts, isExpanded])
  switch (body.kind) {
    case 'diff':
      return draft && isEditable(file) ? (
        <HunkEditor
          path={file.path}
          showsBlanks={isOnlyBlanks(file.badges)}
          draft={draft}
          isSideBySide={isSideBySide}
          isWrapped={isWrapped}
          isWritable={isOpen(entry.state)}
          current={hunk + 1}
          focusCount={focusCount}
          onTyped={typedSoon}
          onLine={chooseHunkAt}
          onLeave={flushTyping}
          onPointed={(line) => setApprovals({ pointed: line && { side: line.side, line: line.line } })}
          pointed={() => canAskWhyHere(getState()) && <WhyButton onAsk={askWhyHere} />}
          head={(number) => <HunkHead entry={entry} draft={draft} number={number} isCurrent={number === hunk + 1} />}
        />
      ) : (
        <DiffEditor path={file.path} showsBlanks={isOnlyBlanks(file.badges)} before={body.before} after={body.after} isSideBySide={isSideBySide} isWrapped={isWrapped} />
      )
    case 'same':
      return (
        <>
          <p className="file-fact md">
            <b className="b">The text stays the same.</b> <span className="t2">{body.facts.join(' ')}</span>
          </p>
          {body.text === '' ? <span className="grow" /> : <TextPane path={file.path} text={body.text} label={file.path} isWrapped={isWrapped} />}
        </>
      )
    case 'half':
      return (
        <>
          <p className="file-fact md">
            <b className="b">{body.known === 'after' ? 'What is there now is not known.' : 'What it becomes is not known.'}</b> <span className="t2">{body.other.text}</span>
          </p>
          <TextPane path={file.path} text={body.text} label={file.path} isWrapped={isWrapped} />
        </>
      )
    case 'long':
      return (
        <FactsPanel title="A long diff" text="It is held back so that the others are there at once." before={body.before} after={body.after} sideNames={['Now', 'As it would be written']}>
          <Button size="small" onClick={showInFull}>
            Show the diff
          </Button>
        </FactsPanel>
      )
    case 'facts':
      return (
        <FactsPanel title="Not shown as text" text="It is taken as a whole, or left out." before={body.before} after={body.after} notes={body.badges} sideNames={['Now', 'As it would be written']}>
          {body.canShow && (
            <Button size="small" onClick={showInFull}>
              Show anyway
            </Button>
          )}
        </FactsPanel>
      )
    case 'refused':
      return null
  }
}
