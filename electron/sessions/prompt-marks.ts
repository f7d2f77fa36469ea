import { cutText, isObject, listAt, objectAt, parseObject, textAt, timeAt, type JsonObject } from './json-values.js'
import { cutPrompt } from './lost-record.js'
import { treeless, type RecordIndex } from './record-index.js'
import { recordKind, type RecordKind, type RecordSniffer } from './record-sniff.js'

/** What of a prompt is kept in the index; the log holds the whole. */
const keptPromptLength = 4000

/** A prompt of the log, on whatever branch. */
export interface PromptMark {
  readonly row: number
  /** At most 4,000 characters. */
  text: string
  readonly at: number
  /** The promptId as recorded; `null` where no record names it. */
  recordedId: string | null
  idFrom: 'none' | 'telemetry' | 'snapshot'
  /** A signal came: what follows may belong to another prompt. */
  isClosed: boolean
  /** The agent answered before a snapshot was seen, so the record of the turn's start is lost. */
  isStartMissed: boolean
}

export interface RewindMark {
  readonly row: number
  readonly at: number
  /** How many prompts it took back, in logs whose records name no parents. */
  readonly prompts?: number
}

/** A line that was given a row; `record` is `null` where it was not parsed. */
export interface MarkedLine {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly record: JsonObject | null
}

/**
 * The prompts of a log, each joined with its promptId, and the rewinds.
 *
 * A prompt's record does not hold its promptId. It is the one that the first snapshot after it names, along the parents; without
 * snapshots, the one of the first telemetry record.
 */
export class PromptMarks {
  prompts: PromptMark[] = []
  rewinds: RewindMark[] = []
  /** Records that hold snapshots, on whatever branch. */
  snapshots = 0

  constructor(private readonly sniffer: RecordSniffer) {}

  /** A reply or a result came in the turn of a prompt. */
  answered(prompt: number): void {
    const mark = this.prompts[prompt]
    if (mark && mark.idFrom !== 'snapshot') mark.isStartMissed = true
  }

  /** Takes in a row that was just added to the index, other than an answer. */
  take(rows: RecordIndex, row: number, kind: RecordKind, line: MarkedLine): void {
    const prompt = this.prompts[rows.promptOf(row)]
    switch (kind) {
      case recordKind.prompt:
        this.addPrompt(rows, row, line)
        break
      case recordKind.signal:
        if (prompt) prompt.isClosed = true
        break
      case recordKind.snapshot:
      case recordKind.snapshotDelta:
        this.snapshots++
        this.claimSnapshot(rows, row, prompt, line)
        break
      case recordKind.copies:
      case recordKind.addedCopies:
        this.snapshots++
        break
      case recordKind.telemetry:
        if (prompt && prompt.idFrom === 'none' && !prompt.isClosed) this.claimTelemetry(prompt, line)
        break
      case recordKind.rewind:
        this.addRewind(row, line.record)
        break
      default:
    }
  }

  private addPrompt(rows: RecordIndex, row: number, { bytes, start, end, record }: MarkedLine): void {
    const text = record ? this.sniffer.promptText(record) : cutPrompt(bytes.subarray(start, end), rows.lengthOf(row))
    if (rows.isFragment(row)) {
      const first = this.prompts[rows.promptOf(row)]
      if (first) first.text = cutText(first.text + text, keptPromptLength)
      return
    }
    const recordedId = record && this.sniffer.promptIdOf(record)
    const at = timeAt(record, 'timestamp') ?? this.prompts[this.prompts.length - 1]?.at ?? 0
    this.prompts.push({
      row,
      text: cutText(text, keptPromptLength),
      at,
      recordedId,
      idFrom: recordedId === null ? 'none' : 'telemetry',
      isClosed: false,
      isStartMissed: false,
    })
  }

  private addRewind(row: number, record: JsonObject | null): void {
    const prompts = record && this.sniffer.takenBackBy?.(record)
    this.rewinds.push({ row, at: timeAt(record, 'timestamp') ?? 0, ...(prompts ? { prompts } : {}) })
  }

  /** The first snapshot of a turn gives its prompt the promptId; one that names another belongs elsewhere. */
  private claimSnapshot(rows: RecordIndex, row: number, prompt: PromptMark | undefined, { bytes, start, end, record }: MarkedLine): void {
    if (rows.parentOf(row) === treeless) return
    const named = this.sniffer.snapshotPromptId(bytes, start, end) ?? firstPromptId(record ?? parseObject(bytes.toString('utf8', start, end)))
    if (prompt && prompt.idFrom !== 'snapshot' && !prompt.isClosed && named !== null) {
      prompt.recordedId = named
      prompt.idFrom = 'snapshot'
    }
    const isOwn = prompt?.idFrom === 'snapshot' && prompt.recordedId === named
    if (!isOwn) rows.setKind(row, recordKind.otherSnapshot)
  }

  private claimTelemetry(prompt: PromptMark, { bytes, start, end, record }: MarkedLine): void {
    const parsed = record ?? parseObject(bytes.toString('utf8', start, end))
    const named = parsed && this.sniffer.telemetryPromptId(parsed)
    if (named === null) return
    prompt.recordedId = named
    prompt.idFrom = 'telemetry'
  }
}

function firstPromptId(record: JsonObject | null): string | null {
  const first = listAt(objectAt(record, 'systemPayload'), 'snapshots').find((each) => isObject(each) && textAt(each, 'promptId') !== null)
  return isObject(first) ? textAt(first, 'promptId') : null
}
