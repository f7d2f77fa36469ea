import { closeSync, fstatSync, openSync } from 'node:fs'
import { readBytes } from './file-reads.js'
import { idWords } from './id-table.js'
import { LogIndex, type LogFacts } from './log-index.js'
import type { PromptMark, RewindMark } from './prompt-marks.js'
import { RecordIndex, type IndexColumns, type RowFragments } from './record-index.js'
import type { RecordSniffer } from './record-sniff.js'
import type { SessionProblem } from '../../shared/session.js'

/** Raised with each change of what the index holds; a saved index of another version is made anew. */
const version = 5
const magic = 0x5849564f
const preludeBytes = 16

/** What binds a saved index to the log that it was made of. */
export interface LogStamp {
  readonly size: number
  readonly mtimeMs: number
  readonly inode: number
  /** Hash of the first bytes, and of those before the end of the last whole line. */
  readonly headHash: string
  readonly tailHash: string
}

interface Header {
  readonly stamp: LogStamp
  readonly format: string
  readonly rows: number
  readonly idWords: number
  readonly prompts: number
  readonly textBytes: number
  readonly lines: number
  readonly snapshots: number
  readonly end: number
  readonly facts: LogFacts
  readonly problems: readonly SessionProblem[]
  readonly rewinds: readonly RewindMark[]
  readonly extraRows: readonly number[]
  readonly unseen: number
  readonly fragments: RowFragments
}

/** Columns of the prompts: row, time, flags, and the lengths of text and promptId in one long string, in UTF-16 units. */
interface PromptColumns {
  readonly rows: Int32Array
  readonly times: Float64Array
  readonly flags: Uint8Array
  readonly textLengths: Int32Array
  readonly idLengths: Int32Array
}

const idSources = ['none', 'telemetry', 'snapshot'] as const
const closedFlag = 4
const startMissedFlag = 8

/**
 * The index of a log as it is kept beside our other data, so that the log need not be read again.
 *
 * Shape: 16 bytes (magic, version, header length, checksum of the rest), the header as JSON, then the columns, each at a
 * multiple of 8.
 */
export function encodeLogIndex(index: LogIndex, stamp: LogStamp): Buffer {
  const columns = index.rows.columns()
  const { prompts } = index
  const text = Buffer.from(prompts.map(({ text, recordedId }) => text + (recordedId ?? '')).join(''))
  const header: Header = {
    stamp,
    format: index.sniffer.format,
    rows: columns.offsets.length,
    idWords: columns.idWords.length,
    prompts: prompts.length,
    textBytes: text.length,
    lines: index.lines,
    snapshots: index.marks.snapshots,
    end: index.end,
    facts: index.facts,
    problems: index.tally.list(),
    rewinds: index.rewinds,
    extraRows: index.extraRows,
    unseen: columns.unseenRows.length,
    fragments: index.rows.allFragments(),
  }
  const headerBytes = Buffer.from(JSON.stringify(header))
  const parts = [
    columns.offsets,
    columns.lengths,
    columns.parents,
    columns.promptRows,
    columns.kinds,
    columns.idWords,
    columns.unseenRows,
    columns.unseenWords,
    Int32Array.from(prompts, ({ row }) => row),
    Float64Array.from(prompts, ({ at }) => at),
    Uint8Array.from(prompts, flagsOf),
    Int32Array.from(prompts, ({ text }) => text.length),
    Int32Array.from(prompts, ({ recordedId }) => recordedId?.length ?? 0),
    text,
  ]
  return joined(headerBytes, parts)
}

/** Prelude, header and columns in one buffer, made once: it can be tens of megabytes. */
function joined(header: Buffer, columns: readonly ArrayBufferView[]): Buffer {
  const length = columns.reduce((sum, { byteLength }) => sum + roundUp(byteLength), preludeBytes + roundUp(header.length))
  const bytes = Buffer.alloc(length)
  bytes.writeUInt32LE(magic, 0)
  bytes.writeUInt32LE(version, 4)
  bytes.writeUInt32LE(header.length, 8)
  header.copy(bytes, preludeBytes)
  let at = preludeBytes + roundUp(header.length)
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += roundUp(byteLength)
  }
  bytes.writeInt32LE(checksum(bytes.subarray(preludeBytes)), 12)
  return bytes
}

