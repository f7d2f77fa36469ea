import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { approvedFile, carryDraft, freshDraft, isAllOut, mergeKept, placesOf, withTicks, withTyped, writtenText, type FileDraft } from './approval-draft.js'

const line = (at: number): string => `line ${at}\n`
const lines = (count: number): string => Array.from({ length: count }, (_, at) => line(at + 1)).join('')
const path = workspacePath('a.ts')

/** Three hunks: a line changed, two added, one taken out. */
const before = lines(60)
const after = before.replace(line(5), 'five\n').replace(line(25), `${line(25)}new a\nnew b\n`).replace(line(50), '')
const draft = freshDraft(1, before, after)
const typed = (text: string, from: FileDraft = draft): FileDraft => withTyped(from, text)

describe('a draft', () => {
  it('has the hunks of the proposal, all taken in', () => {
    expect([draft.hunks.length, draft.leftOut.size, writtenText(draft) === after, approvedFile(path, draft)]).toEqual([3, 0, true, null])
  })

  it('names the hunks that are taken where nothing was typed', () => {
    const less = withTicks(draft, [2], false)
    expect([approvedFile(path, less), writtenText(less)]).toEqual([
      { path, hunks: [1, 3], text: null },
      before.replace(line(5), 'five\n').replace(line(50), ''),
    ])
  })

  it('is out as a whole once no hunk is left, and says so with an empty list', () => {
    const none = withTicks(draft, [1, 2, 3], false)
    expect([isAllOut(none), approvedFile(path, none), isAllOut(withTicks(none, [3], true))]).toEqual([true, { path, hunks: [], text: null }, false])
  })
})

describe('typing', () => {
  it('gives the whole text, with the numbers of the hunks where some are left out', () => {
    const text = after.replace('new a', 'own a')
    const own = typed(text)
    const less = withTicks(own, [3], false)
    expect([approvedFile(path, own), approvedFile(path, less)]).toEqual([
      { path, hunks: null, text },
      { path, hunks: [1, 2], text: text.replace(line(49), `${line(49)}${line(50)}`) },
    ])
  })

  it('moves the hunks below it, and keeps their numbers', () => {
    const places = placesOf(typed(`top\n${after}`))
    expect(places.map(({ number, start, edits }) => [number, start, edits.length])).toEqual([
      [1, 5, 0],
      [2, 26, 0],
      [3, 52, 0],
    ])
  })

  it('into a hunk that is left out takes it in again, and no other one', () => {
    const out = withTicks(draft, [1, 2], false)
    expect([...typed(after.replace('new b', 'own b'), out).leftOut]).toEqual([1])
  })

  it('elsewhere leaves the ticks alone', () => {
    const out = withTicks(draft, [1, 2], false)
    expect([...typed(after.replace(line(40), 'own\n'), out).leftOut]).toEqual([1, 2])
  })

  it('what was typed into a hunk stays out with it, and comes back with it', () => {
    const own = typed(after.replace('new b', 'own b').replace(line(40), 'own 40\n'))
    const out = withTicks(own, [2], false)
    const wanted = before.replace(line(5), 'five\n').replace(line(50), '').replace(line(40), 'own 40\n')
    expect([writtenText(out) === wanted, writtenText(withTicks(out, [2], true)) === own.typed]).toEqual([true, true])
  })

  it('right through two hunks makes them go together', () => {
    const start = after.indexOf('five')
    const end = after.indexOf('new b')
    const own = typed(`${after.slice(0, start)}all new\n${after.slice(end)}`)
    const out = withTicks(own, [1], false)
    expect([[...out.leftOut].sort(), writtenText(out)]).toEqual([[1, 2], before.replace(line(50), '')])
  })

  it('back to the proposal is no typing', () => {
    const own = typed(after, typed(`${after}more\n`))
    expect([own.typed, own.edits]).toEqual([null, []])
  })

  it('back to what is there leaves the file out', () => {
    expect([approvedFile(path, typed(before)), isAllOut(typed(before))]).toEqual([{ path, hunks: [], text: null }, true])
  })

  it('keeps the line ends and a missing last one', () => {
    const crlf = freshDraft(1, 'a\r\nb\r\nc', 'a\r\nB\r\nc')
    const own = withTyped(crlf, 'a\r\nB\r\nC')
    expect(approvedFile(path, own)).toEqual({ path, hunks: null, text: 'a\r\nB\r\nC' })
  })
})

describe('a proposal that changed under the person', () => {
  const fresh = after.replace(line(58), 'by others\n')

  it('keeps out the hunks that it still has, and offers what was typed', () => {
    const own = withTicks(typed(after.replace(line(40), 'own\n')), [2], false)
    const next = carryDraft(own, 2, before, fresh)
    expect([next.revision, [...next.leftOut], next.typed, next.kept]).toEqual([2, [2], null, { after, typed: after.replace(line(40), 'own\n') }])
    expect(mergeKept(next)).toBe(fresh.replace(line(40), 'own\n'))
  })

  it('does not merge what touches the same lines', () => {
    const next = carryDraft(typed(after.replace(line(58), 'mine\n')), 2, before, fresh)
    expect(mergeKept(next)).toBeNull()
  })

  it('with the same texts keeps everything', () => {
    const own = typed(after.replace(line(40), 'own\n'))
    expect(carryDraft(own, 2, before, after)).toEqual({ ...own, revision: 2 })
  })

  it('keeps an offered text through a second change', () => {
    const once = carryDraft(typed(`${after}own\n`), 2, before, fresh)
    expect(carryDraft(once, 3, before, `${fresh}again\n`).kept).toEqual({ after, typed: `${after}own\n` })
  })
})

describe('any choice on any text', () => {
  const seed = 20261130
  it(`writes each hunk's lines or those before it, and all that was typed elsewhere (seed ${seed})`, () => {
    const random = randomOf(seed)
    for (let round = 0; round < 300; round++) {
      const from = Array.from({ length: 40 }, (_, at) => `${at} ${Math.floor(random() * 4)}\n`)
      const to = from.flatMap((text) => (random() < 0.08 ? [] : random() < 0.1 ? [`p${text}`] : random() < 0.06 ? [text, `n${text}`] : [text]))
      const base = freshDraft(1, from.join(''), to.join(''))
      const own = to.flatMap((text) => (random() < 0.04 ? [] : random() < 0.05 ? [`own ${text}`] : random() < 0.03 ? [text, `own more ${text}`] : [text])).join('')
      const out = base.hunks.flatMap((_, at) => (random() < 0.5 ? [at + 1] : []))
      const made = withTicks(withTyped(base, own), out, false)
      // Without any hunk only what was typed outside of them is left; with all of them the text is as it was typed.
      expect(writtenText(withTicks(made, base.hunks.map((_, at) => at + 1), true))).toBe(made.typed ?? to.join(''))
      const untouched = withTicks(base, [...made.leftOut], false)
      if (made.typed === null) expect(writtenText(made)).toBe(writtenText(untouched))
      const outside = new Set(placesOf(made).flatMap(({ edits }) => edits))
      const kept = made.edits.filter((_, at) => !outside.has(at)).flatMap(({ afterStart, afterEnd }) => own.split(/(?<=\n)/).slice(afterStart, afterEnd))
      for (const text of kept) expect(writtenText(made)).toContain(text)
    }
  })
})

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
