import { describe, expect, it } from 'vitest'
import { RandomTexts } from '../testing/random-texts.js'
import { diffSequences } from './sequence-diff.js'
import type { SequenceChange } from './sequence-diff.js'

const seed = Number(process.env['SEED'] ?? 1)

/** Why the changes do not describe the two sequences, or `null`. */
function faultOf(before: Int32Array, after: Int32Array, changes: readonly SequenceChange[]): string | null {
  let i = 0
  let j = 0
  for (const change of [
    ...changes,
    { beforeStart: before.length, beforeEnd: before.length, afterStart: after.length, afterEnd: after.length },
  ]) {
    if (change.beforeStart - i !== change.afterStart - j) return `unequal gap before ${JSON.stringify(change)}`
    while (i < change.beforeStart) if (before[i++] !== after[j++]) return `items ${i - 1} and ${j - 1} differ`
    i = change.beforeEnd
    j = change.afterEnd
  }
  const empty = changes.find(
    (change) => change.beforeStart === change.beforeEnd && change.afterStart === change.afterEnd,
  )
  const touching = changes.find((change, index) => change.beforeStart === changes[index - 1]?.beforeEnd)
  return empty !== undefined || touching !== undefined
    ? `empty or touching: ${JSON.stringify(empty ?? touching)}`
    : null
}

function sizeOf(changes: readonly SequenceChange[]): number {
  return changes.reduce(
    (sum, change) => sum + change.beforeEnd - change.beforeStart + change.afterEnd - change.afterStart,
    0,
  )
}

/** The least number of items that have to change, by the plain table of all prefixes. */
function leastChanges(before: Int32Array, after: Int32Array): number {
  let row = Array.from({ length: after.length + 1 }, (_, j) => j)
  for (let i = 0; i < before.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < after.length; j++) {
      next.push(before[i] === after[j] ? (row[j] ?? 0) : 1 + Math.min(row[j + 1] ?? 0, next[j] ?? 0))
    }
    row = next
  }
  return row[after.length] ?? 0
}

describe(`sequence diff (seed ${seed})`, () => {
  const random = new RandomTexts(seed)
  const sequence = (length: number, idCount: number): Int32Array =>
    Int32Array.from({ length }, () => random.below(idCount))
  const edited = (items: Int32Array, idCount: number, oneIn: number): Int32Array =>
    Int32Array.from(
      [...items].flatMap((id) =>
        random.below(oneIn) > 0 ? [id] : random.below(2) === 0 ? [] : [id, random.below(idCount)],
      ),
    )

  it('is minimal for short sequences of every kind', () => {
    for (let round = 0; round < 3000; round++) {
      const idCount = 1 + random.below(round % 2 === 0 ? 4 : 60)
      const before = sequence(random.below(60), idCount)
      const after =
        round % 3 === 0 ? sequence(random.below(60), idCount) : edited(before, idCount, 2 + random.below(10))
      const changes = diffSequences(before, after, idCount)
      expect([faultOf(before, after, changes), sizeOf(changes)], `round ${round}`).toEqual([
        null,
        leastChanges(before, after),
      ])
    }
  })

  it('is minimal where neither end nor single items help and most changed', () => {
    for (const idCount of [2, 5, 30, 400, 3000]) {
      const before = sequence(1500, idCount)
      for (const after of [
        sequence(1400, idCount),
        edited(before, idCount, 3),
        Int32Array.from([...before.subarray(700), ...before.subarray(0, 700)]),
      ]) {
        const changes = diffSequences(before, after, idCount)
        expect([faultOf(before, after, changes), sizeOf(changes)], `${idCount} ids`).toEqual([
          null,
          leastChanges(before, after),
        ])
      }
    }
  })

  it('has an answer for large sequences without a single item, moved blocks and noise', () => {
    const length = 30_000
    const noise: [Int32Array, Int32Array] = [sequence(length, 10), sequence(length, 10)]
    const lines = sequence(length, length)
    const moved = Int32Array.from([
      ...lines.subarray(10_000, 25_000),
      ...lines.subarray(0, 10_000),
      ...lines.subarray(25_000),
    ])
    const halfFrequent = lines.map((id, index) => (index % 2 === 0 ? id : index % 7))
    const halfMoved = Int32Array.from([...halfFrequent.subarray(12_000), ...halfFrequent.subarray(0, 12_000)])
    const sizes = [noise, [lines, moved], [halfFrequent, halfMoved]].map(([before, after]) => {
      if (before === undefined || after === undefined) throw new Error('A pair was expected.')
      const changes = diffSequences(before, after, length)
      return [faultOf(before, after, changes), sizeOf(changes) <= 2 * length * 0.9]
    })
    expect(sizes).toEqual([
      [null, true],
      [null, true],
      [null, true],
    ])
  })
})
