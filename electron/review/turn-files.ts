import type { ChangeCause, ShownEdit } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { RecordedEdit, RecordedText, TranscriptEntry } from '../../shared/session.js'
import type { PromptSnapshot } from '../../shared/snapshot.js'
import { doneSed } from './before-sed.js'
import { byPath, type Contents, type Revision } from './contents.js'
import { isKnown, isSameContent, unknown, type Held } from './held.js'
import type { LedgerInterlude } from './ledger-contents.js'
import { endOf, isNamed, startOf, startOfNext, type PathEvent } from './path-events.js'
import { placedCalls, type Refusal } from './recorded-steps.js'

/** One file of a turn, or of the time between two turns. */
export interface TurnFile {
  readonly path: WorkspacePath
  readonly before: Held
  readonly after: Held
  readonly cause: ChangeCause
  /** A recorded edit says what it did, even where the contents as a whole are not known. */
  readonly isRecorded: boolean
  /** Set where nothing was written because the edit was refused or failed. */
  readonly refusal: Refusal | null
  /** A command changed nothing but permission bits. */
  readonly isModeOnly: boolean
  /** What others changed could not be told apart from what the agent did. */
  readonly isWithTyping: boolean
}

/** Texts of a file as the turn's calls show them, without line ends and BOM; for display where the content is not known. */
export interface RecordedSides {
  readonly before: RecordedText | null
  readonly after: RecordedText | null
  readonly isNewFile: boolean
  readonly isDeleted: boolean
}

/**
 * The files of a turn, in path order: those that its calls edited, those that its commands name, those that a snapshot shows
 * as changed by its commands, and edits that were refused. What was changed and changed back is left out.
 *
 * Of a turn that was set aside only the calls count; its backups are never looked at.
 */
export async function turnFiles(contents: Contents, promptId: PromptId, signal?: AbortSignal): Promise<readonly TurnFile[]> {
  const revision = contents.now()
  const turn = revision.steps.indexOf(promptId) ?? -1
  const prompt = revision.steps.turns[turn]
  if (!prompt) return setAsideFiles(revision, promptId)
  await revision.steps.load(startOf(turn), startOfNext(turn), signal)
  const { refusals } = await revision.steps.digest(prompt)
  const changed = new Set<WorkspacePath>([...(revision.steps.segmentOf(turn)?.changedPaths ?? []), ...(await changedByCommands(revision, turn))])
  const files = await Promise.all([...changed].map((path) => liveFile(revision, turn, path, signal)))
  const refused = lastRefusals(refusals.filter(({ path }) => !changed.has(path)))
  return [...files.flatMap((file) => (file ? [file] : [])), ...refused.map(refusedFile)].sort((one, two) => byPath(one.path, two.path))
}

/**
 * What others changed between a turn's end and the next one's start: the user, or something that no record shows. Empty after
 * the last turn, for which only the disk can tell, and where a rewind of the agent lies between.
 */
export async function filesBetween(contents: Contents, promptId: PromptId, signal?: AbortSignal): Promise<readonly TurnFile[]> {
  const revision = contents.now()
  const turn = revision.steps.indexOf(promptId)
  if (turn === null || turn >= revision.steps.turns.length - 1) return []
  const ledger = await revision.ledger(signal)
  if (ledger) return (await ledger.between(turn)).filter(({ before, after }) => !isUnchanged(before, after)).map(asTurnFile).sort((one, two) => byPath(one.path, two.path))
  if (revision.steps.setAsideAfter(turn).length > 0) return []
  const [before, after] = await Promise.all([revision.sources.snapshotOf(turn), revision.sources.snapshotOf(turn + 1)])
  await revision.steps.load(startOf(turn), startOfNext(turn), signal)
  const edited = revision.steps.segmentOf(turn)?.changedPaths ?? []
  const paths = new Set<WorkspacePath>([...edited, ...changedEntries(before, after)])
  const files = await Promise.all([...paths].map((path) => betweenFile(revision, turn, path, signal)))
  return files.flatMap((file) => (file ? [file] : [])).sort((one, two) => byPath(one.path, two.path))
}

