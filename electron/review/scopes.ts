import type { DiffStat } from '../../shared/changes.js'
import { throwIfAborted } from '../../shared/errors.js'
import type { ChangeBadge, ChangeKind, ContentSource, FileChange, FileSide, FileState, ReadChange, Scope } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { RecordedText, TranscriptEntry } from '../../shared/session.js'
import type { KnownContent } from '../history/content.js'
import { breathe, inParallel, weightOf } from '../base/pool.js'
import { isSameContent, sha256 } from './held.js'
import { isOutside } from './path-events.js'
import { pairOf, pairsOf, type Pair, type PairSources, type PairWatch } from './scoped-pairs.js'
import type { TextComparer } from './text-comparer.js'
import { badgesOf, kindOfChange, readSide, recordedSide, type Side } from './text-facts.js'
import { recordedEdits, recordedSides } from './turn-files.js'

export interface ScopeDeps extends PairSources {
  readonly comparer: TextComparer
  readonly readTurn: (promptId: PromptId, signal?: AbortSignal) => Promise<readonly TranscriptEntry[]>
  /** How a mark of the reader stands to this content. */
  readonly reviewOf: (scope: Scope, path: WorkspacePath, contentKey: string | null) => FileChange['review']
}

/** What two contents differ in, for a whole list cheap to have again. */
interface Difference {
  readonly kind: ChangeKind
  readonly stat: DiffStat | null
  readonly badges: readonly ChangeBadge[]
}

/** Lists and reads the changes of scopes. */
export interface Scopes {
  /** In path order. Errors: TURN_NOT_FOUND, WORKSPACE_MISSING, CANCELLED. */
  list(scope: Scope, watch?: PairWatch): Promise<readonly FileChange[]>
  /** `null` where the scope does not show the path. Errors as above. */
  read(scope: Scope, path: WorkspacePath, showOversized: boolean, signal?: AbortSignal): Promise<ReadChange | null>
  /** What a mark on a file of the scope would be put on; `null` where the scope does not show the path. Errors as above. */
  markable(scope: Scope, path: WorkspacePath, signal?: AbortSignal): Promise<{ readonly contentKey: string | null; readonly after: KnownContent } | null>
}

const rememberedDifferences = 20_000

export function createScopes(deps: ScopeDeps): Scopes {
  const differences = new Map<string, Difference>()

  const read = async (scope: Scope, pair: Pair, showOversized: boolean, signal: AbortSignal | undefined): Promise<ReadChange> => {
    const [before, after, sources] = await sidesOf(deps, pair, showOversized, signal)
    const contentKey = contentKeyOf(pair, before.side, after.side)
    const remembered = rememberedKey(pair, contentKey)
    const difference = (showOversized ? null : differences.get(remembered)) ?? (await compare(deps.comparer, pair, before, after, signal))
    if (contentKey !== null && !showOversized) remember(differences, remembered, difference)
    const isMissing = before.side.kind === 'unknown' || after.side.kind === 'unknown'
    const edits = isMissing && scope.kind === 'turn' && !pair.refusal ? recordedEdits(await deps.readTurn(scope.promptId, signal), pair.path) : []
    return { change: asChange(deps, scope, pair, contentKey, difference, sources), before: before.side, after: after.side, edits }
  }

  /** Nothing is read for a list where the difference of the two contents is known already. */
  const list = async (scope: Scope, pair: Pair, signal: AbortSignal | undefined): Promise<FileChange> => {
    const contentKey = contentKeyOf(pair, null, null)
    const known = contentKey === null ? undefined : differences.get(rememberedKey(pair, contentKey))
    if (!known) return (await read(scope, pair, false, signal)).change
    return asChange(deps, scope, pair, contentKey, known, { before: pair.before.source, after: pair.after.source })
  }

  return {
    list: async (scope, watch = {}) => {
      const pairs = await pairsOf(deps, scope, watch)
      const changes: FileChange[] = []
      let done = 0
      await inParallel(
        pairs,
        async (pair, at) => {
          throwIfAborted(watch.signal)
          if (at % 32 === 31) await breathe()
          changes[at] = await list(scope, pair, watch.signal)
          watch.onProgress?.(++done, pairs.length)
        },
        (pair) => weightOf(sizeOf(pair)),
      )
      return changes
    },
    read: async (scope, path, showOversized, signal) => {
      const pair = await pairOf(deps, scope, path, signal)
      return pair && read(scope, pair, showOversized, signal)
    },
    markable: async (scope, path, signal) => {
      const pair = await pairOf(deps, scope, path, signal)
      return pair && { contentKey: (await list(scope, pair, signal)).contentKey, after: pair.after.content }
    },
  }
}

type Sources = FileChange['sources']

