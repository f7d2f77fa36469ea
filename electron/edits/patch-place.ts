import type { TextLines } from '../../shared/diff/text-lines.js'
import { splitLine } from './line-ends.js'
import { lastBefore, makeIndex, type LineIndex } from './line-index.js'
import { plain } from './look-alikes.js'
import type { PatchForm, PatchHunk } from './patch-file.js'

/**
 * How well the old lines of a hunk stand at a place: byte for byte; but for line ends; but for look-alike characters and
 * Unicode composition as well; or not at all, for there are none, and only the number tells the place.
 */
export type Fit = 'exact' | 'line-ends' | 'look-alike' | 'by-number'

/** Where a hunk goes: its first line, 0-based. */
export interface Placed {
  readonly hunk: PatchHunk
  /** 1-based place of the hunk in its file of the patch. */
  readonly number: number
  readonly place: number
  readonly fit: Fit
}

export type Placing =
  | { readonly kind: 'placed'; readonly placed: readonly Placed[] }
  | { readonly kind: 'no-place'; readonly number: number; readonly hunk: PatchHunk }
  | { readonly kind: 'no-anchor'; readonly number: number; readonly hunk: PatchHunk; readonly anchor: string }
  | { readonly kind: 'many-places'; readonly number: number; readonly hunk: PatchHunk; readonly places: readonly number[]; readonly isCut: boolean }
  | { readonly kind: 'unplaceable'; readonly number: number; readonly hunk: PatchHunk }
  | { readonly kind: 'overlap'; readonly number: number; readonly other: number; readonly hunk: PatchHunk }

/** What the places of a hunk are known to be. */
interface Choice {
  readonly places: readonly number[]
  readonly fit: Fit
  readonly isCut: boolean
}

const mostPlaces = 1000
/** Comparisons of hunk and place for a whole file; only a file of the same few lines over and over needs more. */
const mostTries = 2_000_000

/** Finds the places of the hunks of one file. */
export class HunkPlacer {
  readonly #lines: TextLines
  readonly #form: PatchForm
  readonly #hunks: readonly PatchHunk[]
  #seesLineEnds: boolean | null = null
  #asWritten: LineIndex | null = null
  #inPlain: LineIndex | null = null
  #trimmed: LineIndex | null = null
  #tries = 0

  constructor(lines: TextLines, form: PatchForm, hunks: readonly PatchHunk[]) {
    this.#lines = lines
    this.#form = form
    this.#hunks = hunks
  }

