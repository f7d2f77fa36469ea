import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { FileSide, FileState } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import type { PlannedFile, Receipt, ReceiptFile, Resolution, RewindChoices, RewindFileTexts } from '../../shared/rewind.js'
import { breathe, inParallel, weightOf } from '../base/pool.js'
import type { Seen } from '../workspace/disk-states.js'
import { displayLimitBytes, sideOf } from '../workspace/text-decoding.js'
import { parentsOf, readBytes } from '../workspace/text-files.js'
import type { Place } from '../workspace/workspace.js'
import { applyChanges, receiptLine, type PlannedChange } from './apply-changes.js'
import type { KnownContent } from './content.js'
import type { HistoryParts, Watch } from './history-parts.js'
import type { OperationSubject } from './operation.js'
import { describePlan } from './plan-details.js'
import { hashPlan, needsBytes, planFile, type FileFacts, type FilePlan, type PlannedResult, type PlanWords } from './rewind-plan.js'

/** One file of a rewind, with the contents that the caller knows. */
export interface RewindInput {
  readonly path: WorkspacePath
  readonly target: KnownContent
  /** What the agent, or our last operation (`Journal.lastLeft`), left; the later of the two. */
  readonly base: KnownContent
  /** Name of the turn that first changed it after the target ("turn 6"), where the records tell. */
  readonly turn: string | null
  /** The target is not proven for that moment itself: it is what `turn` found when it first touched the file. */
  readonly isAsFirstTouched?: boolean
  /** The target is that moment with what others changed since, in between what the agent did. */
  readonly isWithTyping?: boolean
  /** What stands there but for typing, before and after (`OperationFile.untyped`); by default `base` and `target`. */
  readonly untyped?: Untyped | 'kept'
}

/** `null` where it is not known. */
export interface Untyped {
  readonly before: KnownContent | null
  readonly after: KnownContent | null
}

/** Where an operation goes back to, and with which files. */
export interface RewindRequest {
  readonly subject: OperationSubject
  /** For the receipt: "the start of turn 4". */
  readonly label: string
  readonly words: PlanWords
  /** Every file that may differ from the target, each path once. */
  readonly files: readonly RewindInput[]
  readonly choices: RewindChoices
  /** Folders that may go when a delete empties them, and modes of those to be made; by default any that holds no file of the target. */
  readonly folders?: { readonly mayEmpty: (folder: WorkspacePath) => boolean; readonly modeOf: (folder: string) => number | null }
}

/** A file's plan with what was seen on the disk when it was made. */
interface Planned {
  readonly input: RewindInput
  readonly plan: FilePlan
  readonly seen: Seen
}

/** What a rewind would do, file by file in path order, and the hash that `applyRewind` asks for. Writes nothing. */
export async function previewRewind(parts: HistoryParts, request: RewindRequest, watch: Watch): Promise<{ readonly files: readonly PlannedFile[]; readonly planHash: string }> {
  const planned = await planAll(parts, request, watch)
  const files: PlannedFile[] = []
  await inParallel(
    planned,
    async (each, index) => {
      throwIfAborted(watch.signal)
      if (index % 64 === 63) await breathe()
      files[index] = describePlan(each.plan, await bytesOfChange(parts, each, watch.signal))
    },
    ({ plan }) => weightOf(sizeOf(plan.facts.disk) + sizeOf(plan.facts.target)),
  )
  return { files, planHash: hashPlan(planned.map((each) => each.plan)) }
}

/** The plan of one file alone, with its hash. Errors: INVALID_PARAMS when the path is none of the request's. */
export async function planOne(parts: HistoryParts, request: RewindRequest, path: WorkspacePath, signal?: AbortSignal): Promise<{ readonly plan: FilePlan; readonly planHash: string }> {
  const { plan } = await onlyPlanned(parts, request, path, signal)
  return { plan, planHash: hashPlan([plan]) }
}

/**
 * The three texts of one file and their merge.
 * Errors: INVALID_PARAMS when the path is none of the request's.
 */
export async function fileTexts(parts: HistoryParts, request: RewindRequest, path: WorkspacePath, signal?: AbortSignal): Promise<RewindFileTexts> {
  const { input, plan } = await onlyPlanned(parts, request, path, signal)
  const { facts, merge, result } = plan
  const merged = merge?.kind === 'merged' ? merge : null
  const isOpen = plan.action === 'conflict' && merged !== null
  const written = isOpen ? merged.bytes : result?.from instanceof Uint8Array ? result.from : null
  return {
    path,
    target: await sideOfContent(input.target, signal),
    base: await sideOfContent(input.base, signal),
    disk: await sideOfContent(diskContent(parts, path, facts.disk), signal),
    result: written ? sideOf(written, '') : result && (await sideOfContent(resultContent(parts, input, result, facts), signal)),
    conflicts: merged?.conflicts ?? [],
  }
}

