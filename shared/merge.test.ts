import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mergeTexts, mergedText } from './merge.js'
import type { MergeResult } from './merge.js'
import { RandomTexts, editKinds, lineKinds } from './testing/random-texts.js'

const seed = Number(process.env['SEED'] ?? 1)

interface Triple {
  readonly base: string
  readonly mine: string
  readonly other: string
}

/** The merged text, or `null` where conflicts are left. */
function cleanText(result: MergeResult): string | null {
  return result.conflicts > 0 ? null : mergedText(result, () => '')
}

describe('merge', () => {
  it('takes the changes of both sides', () => {
    expect(mergeTexts('a\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\nf\n')).toEqual({
      parts: [
        { kind: 'mine', text: 'A\n' },
        { kind: 'agreed', text: 'b\nc\nd\n' },
        { kind: 'other', text: 'E\nf\n' },
      ],
      conflicts: 0,
    })
  })

  it('agrees where both sides made the same change', () => {
    const both = [
      mergeTexts('a\nb\nc\n', 'a\nB\nc\n', 'a\nB\nc\n'),
      mergeTexts('a\nb\nc\n', 'a\nc\n', 'a\nc\n'),
      mergeTexts('a\n', 'a\na\n', 'a\na\n'),
    ]
    expect(both.map(cleanText)).toEqual(['a\nB\nc\n', 'a\nc\n', 'a\na\n'])
  })

  it('leaves open what both sides changed in different ways', () => {
    const result = mergeTexts('top\na\nb\nc\nend\n', 'new\ntop\na\nmine\nc\nend\n', 'top\na\nother\nc\nend\n')
    expect(result).toEqual({
      parts: [
        { kind: 'mine', text: 'new\n' },
        { kind: 'agreed', text: 'top\na\n' },
        { kind: 'conflict', base: 'b\n', mine: 'mine\n', other: 'other\n', baseLine: 2, mineLine: 3, otherLine: 2 },
        { kind: 'agreed', text: 'c\nend\n' },
      ],
      conflicts: 1,
    })
    expect(mergedText(result, (conflict) => conflict.other)).toBe('new\ntop\na\nother\nc\nend\n')
  })

  it('takes changes that touch for a conflict, and those with a line between them not', () => {
    expect([
      mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'a\nB\nc\n').conflicts,
      mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n').conflicts,
      mergeTexts('a\nb\n', 'a\nnew\nb\n', 'a\nB\n').conflicts,
      mergeTexts('a\n', '', 'a\nb\n').conflicts,
    ]).toEqual([1, 0, 1, 1])
  })

  it('takes changes that touch, each in lines of its own, apart where that is asked for; one that inserts there stays a conflict', () => {
    const apart = (base: string, mine: string, other: string): string | null =>
      cleanText(mergeTexts(base, mine, other, 'apart'))
    expect([
      apart('original\nrobot\n', 'changed\nrobot\n', 'original\n'),
      apart('a\nb\nc\n', 'A\nb\nc\n', 'a\nB\nc\n'),
      apart('a\nb\nc\n', 'a\nB\nc\n', 'A\nb\nC\n'),
      apart('a\nb\n', 'a\nnew\nb\n', 'a\nB\n'),
      apart('a\n', '', 'a\nb\n'),
      apart('a\nb\nc\n', 'A\nB\nc\n', 'a\nX\nc\n'),
    ]).toEqual(['changed\n', 'A\nB\nc\n', 'A\nB\nC\n', null, null, null])
  })

  it('takes a change that may stand in several places to stand at the last one, as git does', () => {
    expect(cleanText(mergeTexts('\n}\n', '}\n', '\n}\n}\n'))).toBe('}\n}\n')
  })

  it('keeps line ends as the side had them that changed the line', () => {
    expect([
      cleanText(mergeTexts('a\r\nb\r\nc\r\n', 'a\r\nb\r\nC\r\n', 'a\nb\r\nc\r\n')),
      cleanText(mergeTexts('a\nb\nc', 'A\nb\nc', 'a\nb\nc\n')),
      cleanText(mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nc')),
      cleanText(mergeTexts('', 'a', '')),
    ]).toEqual(['a\nb\r\nC\r\n', 'A\nb\nc\n', 'A\nb\nc', 'a'])
  })

  it(`holds each text in its parts (seed ${seed})`, () => {
    const random = new RandomTexts(seed)
    for (let round = 0; round < 3000; round++) {
      const kind = random.pick(lineKinds)
      const lines = random.lines(kind, random.below(30))
      const [base, mine, other] = [
        random.text(lines),
        random.text(random.edited(lines, kind, 'rework')),
        random.text(random.edited(lines, kind, 'touch')),
      ]
      expect(
        [mergeTexts(base, mine, base), mergeTexts(base, base, other), mergeTexts(base, mine, mine)].map(cleanText),
        `round ${round}`,
      ).toEqual([mine, other, mine])
      const swapped = mergeTexts(base, other, mine).parts.map((part) =>
        part.kind === 'conflict'
          ? part.base
          : part.kind === 'agreed'
            ? part.text
            : part.kind === 'mine'
              ? `other ${part.text}`
              : `mine ${part.text}`,
      )
      const straight = mergeTexts(base, mine, other).parts.map((part) =>
        part.kind === 'conflict' ? part.base : part.kind === 'agreed' ? part.text : `${part.kind} ${part.text}`,
      )
      expect(straight, `round ${round}`).toEqual(swapped)
    }
  })
})

describe(`merge beside git merge-file (seed ${seed})`, () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'merge-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** For each triple the text that git merges it to, or `null` where it finds conflicts. */
  function byGit(triples: readonly Triple[]): (string | null)[] {
    for (const [index, triple] of triples.entries()) {
      for (const side of ['base', 'mine', 'other'] as const)
        writeFileSync(join(folder, `${side}-${index}`), triple[side])
    }
    const script = 'for n in $(seq 0 $1); do git merge-file -p mine-$n base-$n other-$n > merged-$n; echo $?; done'
    const shell = spawnSync('sh', ['-c', script, 'sh', String(triples.length - 1)], { cwd: folder, encoding: 'utf8' })
    if (shell.error !== undefined || shell.stderr !== '')
      throw new Error(`git could not merge: ${shell.stderr}`, { cause: shell.error })
    return shell.stdout
      .trim()
      .split('\n')
      .map((status, index) => (status === '0' ? readFileSync(join(folder, `merged-${index}`), 'utf8') : null))
  }

  it('decides as git does, and merges to the same bytes', () => {
    const random = new RandomTexts(seed)
    const triples = Array.from({ length: 500 }, (): Triple => {
      const kind = random.pick(lineKinds)
      const lines = random.lines(kind, random.below(60))
      const edited = (): string =>
        random.text(random.edited(lines, kind, random.pick(['touch', 'touch', 'touch', ...editKinds])))
      return { base: random.text(lines), mine: edited(), other: edited() }
    })
    const ours = triples.map(({ base, mine, other }) => cleanText(mergeTexts(base, mine, other)))
    const gits = byGit(triples)
    const bothClean = triples.flatMap((_, index) => (ours[index] === null || gits[index] === null ? [] : [index]))
    const decidedOtherwise = triples.filter((_, index) => (ours[index] === null) !== (gits[index] === null))
    expect(bothClean.map((index) => ours[index])).toEqual(bothClean.map((index) => gits[index]))
    // Where lines repeat, a text often has several shortest diffs; git may take one whose changes touch, or do not.
    expect([bothClean.length > 100, decidedOtherwise.length <= 5]).toEqual([true, true])
  })
})
