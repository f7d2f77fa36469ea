import type { WorkspacePath } from '../../shared/ids.js'
import { throwIfAborted } from '../../shared/errors.js'
import { foldSnapshots, type Backup, type PromptSnapshot, type SnapshotRecord } from '../../shared/snapshot.js'
import { parseObject } from './json-values.js'
import type { LogReader } from './log-reader.js'
import { decodeSnapshots, type SnapshotProblem } from './qwen-snapshots.js'
import type { SessionShape, TurnPlace } from './qwen-turns.js'
import { trackedPaths } from './tracked-paths.js'
import type { BackupEntry } from './recorded-session.js'
import { recordKind } from './record-sniff.js'

/** A record that holds snapshots, at its position in the chain. */
interface SnapshotPlace {
  readonly row: number
  readonly at: number
  readonly isDelta: boolean
}

/** Which of the snapshots in a record are a turn's: the last one with its promptId, or one of several with the same. */
interface Claim extends SnapshotPlace {
  /** Counted from the last with this promptId. */
  readonly fromLast: number
}

const mapKey = Buffer.from('"trackedFileBackups":')

/**
 * The prompt snapshots of the live branch, read when asked for; only changes are held.
 *
 * Only records on the proven part of the chain count. A record belongs to the turn that it stands in when it names its promptId;
 * others, as a rewind or a resume writes them, to the latest turn before them with the promptId that each snapshot names.
 */
export class SnapshotHistory {
  private readonly others: readonly SnapshotPlace[]
  private readonly named = new Map<number, readonly string[]>()
  private readonly pathOf: (recorded: string) => WorkspacePath | null
  private last: { readonly row: number; readonly bytes: Buffer } | null = null

  constructor(
    private readonly reader: LogReader,
    private readonly shape: SessionShape,
    folder: string | null,
    private readonly report: (problems: readonly (SnapshotProblem | 'bad-line')[], row: number) => void,
  ) {
    this.pathOf = trackedPaths(folder)
    const { live } = shape.branches
    const firstProven = live.find(({ isProven }) => isProven)
    this.others = firstProven ? this.placesIn(firstProven.from, shape.branches.chain.length, recordKind.otherSnapshot) : []
  }

  /** Whether no record of the live branch holds a snapshot. */
  get isEmpty(): boolean {
    return this.others.length === 0 && this.shape.turns.every(({ hasSnapshot }) => !hasSnapshot)
  }

  /** The folded snapshot of a turn; `null` where the log has none that counts. */
  async snapshotOf(place: TurnPlace, signal?: AbortSignal): Promise<PromptSnapshot | null> {
    return this.fold(place, await this.claimsOf(place, signal), signal)
  }