/** In so many characters the edits of a file are shown. */
const shownEdits = 200_000

/** The edits of a file by the calls of a turn as they were recorded, in order; as many of the first as are not too long to be shown. */
export function recordedEdits(entries: readonly TranscriptEntry[], path: WorkspacePath): readonly ShownEdit[] {
  let left = shownEdits
  const calls = placedCalls(entries).flatMap(({ call }) => (call.status === 'done' ? [call] : []))
  const edits = calls.flatMap(({ edit, patch }) => (edit ? [edit] : (patch ?? []))).flatMap((edit): ShownEdit[] => (edit.path === path ? [{ change: edit.change, diff: edit.diff }] : []))
  const tooLong = edits.findIndex((edit) => (left -= JSON.stringify(edit).length) < 0)
  return tooLong < 0 ? edits : edits.slice(0, tooLong)
}

function editsOf(entries: readonly TranscriptEntry[], path: WorkspacePath): readonly RecordedEdit[] {
  return placedCalls(entries).flatMap(({ call }) => (call.edit?.path === path && call.status === 'done' ? [call.edit] : []))
}

/** What the calls of any turn, live or set aside, show of a file. */
export function recordedSides(entries: readonly TranscriptEntry[], path: WorkspacePath): RecordedSides | null {
  const edits = editsOf(entries, path)
  const [first, last] = [edits[0], edits.at(-1)]
  if (!first || !last) return null
  return { before: first.before, after: last.after, isNewFile: first.isNewFile, isDeleted: last.change.kind === 'delete' }
}

async function liveFile(revision: Revision, turn: number, path: WorkspacePath, signal: AbortSignal | undefined): Promise<TurnFile | null> {
  const [start, ended, apart] = await Promise.all([
    revision.start(turn, path, signal),
    revision.end(turn, path, signal),
    revision.ledger(signal).then((ledger) => ledger?.withoutAgent(path, turn, 'start', turn)),
  ])
  // What others typed before the agent changed the file is none of its doing.
  const before = apart?.held ?? start
  if (isUnchanged(before, ended.held)) return null
  const events = [...revision.steps.events(path, startOf(turn), endOf(turn))]
  const edits = events.flatMap((event) => (event.kind === 'edit' ? [event.step] : []))
  const cause = causeOf(events, path)
  return {
    path,
    before,
    after: ended.held,
    cause: (edits.length > 0 || cause === 'sed') && ended.isContradicted && ended.by !== 'steps' ? 'unknown' : cause,
    isRecorded: edits.some((edit) => edit.isSure),
    refusal: null,
    isModeOnly: edits.length === 0 && events.every((event) => event.kind !== 'shell' || event.shell.kind === 'unforeseen' || event.shell.how === 'mode'),
    isWithTyping: (apart?.clash ?? null) !== null,
  }
}

function asTurnFile({ path, before, after, cause }: LedgerInterlude): TurnFile {
  return { path, before, after, cause, isRecorded: false, refusal: null, isModeOnly: false, isWithTyping: false }
}

/** What others changed in the middle of a turn, before the agent went on with the same files; only a ledger tells. */
export async function filesInside(contents: Contents, promptId: PromptId, signal?: AbortSignal): Promise<readonly TurnFile[]> {
  const revision = contents.now()
  const turn = revision.steps.indexOf(promptId)
  const ledger = turn === null ? null : await revision.ledger(signal)
  if (turn === null || !ledger) return []
  return (await ledger.inside(turn)).filter(({ before, after }) => !isUnchanged(before, after)).map(asTurnFile).sort((one, two) => byPath(one.path, two.path))
}

