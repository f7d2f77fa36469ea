import type { ApprovedFile, TakenPart } from '../../shared/approval.js'
import { applyHunks, countChanges } from '../../shared/changes.js'
import { ReviewError } from '../../shared/errors.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { Approving } from '../approvals/question.js'
import { sha256Of } from '../workspace/text-files.js'
import { encodedText, type EditPlan, type PlannedFile } from './edit-plan.js'
import { plannedHunks } from './planned-hunks.js'

/** What of a plan was approved, and the sentences about it for the model; none where all of it was. */
export interface ChosenFiles {
  readonly files: readonly PlannedFile[]
  readonly told: readonly string[]
  /** By path; without those that are taken as planned. */
  readonly taken: ReadonlyMap<WorkspacePath, TakenPart>
}

/** A file as it was chosen. */
interface ChosenFile {
  readonly file: PlannedFile
  readonly told: string | null
  readonly taken: TakenPart | null
}

/**
 * The files of a plan as a person approved them: whole, with other text, some of their hunks, or left out.
 * Errors: HUNK_NOT_FOUND, INVALID_PARAMS for a choice that the plan cannot have or that leaves nothing, ENCODING_CANNOT.
 */
export function chooseFiles(plan: EditPlan, { files: choices }: Approving): ChosenFiles {
  const byPath = new Map(choices.map((choice) => [choice.path, choice]))
  const stray = choices.find(({ path }) => !plan.files.some((file) => file.path === path))
  if (stray) throw new ReviewError('INVALID_PARAMS', `${stray.path} is not part of this edit.`, { details: { field: 'files' } })
  if (byPath.size < choices.length) throw new ReviewError('INVALID_PARAMS', 'A file is named twice. Choose once for each.', { details: { field: 'files' } })
  const files: PlannedFile[] = []
  const told: string[] = []
  const taken = new Map<WorkspacePath, TakenPart>()
  for (const planned of plan.files) {
    const chosen = chooseFile(planned, byPath.get(planned.path))
    if (chosen === null) {
      told.push(`${planned.path} was left out by the person and is unchanged.`)
      taken.set(planned.path, { kind: 'left-out' })
    } else {
      if (chosen.taken !== null) taken.set(planned.path, chosen.taken)
      files.push(chosen.file)
      if (chosen.told !== null) told.push(chosen.told)
    }
  }
  if (files.length === 0) throw new ReviewError('INVALID_PARAMS', 'Nothing is chosen that would change a file. Choose a hunk, or reject the edit.', { details: { field: 'files' } })
  return { files, told, taken }
}

/** `null` for a file that is left out. */
function chooseFile(file: PlannedFile, choice: ApprovedFile | undefined): ChosenFile | null {
  if (!choice || (choice.hunks === null && choice.text === null)) return { file, told: null, taken: null }
  if (choice.hunks?.length === 0 && choice.text === null) return null
  const { texts, after } = file
  if (!texts || !after || file.operation === 'rename') {
    throw new ReviewError('INVALID_PARAMS', `${file.path} can only be approved as a whole, or left out.`, { details: { field: 'files' } })
  }
  const hunks = plannedHunks(texts)
  if (choice.text !== null) {
    if (choice.text === texts.after) return { file, told: null, taken: null }
    // The window gives the text as a whole, and which hunks it was made of.
    const taken = new Set(choice.hunks ?? hunks.map((_, at) => at + 1))
    const left = hunks.flatMap((_, at) => (taken.has(at + 1) ? [] : [at + 1]))
    const applied = applyHunks(texts.before, hunks.filter((_, at) => taken.has(at + 1)))
    const { insertions, deletions } = countChanges(applied.kind === 'applied' ? applied.text : texts.after, choice.text)
    const lines = Math.max(insertions, deletions)
    const said = [
      ...(lines === 0 ? [] : [`the person changed your text before it was written (${lines === 1 ? '1 line' : `${lines} lines`})`]),
      ...(left.length === 0 ? [] : [`${named('hunk', left)} of ${hunks.length} left out by the person`]),
    ]
    const sorted = [...taken].sort((one, two) => one - two)
    return withText(file, choice.text, `${file.path}: ${said.join('; ')}.`, { kind: lines === 0 ? 'hunks' : 'edited', hunks: sorted, of: hunks.length })
  }
  const chosen = new Set(choice.hunks)
  for (const number of chosen) {
    if (!Number.isInteger(number) || number < 1 || number > hunks.length) {
      throw new ReviewError('HUNK_NOT_FOUND', `${file.path} has ${hunks.length === 1 ? '1 hunk' : `${hunks.length} hunks`}. There is no hunk ${number}.`)
    }
  }
  if (chosen.size === hunks.length) return { file, told: null, taken: null }
  const applied = applyHunks(texts.before, hunks.filter((_, at) => chosen.has(at + 1)))
  if (applied.kind === 'misfit') throw new ReviewError('HUNK_NOT_FOUND', `The hunks of ${file.path} do not fit without the others. Approve the whole file.`)
  const left = hunks.flatMap((_, at) => (chosen.has(at + 1) ? [] : [at + 1]))
  const sorted = [...chosen].sort((one, two) => one - two)
  return withText(file, applied.text, `${file.path}: ${named('hunk', sorted)} of ${hunks.length} written, ${named('hunk', left)} left out by the person.`, { kind: 'hunks', hunks: sorted, of: hunks.length })
}

/** The file with another text than planned; left out where that is what it holds already. */
function withText(file: PlannedFile, text: string, told: string, taken: TakenPart): ChosenFile | null {
  const { found, after, texts } = file
  const bytes = encodedText(found, text)
  const { state } = found.seen
  const changesMode = after !== null && after.mode !== null && state.kind === 'file' && after.mode !== state.mode
  if (state.kind === 'file' && state.sha256 === sha256Of(bytes) && !changesMode) return null
  return { file: { ...file, after: { bytes, mode: after?.mode ?? null }, texts: { before: texts?.before ?? '', after: text } }, told, taken }
}

function named(word: string, numbers: readonly number[]): string {
  return `${numbers.length === 1 ? word : `${word}s`} ${numbers.join(', ')}`
}