/** The saved index and what it was made of; `null` where there is none, or none that can be trusted. */
export async function loadLogIndex(
  file: string,
  sniffer: RecordSniffer,
): Promise<{ readonly index: LogIndex; readonly stamp: LogStamp } | null> {
  try {
    const bytes = await readAligned(file)
    if (bytes.length < preludeBytes || bytes.readUInt32LE(0) !== magic || bytes.readUInt32LE(4) !== version) return null
    const body = bytes.subarray(preludeBytes)
    if (bytes.readInt32LE(12) !== checksum(body)) return null
    const headerLength = bytes.readUInt32LE(8)
    const header = JSON.parse(body.toString('utf8', 0, headerLength)) as Header
    if (header.format !== sniffer.format) return null
    return { index: restore(header, new Sections(body, roundUp(headerLength)), sniffer), stamp: header.stamp }
  } catch {
    // Missing, cut off or damaged: it is made anew.
    return null
  }
}

function restore(header: Header, sections: Sections, sniffer: RecordSniffer): LogIndex {
  const { rows, prompts } = header
  const columns: IndexColumns = {
    offsets: sections.float64(rows),
    lengths: sections.uint32(rows),
    parents: sections.int32(rows),
    promptRows: sections.int32(rows),
    kinds: sections.bytes(rows),
    idWords: sections.int32(header.idWords),
    unseenRows: sections.int32(header.unseen),
    unseenWords: sections.int32(header.unseen * idWords),
  }
  const index = new LogIndex(sniffer)
  index.rows = RecordIndex.restore(sniffer.hasIds, columns, header.fragments, prompts)
  const marks: PromptColumns = {
    rows: sections.int32(prompts),
    times: sections.float64(prompts),
    flags: sections.bytes(prompts),
    textLengths: sections.int32(prompts),
    idLengths: sections.int32(prompts),
  }
  index.marks.prompts = restorePrompts(marks, prompts, sections.bytes(header.textBytes).toString())
  index.marks.rewinds = [...header.rewinds]
  index.extraRows = [...header.extraRows]
  index.tally.reset(header.problems)
  index.lines = header.lines
  index.marks.snapshots = header.snapshots
  index.end = header.end
  index.restoreFacts(header.facts)
  return index
}

function flagsOf({ idFrom, isClosed, isStartMissed }: PromptMark): number {
  return idSources.indexOf(idFrom) | (isClosed ? closedFlag : 0) | (isStartMissed ? startMissedFlag : 0)
}

function restorePrompts(marks: PromptColumns, count: number, text: string): PromptMark[] {
  const prompts: PromptMark[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    const flags = marks.flags[i] ?? 0
    const idFrom = idSources[flags & 3] ?? 'none'
    const textEnd = at + (marks.textLengths[i] ?? 0)
    const idEnd = textEnd + (marks.idLengths[i] ?? 0)
    prompts.push({
      row: marks.rows[i] ?? 0,
      at: marks.times[i] ?? 0,
      text: text.slice(at, textEnd),
      recordedId: idFrom === 'none' ? null : text.slice(textEnd, idEnd),
      idFrom,
      isClosed: (flags & closedFlag) !== 0,
      isStartMissed: (flags & startMissedFlag) !== 0,
    })
    at = idEnd
  }
  return prompts
}

/** Hands out one column after the other. Throws where the bytes end too soon. */
class Sections {
  constructor(
    private readonly body: Buffer,
    private at: number,
  ) {}

  bytes(length: number): Buffer {
    const end = this.at + length
    if (end > this.body.length) throw new RangeError('The saved index is cut off.')
    const found = this.body.subarray(this.at, end)
    this.at = roundUp(end)
    return found
  }

  int32(length: number): Int32Array {
    const { buffer, byteOffset } = this.bytes(4 * length)
    return new Int32Array(buffer, byteOffset, length)
  }

  uint32(length: number): Uint32Array {
    const { buffer, byteOffset } = this.bytes(4 * length)
    return new Uint32Array(buffer, byteOffset, length)
  }

  float64(length: number): Float64Array {
    const { buffer, byteOffset } = this.bytes(8 * length)
    return new Float64Array(buffer, byteOffset, length)
  }
}

const roundUp = (length: number): number => (length + 7) & ~7

/** A file's bytes in a buffer of their own, so that columns begin at multiples of 8. */
async function readAligned(file: string): Promise<Buffer> {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const bytes = await readBytes(handle, 0, size)
    return bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(Uint8Array.from(bytes).buffer)
  } finally {
    closeSync(handle)
  }
}

/** Detects damage, not forgery: the file is ours. */
function checksum(body: Buffer): number {
  const words = new Int32Array(body.buffer, body.byteOffset, body.length >> 2)
  let sum = words.length
  // Four at a time: an index is often read before the loop was compiled.
  for (let i = 0; i < words.length; i += 4) {
    const pair = (words[i] ?? 0) ^ Math.imul(words[i + 1] ?? 0, 31)
    const other = (words[i + 2] ?? 0) ^ Math.imul(words[i + 3] ?? 0, 37)
    sum = (Math.imul(sum, 41) + pair + Math.imul(other, 43)) | 0
  }
  return sum
}
