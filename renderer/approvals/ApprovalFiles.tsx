import { isOpen, type Approval, type ApprovalFile, type EditOperation } from '../../shared/approval.js'
import { Badges } from '../changes/Badges.js'
import { PathName } from '../changes/PathName.js'
import { selectPath, toggleFile } from '../state/actions.js'
import { draftOf, isFileOut } from '../state/approval-view.js'
import { useStore } from '../state/store.js'
import { ChurnBars, Stat, StatusLetter, Tick } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { fileNote } from './approval-words.js'

const letters: Readonly<Record<EditOperation, 'A' | 'M' | 'D'>> = { create: 'A', modify: 'M', delete: 'D', rename: 'M', mode: 'M' }
const names: Readonly<Record<EditOperation, string>> = { create: 'created', modify: 'changed', delete: 'deleted', rename: 'renamed', mode: 'mode changed' }

/** The files of a patch, each with its tick. What is ticked is written together or not at all. */
export function ApprovalFiles({ entry, files }: { readonly entry: Approval; readonly files: readonly ApprovalFile[] }) {
  const path = useStore((state) => state.approvals.path)
  const draft = useStore((state) => draftOf(state.approvals, entry.id))
  const canChoose = isOpen(entry.state)
  return (
    <div className="approval-files">
      <ul className="scroll" aria-label="Files of the patch">
        {files.map((file) => {
          const isOut = file.taken?.kind === 'left-out' || isFileOut(draft, file.path)
          const hunksOut = draft.files.get(file.path)?.leftOut.size ?? 0
          const isMixed = !isOut && hunksOut > 0
          return (
            <li key={file.path} className={`approval-file${file.path === path ? ' on' : ''}${isOut ? ' out' : ''}`} onClick={() => selectPath(file.path)}>
              {canChoose ? <Tick label={`Take ${visibleText(file.path)}`} checked={isMixed ? 'mixed' : !isOut} onChange={() => toggleFile(file.path)} /> : <span />}
              <StatusLetter letter={letters[file.operation]} title={names[file.operation]} />
              <button type="button" className="file-name" aria-current={file.path === path} onClick={() => selectPath(file.path)}>
                {file.from !== null && <span className="t3 ell">{visibleText(file.from)} → </span>}
                <PathName path={visibleText(file.path)} />
              </button>
              <Badges badges={file.badges} />
              <span className="md t2 num">{isMixed ? `${file.hunks - hunksOut} of ${file.hunks} hunks` : fileNote(file)}</span>
              <span className="right">{file.stat && file.taken?.kind !== 'left-out' && <Stat stat={file.stat} />}</span>
              <ChurnBars stat={(file.taken?.kind !== 'left-out' && file.stat) || { insertions: 0, deletions: 0 }} />
            </li>
          )
        })}
      </ul>
      {canChoose && <p className="md t3 files-note">All that is ticked is written together, or nothing is. A file that you leave out stays as it is.</p>}
    </div>
  )
}