/**
 * Plans again and carries the plan out. The workspace lock must be held.
 * Errors: REWIND_PLAN_STALE when the plan is no longer the one of `planHash` (nothing was written); those of `applyChanges`.
 */
export async function applyRewind(parts: HistoryParts, request: RewindRequest, planHash: string | null, watch: Watch): Promise<Receipt> {
  const startedAt = parts.now()
  const planned = await planAll(parts, request, watch)
  if (planHash !== null && hashPlan(planned.map((each) => each.plan)) !== planHash) {
    throw new ReviewError('REWIND_PLAN_STALE', 'Files have changed since this preview. Look at the new one, then rewind.')
  }
  const changes = planned.flatMap(changeOf)
  const others = planned.filter((each) => each.plan.result === null).map(({ plan }) => leftLine(plan))
  let staying: ReadonlySet<WorkspacePath> | null = null
  return applyChanges(
    parts,
    {
      id: parts.newId(),
      subject: request.subject,
      label: request.label,
      startedAt,
      changes,
      others,
      mayEmpty: request.folders?.mayEmpty ?? ((folder) => !(staying ??= foldersOfTarget(request.files)).has(folder)),
      modeOfFolder: request.folders?.modeOf ?? (() => null),
    },
    watch,
  )
}

async function planAll(parts: HistoryParts, request: RewindRequest, watch: Watch): Promise<readonly Planned[]> {
  const inputs = chosen(request)
  const resolve = parts.workspace.pass()
  const owners = new Map<string, WorkspacePath>()
  const planned: Planned[] = []
  let done = 0
  let held = 0
  await inParallel(
    inputs,
    async (input, index) => {
      throwIfAborted(watch.signal)
      if (index % 64 === 63) await breathe()
      const found = findPlace(resolve, input.path, owners)
      const look = typeof found === 'string' ? nothingSeen : (parts.disk.known(found) ?? (await parts.disk.lookAndKeep(found, watch.signal)))
      held += look.bytes?.length ?? 0
      const seen = held <= heldBytes ? look : { ...look, bytes: null }
      const resolution = request.choices.resolutions[input.path] ?? byDefault
      const facts: FileFacts = {
        path: input.path,
        target: input.target.state,
        base: input.base.state,
        disk: seen.state,
        blocked: typeof found === 'string' ? found : null,
        turn: input.turn,
        bytes: null,
      }
      const bytes = needsBytes(facts, resolution) ? await bytesOfThree(parts, input, seen, watch.signal) : null
      planned[index] = { input, seen, plan: planFile({ ...facts, bytes }, resolution, wordsFor(input, request.words)) }
      watch.progress?.({ done: ++done, total: inputs.length, label: 'Comparing files' })
    },
    ({ target }) => weightOf(sizeOf(target.state)),
  )
  return planned
}

/** A plan never says more than is known: such a file goes back to what the agent found, not to the target's own moment. */
function wordsFor({ turn, isAsFirstTouched = false, isWithTyping = false }: RewindInput, words: PlanWords): PlanWords {
  if (isWithTyping) return { ...words, to: `${words.to}, with what you changed in between` }
  const then = `before ${turn ?? 'the agent'} first touched it`
  return isAsFirstTouched ? { ...words, to: then, same: `as ${then}` } : words
}

