import type { ApprovedFile } from '../../shared/approval.js'
import { applyHunks, hunksOf, type Hunk } from '../../shared/changes.js'
import { TextLines } from '../../shared/diff/text-lines.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { diffLines, type LineChange } from '../../shared/line-diff.js'
import { mergedText, mergeTexts } from '../../shared/merge.js'

/** What a person has made of one proposed file so far: which hunks stay out, and the text typed over it. */
export interface FileDraft {
  /** The proposal that this belongs to: revision, and both sides; an absent side is empty. */
  readonly revision: number
  readonly before: string
  readonly after: string
  /** Of the proposal, with the numbers that the host has for them: the first one is hunk 1. */
  readonly hunks: readonly Hunk[]
  /** 1-based numbers of hunks that are left out. */
  readonly leftOut: ReadonlySet<number>
  /** The whole text as the person wrote it; `null` while it is as proposed. */
  readonly typed: string | null
  /** Lines of the proposal that became other lines in `typed`. */
  readonly edits: readonly LineChange[]
  /** Another one means that the text was replaced, not typed: an editor lays it in anew. */
  readonly edition: number
  /** Typed over an earlier proposal, which has changed since: offered, not put in unasked. */
  readonly kept: KeptText | null
}

/** A person's text and the proposal that it was typed over. */
export interface KeptText {
  readonly after: string
  readonly typed: string
}

/** Where the changed lines of a hunk lie in the text as it would be written; 0-based, ends exclusive. */
export interface HunkPlace {
  /** 1-based. */
  readonly number: number
  /** With the unchanged lines around it, as it is shown. */
  readonly shownStart: number
  readonly shownEnd: number
  /** From the first changed line to behind the last one, what the person typed there included. */
  readonly start: number
  readonly end: number
  /** The same lines in the proposal. */
  readonly afterStart: number
  readonly afterEnd: number
  /** Indices into `edits` of what the person typed there. */
  readonly edits: readonly number[]
}

export function freshDraft(revision: number, before: string, after: string): FileDraft {
  return { revision, before, after, hunks: hunksOf(before, after), leftOut: new Set(), typed: null, edits: [], edition: 0, kept: null }
}

/**
 * The draft over a newer proposal of the same file. Hunks that were left out stay out where they are there unchanged;
 * a text that was typed is kept aside.
 */
export function carryDraft(old: FileDraft, revision: number, before: string, after: string): FileDraft {
  if (old.before === before && old.after === after) return { ...old, revision }
  const fresh = freshDraft(revision, before, after)
  const gone = new Set([...old.leftOut].map((number) => contentOf(old.hunks[number - 1])))
  const leftOut = new Set(fresh.hunks.flatMap((hunk, at) => (gone.has(contentOf(hunk)) ? [at + 1] : [])))
  return { ...fresh, leftOut, edition: old.edition + 1, kept: old.typed === null ? old.kept : { after: old.after, typed: old.typed } }
}

/** Lays a kept text over the present proposal: both changes together, or `null` where they touch the same lines. */
export function mergeKept({ kept, after }: FileDraft): string | null {
  if (kept === null) return null
  const merge = mergeTexts(kept.after, kept.typed, after)
  return merge.conflicts === 0 ? mergedText(merge, () => '') : null
}

/**
 * The draft after the person typed. What is typed into a hunk that was left out takes it in again: nothing that was
 * written on purpose stays out unseen.
 */
export function withTyped(draft: FileDraft, text: string, edits: readonly LineChange[] = diffLines(draft.after, text)): FileDraft {
  if (text === draft.after) return { ...draft, typed: null, edits: [] }
  const next: FileDraft = { ...draft, typed: text, edits }
  if (draft.leftOut.size === 0) return next
  const before = placesOf(draft)
  const lines = { before: new TextLines(shownText(draft)), after: new TextLines(text) }
  const touched = placesOf(next).filter(({ number, start, end }) => {
    const old = before[number - 1]
    return old !== undefined && lines.before.slice(old.start, old.end) !== lines.after.slice(start, end)
  })
  return withTicks(next, touched.map(({ number }) => number), true)
}

/** Takes hunks in, or leaves them out. Hunks that one stretch of typing runs through go together. */
export function withTicks(draft: FileDraft, numbers: readonly number[], isIn: boolean): FileDraft {
  const all = numbers.flatMap((number) => joinedWith(draft, number))
  const leftOut = new Set(draft.leftOut)
  for (const number of all) {
    if (isIn) leftOut.delete(number)
    else leftOut.add(number)
  }
  return { ...draft, leftOut }
}

/** The text on the right side of the diff. */
export function shownText(draft: FileDraft): string {
  return draft.typed ?? draft.after
}

const placesByDraft = new WeakMap<FileDraft, readonly HunkPlace[]>()

/** Where each hunk lies in the text as it would be written. */
export function placesOf(draft: FileDraft): readonly HunkPlace[] {
  const known = placesByDraft.get(draft)
  if (known) return known
  const { edits, hunks } = draft
  let first = 0
  const places = hunks.map((hunk, at): HunkPlace => {
    const span = changedSpan(hunk)
    while (first < edits.length && (edits[first]?.beforeEnd ?? 0) < span.afterStart) first++
    const touching: number[] = []
    for (let index = first; index < edits.length; index++) {
      const edit = edits[index]
      if (!edit || edit.beforeStart > span.afterEnd) break
      touching.push(index)
    }
    const firstEdit = edits[touching[0] ?? -1]
    const lastEdit = edits[touching.at(-1) ?? -1]
    const afterStart = Math.min(span.afterStart, firstEdit?.beforeStart ?? span.afterStart)
    const afterEnd = Math.max(span.afterEnd, lastEdit?.beforeEnd ?? span.afterEnd)
    return {
      number: at + 1,
      shownStart: mapLine(hunk.afterStart, edits, 'start'),
      shownEnd: mapLine(hunk.afterEnd, edits, 'end'),
      start: mapLine(afterStart, edits, 'start'),
      end: mapLine(afterEnd, edits, 'end'),
      afterStart,
      afterEnd,
      edits: touching,
    }
  })
  placesByDraft.set(draft, places)
  return places
}

