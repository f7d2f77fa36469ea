import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange, LedgerEntry } from '../../shared/ledger.js'
import { parseObject } from './json-values.js'
import { decodeLedger, type LedgerProblem } from './ledger-records.js'
import type { LogReader } from './log-reader.js'
import { isPrefixOf } from './qwen-history.js'
import type { SessionShape, TurnPlace } from './session-shape.js'
import type { LedgerMark, LedgerPages, SessionLedger } from './recorded-session.js'
import { recordKind } from './record-sniff.js'
import { trackedPaths } from './tracked-paths.js'

/** So many changes of the entries that were read last stay at hand. */
const keptChanges = 20_000

/** An entry as the index keeps it: where it stands, and what it names. */
interface IndexedEntry {
  readonly row: number
  /** Position in the chain. */
  readonly at: number
  /** The promptId as recorded. */
  readonly named: string
  readonly facts: Omit<LedgerMark, 'promptId'>
}

/**
 * The ledger of a log of ours, on its live branch: an index by path and turn, and states on demand by byte range. A log that only
 * grew costs what was added.
 */
export class LedgerIndex implements SessionLedger {
  private entries: IndexedEntry[] = []
  /** The chain that was read, up to `done`. */
  private chain: Int32Array = new Int32Array(0)
  private done = 0
  private work: Promise<LedgerPages | null> = Promise.resolve(null)
  private latest: { readonly shape: SessionShape; readonly pages: LedgerPages } | null = null
  private readonly paths = new Map<WorkspacePath, WorkspacePath>()
  private readonly pathOf: (recorded: string) => WorkspacePath | null
  private readonly atHand = new Map<number, LedgerEntry>()
  private atHandChanges = 0
  /** Those being read: all files of a turn are asked for at once, and are in one entry. */
  private readonly onTheWay = new Map<number, Promise<LedgerEntry | null>>()

  constructor(
    private readonly reader: LogReader,
    private readonly shape: () => SessionShape,
    private readonly whenLoaded: () => Promise<void>,
    folder: string | null,
    private readonly report: (problems: readonly (LedgerProblem | 'bad-line')[], row: number) => void,
  ) {
    const safe = trackedPaths(folder)
    // One string for each path, however many entries name it.
    this.pathOf = (recorded) => {
      const path = safe(recorded)
      const known = path === null ? null : (this.paths.get(path) ?? path)
      if (known !== null) this.paths.set(known, known)
      return known
    }
  }

  /** The log was replaced by another one. */
  forget(): void {
    this.entries = []
    this.chain = new Int32Array(0)
    this.done = 0
    this.latest = null
    this.atHand.clear()
    this.onTheWay.clear()
    this.atHandChanges = 0
  }

  async pages(signal?: AbortSignal): Promise<LedgerPages> {
    const next = this.work.catch(() => null).then(() => this.readOn())
    this.work = next
    const pages = await next
    throwIfAborted(signal)
    return pages
  }

  private async readOn(): Promise<LedgerPages> {
    await this.whenLoaded()
    const shape = this.shape()
    if (this.latest?.shape === shape) return this.latest.pages
    const { chain } = shape.branches
    if (!isPrefixOf(this.chain, chain)) this.forget()
    const { index } = this.reader
    const { rows } = index
    const wanted = [...chain.subarray(this.done).keys()].map((at) => at + this.done).filter((at) => rows.kindOf(chain[at] ?? 0) === recordKind.ledger)
    const places = new Map(wanted.map((at) => [chain[at] ?? 0, at]))
    const added: IndexedEntry[] = []
    await this.reader.readRows([...places.keys()], (row, bytes) => {
      const entry = this.decode(row, bytes)
      if (!entry) return
      const { promptId: named, changes, ...facts } = entry
      added.push({ row, at: places.get(row) ?? 0, named, facts: { ...facts, paths: changes.map(({ path }) => path) } })
    })
    if (this.reader.index !== index) {
      // The log was replaced while it was read.
      this.forget()
      return this.readOn()
    }
    for (const entry of added) this.entries.push(entry)
    this.chain = chain
    this.done = chain.length
    const pages = this.pagesOf(shape)
    this.latest = { shape, pages }
    return pages
  }

