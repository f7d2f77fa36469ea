import { throwIfAborted } from '../../shared/errors.js'
import { promptId, type WorkspacePath } from '../../shared/ids.js'
import { foldSnapshots, type PromptSnapshot, type SnapshotRecord } from '../../shared/snapshot.js'
import { BackupEntries, type BackupHistory } from './backup-history.js'
import { rawSnapshot, safeSnapshot, SnapshotPaths, type RawSnapshot } from './claude-snapshots.js'
import { parseObject } from './json-values.js'
import type { OpenedLog } from './jsonl-session.js'
import type { BackupEntry } from './recorded-session.js'
import type { SnapshotProblem } from './qwen-snapshots.js'
import { recordKind } from './record-sniff.js'
import type { SessionShape, TurnPlace } from './session-shape.js'
import { trackedPaths } from './tracked-paths.js'

/**
 * The file history of Claude Code: each snapshot names the prompt that it is of, wherever it stands in the log. Of one prompt the last
 * whole snapshot counts; files that are not in the first one were copied in the middle of the turn, before their first edit.
 */
export class ClaudeHistory implements BackupHistory {
  /** Rows of snapshots by the prompt's ordinal, in file order. */
  private readonly rowsOf = new Map<number, number[]>()
  private paths: Promise<SnapshotPaths> | null = null

  constructor(
    private readonly log: OpenedLog,
    private readonly shape: SessionShape,
  ) {
    const { rows, prompts } = log.reader.index
    for (let row = 0; row < rows.count; row++) {
      const kind = rows.kindOf(row)
      if (kind !== recordKind.copies && kind !== recordKind.addedCopies) continue
      const prompt = rows.promptOf(row)
      if (prompt < 0 || prompts[prompt]?.row !== rows.parentOf(row)) continue
      const known = this.rowsOf.get(prompt)
      if (known) known.push(row)
      else this.rowsOf.set(prompt, [row])
    }
  }

  get isEmpty(): boolean {
    return this.shape.turns.every(({ hasSnapshot }) => !hasSnapshot)
  }

  async snapshotOf({ live, prompt, turn }: TurnPlace, signal?: AbortSignal): Promise<PromptSnapshot | null> {
    const rows = this.rowsOf.get(prompt) ?? []
    if (!live?.isProven || rows.length === 0) return null
    const paths = await this.pathsOfSession(signal)
    const records: SnapshotRecord[] = []
    for (const row of this.wanted(rows)) {
      const raw = await this.read(row, signal)
      if (!raw) continue
      const problems: SnapshotProblem[] = []
      const record = safeSnapshot(raw, turn.promptId, paths, (problem) => problems.push(problem))
      if (problems.length > 0) this.log.report(problems, row)
      // What the turn's first record held is lost: then nothing of the rest counts as of the start.
      if (records.length === 0 && raw.isUpdate) records.push({ ...record, backups: new Map(), isDelta: true })
      records.push(record)
    }
    const folded = foldSnapshots(records)[0] ?? null
    return folded && withTimes(folded)
  }

  async changes(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> {
    const entries = new BackupEntries()
    const { turns, places } = this.shape
    for (const { promptId: id } of turns) {
      const place = places.get(promptId(id))
      const snapshot = place ? await this.snapshotOf(place, signal) : null
      const hasWhole = (this.rowsOf.get(place?.prompt ?? -1) ?? []).some((row) => this.log.reader.index.rows.kindOf(row) === recordKind.copies)
      if (snapshot) entries.add(snapshot, hasWhole)
    }
    return entries.byPath
  }

  /** The first record of a prompt, the last whole one, and what was added behind that. */
  private wanted(rows: readonly number[]): readonly number[] {
    const { rows: index } = this.log.reader.index
    const lastWhole = rows.findLastIndex((row) => index.kindOf(row) === recordKind.copies)
    return rows.filter((_, at) => at === 0 || at >= lastWhole)
  }

  private pathsOfSession(signal?: AbortSignal): Promise<SnapshotPaths> {
    this.paths ??= this.readPaths(signal)
    this.paths.catch(() => (this.paths = null))
    return this.paths
  }

  private async readPaths(signal?: AbortSignal): Promise<SnapshotPaths> {
    const { index } = this.log.reader
    const latest = [...this.rowsOf.values()].flat().filter((row) => index.rows.kindOf(row) === recordKind.copies)
    const row = latest.reduce((last, each) => Math.max(last, each), -1)
    const folder = this.log.folder()
    return new SnapshotPaths(folder, trackedPaths(folder), row < 0 ? null : await this.read(row, signal))
  }

  private async read(row: number, signal?: AbortSignal): Promise<RawSnapshot | null> {
    const record = parseObject((await this.log.reader.readRow(row)).toString())
    throwIfAborted(signal)
    const raw = record && rawSnapshot(record)
    if (!raw) this.log.report([record ? 'bad-snapshot' : 'bad-line'], row)
    return raw
  }
}

/** A fork holds each snapshot only as it was in the end; what was copied after it was begun was copied in the middle of the turn. */
function withTimes(snapshot: PromptSnapshot): PromptSnapshot {
  const late = [...snapshot.backups].flatMap(([path, backup]) => (backup.kind !== 'failed' && backup.backupAt > snapshot.takenAt ? [path] : []))
  return { ...snapshot, addedDuring: new Set([...snapshot.addedDuring, ...late]) }
}
