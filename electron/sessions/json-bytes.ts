/** JSON looked at in place, byte by byte, without making strings: what lets a big log be indexed at the speed of a newline scan. */

/** Where one key and its value stand. Written over by each `readPair`, so that a scan allocates nothing. */
export interface PairSpot {
  keyStart: number
  keyEnd: number
  /** First byte of the value; inside the quotes for a string. */
  valueStart: number
  valueEnd: number
  kind: 'string' | 'escaped' | 'scalar' | 'nested'
}

export const newPairSpot = (): PairSpot => ({ keyStart: 0, keyEnd: 0, valueStart: 0, valueEnd: 0, kind: 'scalar' })

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
const openBracket = 91
const openBrace = 123
const closeBrace = 125

/** Whether `pattern` stands at `at`. Bytes beyond the buffer match nothing. */
export function standsAt(bytes: Uint8Array, at: number, pattern: Uint8Array): boolean {
  for (let i = 0; i < pattern.length; i++) if (bytes[at + i] !== pattern[i]) return false
  return true
}

const byteOrderMark = Buffer.from('\ufeff')

/** How many bytes a byte order mark takes at a place; 0 where none stands. */
export function markLength(bytes: Uint8Array, at = 0): number {
  return standsAt(bytes, at, byteOrderMark) ? byteOrderMark.length : 0
}

/** Whether the bytes from `start` to `end` are exactly `pattern`. */
export function isExactly(bytes: Uint8Array, start: number, end: number, pattern: Uint8Array): boolean {
  return end - start === pattern.length && standsAt(bytes, start, pattern)
}

/** A key with its quotes that is looked for from a rare letter of it on: where a quote begins the search, it stops at each. */
export interface RareKey {
  readonly whole: Buffer
  readonly tail: Buffer
}

/** `key` as it stands, from the first `letter` on. */
export function rareKey(key: string, letter: string): RareKey {
  return { whole: Buffer.from(key), tail: Buffer.from(key.slice(key.indexOf(letter))) }
}

/** Where a key begins, from `from` on; -1 where it is not. */
export function indexOfKey(bytes: Buffer, { whole, tail }: RareKey, from = 0): number {
  const ahead = whole.length - tail.length
  for (let at = bytes.indexOf(tail, from + ahead); at >= 0; at = bytes.indexOf(tail, at + 1)) {
    if (standsAt(bytes, at - ahead, whole)) return at - ahead
  }
  return -1
}

/**
 * Reads `"key":value` at `at`, inside an object written without blanks.
 *
 * Returns: where the next pair begins (after the comma); `end` when the object closed; -1 where the bytes are not understood or
 * the value is nested or not whole. A nested value (`kind`) has its `valueStart` at the bracket and is not entered.
 */
export function readPair(bytes: Uint8Array, at: number, end: number, spot: PairSpot): number {
  if (bytes[at] !== quote) return -1
  const keyEnd = endOfString(bytes, at + 1, end, spot)
  if (keyEnd < 0 || spot.kind === 'escaped' || bytes[keyEnd + 1] !== colon) return -1
  spot.keyStart = at + 1
  spot.keyEnd = keyEnd
  const value = keyEnd + 2
  const first = bytes[value]
  if (first === openBrace || first === openBracket) {
    spot.kind = 'nested'
    spot.valueStart = value
    spot.valueEnd = -1
    return -1
  }
  let after: number
  if (first === quote) {
    const close = endOfString(bytes, value + 1, end, spot)
    if (close < 0) return -1
    spot.valueStart = value + 1
    spot.valueEnd = close
    after = close + 1
  } else {
    after = value
    while (after < end && bytes[after] !== comma && bytes[after] !== closeBrace) after++
    spot.kind = 'scalar'
    spot.valueStart = value
    spot.valueEnd = after
  }
  if (after >= end) return -1
  return bytes[after] === comma ? after + 1 : bytes[after] === closeBrace ? end : -1
}

/** The closing quote of a string whose text begins at `at`; -1 where it is not whole. Sets `kind` to string or escaped. */
function endOfString(bytes: Uint8Array, at: number, end: number, spot: PairSpot): number {
  spot.kind = 'string'
  for (let i = at; i < end; i++) {
    const byte = bytes[i]
    if (byte === quote) return i
    if (byte === backslash) {
      spot.kind = 'escaped'
      i++
    }
  }
  return -1
}

let viewed: Uint8Array | null = null
let view: DataView = new DataView(new ArrayBuffer(0))

function look(bytes: Uint8Array): void {
  if (bytes === viewed) return
  viewed = bytes
  view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Whether so many words of bytes are there and hold neither a quote nor a backslash. */
export function isPlain(bytes: Uint8Array, at: number, words: number): boolean {
  if (at + 4 * words > bytes.length) return false
  look(bytes)
  for (let i = 0; i < words; i++) {
    const word = view.getInt32(at + 4 * i, true)
    // A byte that is 0 after the exclusive or leaves its highest bit set: four at a time.
    const quotes = word ^ 0x22222222
    const backslashes = word ^ 0x5c5c5c5c
    if ((((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) return false
  }
  return true
}

/** Reads as many 32-bit words as `into` holds, from any byte on: identities are compared by 9 words instead of 36 bytes. */
export function readWords(bytes: Uint8Array, at: number, into: Int32Array): void {
  look(bytes)
  for (let i = 0; i < into.length; i++) into[i] = view.getInt32(at + 4 * i, true)
}

export function haveSameWords(words: Int32Array, at: number, others: Int32Array): boolean {
  for (let i = 0; i < others.length; i++) if (words[at + i] !== others[i]) return false
  return true
}
