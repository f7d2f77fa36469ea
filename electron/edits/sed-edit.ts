import { isUtf8 } from 'node:buffer'
import { ByteWriter } from './byte-writer.js'
import { decline, orElse } from './decline.js'
import { readLocale } from './locale.js'
import { Budget } from './regex/budget.js'
import type { Matcher } from './regex/matcher.js'
import type { RecognisedSed } from './sed-command.js'
import { compile, type SedStep } from './sed-program.js'

export type SedEdit =
  | { readonly kind: 'edited'; readonly bytes: Uint8Array; readonly lineCount: number } // lines with a match; 0: same bytes
  | { readonly kind: 'declined'; readonly reason: string }

const maxBytes = 64 * 1024 * 1024
const newline = 0x0a

/**
 * The bytes of a file after a recognised `sed -i`, or the reason why they are not certain.
 *
 * Shape: raw bytes in and out; byte order mark, line ends and a missing last newline stay as sed leaves them. `locale` is
 * the name that the command would run under, such as `C.UTF-8`.
 * Promise: ends after a bounded number of steps, within about 2 s; run it where it does not hold up a window.
 * Source: GNU sed 4.9.
 */
export function apply(bytes: Uint8Array, parsed: RecognisedSed, { locale }: { readonly locale: string }): SedEdit {
  return orElse<SedEdit>(
    () => edit(bytes, parsed, locale),
    (reason) => ({ kind: 'declined', reason }),
  )
}

function edit(bytes: Uint8Array, parsed: RecognisedSed, localeName: string): SedEdit {
  const locale = readLocale(localeName)
  const steps = compile(parsed, locale)
  if (bytes.length > maxBytes) decline('the file is very large')
  if (bytes.includes(0)) decline('the file is binary')
  if (locale.kind === 'utf8' && !isUtf8(bytes)) decline('the file is not UTF-8')
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const budget = new Budget(50_000_000 + 20 * bytes.length)
  const runs = steps.map((step) => new StepRun(step, file, locale.kind === 'utf8', budget))
  const output = new ByteWriter(bytes.length + 1024)
  let copied = 0
  let lineCount = 0
  let from = 0
  while (from < bytes.length) {
    const candidate = Math.min(...runs.map((run) => run.candidateFrom(from)))
    if (candidate === bytes.length) break
    from = candidate > from ? bytes.lastIndexOf(newline, candidate - 1) + 1 : from
    const found = bytes.indexOf(newline, from)
    const to = found < 0 ? bytes.length : found
    const line = editLine(runs, bytes, from, to)
    if (line !== null) {
      output.copy(bytes, copied, from)
      output.copy(line, 0, line.length)
      copied = to
      lineCount++
    }
    from = to + 1
  }
  output.copy(bytes, copied, bytes.length)
  return { kind: 'edited', bytes: output.written, lineCount }
}

/** The new text of the line `bytes[from..to)`, or `null` if no step matches. */
function editLine(runs: readonly StepRun[], bytes: Uint8Array, from: number, to: number): Uint8Array | null {
  let line: Uint8Array | null = null
  for (const run of runs) {
    const edited: Uint8Array | null =
      line === null ? run.substitute(bytes, from, to) : run.substitute(line, 0, line.length)
    line = edited ?? line
  }
  return line
}

/** One `s` command on its way through a file. */
class StepRun {
  readonly #step: SedStep
  readonly #file: Buffer
  readonly #isWide: boolean
  readonly #matcher: Matcher
  readonly #output = new ByteWriter(256)
  #candidate = -1

  constructor(step: SedStep, file: Buffer, isWide: boolean, budget: Budget) {
    this.#step = step
    this.#file = file
    this.#isWide = isWide
    this.#matcher = step.createMatcher(budget)
  }

  /** A place at or after `from` before which no whole line can match; the length of the file if none can. */
  candidateFrom(from: number): number {
    const { required } = this.#step
    if (required.length === 0) return from
    if (this.#candidate < from) {
      const found = this.#file.indexOf(required, from)
      this.#candidate = found < 0 ? this.#file.length : found
    }
    return this.#candidate
  }

  /** The pattern space `text[from..to)` after the command, or `null` without a match. Valid until the next call. */
  substitute(text: Uint8Array, from: number, to: number): Uint8Array | null {
    const { substitution, isTiedToStart } = this.#step
    const matcher = this.#matcher
    matcher.open(text, from, to)
    this.#output.clear()
    let at = from
    let copied = from
    let count = 0
    let lastEnd = -1
    let isReplaced = false
    while (at <= to && matcher.next(at)) {
      const { start, end } = matcher
      // An empty match right after another match does not count.
      if ((end > start || start !== lastEnd) && ++count >= substitution.occurrence) {
        this.#output.copy(text, copied, start)
        this.#replace(text)
        copied = end
        isReplaced = true
        if (!substitution.global) break
      }
      if (isTiedToStart) break
      lastEnd = end
      at = end > start ? end : end + 1
      if (end === start && end < to && this.#isWide && (text[end] ?? 0) >= 0x80) {
        // There sed goes on inside the character.
        decline('an empty match is followed by a character that is not ASCII')
      }
    }
    if (!isReplaced) return null
    this.#output.copy(text, copied, to)
    return this.#output.written
  }

  #replace(text: Uint8Array): void {
    const { start, end } = this.#matcher
    const groups = this.#step.usesGroups ? this.#matcher.groups() : null
    for (const part of this.#step.replacement) {
      if (part.kind === 'bytes') this.#output.copy(part.bytes, 0, part.bytes.length)
      else if (part.number === 0) this.#output.copy(text, start, end)
      else this.#output.copy(text, groups?.[part.number * 2] ?? 0, groups?.[part.number * 2 + 1] ?? 0)
    }
  }
}
