import { indexOfKey, isExactly, newPairSpot, rareKey, readPair, standsAt } from './json-bytes.js'
import { findKey } from './json-keys.js'
import { parseObject, type JsonObject } from './json-values.js'
import type { CountedEdits } from './record-sniff.js'

// A message begins {"id":"…","timestamp":"…","type":"…", and between two of them stands {"$set":{"lastUpdated":"…"}}.
const idKey = Buffer.from('{"id":"')
const timeKey = Buffer.from('","timestamp":"')
const typeKey = Buffer.from('","type":"')
const geminiType = Buffer.from('gemini",')
const userAnswer = Buffer.from('user","content":[{"functionResponse":{')
const answerEnd = Buffer.from('}}}]}')
const updatedKey = Buffer.from('{"$set":{"lastUpdated":"')
const updatedEnd = Buffer.from('"}}')
const tokensKey = Buffer.from(',"tokens":{')
// A call that edited a file ends {…,"status":"success","timestamp":"…","resultDisplay":{"fileDiff":"…",…,"diffStat":{"model_added_lines":1,…
const statKey = rareKey('"diffStat":{', 'S')
const displayKey = Buffer.from('"resultDisplay":{')
const beforeDisplay = Buffer.from('"status":"success","timestamp":"0000-00-00T00:00:00.000Z",')
const statusBytes = Buffer.from('"status":"success","timestamp":"').length
const addedName = Buffer.from('model_added_lines')
const removedName = Buffer.from('model_removed_lines')
const pathName = Buffer.from('filePath')
const fileName = Buffer.from('fileName')
const countNames = ['input', 'output', 'cached', 'total'].map((name) => ({ name, bytes: Buffer.from(name) }))
const pair = newPairSpot()
const timeBytes = 24
const hourBytes = 13
const longestId = 128
const quote = 34
const backslash = 92
const zero = 48
const comma = 44
const colon = 58
const dot = 46
const letterZ = 90
const closeBrace = 125

/** Where a message has its identity and its time. */
export interface MessageSpot {
  idStart: number
  idEnd: number
  timeStart: number
}

export type SniffedMessage = 'gemini' | 'user' | null

/** Whether a line tells of one message. */
export function isMessage(line: Buffer): boolean {
  return standsAt(line, 0, idKey)
}

/** A message that no person typed, told by its first bytes; `null` where only the parsed line can tell. */
export function sniffMessage(bytes: Buffer, start: number, end: number, spot: MessageSpot): SniffedMessage {
  if (bytes[end - 1] !== closeBrace || !standsAt(bytes, start, idKey)) return null
  const id = start + idKey.length
  let close = id
  while (close < end && close - id < longestId && bytes[close] !== quote) if (bytes[close++] === backslash) return null
  const time = close + timeKey.length
  const type = time + timeBytes + typeKey.length
  if (close === id || !standsAt(bytes, close, timeKey) || !standsAt(bytes, time + timeBytes, typeKey)) return null
  spot.idStart = id
  spot.idEnd = close
  spot.timeStart = time
  if (standsAt(bytes, type, geminiType)) return 'gemini'
  // What a person typed may stand behind answers too.
  return standsAt(bytes, type, userAnswer) && standsAt(bytes, end - answerEnd.length, answerEnd) ? 'user' : null
}

/** Where the time stands in a line that sets nothing but that; -1 for any other line. */
export function sniffUpdate(bytes: Buffer, start: number, end: number): number {
  const time = start + updatedKey.length
  return end - time === timeBytes + updatedEnd.length && standsAt(bytes, start, updatedKey) && standsAt(bytes, time + timeBytes, updatedEnd) ? time : -1
}

/** The hour that was read last, and its milliseconds: most times are of the same hour as the one before. */
const hour = Buffer.alloc(hourBytes)
let hourAt = NaN