/** Bytes that a look had to read are held for the steps that follow, up to this much. */
const heldBytes = 64 * 1024 * 1024
async function onlyPlanned(parts: HistoryParts, request: RewindRequest, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Planned> {
  const [planned] = await planAll(parts, { ...request, choices: { ...request.choices, paths: [path] } }, { signal })
  if (!planned) throw notPartOf(path)
  return planned
}

const byDefault: Resolution = { kind: 'merge' }
const nothingSeen: Seen = { state: { kind: 'unknown', reason: 'outside-workspace' }, stats: null, isSettled: false, bytes: null }

/** The chosen files in path order. Errors: INVALID_PARAMS for a choice that is none of the request's files. */
function chosen({ files, choices }: RewindRequest): readonly RewindInput[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  for (const path of choices.paths ?? []) if (!byPath.has(path)) throw notPartOf(path)
  const wanted = choices.paths === null ? byPath : new Map(choices.paths.map((path) => [path, byPath.get(path)]))
  return [...wanted.values()].filter((file) => file !== undefined).sort((one, two) => (one.path < two.path ? -1 : 1))
}

/** The place of a path, or why it has none. Two paths that the disk takes for one are the business of the first. */
function findPlace(resolve: (path: string) => Place, path: WorkspacePath, owners: Map<string, WorkspacePath>): Place | string {
  try {
    const place = resolve(path)
    const owner = owners.get(place.absolute)
    if (owner !== undefined && owner !== path) return `It is the same file as ${owner} on this disk`
    owners.set(place.absolute, path)
    return place
  } catch (thrown) {
    if (thrown instanceof ReviewError) return thrown.message.replace(/\.$/, '')
    throw thrown
  }
}

function changeOf({ input, plan, seen }: Planned): readonly PlannedChange[] {
  const { result, facts, action, reason } = plan
  if (!result) return []
  const { from } = result
  const read = from === 'target' ? (signal: AbortSignal | undefined) => input.target.read(signal) : from instanceof Uint8Array ? () => Promise.resolve(from) : null
  const { untyped = { before: input.base, after: input.target } } = input
  return [{ path: facts.path, action, reason, before: seen, after: result.state, read, untyped }]
}

function leftLine({ facts, action, reason, resolution }: FilePlan): ReceiptFile {
  if (action === 'conflict') {
    return receiptLine(facts.path, action, 'left', `${reason.split('. ')[0] ?? reason}. Not chosen, so your file is untouched`, facts.disk)
  }
  if (action === 'cannot') return receiptLine(facts.path, action, 'left', `${reason}. The file on the disk is untouched`, facts.disk)
  return receiptLine(facts.path, action, resolution.kind === 'keep' ? 'left' : 'unchanged', reason, facts.disk)
}

function foldersOfTarget(files: readonly RewindInput[]): ReadonlySet<WorkspacePath> {
  const present = files.filter(({ target }) => target.state.kind === 'file' || target.state.kind === 'link' || target.state.kind === 'folder')
  return new Set(present.flatMap(({ path, target }) => [...(target.state.kind === 'folder' ? [path] : []), ...parentsOf(path).map(workspacePath)]))
}

async function bytesOfThree(parts: HistoryParts, input: RewindInput, seen: Seen, signal: AbortSignal | undefined): Promise<FileFacts['bytes']> {
  if (Math.max(sizeOf(seen.state), sizeOf(input.base.state), sizeOf(input.target.state)) > displayLimitBytes) return null
  const read = (content: KnownContent): Promise<Uint8Array | null> => bytesOf(content, signal)
  return {
    base: await read(input.base),
    disk: seen.bytes ?? (await read(diskContent(parts, input.path, seen.state))),
    target: await read(input.target),
  }
}

/** Bytes of a content, or `null` when it has none or they cannot be had: then the plan says so, and nothing is written. */
async function bytesOf(content: KnownContent, signal: AbortSignal | undefined): Promise<Uint8Array | null> {
  if (content.state.kind !== 'file') return null
  try {
    return await content.read(signal)
  } catch (thrown) {
    if (thrown instanceof ReviewError && thrown.code !== 'CANCELLED') return null
    throw thrown
  }
}

async function bytesOfChange(parts: HistoryParts, { input, plan, seen }: Planned, signal: AbortSignal | undefined): Promise<{ readonly before: Uint8Array | null; readonly after: Uint8Array | null }> {
  const { result, facts, action, merge } = plan
  if (action === 'unchanged' || Math.max(sizeOf(facts.disk), sizeOf(facts.target)) > displayLimitBytes) return { before: null, after: null }
  const disk = async (): Promise<Uint8Array | null> => seen.bytes ?? bytesOf(diskContent(parts, facts.path, facts.disk), signal)
  if (action === 'cannot') return { before: await disk(), after: null }
  if (result?.from instanceof Uint8Array) return { before: await disk(), after: result.from }
  const conflicting = action === 'conflict' && merge?.kind === 'merged' ? merge.bytes : null
  const after = conflicting ?? (result?.from === 'disk' ? await disk() : await bytesOf(input.target, signal))
  return { before: await disk(), after }
}

function diskContent(parts: HistoryParts, path: WorkspacePath, state: FileState): KnownContent {
  return { state, read: async (signal) => (await readBytes(parts.workspace.resolveInside(path), path, displayLimitBytes, signal)).bytes }
}

function resultContent(parts: HistoryParts, input: RewindInput, { from, state }: PlannedResult, facts: FileFacts): KnownContent {
  return from === 'target' ? input.target : diskContent(parts, input.path, from === 'disk' ? facts.disk : state)
}

async function sideOfContent(content: KnownContent, signal: AbortSignal | undefined): Promise<FileSide> {
  const { state } = content
  if (state.kind !== 'file') return state.kind === 'unknown' && state.reason === 'unreadable' ? { kind: 'unreadable', reason: 'It cannot be read' } : state
  if (state.sizeBytes > displayLimitBytes) return { kind: 'oversized', sizeBytes: state.sizeBytes }
  const bytes = await bytesOf(content, signal)
  return bytes ? sideOf(bytes, state.sha256) : { kind: 'unreadable', reason: 'Its bytes cannot be had' }
}

function notPartOf(path: WorkspacePath): ReviewError {
  return new ReviewError('INVALID_PARAMS', `${path} is no file of this rewind. Choose one of the listed files.`, { details: { field: 'paths' } })
}

function sizeOf(state: FileState): number {
  return state.kind === 'file' ? state.sizeBytes : 0
}
