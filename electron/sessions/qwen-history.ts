import { throwIfAborted } from '../../shared/errors.js'
import { promptId, type WorkspacePath } from '../../shared/ids.js'
import { foldSnapshots, type PromptSnapshot, type SnapshotRecord } from '../../shared/snapshot.js'
import { BackupEntries, type BackupHistory } from './backup-history.js'
import { parseObject } from './json-values.js'
import type { LogReader } from './log-reader.js'
import { decodeSnapshots, type SnapshotProblem } from './qwen-snapshots.js'
import type { SessionShape, TurnPlace } from './session-shape.js'
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

/** What turns that can no longer change have come to. */
interface Settled {
  readonly turns: number
  /** The chain up to the turn after them. */
  readonly chain: Int32Array
  readonly firstProven: number
  readonly entries: BackupEntries
  readonly map: Buffer | null
}

/**
 * The prompt snapshots of the live branch, read when asked for; only changes are held.
 *
 * Only records on the proven part of the chain count. A record belongs to the turn that it stands in when it names its promptId;
 * others, as a rewind or a resume writes them, to the latest turn before them with the promptId that each snapshot names.
 */
export class SnapshotHistory implements BackupHistory {
  private readonly others: readonly SnapshotPlace[]
  private readonly named = new Map<number, readonly string[]>()
  private readonly pathOf: (recorded: string) => WorkspacePath | null
  private readonly firstProven: number
  private settled: Settled | null
  private last: { readonly row: number; readonly bytes: Buffer } | null = null

  constructor(
    private readonly reader: LogReader,
    private readonly shape: SessionShape,
    folder: string | null,
    private readonly report: (problems: readonly (SnapshotProblem | 'bad-line')[], row: number) => void,
    /** The same of the log before it grew. */
    before: SnapshotHistory | null = null,
  ) {
    this.pathOf = trackedPaths(folder)
    const { live } = shape.branches
    const firstProven = live.find(({ isProven }) => isProven)
    this.firstProven = firstProven?.from ?? -1
    this.others = firstProven ? this.placesIn(firstProven.from, shape.branches.chain.length, recordKind.otherSnapshot) : []
    this.settled = before?.settledFor(this) ?? null
  }

  /** Whether no record of the live branch holds a snapshot. */
  get isEmpty(): boolean {
    return this.others.length === 0 && this.shape.turns.every(({ hasSnapshot }) => !hasSnapshot)
  }

  /** The folded snapshot of a turn; `null` where the log has none that counts. */
  async snapshotOf(place: TurnPlace, signal?: AbortSignal): Promise<PromptSnapshot | null> {
    return this.fold(place, await this.claimsOf(place, signal), signal)
  }

  /**
   * All entries by path, in turn order; a path that a whole snapshot no longer names is `failed` from there on. Where the log only
   * grew on the same branch, turns that were read before are not read again.
   */
  async changes(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> {
    const known = this.settled
    const entries = new BackupEntries(known?.entries)
    let unchangedMap = known?.map ?? null
    const { turns, places, branches } = this.shape
    for (let turn = known?.turns ?? 0; turn < turns.length; turn++) {
      const place = places.get(turns[turn]?.promptId ?? promptId(''))
      if (turn === turns.length - 1 && place?.live) {
        // The last turn may still grow.
        const chain = branches.chain.subarray(0, place.live.from)
        this.settled = { turns: turn, chain, firstProven: this.firstProven, entries: new BackupEntries(entries), map: unchangedMap }
      }
      if (!place) continue
      const claims = await this.claimsOf(place, signal)
      const only = claims.length === 1 ? claims[0] : undefined
      const map = only && !only.isDelta ? mapOf(await this.bytesOf(only.row)) : null
      // Most turns of a long session repeat the map of the turn before, byte for byte.
      if (map && unchangedMap?.equals(map)) continue
      const snapshot = await this.fold(place, claims, signal)
      unchangedMap = map
      if (snapshot) entries.add(snapshot, claims.some(({ isDelta }) => !isDelta))
    }
    return entries.byPath
  }

  /** What of this still holds for the grown log; `null` where a later record may speak of the turns that were read. */
  private settledFor(grown: SnapshotHistory): Settled | null {
    const { settled } = this
    if (!settled || settled.firstProven !== grown.firstProven) return null
    if (!isPrefixOf(settled.chain, grown.shape.branches.chain)) return null
    return grown.others.some(({ at }) => at >= settled.chain.length) ? null : settled
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

/** The tracked files of a record as its bytes have them; they are the last thing in it. `null` where they are not found. */
function mapOf(record: Buffer): Buffer | null {
  const at = record.subarray(0, 16_384).indexOf(mapKey)
  return at < 0 ? null : record.subarray(at)
}

/** Whether a chain begins with another one. */
export function isPrefixOf(before: Int32Array, chain: Int32Array): boolean {
  return before.length <= chain.length && before.every((row, at) => row === chain[at])
}
