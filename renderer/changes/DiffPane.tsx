import { useEffect, useMemo } from 'react'
import type { ShownEdit } from '../../shared/file-state.js'
import type { OpenFile } from '../state/changes-slice.js'
import { diffShown, goToChange, selectFile, setChanges, showAnyway } from '../state/changes-actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { askWhy } from '../state/why-actions.js'
import { EditLines } from '../ui/edit-lines.js'
import { Icon } from '../ui/icons.js'
import { Button, EmptyState, ErrorState, LoadingState } from '../ui/parts.js'
import { BlanksNote, isOnlyBlanks } from './BlanksNote.js'
import { diffBodyOf, type SideFacts } from './diff-body.js'
import { DiffEditor } from './DiffEditor.js'
import { DiffHead } from './DiffHead.js'
import { FactsPanel } from './FactsPanel.js'
import { TextPane } from './TextPane.js'
import { WhyButton, WhyPanel } from './WhyPanel.js'

/** The selected file, before and after. */
export function DiffPane({ isNarrow }: { readonly isNarrow: boolean }) {
  const file = useStore((state) => state.changes.file)
  const path = useStore((state) => state.changes.selectedPath)
  const listed = useStore((state) => valueOf(state.changes.list)?.find((change) => change.path === path) ?? null)
  const shown = valueOf(file)
  const change = listed ?? shown?.change
  return (
    <section className="diff-pane" aria-label="Diff" data-pane="diff">
      {change && <DiffHead change={change} isNarrow={isNarrow} />}
      {file.kind === 'error' && <ErrorState error={file.error} onRetry={() => void selectFile(path)} />}
      {file.kind === 'loading' && shown?.change.path !== path && <LoadingState label="Reading both sides" lines={10} />}
      {shown && shown.change.path === path && <DiffBodyView file={shown} isNarrow={isNarrow} />}
      <WhyPanel />
    </section>
  )
}

function DiffBodyView({ file, isNarrow }: { readonly file: OpenFile; readonly isNarrow: boolean }) {
  const { path } = file.change
  const isExpanded = useStore((state) => state.changes.expanded.has(path))
  const isSideBySide = useStore((state) => !isNarrow && state.prefs.diffLayout === 'side')
  const isWrapped = useStore((state) => state.prefs.wrap)
  const current = useStore((state) => (state.changes.diff?.path === path ? state.changes.diff.current : 0))
  const asked = useStore((state) => (state.why?.path === path ? state.why.shown : null))
  const body = useMemo(() => diffBodyOf(file, isExpanded), [file, isExpanded])
  const hasDiff = body.kind === 'diff'
  useEffect(() => {
    if (!hasDiff) diffShown(path, 0)
  }, [hasDiff, path])
  switch (body.kind) {
    case 'diff':
      return (
        <>
          {isOnlyBlanks(file.change.badges) && <BlanksNote />}
          <DiffEditor
            path={path}
            showsBlanks={isOnlyBlanks(file.change.badges)}
            before={body.before}
            after={body.after}
            isSideBySide={isSideBySide}
            isWrapped={isWrapped}
            current={current}
            asked={asked}
            onShown={(count) => diffShown(path, count)}
            onChosen={goToChange}
            onPointed={(line) => setChanges({ pointed: line && { path, side: line.side, line: line.line } })}
            pointed={(line) => <WhyButton onAsk={() => void askWhy(line)} />}
          />
        </>
      )
    case 'same':
      return (
        <>
          <Note title="The text is the same on both sides." text={body.facts.join(' ')} />
          {body.text !== '' && <TextPane path={path} text={body.text} label={path} isWrapped={isWrapped} />}
        </>
      )
    case 'half':
      return (
        <>
          <Note isUnknown title={body.known === 'after' ? 'What was there before is not known.' : 'What came after is not known.'} text={`${body.other.text} Below is the side that is known.`} />
          <RecordedEdits edits={body.edits} />
          <TextPane path={path} text={body.text} label={body.known === 'after' ? 'After' : 'Before'} isWrapped={isWrapped} />
        </>
      )
    case 'long':
      return (
        <FactsPanel title="A long diff" text="It is held back so that the others are there at once." before={body.before} after={body.after}>
          <Button size="small" onClick={() => showAnyway(path)}>Show the diff</Button>
        </FactsPanel>
      )
    case 'facts':
      return (
        <FactsPanel title={factsTitle(body.before, body.after)} before={body.before} after={body.after} notes={body.badges} foot={<RecordedEdits edits={body.edits} />}>
          {body.canShow && <Button size="small" onClick={() => showAnyway(path)}>Show anyway</Button>}
        </FactsPanel>
      )
    case 'refused':
      return <EmptyState icon="cross" title="The edit was refused, nothing was written">{body.reason}</EmptyState>
  }
}

/** What the log shows of a change where it does not show the whole file. */
function RecordedEdits({ edits }: { readonly edits: readonly ShownEdit[] }) {
  if (edits.length === 0) return null
  return (
    <div className="recorded-edits">
      <h5 className="md b">What the log shows of the change</h5>
      {edits.map((edit, at) => (
        <EditLines key={at} edit={edit} label={edits.length === 1 ? 'Recorded edit' : `Recorded edit ${at + 1} of ${edits.length}`} />
      ))}
    </div>
  )
}

function factsTitle(before: SideFacts, after: SideFacts): string {
  return before.isUnknown || after.isUnknown ? 'Not everything is known' : 'Not shown as text'
}

function Note({ title, text, isUnknown = false }: { readonly title: string; readonly text: string; readonly isUnknown?: boolean }) {
  return (
    <div className={isUnknown ? 'diff-note unknown' : 'diff-note'}>
      <Icon name={isUnknown ? 'question' : 'check'} size={14} />
      <span className="b">{title}</span>
      <span className="t2 ell" title={text}>{text}</span>
    </div>
  )
}