/** Milliseconds of the ISO time of 24 bytes at a place; `null` for anything that is no time. */
export function timeIn(bytes: Buffer, at: number): number | null {
  if (!standsAt(bytes, at, hour)) {
    bytes.copy(hour, 0, at, at + hourBytes)
    hourAt = Date.parse(`${hour.toString('latin1')}:00:00.000Z`)
  }
  const isUsual = bytes[at + 13] === colon && bytes[at + 16] === colon && bytes[at + 19] === dot && bytes[at + 23] === letterZ
  const minute = twoDigits(bytes, at + 14)
  const second = twoDigits(bytes, at + 17)
  const ms = twoDigits(bytes, at + 20) * 10 + twoDigits(bytes, at + 21) % 10
  const found = isUsual && minute < 60 && second < 60 ? hourAt + (minute * 60 + second) * 1000 + ms : Date.parse(bytes.toString('latin1', at, at + timeBytes))
  return Number.isFinite(found) ? found : null
}

function twoDigits(bytes: Buffer, at: number): number {
  const tens = (bytes[at] ?? 0) - zero
  const ones = (bytes[at + 1] ?? 0) - zero
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

/**
 * The tokens that a message's line tells of; `null` where it tells of none. In a text the key stands with escaped quotes, and calls come
 * behind.
 */
export function tokensIn(bytes: Buffer, start: number, end: number): JsonObject | null {
  // Beyond the line too, where it has none, which is rare.
  const key = bytes.indexOf(tokensKey, start)
  if (key < 0 || key >= end) return null
  const from = key + tokensKey.length
  const counts: Record<string, number> = {}
  let at = from
  while (at >= 0 && at < end) {
    at = readPair(bytes, at, end, pair)
    const count = at < 0 || pair.kind !== 'scalar' ? -1 : digitsIn(bytes, pair.valueStart, pair.valueEnd)
    if (count < 0) return parseObject(bytes.toString('utf8', from - 1, bytes.indexOf(closeBrace, from) + 1))
    for (const { name, bytes: expected } of countNames) if (isExactly(bytes, pair.keyStart, pair.keyEnd, expected)) counts[name] = count
  }
  return counts
}

/**
 * What the edits of a message's calls changed, told by bytes: in a text the keys stand with escaped quotes. `undefined` where only the
 * parsed line can tell: another order, a call that did not succeed, a path that is not plain.
 */
export function editsIn(line: Buffer): CountedEdits | null | undefined {
  const paths: string[] = []
  const sum = { insertions: 0, deletions: 0 }
  for (let from = 0; ; ) {
    const stat = indexOfKey(line, statKey, from)
    if (stat < 0) return paths.length === 0 ? null : { ...sum, paths }
    const behind = stat + statKey.whole.length
    const display = line.lastIndexOf(displayKey, stat)
    if (display < from || !isOfSuccess(line, display)) return undefined
    const path = textIn(line, display + displayKey.length, stat, pathName) ?? textIn(line, display + displayKey.length, stat, fileName)
    const insertions = countIn(line, behind, line.length, addedName)
    const deletions = countIn(line, behind, line.length, removedName)
    if (path === null || insertions < 0 || deletions < 0) return undefined
    sum.insertions += insertions
    sum.deletions += deletions
    paths.push(path)
    from = behind
  }
}

function isOfSuccess(bytes: Buffer, display: number): boolean {
  const at = display - beforeDisplay.length
  return at >= 0 && bytes.compare(beforeDisplay, 0, statusBytes, at, at + statusBytes) === 0 && bytes[display - 2] === quote && bytes[display - 1] === comma
}

/** A plain text of an object that begins at `at`, by its key. */
function textIn(bytes: Buffer, at: number, end: number, key: Buffer): string | null {
  if (!findKey(bytes, at, end, key, pair)) return null
  return pair.kind === 'string' ? bytes.toString('utf8', pair.valueStart, pair.valueEnd) : null
}

function countIn(bytes: Buffer, at: number, end: number, key: Buffer): number {
  return findKey(bytes, at, end, key, pair) && pair.kind === 'scalar' ? digitsIn(bytes, pair.valueStart, pair.valueEnd) : -1
}

/** A whole number of at most 15 digits; -1 for anything else. */
function digitsIn(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] ?? 0) - zero
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return end > start && end - start <= 15 ? value : -1
}