  /** All entries by path, in turn order; a path that a whole snapshot no longer names is `failed` from there on. */
  async changes(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> {
    const history = new Map<WorkspacePath, BackupEntry[]>()
    const named: Named = new Set()
    let unchangedMap: Buffer | null = null
    for (const turn of this.shape.turns) {
      const place = this.shape.places.get(turn.promptId)
      if (!place) continue
      const claims = await this.claimsOf(place, signal)
      const only = claims.length === 1 ? claims[0] : undefined
      const map = only && !only.isDelta ? mapOf(await this.bytesOf(only.row)) : null
      // Most turns of a long session repeat the map of the turn before, byte for byte.
      if (map && unchangedMap?.equals(map)) continue
      const snapshot = await this.fold(place, claims, signal)
      unchangedMap = map
      if (snapshot) add(history, named, snapshot, claims.some(({ isDelta }) => !isDelta))
    }
    return history
  }

  private placesIn(from: number, to: number, ...kinds: readonly number[]): readonly SnapshotPlace[] {
    const { chain } = this.shape.branches
    const { rows } = this.reader.index
    const places: SnapshotPlace[] = []
    for (let at = from; at < to; at++) {
      const row = chain[at] ?? 0
      const kind = rows.kindOf(row)
      if (kinds.includes(kind)) places.push({ row, at, isDelta: kind === recordKind.snapshotDelta })
    }
    return places
  }

  private async claimsOf({ live, recordedId }: TurnPlace, signal?: AbortSignal): Promise<readonly Claim[]> {
    if (!live?.isProven || recordedId === null) return []
    const own = this.placesIn(live.from, live.to, recordKind.snapshot, recordKind.snapshotDelta)
    const claims: Claim[] = own.map((place) => ({ ...place, fromLast: 0 }))
    for (const place of this.others) {
      if (place.at <= live.from) continue
      const count = (await this.namesIn(place.row, signal)).filter((name) => name === recordedId).length
      if (count === 0) continue
      const fromLast = this.laterTwins(live.from, place.at, recordedId)
      if (fromLast < count) claims.push({ ...place, fromLast })
    }
    return claims.sort((a, b) => a.at - b.at)
  }

  /** How many turns after this one, and before a record, were given the same promptId. */
  private laterTwins(from: number, to: number, recordedId: string): number {
    const { live } = this.shape.branches
    const { prompts } = this.reader.index
    return live.filter((turn) => turn.from > from && turn.from < to && prompts[turn.prompt]?.recordedId === recordedId).length
  }

  private async namesIn(row: number, signal?: AbortSignal): Promise<readonly string[]> {
    const known = this.named.get(row)
    if (known) return known
    const names = (await this.decode(row, false, signal)).map(({ promptId }) => promptId)
    this.named.set(row, names)
    return names
  }

  /**
   * Folds the records of one turn without reading all of them: the first tells what was there at the start, the last whole one
   * replaces all before it, and later deltas add to it.
   */
  private async fold(place: TurnPlace, claims: readonly Claim[], signal?: AbortSignal): Promise<PromptSnapshot | null> {
    let whole: SnapshotRecord | null = null
    let at = claims.length - 1
    for (; at >= 0 && !whole; at--) {
      const claim = claims[at]
      if (claim && !claim.isDelta) whole = await this.read(place, claim, signal)
    }
    const records: SnapshotRecord[] = whole ? [whole] : []
    for (const claim of claims.slice(at + 1)) {
      const delta = claim.isDelta ? await this.read(place, claim, signal) : null
      if (delta) records.push(delta)
    }
    const first = await this.firstOf(place, claims, whole, at + 1, signal)
    return foldSnapshots(first ? [first, ...records] : records)[0] ?? null
  }

  /** What stood in the turn's first record; without entries where that one is lost, so that none counts as of the start. */
  private async firstOf(
    place: TurnPlace,
    claims: readonly Claim[],
    whole: SnapshotRecord | null,
    wholeAt: number,
    signal?: AbortSignal,
  ): Promise<SnapshotRecord | null> {
    if (!whole) return null
    const isLost = this.reader.index.prompts[place.prompt]?.isStartMissed ?? false
    const first = claims[0]
    if (first && !first.isDelta && !isLost) {
      if (wholeAt === 0) return null
      const read = await this.read(place, first, signal)
      if (read) return read
    }
    return { ...whole, backups: new Map(), isDelta: true }
  }

  private async read({ turn, recordedId }: TurnPlace, claim: Claim, signal?: AbortSignal): Promise<SnapshotRecord | null> {
    const records = (await this.decode(claim.row, claim.isDelta, signal)).filter(({ promptId }) => promptId === recordedId)
    const record = records[records.length - 1 - claim.fromLast]
    return record ? { ...record, promptId: turn.promptId } : null
  }

  private async decode(row: number, isDelta: boolean, signal?: AbortSignal): Promise<readonly SnapshotRecord[]> {
    const record = parseObject((await this.bytesOf(row)).toString())
    throwIfAborted(signal)
    const problems: (SnapshotProblem | 'bad-line')[] = record ? [] : ['bad-line']
    const decoded = record ? decodeSnapshots(record, this.pathOf, isDelta, (problem) => problems.push(problem)) : []
    if (problems.length > 0) this.report(problems, row)
    return decoded
  }

  /** The bytes of a record; of the one that was read last without reading it again. */
  private async bytesOf(row: number): Promise<Buffer> {
    const { last } = this
    if (last?.row === row) return last.bytes
    const bytes = await this.reader.readRow(row)
    this.last = { row, bytes }
    return bytes
  }
}

/** Paths that the latest snapshot names; only they can go missing in the next. */
type Named = Set<WorkspacePath>

function add(history: Map<WorkspacePath, BackupEntry[]>, named: Named, snapshot: PromptSnapshot, isWhole: boolean): void {
  const { promptId, backups, addedDuring } = snapshot
  for (const [path, backup] of backups) {
    const entries = history.get(path) ?? []
    history.set(path, entries)
    named.add(path)
    const last = entries[entries.length - 1]
    if (!last || !isSame(last.backup, backup)) entries.push({ promptId, backup, isAddedDuring: addedDuring.has(path) })
  }
  if (!isWhole) return
  for (const path of named) {
    if (backups.has(path)) continue
    named.delete(path)
    const entries = history.get(path)
    if (entries?.[entries.length - 1]?.backup.kind !== 'failed') entries?.push({ promptId, backup: { kind: 'failed', reason: 'BACKUP_MISSING' }, isAddedDuring: false })
  }
}

function isSame(a: Backup, b: Backup): boolean {
  if (a.kind === 'stored' && b.kind === 'stored') return a.backupName === b.backupName
  return a.kind === b.kind
}

/** The tracked files of a record as its bytes have them; they are the last thing in it. `null` where they are not found. */
function mapOf(record: Buffer): Buffer | null {
  const at = record.subarray(0, 16_384).indexOf(mapKey)
  return at < 0 ? null : record.subarray(at)
}