/** Who changed the file: of its edits the last, else the last command that names it, else any that may have. */
export function causeOf(events: readonly PathEvent[], path: WorkspacePath): ChangeCause {
  const edit = events.findLast((event) => event.kind === 'edit')
  if (edit?.kind === 'edit') return edit.step.cause
  const commands = events.flatMap((event) => (event.kind === 'shell' ? [event] : []))
  const named = commands.findLast(({ shell }) => isNamed(shell) && shell.path === path)
  if (named) return doneSed(named) ? 'sed' : 'command'
  return commands.length > 0 ? 'command' : 'unknown'
}

async function betweenFile(revision: Revision, turn: number, path: WorkspacePath, signal: AbortSignal | undefined): Promise<TurnFile | null> {
  const { held: before } = await revision.end(turn, path, signal)
  const after = await revision.start(turn + 1, path, signal)
  if (!isKnown(before) || !isKnown(after) || isUnchanged(before, after)) return null
  return { path, before, after, cause: 'user', isRecorded: false, refusal: null, isModeOnly: false, isWithTyping: false }
}

/** Tracked files that the next snapshot shows as changed, where a command of this turn may have done it. */
async function changedByCommands(revision: Revision, turn: number): Promise<readonly WorkspacePath[]> {
  if (!revision.steps.segmentOf(turn)?.isBroad) return []
  const [before, after] = await Promise.all([revision.sources.snapshotOf(turn), revision.sources.snapshotOf(turn + 1)])
  return changedEntries(before, after).filter((path) => [...revision.steps.events(path, startOf(turn), endOf(turn))].some((event) => event.kind === 'shell'))
}

function changedEntries(before: PromptSnapshot | null, after: PromptSnapshot | null): readonly WorkspacePath[] {
  if (!before || !after) return []
  return [...after.backups].flatMap(([path, backup]) => {
    const earlier = before.backups.get(path)
    if (!earlier) return []
    const isSame = backup.kind === 'stored' && earlier.kind === 'stored' ? backup.backupName === earlier.backupName : backup.kind === earlier.kind
    return isSame ? [] : [path]
  })
}

async function setAsideFiles(revision: Revision, promptId: PromptId): Promise<readonly TurnFile[]> {
  const { session } = revision.sources
  const turn = session.setAside.flatMap((branch) => branch.turns).find((each) => each.promptId === promptId)
  if (!turn) return []
  const { steps, refusals } = await revision.steps.digest(turn)
  const files = new Map<WorkspacePath, TurnFile>()
  const add = (path: WorkspacePath, cause: ChangeCause, isRecorded: boolean): void => {
    files.set(path, { path, before: unknown('no-record'), after: unknown('no-record'), cause, isRecorded, refusal: null, isModeOnly: false, isWithTyping: false })
  }
  for (const step of steps) {
    if (step.kind === 'command') for (const shell of step.steps) if (isNamed(shell) && !files.has(shell.path)) add(shell.path, doneSed({ shell, step }) ? 'sed' : 'command', false)
    if (step.kind === 'edit') add(step.path, step.cause, step.isSure)
  }
  const refused = lastRefusals(refusals.filter(({ path }) => !files.has(path)))
  return [...files.values(), ...refused.map(refusedFile)].sort((one, two) => byPath(one.path, two.path))
}

function lastRefusals(refusals: readonly Refusal[]): readonly Refusal[] {
  return [...new Map(refusals.map((refusal) => [refusal.path, refusal])).values()]
}

function refusedFile(refusal: Refusal): TurnFile {
  return { path: refusal.path, before: unknown('no-record'), after: unknown('no-record'), cause: 'edit', isRecorded: false, refusal, isModeOnly: false, isWithTyping: false }
}

/** Whether two contents are known to be the same; a mode that is not known is no difference. */
export function isUnchanged(before: Pick<Held, 'content'>, after: Pick<Held, 'content'>): boolean {
  if (!isKnown(before) || !isKnown(after) || !isSameContent(before.content, after.content)) return false
  const [one, two] = [before.content.state, after.content.state]
  return one.kind !== 'file' || two.kind !== 'file' || one.mode === null || two.mode === null || one.mode === two.mode
}
