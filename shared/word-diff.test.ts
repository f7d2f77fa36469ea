import { describe, expect, it } from 'vitest'
import { RandomTexts } from './testing/random-texts.js'
import { diffWords } from './word-diff.js'

const seed = Number(process.env['SEED'] ?? 1)

/** Each mark as "before>after". */
function marksOf(before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [before.join(''), after.join('')]
  return diffWords(before, after).map(
    (mark) => `${old.slice(mark.beforeStart, mark.beforeEnd)}>${now.slice(mark.afterStart, mark.afterEnd)}`,
  )
}

describe('word diff', () => {
  it('marks the words that changed, and blanks', () => {
    expect({
      word: marksOf(['const total = count + 1\n'], ['const total = size + 1\n']),
      added: marksOf(['call(one, two)\n'], ['call(one, two, three)\n']),
      inner: marksOf(['  return value\n'], ['    return value\n']),
      ending: marksOf(['last line'], ['last line\n']),
      carriageReturn: marksOf(['one line\r\n'], ['one line\n']),
      joined: marksOf(['first part\n', 'second part\n'], ['first part second part\n']),
      neighbours: marksOf(['the quick brown fox jumps over it\n'], ['the slow red fox jumps over it\n']),
    }).toEqual({
      word: ['count>size'],
      added: ['>, three'],
      inner: ['  >    '],
      ending: ['>\n'],
      carriageReturn: ['\r>'],
      joined: ['\n> '],
      neighbours: ['quick brown>slow red'],
    })
  })

  it('never cuts a character in two', () => {
    expect([
      marksOf(['smile 😀 here\n'], ['smile 😁 here\n']),
      marksOf(['cafe\u0301 au lait\n'], ['cafe au lait\n']),
    ]).toEqual([['😀>😁'], ['cafe\u0301>cafe']])
  })

  it('marks nothing where that would not help', () => {
    const long = `${'word '.repeat(5000)}\n`
    expect([
      marksOf([], ['added\n']),
      marksOf(['removed\n'], []),
      marksOf(['const a = 1\n'], ['throw new Error("nothing alike")\n']),
      marksOf([long], [long.replace('word', 'other')]),
    ]).toEqual([[], [], [], []])
  })

  it(`has equal text between the marks (seed ${seed})`, () => {
    const random = new RandomTexts(seed)
    let marked = 0
    for (let round = 0; round < 2000; round++) {
      const before = random
        .lines('odd', 1 + random.below(4))
        .map((line) => `${line} ${random.lines('code', 1).join('')}\n`)
      const after = before.map((line) => line.replace(/const|return|}|😀/, random.pick(['', 'let', '\r', '😁'])))
      const [old, now] = [before.join(''), after.join('')]
      const marks = diffWords(before, after)
      marked += marks.length
      const rebuilt: string[] = []
      let [i, j] = [0, 0]
      for (const mark of marks) {
        expect(old.slice(i, mark.beforeStart), `round ${round}`).toBe(now.slice(j, mark.afterStart))
        rebuilt.push(old.slice(i, mark.beforeStart), now.slice(mark.afterStart, mark.afterEnd))
        i = mark.beforeEnd
        j = mark.afterEnd
      }
      if (marks.length > 0) expect([...rebuilt, old.slice(i)].join(''), `round ${round}`).toBe(now)
    }
    expect(marked).toBeGreaterThan(500)
  })
})
