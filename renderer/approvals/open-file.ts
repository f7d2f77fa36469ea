import type { ApprovalFile, ApprovalTexts } from '../../shared/approval.js'
import type { ChangeKind } from '../../shared/file-state.js'
import type { OpenFile } from '../state/changes-slice.js'

const kinds: Readonly<Record<ApprovalFile['operation'], ChangeKind>> = { create: 'added', modify: 'modified', delete: 'deleted', rename: 'modified', mode: 'mode' }

/** A proposed file in the shape that the diff of a change has. */
export function openFileOf(file: ApprovalFile, texts: ApprovalTexts): OpenFile {
  return {
    change: {
      path: file.path,
      kind: kinds[file.operation],
      stat: file.stat,
      cause: 'edit',
      sources: { before: 'disk', after: 'edit' },
      badges: file.badges,
      contentKey: null,
      review: 'none',
    },
    before: texts.before,
    after: texts.after,
    edits: [],
  }
}

/** Whether its hunks can be chosen and its text be written over: it has text on both sides, and stays where it is. */
export function isEditable({ operation, hunks }: ApprovalFile): boolean {
  return hunks > 0 && (operation === 'create' || operation === 'modify')
}