/** 0-based lines of the right side that the person wrote, as ranges with exclusive ends; an empty range is a place where lines were taken out. */
export function ownLines({ edits }: FileDraft): readonly { readonly start: number; readonly end: number }[] {
  return edits.map(({ afterStart, afterEnd }) => ({ start: afterStart, end: afterEnd }))
}

/** The text that would be written: without the hunks that are left out. */
export function writtenText(draft: FileDraft): string {
  const { leftOut, hunks, before, after } = draft
  if (leftOut.size === 0) return shownText(draft)
  if (draft.typed === null) {
    const applied = applyHunks(before, hunks.filter((_, at) => !leftOut.has(at + 1)))
    return applied.kind === 'applied' ? applied.text : after
  }
  const typed = new TextLines(draft.typed)
  const lines = { before: new TextLines(before), after: new TextLines(after) }
  let text = ''
  let done = 0
  for (const group of groupsOf(placesOf(draft).filter(({ number }) => leftOut.has(number)))) {
    text += typed.slice(done, group.start)
    let kept = group.afterStart
    for (const { number } of group.places) {
      const span = changedSpan(hunks[number - 1])
      text += lines.after.slice(kept, span.afterStart) + lines.before.slice(span.beforeStart, span.beforeEnd)
      kept = span.afterEnd
    }
    text += lines.after.slice(kept, group.afterEnd)
    done = group.end
  }
  return text + typed.slice(done, typed.count)
}

interface PlaceGroup {
  readonly places: readonly HunkPlace[]
  readonly start: number
  readonly end: number
  readonly afterStart: number
  readonly afterEnd: number
}

/** Places through which one stretch of typing runs, as one. */
function groupsOf(places: readonly HunkPlace[]): readonly PlaceGroup[] {
  const groups: PlaceGroup[] = []
  for (const place of places) {
    const last = groups.at(-1)
    if (last && isJoined(last.places.at(-1), place)) {
      groups[groups.length - 1] = { ...last, places: [...last.places, place], end: place.end, afterEnd: place.afterEnd }
    } else {
      groups.push({ places: [place], start: place.start, end: place.end, afterStart: place.afterStart, afterEnd: place.afterEnd })
    }
  }
  return groups
}

/**
 * The draft as the host is told of it; `null` where the file is taken whole, as proposed. A typed text goes with the
 * numbers of the hunks that it holds.
 */
export function approvedFile(path: WorkspacePath, draft: FileDraft): ApprovedFile | null {
  const { leftOut, hunks } = draft
  if (draft.typed === null && leftOut.size === 0) return null
  const taken = hunks.flatMap((_, at) => (leftOut.has(at + 1) ? [] : [at + 1]))
  if (draft.typed === null) return { path, hunks: taken, text: null }
  const text = writtenText(draft)
  if (text === draft.before) return { path, hunks: [], text: null }
  return { path, hunks: leftOut.size === 0 ? null : taken, text }
}

/** Whether nothing of the file would be written. */
export function isAllOut(draft: FileDraft): boolean {
  if (draft.typed !== null) return writtenText(draft) === draft.before
  return draft.hunks.length > 0 && draft.leftOut.size === draft.hunks.length
}

/** A hunk's changed lines without the unchanged ones around them. */
function changedSpan(hunk: Hunk | undefined): { readonly beforeStart: number; readonly beforeEnd: number; readonly afterStart: number; readonly afterEnd: number } {
  if (!hunk) return { beforeStart: 0, beforeEnd: 0, afterStart: 0, afterEnd: 0 }
  let leading = 0
  while (hunk.lines[leading]?.kind === 'kept') leading++
  let trailing = 0
  while (hunk.lines.at(-1 - trailing)?.kind === 'kept') trailing++
  return {
    beforeStart: hunk.beforeStart + leading,
    beforeEnd: hunk.beforeEnd - trailing,
    afterStart: hunk.afterStart + leading,
    afterEnd: hunk.afterEnd - trailing,
  }
}

/** Where a line of the proposal stands after the edits; inside one, its beginning or its end. */
function mapLine(line: number, edits: readonly LineChange[], side: 'start' | 'end'): number {
  let low = 0
  let high = edits.length
  while (low < high) {
    const middle = (low + high) >> 1
    const edit = edits[middle]
    if (edit && (side === 'start' ? edit.beforeStart < line : edit.beforeStart <= line)) low = middle + 1
    else high = middle
  }
  const last = edits[low - 1]
  if (!last) return line
  if (last.beforeEnd > line) return side === 'start' ? last.afterStart : last.afterEnd
  return line + last.afterEnd - last.beforeEnd
}

function joinedWith(draft: FileDraft, number: number): readonly number[] {
  if (draft.edits.length === 0) return [number]
  const places = placesOf(draft)
  let from = number - 1
  let to = number - 1
  while (isJoined(places[from - 1], places[from])) from--
  while (isJoined(places[to], places[to + 1])) to++
  return Array.from({ length: to - from + 1 }, (_, at) => from + at + 1)
}

function isJoined(one: HunkPlace | undefined, other: HunkPlace | undefined): boolean {
  return one !== undefined && other !== undefined && other.edits.some((edit) => one.edits.includes(edit))
}

function contentOf(hunk: Hunk | undefined): string {
  return JSON.stringify(hunk?.lines.filter(({ kind }) => kind !== 'kept') ?? null)
}
