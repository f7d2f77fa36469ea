import { open } from 'node:fs/promises'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { Needle } from './needle.js'

/** Tells from the bytes of a log, before anything of it is understood, whether it may hold a text. */
export interface LogScan {
  /** `false` only where the files together cannot hold the text. True where one of them cannot be read: opening it tells why. */
  mayHold(files: readonly string[], signal?: AbortSignal): Promise<boolean>
}

const chunkBytes = 1 << 20
/** More pieces of a text are not looked for; these leave few logs over. */
const mostPieces = 4
const shortestPiece = 2
/** A blank, or what stands between two words of a command that a log keeps as a list. */
const between = '(?: |", ?")'
const betweenBytes = 4

/**
 * Looks for those pieces of a text that stand in a log as they are, each by itself. `null` for a text that has none.
 */
export function createLogScan(needle: Needle): LogScan | null {
  const pieces = surePieces(needle.text)
    .sort((one, two) => two.length - one.length)
    .slice(0, mostPieces)
  if (pieces.length === 0) return null
  const patterns = pieces.map((piece) => patternOf(piece, needle.isCaseSensitive))
  const overlap = Math.max(...pieces.flatMap((piece) => [escaped(piece), piece].map((form) => Buffer.byteLength(form) + betweenBytes * piece.length)))
  const buffer = Buffer.allocUnsafe(chunkBytes + overlap)
  // Logs of subagents may lie beside many sessions, and are read once.
  const known = new Map<string, readonly RegExp[]>()

  /** The patterns that a file does not hold. */
  const missingIn = async (file: string, signal: AbortSignal | undefined): Promise<readonly RegExp[]> => {
    let missing: readonly RegExp[] = patterns
    let kept = 0
    const handle = await open(file, 'r')
    try {
      while (missing.length > 0) {
        throwIfAborted(signal)
        const { bytesRead } = await handle.read(buffer, kept, chunkBytes, null)
        if (bytesRead === 0) break
        const filled = kept + bytesRead
        // As one byte a character, so that nothing has to be decoded.
        const text = buffer.toString('latin1', 0, filled)
        missing = missing.filter((pattern) => !pattern.test(text))
        kept = Math.min(overlap, filled)
        buffer.copyWithin(0, filled - kept, filled)
      }
      return missing
    } finally {
      await handle.close()
    }
  }
  return {
    mayHold: async (files, signal) => {
      let missing: readonly RegExp[] = patterns
      try {
        for (const file of files) {
          if (missing.length === 0) break
          const missed = known.get(file) ?? (await missingIn(file, signal))
          known.set(file, missed)
          missing = missing.filter((pattern) => missed.includes(pattern))
        }
        return missing.length === 0
      } catch (thrown) {
        if (thrown instanceof ReviewError) throw thrown
        return true
      }
    },
  }
}

/**
 * The pieces of a text that JSON and every reader leave as they are: letters, digits and single blanks between them, and beyond ASCII
 * only what has neither another case nor another composed form.
 */
function surePieces(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const letter of `${text}\n`) {
    if (isSure(letter) || (letter === ' ' && piece !== '' && !piece.endsWith(' '))) {
      piece += letter
      continue
    }
    const bare = piece.trimEnd()
    if (Buffer.byteLength(bare) >= shortestPiece) pieces.push(bare)
    piece = ''
  }
  return [...new Set(pieces)]
}

function isSure(letter: string): boolean {
  if (letter < '\x80') return /[A-Za-z0-9_.-]/.test(letter)
  return /[\p{L}\p{N}\p{S}]/u.test(letter) && letter.toLowerCase() === letter.toUpperCase() && letter.normalize('NFD') === letter
}

/** The bytes of a piece as they are, or with everything beyond ASCII as `\uXXXX`; more than these may fit. */
function patternOf(piece: string, isCaseSensitive: boolean): RegExp {
  const forms = [...new Set([Buffer.from(piece).toString('latin1'), escaped(piece)])].map(literal)
  return new RegExp(forms.join('|'), isCaseSensitive && forms.length === 1 ? '' : 'i')
}

function escaped(piece: string): string {
  return piece.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll(' ', between)
}
