import { toWireError, type ErrorCode } from '../../shared/errors.js'
import type { LedgerChange } from '../../shared/ledger.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { sha256Of } from '../workspace/text-files.js'
import type { ChosenFiles } from './chosen-files.js'
import { diffText } from './diff-text.js'
import type { PlannedFile } from './edit-plan.js'
import { plannedStat } from './planned-hunks.js'
import { done, refused } from './tool.js'

/** What the agent is told of an edit that was written. */
export function writtenAnswer({ files, told }: ChosenFiles, comment: string): ToolAnswer {
  const diff = diffText(files)
  const list = files.map(({ path, from, operation, texts, after, note }) => ({
    path,
    ...(from === null ? {} : { from }),
    operation,
    ...(texts ? plannedStat(texts) : {}),
    sha256: after ? sha256Of(after.bytes) : null,
    note,
  }))
  const notes = files.flatMap(({ path, note }) => (note === null ? [] : [`${path}: ${note}`]))
  const said = comment.trim()
  const message = `Written and read again: ${files.map(words).join(', ')}.`
  const others = [...told, ...notes, ...(said === '' ? [] : [`The person says: ${said}`])]
  const structured = { message, ...(others.length === 0 ? {} : { notes: others }), files: list, diff: diff.text, diff_is_cut: diff.isCut, changed_by_person: told }
  return done(`${[message, ...others].join('\n')}\n\n${diff.text}`, structured)
}

/** An edit that was not written: for the list, and for the agent. */
export interface FailedEdit {
  readonly outcome: string
  readonly error: ErrorCode
  readonly value: ToolAnswer
}

/** `stuck`: files that could not even be put back, and hold what the edit wrote. */
export function failedEdit(thrown: unknown, stuck: readonly LedgerChange[]): FailedEdit {
  const { code, message, details } = toWireError(thrown)
  const end =
    stuck.length === 0
      ? 'Nothing was written.'
      : `But ${stuck.map(({ path }) => path).join(', ')} had been written by then and could not be put back; that is tried again when Overturn starts next. Look at the files.`
  return { outcome: `${message} ${end}`, error: code, value: refused(code, message, details, `${message} ${end}`) }
}

/** Somebody changed a file after the edit was planned; `because` is why it cannot be planned again. */
export function staleEdit(because?: unknown): FailedEdit {
  const why = because === undefined ? '' : ` On the file as it is now: ${toWireError(because).message}`
  const message = `The file was changed by somebody else after this edit was planned, so nothing was written. Read it again.${why}`
  return { outcome: message, error: 'FILE_CHANGED_SINCE_READ', value: refused('FILE_CHANGED_SINCE_READ', message) }
}

function words({ path, from, operation, texts }: PlannedFile): string {
  if (operation === 'delete') return `${path} deleted`
  const stat = texts && plannedStat(texts)
  const size = stat ? ` (+${stat.insertions} -${stat.deletions})` : ''
  return operation === 'rename' ? `${from ?? ''} renamed to ${path}${size}` : `${path}${operation === 'create' ? ' created' : ''}${size}`
}