  /**
   * A hunk goes where its number says if its lines stand there, and else to the one place in the file where they do;
   * of several places only those count that keep the hunks in order. `isSameFile` tells whether a number alone may be
   * trusted; null: that is not known.
   */
  place(isSameFile: () => boolean | null): Placing {
    const hunks = this.#hunks
    const choices: Choice[] = []
    for (const [index, hunk] of hunks.entries()) {
      const choice = this.#choose(hunk)
      if (choice === 'no-anchor' || choice.places.length === 0) {
        if (choice === 'no-anchor')
          return { kind: 'no-anchor', number: index + 1, hunk, anchor: hunk.anchors.find((anchor) => this.#linesLike(anchor).length === 0) ?? '' }
        return { kind: choice.fit === 'by-number' ? 'unplaceable' : 'no-place', number: index + 1, hunk }
      }
      // Among so many places no order of the hunks tells which one is meant.
      if (choice.isCut) return { kind: 'many-places', number: index + 1, hunk, places: choice.places, isCut: true }
      choices.push(choice)
    }
    const blind = choices.findIndex(({ fit }) => fit === 'by-number')
    const blindHunk = hunks[blind]
    if (blindHunk !== undefined && this.#lines.count > 0 && !blindHunk.isAtEnd) {
      const isShifted = choices.some(({ places, fit }, index) => fit !== 'by-number' && places[0] !== hunks[index]?.start)
      const isSame = isSameFile()
      // A sole hunk at line 0 says that the file was empty.
      const claimsEmpty = hunks.length === 1 && blindHunk.start === 0
      if (isShifted || isSame === false || (claimsEmpty && isSame === null)) return { kind: 'unplaceable', number: blind + 1, hunk: blindHunk }
    }
    return choices.every(({ places }) => places.length === 1) ? inFileOrder(hunks, choices) : inPatchOrder(hunks, choices)
  }

  #choose(hunk: PatchHunk): Choice | 'no-anchor' {
    const { start, oldCount } = hunk
    const total = this.#lines.count
    if (oldCount === 0) {
      // An added line below an anchor alone goes to different places in different programs.
      const isNumbered = this.#form === 'unified' && hunk.anchors.length === 0
      const place = total === 0 ? 0 : hunk.isAtEnd ? total : isNumbered ? start : null
      return { places: place !== null && place <= total ? [place] : [], fit: 'by-number', isCut: false }
    }
    const isAllowed = (place: number): boolean => !hunk.isAtEnd || place + oldCount === total
    if (start !== null && this.#standsExactly(start, hunk) && isAllowed(start)) return { places: [start], fit: 'exact', isCut: false }

    const old = hunk.lines.filter((line) => line.kind !== 'added').map((line) => line.text)
    for (const fit of ['line-ends', 'look-alike'] as const) {
      const { places: found, isCut } = this.#placesOf(old, fit)
      if (isCut) return { places: found, fit, isCut }
      const allowed = found.filter(isAllowed)
      if (allowed.length === 0) continue
      const exact = fit === 'line-ends' ? allowed.filter((place) => this.#standsExactly(place, hunk)) : []
      if (start !== null && exact.length === 0 && allowed.includes(start)) return { places: [start], fit, isCut }
      const places = this.#below(hunk.anchors, allowed)
      if (places === null) return 'no-anchor'
      if (places.length === 0) continue
      const isExact = exact.length === allowed.length
      return { places, fit: isExact ? 'exact' : fit, isCut }
    }
    if (this.#below(hunk.anchors, [total]) === null) return 'no-anchor'
    return { places: [], fit: 'line-ends', isCut: false }
  }

  /** The text of a place and its line ends are those of the hunk. */
  #standsExactly(place: number, { lines, oldCount }: PatchHunk): boolean {
    if (place < 0 || place + oldCount > this.#lines.count) return false
    let at = place
    // Faster than startsWith at the place, which compares unit by unit.
    for (const { kind, text } of lines) if (kind !== 'added' && this.#lines.line(at++) !== text) return false
    return true
  }

  /** All places where the lines stand, but for what the fit leaves out of account. */
  #placesOf(old: readonly string[], fit: 'line-ends' | 'look-alike'): { readonly places: readonly number[]; readonly isCut: boolean } {
    const fold = fit === 'look-alike' ? plain : (content: string): string => content
    const index = fit === 'look-alike' ? this.#plainIndex() : this.#index()
    const sought = old.map((line) => splitLine(line))
    const keys = sought.map(({ content }) => fold(content))
    let rarest: readonly number[] | null = null
    let offset = 0
    for (const [line, key] of keys.entries()) {
      const known = index.linesOf.get(key)
      if (known === undefined) return { places: [], isCut: false }
      if (rarest === null || known.length < rarest.length) [rarest, offset] = [known, line]
    }
    const places: number[] = []
    for (const line of rarest ?? []) {
      const place = line - offset
      if (place < 0 || place + keys.length > index.keys.length) continue
      if (++this.#tries > mostTries || places.length === mostPlaces) return { places, isCut: true }
      if (keys.every((key, line) => index.keys[place + line] === key) && this.#lineEndsAgree(place, sought)) places.push(place)
    }
    return { places, isCut: false }
  }

  #lineEndsAgree(place: number, sought: readonly { readonly end: string }[]): boolean {
    const isLast = place + sought.length === this.#lines.count
    const seesLineEnds = (this.#seesLineEnds ??= holdTwoLineEnds(this.#hunks))
    if (!isLast && !seesLineEnds && sought.every(({ end }) => end !== '')) return true
    return sought.every(({ end }, index) => {
      const own = splitLine(this.#lines.line(place + index)).end
      if (own === end) return true
      if (own === '') return this.#form === 'begin-patch'
      return !seesLineEnds && end !== ''
    })
  }

  /**
   * Those of several places that stand in the block that the anchors name; a single place only has to stand below them.
   * Null where there is no such anchor at all.
   */
  #below(anchors: readonly string[], places: readonly number[]): readonly number[] | null {
    if (anchors.length === 0) return places
    const anchorLines = anchors.map((anchor) => this.#linesLike(anchor))
    if (anchorLines.some((lines) => lines.length === 0)) return null
    const stands = (place: number, inBlock: boolean): boolean => {
      let limit = place
      for (const lines of anchorLines.toReversed()) {
        const line = lastBefore(lines, limit)
        if (line === undefined || (inBlock && !this.#isInBlock(line, limit))) return false
        limit = line - 1
      }
      return true
    }
    const [only, ...more] = places
    const below = places.filter((place) => stands(place, false))
    return only !== undefined && (more.length === 0 || below.length === 1) ? below : below.filter((place) => stands(place, true))
  }

  /** Lines that read like the anchor, indentation and look-alike characters left out of account. */
  #linesLike(anchor: string): readonly number[] {
    this.#trimmed ??= makeIndex(this.#plainIndex().keys.map((key) => key.trim()))
    return this.#trimmed.linesOf.get(plain(anchor.trim())) ?? []
  }

  /** Whether only lines that are indented deeper, or hold just brackets that open, stand from a line down to another. */
  #isInBlock(line: number, below: number): boolean {
    const lines = this.#index().keys
    const depth = indentation(lines[line] ?? '')
    for (let at = line + 1; at < below; at++) {
      const content = lines[at] ?? ''
      if (++this.#tries > mostTries) return false
      if (content.trim() !== '' && indentation(content) <= depth && !/^\s*[{([]+\s*$/.test(content)) return false
    }
    return below <= line + 1 || indentation(lines[below] ?? '') > depth
  }

  #index(): LineIndex {
    this.#asWritten ??= makeIndex(this.#lines.list(0, this.#lines.count).map((line) => splitLine(line).content))
    return this.#asWritten
  }

  #plainIndex(): LineIndex {
    this.#inPlain ??= makeIndex(this.#index().keys.map(plain))
    return this.#inPlain
  }
}

/** Then they are part of what the patch says. */
function holdTwoLineEnds(hunks: readonly PatchHunk[]): boolean {
  let crlf = 0
  let newline = 0
  for (const { lines } of hunks)
    for (const { text } of lines) {
      if (text.endsWith('\r\n')) crlf++
      else if (text.endsWith('\n')) newline++
    }
  return crlf > 0 && newline > 0
}

function indentation(line: string): number {
  return line.length - line.trimStart().length
}

/** Each hunk has its one place; then it does not matter in which order the patch names them. */
function inFileOrder(hunks: readonly PatchHunk[], choices: readonly Choice[]): Placing {
  const placed = hunks.map((hunk, index) => ({ hunk, number: index + 1, place: choices[index]?.places[0] ?? 0, fit: choices[index]?.fit ?? 'exact' }))
  placed.sort((a, b) => a.place - b.place || a.number - b.number)
  for (const [index, after] of placed.entries()) {
    const before = placed[index - 1]
    if (before !== undefined && before.place + before.hunk.oldCount > after.place)
      return { kind: 'overlap', number: after.number, other: before.number, hunk: after.hunk }
  }
  return { kind: 'placed', placed }
}

/** Several places for a hunk are one where the order of the hunks leaves only that. */
function inPatchOrder(hunks: readonly PatchHunk[], choices: readonly Choice[]): Placing {
  const first: number[] = []
  let end = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = choices[index]?.places.find((candidate) => candidate >= end)
    if (place === undefined) return manyPlaces(hunks, choices, index, [])
    first.push(place)
    end = place + hunk.oldCount
  }
  let start = Number.POSITIVE_INFINITY
  let open: number | null = null
  const last: number[] = []
  for (let index = hunks.length - 1; index >= 0; index--) {
    const hunk = hunks[index]
    const place = hunk === undefined ? undefined : choices[index]?.places.findLast((candidate) => candidate + hunk.oldCount <= start)
    if (place === undefined) return manyPlaces(hunks, choices, index, [])
    last[index] = start = place
    if (place !== first[index]) open = index
  }
  if (open !== null) {
    const [from, to] = [first[open] ?? 0, last[open] ?? 0]
    return manyPlaces(hunks, choices, open, choices[open]?.places.filter((place) => place >= from && place <= to) ?? [])
  }
  const fitOf = (index: number): Fit => choices[index]?.fit ?? 'exact'
  return { kind: 'placed', placed: hunks.map((hunk, index) => ({ hunk, number: index + 1, place: first[index] ?? 0, fit: fitOf(index) })) }
}

function manyPlaces(hunks: readonly PatchHunk[], choices: readonly Choice[], index: number, places: readonly number[]): Placing {
  // Out of order: name a hunk whose place is open rather than the one at which that showed.
  const open = places.length > 0 ? index : choices.findIndex((choice) => choice.places.length > 1)
  const hunk = hunks[open]
  const choice = choices[open]
  if (hunk === undefined || choice === undefined) throw new RangeError('No hunk has several places.')
  return { kind: 'many-places', number: open + 1, hunk, places: places.length > 0 ? places : choice.places, isCut: false }
}