  private decode(row: number, bytes: Buffer): LedgerEntry | null {
    const record = parseObject(bytes.toString())
    const problems: (LedgerProblem | 'bad-line')[] = record ? [] : ['bad-line']
    const entry = record && decodeLedger(record, this.pathOf, (problem) => problems.push(problem))
    if (problems.length > 0) this.report(problems, row)
    return entry
  }

  private pagesOf(shape: SessionShape): LedgerPages {
    const turnOf = placement(shape)
    const byPath = new Map<WorkspacePath, LedgerMark[]>()
    const byTurn = new Map<PromptId, LedgerMark[]>()
    const rowOf = new Map<LedgerMark, number>()
    for (const { row, at, named, facts } of this.entries) {
      const turn = turnOf(named, at)
      if (!turn) continue
      const mark: LedgerMark = { promptId: turn.turn.promptId, ...facts }
      rowOf.set(mark, row)
      put(byTurn, mark.promptId, mark)
      for (const path of new Set(mark.paths)) put(byPath, path, mark)
    }
    const order = new Map(shape.turns.map(({ promptId }, index) => [promptId, index]))
    const place = ({ promptId, isBeforeTurn }: LedgerMark): number => 2 * (order.get(promptId) ?? 0) + (isBeforeTurn ? 0 : 1)
    for (const marks of [...byPath.values(), ...byTurn.values()]) marks.sort((one, two) => place(one) - place(two))
    return {
      paths: new Set(byPath.keys()),
      ofPath: (path) => byPath.get(path) ?? [],
      ofTurn: (promptId) => byTurn.get(promptId) ?? [],
      changeOf: (mark, path) => this.changeOf(rowOf.get(mark) ?? -1, path),
    }
  }

  private async changeOf(row: number, path: WorkspacePath): Promise<LedgerChange> {
    const change = (await this.entryAt(row))?.changes.findLast((each) => each.path === path)
    if (!change) throw new ReviewError('CONTENT_UNKNOWN', 'The log has changed since. Open the turn again.')
    return change
  }

  private async entryAt(row: number): Promise<LedgerEntry | null> {
    const known = this.atHand.get(row)
    if (known) return known
    if (row < 0 || this.reader.index.rows.kindOf(row) !== recordKind.ledger) return null
    const reading = this.onTheWay.get(row) ?? this.readEntry(row)
    this.onTheWay.set(row, reading)
    try {
      return await reading
    } finally {
      if (this.onTheWay.get(row) === reading) this.onTheWay.delete(row)
    }
  }

  private async readEntry(row: number): Promise<LedgerEntry | null> {
    const entry = this.decode(row, await this.reader.readRow(row))
    if (entry && !this.atHand.has(row)) {
      this.atHand.set(row, entry)
      this.atHandChanges += entry.changes.length
      for (const [oldest, { changes }] of this.atHand) {
        if (this.atHandChanges <= keptChanges || oldest === row) break
        this.atHand.delete(oldest)
        this.atHandChanges -= changes.length
      }
    }
    return entry
  }
}

/**
 * Finds the turn of an entry: the one that it stands in where that has its promptId, else the latest of the others that have; where
 * none has, since the record that names it was lost, the one that it stands in.
 */
function placement(shape: SessionShape): (named: string, at: number) => TurnPlace | null {
  const live: (TurnPlace & { readonly from: number })[] = shape.turns.flatMap(({ promptId }) => {
    const place = shape.places.get(promptId)
    return place?.live ? [{ ...place, from: place.live.from }] : []
  })
  const byName = new Map<string, TurnPlace[]>()
  for (const place of live) if (place.recordedId !== null) put(byName, place.recordedId, place)
  return (named, at) => {
    const standsIn = live[lastAtOrBefore(live, at)] ?? null
    if (standsIn?.recordedId === named) return standsIn
    return byName.get(named)?.at(-1) ?? standsIn
  }
}

/** Index of the last turn that begins at or before a position; -1 for none. */
function lastAtOrBefore(turns: readonly { readonly from: number }[], at: number): number {
  let low = 0
  let high = turns.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((turns[middle]?.from ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

function put<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
