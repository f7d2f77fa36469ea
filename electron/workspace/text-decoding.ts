import iconv from 'iconv-lite'
import jschardet from 'jschardet'
import type { FileSide, LineEnds } from '../../shared/file-state.js'

/** A text as an editor knows it; with `encodeText` it gives back its bytes exactly. */
export interface DecodedText {
  readonly kind: 'text'
  /** Without BOM, line ends as they are. */
  readonly text: string
  /** `utf-8`, `utf-16le`, `utf-16be`, or a name that iconv-lite knows. */
  readonly encoding: string
  readonly hasBom: boolean
  readonly lineEnds: LineEnds
  /** `null` for an empty text. */
  readonly hasFinalNewline: boolean | null
}

export type Decoded = DecodedText | { readonly kind: 'binary' }

/** Beyond this a file is shown only when asked for. */
export const displayLimitBytes = 8 * 1024 * 1024
/** Beyond this a file is neither shown nor copied. */
export const hardLimitBytes = 64 * 1024 * 1024

const sampleBytes = 65_536
// Below this the detector guesses among alphabets; a text that short is most often Western European.
const sureConfidence = 0.1
// Control characters but tab, line ends, form feed and escape, and the mark of what could not be decoded.
const noText = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]/
const noPlainText = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/
const otherScript = /[^\p{Script=Latin}\P{L}]/gu
const isIdeographic = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** So much of a text in an unknown encoding may be other than ASCII. */
const mostUnknown = 0.3
const loneSurrogate = /\p{Surrogate}/u

/**
 * Bytes as text: by BOM, else as UTF-8 where they are valid, else UTF-16 without BOM, else by what a detector says. Each
 * must give the same bytes back; what does not, or holds control characters that no text has, is binary. Mostly ASCII in no known
 * encoding is a text too, each byte a character (ISO 8859-1), so that it can be edited and all else in it stays.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return asUnicode('utf-8', bytes.subarray(3), true) ?? binary
  if (startsWith(bytes, [0xff, 0xfe]) && !startsWith(bytes, [0xff, 0xfe, 0, 0])) return asUnicode('utf-16le', bytes.subarray(2), true) ?? binary
  if (startsWith(bytes, [0xfe, 0xff])) return asUnicode('utf-16be', bytes.subarray(2), true) ?? binary
  if (bytes.includes(0)) {
    const encoding = utf16WithoutBom(bytes.subarray(0, sampleBytes))
    const decoded = encoding && asUnicode(encoding, bytes, false)
    return decoded && !noText.test(decoded.text) ? decoded : binary
  }
  return asUnicode('utf-8', bytes, false) ?? asDetected(bytes) ?? binary
}

/** The bytes of a text, or `null` when its encoding has no form for one of its characters. */
export function encodeText(text: string, encoding: string, hasBom: boolean): Uint8Array | null {
  if (encoding === 'utf-8') return loneSurrogate.test(text) ? null : Buffer.from(hasBom ? `\ufeff${text}` : text, 'utf8')
  if (encoding === 'utf-16le') return Buffer.from(hasBom ? `\ufeff${text}` : text, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(hasBom ? `\ufeff${text}` : text, 'utf16le').swap16()
  const bytes = iconv.encode(text, encoding)
  return iconv.decode(bytes, encoding, { stripBOM: false }) === text ? bytes : null
}

/** What the window shows for bytes; `sha256` is theirs. */
export function sideOf(bytes: Uint8Array, sha256: string, showOversized = false): FileSide {
  const sizeBytes = bytes.length
  if (sizeBytes > hardLimitBytes || (sizeBytes > displayLimitBytes && !showOversized)) return { kind: 'oversized', sizeBytes }
  const decoded = decodeText(bytes)
  return decoded.kind === 'text' ? { kind: 'text', text: decoded.text, sizeBytes } : { kind: 'binary', sizeBytes, sha256 }
}

export function lineEndsOf(text: string): LineEnds {
  let lf = 0
  let crlf = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++
    else lf++
  }
  if (lf === 0) return crlf === 0 ? 'none' : 'crlf'
  return crlf === 0 ? 'lf' : 'mixed'
}

const binary: Decoded = { kind: 'binary' }

function asText(text: string, encoding: string, hasBom: boolean): DecodedText {
  const hasFinalNewline = text === '' ? null : text.endsWith('\n')
  return { kind: 'text', text, encoding, hasBom, lineEnds: lineEndsOf(text), hasFinalNewline }
}

function asUnicode(encoding: 'utf-8' | 'utf-16le' | 'utf-16be', bytes: Uint8Array, hasBom: boolean): DecodedText | null {
  if (encoding !== 'utf-8' && bytes.length % 2 === 1) return null
  const native = encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes
  try {
    const decoder = new TextDecoder(encoding === 'utf-8' ? 'utf-8' : 'utf-16le', { fatal: true, ignoreBOM: true })
    const text = decoder.decode(native)
    return text.includes('\0') ? null : asText(text, encoding, hasBom)
  } catch {
    return null
  }
}

function asDetected(bytes: Uint8Array): DecodedText | null {
  const firstHigh = bytes.findIndex((byte) => byte >= 0x80)
  const from = Math.max(0, firstHigh - 1024)
  const detected = jschardet.detect(Buffer.from(bytes.subarray(from, from + sampleBytes)))
  const isSure = detected.confidence >= sureConfidence
  const names = [isSure ? detected.encoding?.toLowerCase() : undefined, 'windows-1252']
  for (const encoding of names) {
    if (!encoding || encoding.startsWith('utf') || !iconv.encodingExists(encoding)) continue
    const text = iconv.decode(Buffer.from(bytes), encoding, { stripBOM: false })
    if (!noText.test(text) && !isMisread(text, encoding) && Buffer.compare(iconv.encode(text, encoding), bytes) === 0) return asText(text, encoding, false)
  }
  return asBytes(bytes)
}

/** Encodings of Latin letters that are in use beside windows-1252. */
const latin = /^(windows-125[0478]|iso-?8859-(2|9|13|15|16))$/
/** Fewer letters of another script than these are no evidence for it. */
const fewestLetters = 6

/**
 * Whether the letters speak against a guess. A few accented letters of Western Europe look to a detector like any script: one that is
 * not Latin must have words of its own, and more of them than words that mix it with Latin letters.
 */
function isMisread(text: string, encoding: string): boolean {
  if (encoding === 'windows-1252' || latin.test(encoding)) return false
  let mixed = 0
  let own = 0
  for (const [word] of text.matchAll(/\p{L}+/gu)) {
    const letters = word.match(otherScript)?.length ?? 0
    if (letters === word.length && (letters > 2 || isIdeographic.test(word))) own += letters
    else mixed += letters
  }
  return own < fewestLetters || mixed > own
}

/** Each byte as the character of its number, for what is mostly ASCII and has no control character of ASCII. */
function asBytes(bytes: Uint8Array): DecodedText | null {
  const text = Buffer.from(bytes).toString('latin1')
  const high = bytes.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0)
  return high > bytes.length * mostUnknown || noPlainText.test(text) ? null : asText(text, 'iso-8859-1', false)
}

/** Text of mostly Latin letters in UTF-16 has its zero bytes on one side only. A few bytes could be anything. */
function utf16WithoutBom(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let even = 0
  let odd = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  if (bytes.length < 8) return null
  const enough = bytes.length * 0.2
  if (odd > enough && even === 0) return 'utf-16le'
  return even > enough && odd === 0 ? 'utf-16be' : null
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, at) => bytes[at] === byte)
}
