import type { SessionProblem } from '../../shared/session.js'
import { idBytes, idWords, wordsAt, writeId } from './id-table.js'
import { haveSameWords, markLength, readWords } from './json-bytes.js'
import { parseGlued } from './jsonl.js'
import { parseObject, textAt, type JsonObject } from './json-values.js'
import { joinProblems, ProblemTally } from './problem-tally.js'
import { PromptMarks } from './prompt-marks.js'
import { RecordIndex } from './record-index.js'
import { recordKind, type RecordKind, type RecordSniffer, type SniffSpot } from './record-sniff.js'

/** Lines at the beginning that are parsed until one names the working folder. */
const headLines = 50
const closeBrace = 125

// Used within one line at a time, so that the index of a small log costs little.
const otherSession = new Int32Array(idWords)
const spot: SniffSpot = { idStart: 0, parentStart: 0, sessionStart: 0 }
const scratch = Buffer.alloc(3 * idBytes)

/** What the whole log says about itself. */
export interface LogFacts {
  sessionId: string | null
  folder: string | null
  branch: string | null
  agent: string | null
}

/** Where a record stands: its bytes in the present chunk, and its place in the file. */
interface Spot {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly offset: number
  readonly length: number
}

/** What a last line without line end has added, so that it can be taken back. */
interface BeforeRest {
  readonly rows: number
  readonly prompts: number
  readonly lines: number
  readonly extraRows: number
  readonly snapshots: number
  readonly problems: readonly SessionProblem[]
}

/**
 * The index of a log, made line by line: rows, prompts, rewinds, problems.
 *
 * Only prompts and rewinds are parsed, and lines whose first bytes do not tell what they are; with `isDeep` every line is, so that
 * each broken one is found. What is not parsed now is found broken when it is read.
 */
export class LogIndex {
  rows: RecordIndex
  readonly marks: PromptMarks
  /** Rows that do not begin a line: further records glued onto one. */
  extraRows: number[] = []
  readonly tally = new ProblemTally()
  readonly facts: LogFacts = { sessionId: null, folder: null, branch: null, agent: null }
  lines = 0
  /** Offset after the last whole line. */
  end = 0
  isDeep = false
  private isTorn = false
  private beforeRest: BeforeRest | null = null
  private session: Int32Array | null = null

  constructor(
    readonly sniffer: RecordSniffer,
    logBytes = 0,
  ) {
    this.rows = new RecordIndex(sniffer.hasIds, logBytes)
    this.marks = new PromptMarks(sniffer)
  }

  get prompts(): PromptMarks['prompts'] {
    return this.marks.prompts
  }

  get rewinds(): PromptMarks['rewinds'] {
    return this.marks.rewinds
  }

  restoreFacts(facts: LogFacts): void {
    Object.assign(this.facts, facts)
    if (facts.sessionId === null) return
    writeId(facts.sessionId, scratch, 0)
    this.session = wordsAt(scratch, 0)
  }

  problems(): readonly SessionProblem[] {
    const torn = new ProblemTally()
    if (this.isTorn) torn.add('torn-line', this.lines + 1)
    return joinProblems(this.tally.list(), torn.list())
  }

  problemCount(): number {
    return this.tally.total() + (this.isTorn ? 1 : 0)
  }

  /** 1-based line of a row. */
  lineOf(row: number): number {
    let extras = 0
    for (const extra of this.extraRows) if (extra <= row) extras++
    return row + 1 - extras
  }

  /** The first row of a 1-based line. */
  rowOf(line: number): number {
    let row = line - 1
    for (const extra of this.extraRows) if (extra <= row) row++
    return row
  }

  /** A `LineVisitor`. */
  readonly visit = (bytes: Buffer, start: number, end: number, offset: number, length: number): void => {
    this.lines++
    const mark = offset === 0 ? markLength(bytes, start) : 0
    this.look(bytes, start + mark, end, offset + mark, length - mark)
  }

  /** Takes in a last line without line end: as a record where it is whole JSON, else it counts as torn. */
  visitRest(bytes: Buffer, offset: number): void {
    if (bytes.length === 0) return
    this.isTorn = parseObject(bytes.toString()) === null
    if (this.isTorn) return
    this.beforeRest = {
      rows: this.rows.count,
      prompts: this.prompts.length,
      lines: this.lines,
      extraRows: this.extraRows.length,
      snapshots: this.marks.snapshots,
      problems: this.tally.list(),
    }
    this.visit(bytes, 0, bytes.length, offset, bytes.length)
  }

  /** Takes back what `visitRest` did, before the log is read on. */
  dropRest(): void {
    this.isTorn = false
    const before = this.beforeRest
    if (!before) return
    this.beforeRest = null
    this.rows.shorten(before.rows, before.prompts)
    this.marks.prompts.length = before.prompts
    this.marks.rewinds = this.rewinds.filter(({ row }) => row < before.rows)
    this.extraRows.length = before.extraRows
    this.lines = before.lines
    this.marks.snapshots = before.snapshots
    this.tally.reset(before.problems)
  }

