import { describe, expect, it } from 'vitest'
import { idBytes, writeId } from './id-table.js'
import { RecordIndex, rootParent, treeless, unseenParent } from './record-index.js'
import { recordKind, type RecordKind } from './record-sniff.js'

/** An index of records given as [kind, id, parent]. */
function indexOf(records: readonly (readonly [RecordKind, string, string | null])[]): RecordIndex {
  const index = new RecordIndex(true)
  const bytes = Buffer.alloc(2 * idBytes)
  records.forEach(([kind, id, parent], at) => {
    writeId(id, bytes, 0)
    if (parent !== null) writeId(parent, bytes, idBytes)
    index.add(kind, at * 10, 5, bytes, 0, parent === null ? -1 : idBytes)
  })
  return index
}

const { prompt, reply, note } = recordKind
const parents = (index: RecordIndex): readonly number[] => Array.from({ length: index.count }, (_, row) => index.parentOf(row))
const prompts = (index: RecordIndex): readonly number[] => Array.from({ length: index.count }, (_, row) => index.promptOf(row))

describe('the index of records', () => {
  it('links each record to its parent and to the prompt above it', () => {
    const index = indexOf([
      [note, 'a', null],
      [prompt, 'b', 'a'],
      [reply, 'c', 'b'],
      [reply, 'd', 'b'],
      [prompt, 'e', 'c'],
      [reply, 'f', 'e'],
    ])
    expect([parents(index), prompts(index)]).toEqual([
      [rootParent, 0, 1, 1, 2, 4],
      [-1, 0, 0, 0, 1, 1],
    ])
  })

  it('finds a parent that comes later in the file, and the prompt with it', () => {
    const index = indexOf([
      [reply, 'late', 'middle'],
      [reply, 'middle', 'first'],
      [prompt, 'first', null],
    ])
    const before = [parents(index), prompts(index)]
    index.settle()
    expect([before, parents(index), prompts(index)]).toEqual([
      [
        [unseenParent, unseenParent, rootParent],
        [-1, -1, 0],
      ],
      [1, 2, rootParent],
      [0, 0, 0],
    ])
  })

  it('comes to an end where parents go in a circle or are missing', () => {
    const index = indexOf([
      [reply, 'a', 'c'],
      [reply, 'b', 'a'],
      [reply, 'c', 'b'],
      [reply, 'self', 'self'],
      [reply, 'lost', 'nowhere'],
    ])
    index.settle()
    expect([parents(index), prompts(index)]).toEqual([
      [2, 0, 1, 3, unseenParent],
      [-1, -1, -1, -1, -1],
    ])
  })

  it('keeps later records of one identity with the first', () => {
    const index = indexOf([
      [prompt, 'a', null],
      [reply, 'b', 'a'],
      [reply, 'b', 'a'],
      [reply, 'c', 'b'],
      [reply, 'b', 'c'],
    ])
    expect([parents(index), index.fragmentsOf(1), index.isFragment(2), index.isFragment(1), prompts(index)]).toEqual([
      [rootParent, 0, treeless, 1, treeless],
      [2, 4],
      true,
      false,
      [0, 0, 0, 0, 0],
    ])
  })

  it('tells apart ids of any length, and that differ anywhere', () => {
    const ids = ['x', 'x'.repeat(36), `${'x'.repeat(35)}y`, `y${'x'.repeat(35)}`, 'x'.repeat(37), 'ä'.repeat(18), 'ä'.repeat(36), '']
    const index = indexOf(ids.map((id, at) => [reply, id, ids[at - 1] ?? null]))
    expect(parents(index)).toEqual([rootParent, 0, 1, 2, 3, 4, 5, 6])
  })

  it('holds many records, and forgets the last ones when told to', () => {
    const count = 50_000
    const index = indexOf(Array.from({ length: count }, (_, at) => [at % 10 === 0 ? prompt : reply, `id-${at}`, at === 0 ? null : `id-${at - 1}`]))
    index.shorten(count - 5, (count - 10) / 10 + 1)
    const bytes = Buffer.alloc(2 * idBytes)
    writeId(`id-${count - 3}`, bytes, 0)
    writeId(`id-${count - 6}`, bytes, idBytes)
    const row = index.add(prompt, 0, 0, bytes, 0, idBytes)
    expect([row, index.parentOf(row), index.isFragment(row), index.promptOf(row), index.offsetOf(count - 6)]).toEqual([
      count - 5,
      count - 6,
      false,
      count / 10,
      (count - 6) * 10,
    ])
  })
})
