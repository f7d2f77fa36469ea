import type { FileChange } from '../../shared/file-state.js'
import { hasTranscript, showInTranscript, stepChange } from '../state/changes-actions.js'
import { useStore } from '../state/store.js'
import { previewTakeBack, takeBackHindrance } from '../state/take-back-actions.js'
import { Icon } from '../ui/icons.js'
import { Button, IconButton, StatusLetter } from '../ui/parts.js'
import { splitPath } from '../ui/words.js'
import { causeIcon } from './file-rows.js'
import { causeText, kindText, provenanceText, sourceText, stateLetter } from './words.js'

/** Which file, how it is known, which of its changes is looked at, and taking that one back. */
export function DiffHead({ change, isNarrow }: { readonly change: FileChange; readonly isNarrow: boolean }) {
  const diff = useStore((state) => (state.changes.diff?.path === change.path ? state.changes.diff : null))
  const hindrance = useStore(takeBackHindrance)
  const canShowCall = useStore((state) => hasTranscript(state.changes))
  const number = (diff?.current ?? 0) + 1
  return (
    <div className="diff-head">
      <StatusLetter letter={stateLetter(change.kind) ?? 'X'} title={kindText(change.kind)} />
      <h3 className="b ell" title={change.path}>{isNarrow ? splitPath(change.path).name : change.path}</h3>
      <span className="prov ell" title={`Before ${sourceText(change.sources.before)}, after ${sourceText(change.sources.after)}`}>
        <Icon name={causeIcon(change)} size={13} />
        <span className="ell">{isNarrow ? causeText(change) : provenanceText(change)}</span>
      </span>
      <span className="grow" />
      {canShowCall && <IconButton icon="command" label="Show in the transcript how it came about" keys="Enter" onClick={showInTranscript} />}
      {diff && diff.count > 0 && (
        <>
          <span className="md t2 num" role="status">Change {number} of {diff.count}</span>
          <IconButton icon="up" label="Previous change" keys="P" onClick={() => stepChange(-1)} />
          <IconButton icon="down" label="Next change" keys="N" onClick={() => stepChange(1)} />
          <Button size="small" icon="back" aria-keyshortcuts="T" disabledReason={hindrance} onClick={() => void previewTakeBack()}>Take back change {number}</Button>
        </>
      )}
    </div>
  )
}