  private look(bytes: Buffer, start: number, end: number, offset: number, length: number): void {
    if (start >= end) {
      this.rows.addPlain(recordKind.blank, offset, 0)
      return
    }
    const kind = this.sniffer.sniff(bytes, start, end, spot)
    const isWhole = end - start === length
    const mustParse =
      kind === null ||
      kind === recordKind.prompt ||
      kind === recordKind.rewind ||
      this.isDeep ||
      bytes[end - 1] !== closeBrace ||
      (this.facts.folder === null && this.sniffer.hasIds && this.lines <= headLines)
    if (isWhole && mustParse) {
      this.parse(kind, { bytes, start, end, offset, length })
      return
    }
    if (!isWhole) this.tally.add('oversized-line', this.lines)
    if (kind === null) this.rows.addPlain(recordKind.unknown, offset, length)
    else this.addSniffed(kind, bytes, start, end, offset, length, null)
  }

  private parse(sniffed: RecordKind | null, at: Spot): void {
    const record = parseObject(at.bytes.toString('utf8', at.start, at.end))
    if (record) this.addParsed(record, sniffed, at)
    else this.addBroken(sniffed, at)
  }

  private addParsed(record: JsonObject, sniffed: RecordKind | null, at: Spot): void {
    const { bytes, start, end, offset, length } = at
    const { facts } = this
    const said = this.sniffer.factsOf?.(record) ?? record
    facts.folder ??= textAt(said, 'cwd')
    facts.branch ??= textAt(said, 'gitBranch')
    facts.agent ??= textAt(record, 'agent')
    const { kind, id, parentId, sessionId } = this.sniffer.classify(record)
    if (id === null) {
      if (parentId !== null) writeId(parentId, scratch, 0)
      const row = parentId === null ? this.rows.addPlain(kind, offset, length) : this.rows.addAttached(kind, offset, length, scratch, 0)
      this.take(row, kind, bytes, start, end, record)
      return
    }
    if (sniffed === null || spot.idStart < 0 || bytes.toString('latin1', spot.idStart, spot.idStart + idBytes) !== id) {
      // Written in another order than usual: the identity is laid out as a usual record has it.
      writeId(id, scratch, 0)
      if (parentId !== null) writeId(parentId, scratch, idBytes)
      writeId(sessionId ?? '', scratch, 2 * idBytes)
      if (sessionId !== null && this.isForeign(scratch, 2 * idBytes, sessionId)) return this.addForeign(offset, length)
      const row = this.rows.add(kind, offset, length, scratch, 0, parentId === null ? -1 : idBytes)
      this.take(row, kind, bytes, start, end, record)
      return
    }
    this.addSniffed(kind, bytes, start, end, offset, length, record)
  }

  private addSniffed(
    kind: RecordKind,
    bytes: Buffer,
    start: number,
    end: number,
    offset: number,
    length: number,
    record: JsonObject | null,
  ): void {
    if (this.sniffer.hasIds && spot.sessionStart >= 0 && this.isForeign(bytes, spot.sessionStart, null)) return this.addForeign(offset, length)
    const row = this.addRow(kind, offset, length, bytes)
    this.take(row, kind, bytes, start, end, record)
  }

  private addRow(kind: RecordKind, offset: number, length: number, bytes: Buffer): number {
    if (spot.idStart >= 0) return this.rows.add(kind, offset, length, bytes, spot.idStart, spot.parentStart)
    return spot.parentStart >= 0 ? this.rows.addAttached(kind, offset, length, bytes, spot.parentStart) : this.rows.addPlain(kind, offset, length)
  }

  private take(row: number, kind: RecordKind, bytes: Buffer, start: number, end: number, record: JsonObject | null): void {
    // Most records are answers: they make no object.
    if (kind === recordKind.reply || kind === recordKind.result) return this.marks.answered(this.rows.promptOf(row))
    if (kind === recordKind.strange || kind === recordKind.unknown) this.tally.add('unknown-record', this.lines)
    this.marks.take(this.rows, row, kind, { bytes, start, end, record })
  }

  /** A line that is no object: records glued together, or broken. A broken one keeps its place in the chain where its head tells it. */
  private addBroken(sniffed: RecordKind | null, at: Spot): void {
    const { bytes, start, end, offset, length } = at
    const line = bytes.subarray(start, end)
    const found = parseGlued(line, this.sniffer.opening)
    if (found.length === 0 && line.toString('latin1').trim() === '') {
      this.rows.addPlain(recordKind.blank, offset, length)
      return
    }
    this.tally.add(found.length === 0 ? 'bad-line' : 'glued-line', this.lines)
    const lostLength = found[0]?.start ?? length
    if (lostLength > 0) {
      if (sniffed === null || !this.sniffer.hasIds) this.rows.addPlain(recordKind.bad, offset, lostLength)
      else this.addSniffed(recordKind.bad, bytes, start, end, offset, lostLength, null)
    }
    found.forEach((each, ordinal) => {
      if (ordinal > 0 || lostLength > 0) this.extraRows.push(this.rows.count)
      const from = start + each.start
      const to = start + each.end
      const kind = this.sniffer.sniff(bytes, from, to, spot)
      this.addParsed(each.value, kind, { bytes, start: from, end: to, offset: offset + each.start, length: to - from })
    })
  }

  private addForeign(offset: number, length: number): void {
    this.tally.add('foreign-record', this.lines)
    this.rows.addPlain(recordKind.foreign, offset, length)
  }

  private isForeign(bytes: Buffer, at: number, name: string | null): boolean {
    readWords(bytes, at, otherSession)
    if (this.session) return !haveSameWords(this.session, 0, otherSession)
    this.session = otherSession.slice()
    this.facts.sessionId = name ?? bytes.toString('latin1', at, at + idBytes)
    return false
  }
}
