import { isOpen, type Approval, type ApprovalFile } from '../../shared/approval.js'
import { Badges } from '../changes/Badges.js'
import { mostHeads } from '../changes/hunk-limits.js'
import { discardTyped, dropKept, goToHunk, startTyping, stepHunk, takeKept, toggleHunk } from '../state/actions.js'
import { mergeKept, type FileDraft } from '../state/approval-draft.js'
import { shownDraft } from '../state/approval-view.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Button, IconButton, Tick } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { fileNote } from './approval-words.js'
import { isEditable } from './open-file.js'

interface EditHeadProps {
  readonly entry: Approval
  readonly file: ApprovalFile
  /** The head of the question names the file already. */
  readonly isAlone: boolean
  /** Whether the way through the hunks stands here, and not in the head of the question. */
  readonly hasNav: boolean
}

/** The file on the screen: what its lines do not show, and a text that a person typed over an earlier proposal. */
export function EditHead({ entry, file, isAlone, hasNav }: EditHeadProps) {
  const draft = useStore((state) => shownDraft(state.approvals))
  const hasBar = hasNav || file.badges.length > 0 || file.note !== null || file.taken !== null
  return (
    <>
      {hasBar && (
        <div className="edit-head">
          {!isAlone && <h2 className="b ell" title={visibleText(file.path)}>{visibleText(file.path)}</h2>}
          <span className="md t3">{isAlone && !file.taken ? '' : fileNote(file)}</span>
          {file.taken?.kind === 'left-out' && <span className="md t2">This was proposed, and was not written.</span>}
          <Badges badges={file.badges} />
          {file.note !== null && <span className="md t2 ell" title={visibleText(file.note)}>{visibleText(file.note)}</span>}
          <span className="grow" />
          {hasNav && <HunkNav entry={entry} file={file} />}
        </div>
      )}
      {draft?.kept && isOpen(entry.state) && <Kept draft={draft} />}
    </>
  )
}

/** The way through the hunks of the file on the screen, and into its text. */
export function HunkNav({ entry, file }: { readonly entry: Approval; readonly file: ApprovalFile }) {
  const draft = useStore((state) => shownDraft(state.approvals))
  const hunk = useStore((state) => state.approvals.hunk)
  if (!draft || !isEditable(file)) return null
  const count = draft.hunks.length
  const canWrite = isOpen(entry.state)
  return (
    <span className="hunk-nav">
      {canWrite && draft.typed !== null && <Button size="small" look="quiet" icon="back" onClick={discardTyped}>Discard my text</Button>}
      {count > mostHeads && <CurrentTick entry={entry} draft={draft} hunk={hunk} />}
      {count > 1 && (
        <>
          <span className="md t2 num" role="status">Hunk {Math.min(hunk, count - 1) + 1} of {count}</span>
          <IconButton icon="up" label="Previous hunk" keys="P" onClick={() => stepHunk(-1)} />
          <IconButton icon="down" label="Next hunk" keys="N" onClick={() => stepHunk(1)} />
        </>
      )}
      {canWrite && <IconButton icon="pencil" label="Edit the right side" keys="E" onClick={startTyping} />}
    </span>
  )
}

/** With very many hunks only the one that the keys are about has a tick. */
function CurrentTick({ entry, draft, hunk }: { readonly entry: Approval; readonly draft: FileDraft; readonly hunk: number }) {
  if (!isOpen(entry.state)) return null
  const number = Math.min(hunk, draft.hunks.length - 1) + 1
  return <span onClick={() => goToHunk(number - 1)}><Tick label={`Take hunk ${number}`} checked={!draft.leftOut.has(number)} onChange={() => toggleHunk(number)} /></span>
}

/** A text that was typed over a proposal that has changed since. Nothing of it is put in unasked. */
function Kept({ draft }: { readonly draft: FileDraft }) {
  const fits = mergeKept(draft) !== null
  return (
    <div className="question-notice warn" role="status">
      <Icon name="pencil" />
      <span className="grow">
        <b className="b">What you typed is kept.</b>{' '}
        <span className="t2">{fits ? 'It fits the fresh diff.' : 'It touches lines that changed on the disk. Taken whole, it undoes that change.'}</span>
      </span>
      {fits ? <Button size="small" onClick={() => takeKept('merged')}>Put it over the fresh diff</Button> : <Button size="small" onClick={() => takeKept('whole')}>Take my text whole</Button>}
      <Button size="small" look="quiet" onClick={dropKept}>Drop it</Button>
    </div>
  )
}
