import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diffLines } from './line-diff.js'
import { changedLines, diffFault } from './testing/diff-faults.js'
import { RandomTexts, editKinds, lineKinds } from './testing/random-texts.js'

const seed = Number(process.env['SEED'] ?? 1)

/** [beforeStart, beforeEnd, afterStart, afterEnd] of each change. */
function changesOf(before: string, after: string): number[][] {
  return diffLines(before, after).map((change) => [
    change.beforeStart,
    change.beforeEnd,
    change.afterStart,
    change.afterEnd,
  ])
}

/** The lines of the text after with a + before those that were added; none may be removed. */
function marked(before: string, after: string): string[] {
  const changes = diffLines(before, after)
  return after
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) =>
      changes.some((change) => index >= change.afterStart && index < change.afterEnd) ? `+${line}` : ` ${line}`,
    )
}

/** For each pair what `git diff --minimal` counts as added and removed lines. */
function minimalByGit(pairs: readonly { readonly before: string; readonly after: string }[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'line-diff-'))
  try {
    for (const side of ['before', 'after'] as const) {
      mkdirSync(join(folder, side))
      for (const [index, pair] of pairs.entries()) writeFileSync(join(folder, side, String(index)), pair[side])
    }
    const options = ['--no-index', '--minimal', '--numstat', '-z', '--text', '--no-renames']
    const git = spawnSync('git', ['diff', ...options, 'before', 'after'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    })
    if (git.error !== undefined || git.stderr !== '')
      throw new Error(`git could not compare: ${git.stderr}`, { cause: git.error })
    const counts = pairs.map(() => 0)
    for (const [, added, removed, index] of git.stdout.matchAll(/(\d+)\t(\d+)\t\0before\/\d+\0after\/(\d+)\0/g)) {
      counts[Number(index)] = Number(added) + Number(removed)
    }
    return counts
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('line diff', () => {
  it('ends lines at line feeds only and keeps the ends', () => {
    const lines = ['a\u2028b', 'c\u2029d', 'e\u0085f', 'g\fh\vi', 'j\rk', 'l\r']
    const before = `${lines.join('\n')}\n`
    expect([
      changesOf('a\n', 'a\nb\u2028c\n'),
      ...lines.map((line) => changesOf(before, before.replace(line, `${line}!`))),
      changesOf('a\r\nb\r\n', 'a\r\nb\n'),
    ]).toEqual([[[1, 1, 1, 2]], ...lines.map((_, index) => [[index, index + 1, index, index + 1]]), [[1, 2, 1, 2]]])
  })

  it('takes a missing last line end for a difference of the last line', () => {
    expect({
      same: [changesOf('', ''), changesOf('a', 'a'), changesOf('\n', '\n')],
      ended: changesOf('a', 'a\n'),
      unended: changesOf('x\na\n', 'x\na'),
      added: changesOf('a\n', 'a\nb\n'),
      addedToUnended: changesOf('a', 'a\nb\n'),
      created: [changesOf('', 'a'), changesOf('', '\n')],
      emptied: changesOf('a\nb\n', ''),
    }).toEqual({
      same: [[], [], []],
      ended: [[0, 1, 0, 1]],
      unended: [[1, 2, 1, 2]],
      added: [[1, 1, 1, 2]],
      addedToUnended: [[0, 1, 0, 2]],
      created: [[[0, 0, 0, 1]], [[0, 0, 0, 1]]],
      emptied: [[0, 2, 0, 0]],
    })
  })

  it('sees a change of blanks alone', () => {
    expect([changesOf('if x:\n    a()\n    b()', 'if x:\n    a()\nb()'), changesOf('a\n', 'a \n')]).toEqual([
      [[2, 3, 2, 3]],
      [[0, 1, 0, 1]],
    ])
  })

  it('shows an added function as a whole, not from bracket to bracket', () => {
    const one = 'function one() {\n  return 1\n}\n\n'
    const two = 'function two() {\n  return 2\n}\n\n'
    const three = 'function three() {\n  return 3\n}\n'
    expect(marked(one + three, one + two + three)).toEqual([
      ' function one() {',
      '   return 1',
      ' }',
      ' ',
      '+function two() {',
      '+  return 2',
      '+}',
      '+',
      ' function three() {',
      '   return 3',
      ' }',
    ])
  })

  it('shows an added inner block as a whole', () => {
    const block = (name: string): string => `  if (${name}) {\n    ${name}()\n  }\n`
    expect(marked(`start\n${block('a')}end\n`, `start\n${block('a')}${block('b')}end\n`)).toEqual([
      ' start',
      '   if (a) {',
      '     a()',
      '   }',
      '+  if (b) {',
      '+    b()',
      '+  }',
      ' end',
    ])
  })

  it('keeps the comment with the function it belongs to', () => {
    const one = '/** Does it. */\nfunction one() {\n}\n\n'
    const two = '/** Does it. */\nfunction two() {\n}\n\n'
    expect(marked(`start\n\n${one}`, `start\n\n${two}${one}`)).toEqual([
      ' start',
      ' ',
      '+/** Does it. */',
      '+function two() {',
      '+}',
      '+',
      ' /** Does it. */',
      ' function one() {',
      ' }',
      ' ',
    ])
  })

  it('begins a change at the line that is indented least', () => {
    const record = (id: number): string => `{\n  "id": ${id}\n},\n`
    expect(marked(`[\n${record(1)}${record(3)}]\n`, `[\n${record(1)}${record(2)}${record(3)}]\n`)).toEqual([
      ' [',
      ' {',
      '   "id": 1',
      ' },',
      '+{',
      '+  "id": 2',
      '+},',
      ' {',
      '   "id": 3',
      ' },',
      ' ]',
    ])
  })

  it('makes one change of two that can be moved to touch', () => {
    expect([changesOf('a\nx\nx\nb\n', 'A\nx\nx\nx\nb\n'), changesOf('a\nx\nx\nb\n', 'a\nx\nx\nx\nB\n')]).toEqual([
      [[0, 1, 0, 2]],
      [[3, 4, 3, 5]],
    ])
  })

  it('rests at the last place when told to', () => {
    const text = '/** Does it. */\nfunction one() {\n}\n\n'
    expect(diffLines(`start\n\n${text}`, `start\n\n${text.replace('one', 'two')}${text}`, 'last')).toEqual([
      { beforeStart: 3, beforeEnd: 3, afterStart: 3, afterEnd: 7 },
    ])
  })

  it(`describes random pairs of texts (seed ${seed})`, () => {
    const random = new RandomTexts(seed)
    for (let round = 0; round < 4000; round++) {
      const { before, after, label } = random.pair(round % 10 === 0 ? 600 : 40)
      const resting = round % 2 === 0 ? 'readable' : 'last'
      expect(diffFault(before, after, diffLines(before, after, resting)), `round ${round}, ${label}`).toBeNull()
    }
  })

  it(`is as short as git's minimal diff (seed ${seed})`, () => {
    const random = new RandomTexts(seed + 1)
    const pairs = lineKinds.flatMap((kind) =>
      editKinds.flatMap((edit) =>
        [5, 40, 300, 1200].map((count) => {
          const lines = random.lines(kind, count)
          return {
            before: random.text(lines),
            after: random.text(random.edited(lines, kind, edit)),
            label: `${kind} ${edit} ${count}`,
          }
        }),
      ),
    )
    const longer = minimalByGit(pairs).flatMap((byGit, index) => {
      const { before = '', after = '', label = '' } = pairs[index] ?? {}
      const ours = changedLines(diffLines(before, after))
      return ours > byGit ? [`${label}: ${ours} instead of ${byGit}`] : []
    })
    expect([pairs.length, longer]).toEqual([lineKinds.length * editKinds.length * 4, []])
  })

  it.each([1000, 10_000, 100_000])('never gives up on %i lines, however much changed', (count) => {
    const random = new RandomTexts(count)
    const lines = random.lines('code', count)
    const other = random.lines('code', count).map((line, index) => `${line}#${index}`)
    const half = count / 2
    const cases: readonly [string, readonly string[], number][] = [
      ['10 changes', lines.map((line, index) => (index % (count / 10) === 5 ? `${line} // ${index}` : line)), 20],
      ['a tenth changed', lines.map((line, index) => (index % 10 === 5 ? `${line} // ${index}` : line)), count / 5],
      ['every line changed a little', lines.map((line, index) => `${line} // ${index}`), 2 * count],
      ['completely different', other, 2 * count],
      ['halves swapped', [...lines.slice(half), ...lines.slice(0, half)], count],
      [
        'a block of a third moved',
        [...lines.slice(0, 10), ...lines.slice(count / 3), ...lines.slice(10, count / 3)],
        count,
      ],
    ]
    const before = `${lines.join('\n')}\n`
    for (const [name, edited, most] of cases) {
      const after = `${edited.join('\n')}\n`
      const changes = diffLines(before, after)
      expect([name, diffFault(before, after, changes), changedLines(changes) <= most]).toEqual([name, null, true])
    }
  })

  it('takes large texts that only repeat themselves', () => {
    const random = new RandomTexts(7)
    for (const kind of ['log', 'records', 'few'] as const) {
      const lines = random.lines(kind, 12_000)
      for (const edit of ['touch', 'move', 'replace'] as const) {
        const before = random.text(lines)
        const after = random.text(random.edited(lines, kind, edit))
        expect([kind, edit, diffFault(before, after, diffLines(before, after))]).toEqual([kind, edit, null])
      }
    }
  })
})