/** Both sides; one that is not known otherwise is what the calls of the turn show, if they show it whole. */
async function sidesOf(deps: ScopeDeps, pair: Pair, showOversized: boolean, signal: AbortSignal | undefined): Promise<readonly [Side, Side, Sources]> {
  const [before, after] = await Promise.all([readSide(pair.before.content, showOversized, signal), readSide(pair.after.content, showOversized, signal)])
  const isMissing = before.side.kind === 'unknown' || after.side.kind === 'unknown'
  if (!isMissing || !pair.recordedIn) return [before, after, { before: pair.before.source, after: pair.after.source }]
  const { recordedIn } = pair
  const first = recordedSides(await deps.readTurn(recordedIn.before, signal), pair.path)
  const last = recordedIn.after === recordedIn.before ? first : recordedSides(await deps.readTurn(recordedIn.after, signal), pair.path)
  const one = before.side.kind === 'unknown' && first ? shown(first.before, first.isNewFile) : null
  const two = after.side.kind === 'unknown' && last ? shown(last.after, last.isDeleted) : null
  return [one ?? before, two ?? after, { before: sourceOf(one, pair.before.source), after: sourceOf(two, pair.after.source) }]
}

function shown(text: RecordedText | null, isAbsent: boolean): Side | null {
  if (isAbsent) return recordedSide(null)
  return text?.isWhole ? recordedSide(text.text) : null
}

function sourceOf(recorded: Side | null, source: ContentSource): ContentSource {
  return recorded ? 'record' : source
}

async function compare(comparer: TextComparer, pair: Pair, before: Side, after: Side, signal: AbortSignal | undefined): Promise<Difference> {
  const [one, two] = [comparable(before.side), comparable(after.side)]
  const isText = one !== null && two !== null && (before.side.kind === 'text' || after.side.kind === 'text')
  const compared = isText ? await comparer.compare(one, two, signal) : null
  const isOnlyBlanks = compared?.isOnlyBlanks === true && before.side.kind === 'text' && after.side.kind === 'text'
  const kind = isSameContent(pair.before.content, pair.after.content) ? 'mode' : kindOfChange(before.side, after.side)
  return { kind, stat: compared?.stat ?? null, badges: badgesOf(before, after, isOnlyBlanks) }
}

/** The text to compare; nothing there counts as empty. `null` for what is no text. */
function comparable(side: FileSide): string | null {
  if (side.kind === 'text') return side.text
  return side.kind === 'absent' ? '' : null
}

function pairBadges(pair: Pair): readonly ChangeBadge[] {
  const badges: ChangeBadge[] = []
  const states = [pair.before.content.state, pair.after.content.state]
  const unknown = states.map((state) => (state.kind === 'unknown' ? state.reason : null))
  const reason = unknown[0] ?? unknown[1]
  // The sides may show recorded texts; that the contents are not known stays said.
  if (reason && pair.recordedIn) badges.push({ kind: 'unknown', side: unknown[0] && unknown[1] ? 'both' : unknown[0] ? 'before' : 'after', reason })
  if (pair.refusal) badges.push({ kind: 'refused', reason: pair.refusal.reason })
  if (isOutside(pair.path)) badges.push({ kind: 'outside-workspace' })
  if (pair.isWithTyping) badges.push({ kind: 'with-typing' })
  return badges
}

function asChange(deps: ScopeDeps, scope: Scope, pair: Pair, contentKey: string | null, difference: Difference, sources: Sources): FileChange {
  const { path, cause, refusal } = pair
  const isModeOnly = pair.isModeOnly && difference.kind === 'unknown'
  return {
    path,
    kind: refusal ? 'refused' : isModeOnly ? 'mode' : difference.kind,
    stat: difference.stat,
    cause,
    sources,
    badges: [...(refusal || pair.recordedIn ? difference.badges.filter((badge) => badge.kind !== 'unknown') : difference.badges), ...pairBadges(pair)],
    contentKey,
    review: deps.reviewOf(scope, path, contentKey),
  }
}

/**
 * The identity of what is compared: both contents, and the modes where they differ. A recorded text stands for a content
 * that is not known otherwise. `null` where a side is unknown.
 */
function contentKeyOf(pair: Pair, before: FileSide | null, after: FileSide | null): string | null {
  const [one, two] = [sideKey(pair.before.content.state, before), sideKey(pair.after.content.state, after)]
  if (one === null || two === null) return null
  const [modeBefore, modeAfter] = [modeOf(pair.before.content.state), modeOf(pair.after.content.state)]
  const modes = modeBefore !== null && modeAfter !== null && modeBefore !== modeAfter ? `${modeBefore} ${modeAfter}` : ''
  return sha256([one, two, modes].join('\n'))
}

function sideKey(state: FileState, side: FileSide | null): string | null {
  if (state.kind === 'file') return state.sha256
  if (state.kind === 'link') return `link ${state.target}`
  if (state.kind !== 'unknown') return state.kind
  return side?.kind === 'text' ? `record ${sha256(side.text)}` : side?.kind === 'absent' ? 'absent' : null
}

/** More than the content decides about the badges of a change. */
function rememberedKey(pair: Pair, contentKey: string | null): string {
  const { state } = pair.after.content
  return `${contentKey} ${modeOf(state)} ${pair.before.content.state.kind} ${state.kind}`
}

function modeOf(state: FileState): number | null {
  return state.kind === 'file' ? state.mode : null
}

function sizeOf(pair: Pair): number {
  return [pair.before.content.state, pair.after.content.state].reduce((sum, state) => sum + (state.kind === 'file' ? state.sizeBytes : 0), 0)
}

function remember(differences: Map<string, Difference>, key: string, difference: Difference): void {
  if (differences.size >= rememberedDifferences) differences.clear()
  differences.set(key, difference)
}
