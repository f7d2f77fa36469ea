import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { literalBlock } from '../../shared/diff/literal-block.js'
import { applyBinaryPatch, parsePatchText, type BytesResult } from './patch-edit.js'

const old = Uint8Array.from({ length: 300 }, (_, index) => (index * 7) % 256)
const now = Uint8Array.from([0, 1, 2, 255])

function hashOf(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function block(bytes: Uint8Array, size = bytes.length): string {
  return literalBlock(size, deflateSync(bytes))
}

/** Commands of a delta behind its two sizes, as a block of a patch. */
function delta(from: number, to: number, ...commands: readonly number[]): string {
  const size = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...size(value >> 7)])
  return block(Uint8Array.from([...size(from), ...size(to), ...commands])).replace('literal', 'delta')
}

function patch(content: string, header = `index ${hashOf(old)}..${hashOf(now)} 100644\n`): string {
  return `diff --git a/f.bin b/f.bin\n${header}GIT binary patch\n${content}`
}

function apply(text: string, before: Uint8Array | null): BytesResult {
  const parsed = parsePatchText(text)
  if (parsed.kind === 'malformed') throw new Error(parsed.reason)
  const [file] = parsed.files
  if (file === undefined) throw new Error('no file')
  return applyBinaryPatch(file, before)
}

/** The bytes, or why there are none. */
function outcome(text: string, before: Uint8Array | null): readonly number[] | string | null {
  const result = apply(text, before)
  return result.kind === 'refused' ? result.message : result.bytes && [...result.bytes]
}

const stale = 'f.bin: the file is not the one that the patch was made from. Make the patch again.'

describe('applying a binary patch', () => {
  it('makes the new bytes from a literal, with a hash or with the way back alone', () => {
    expect([outcome(patch(block(now) + block(old)), old), outcome(patch(block(now) + block(old), ''), old), outcome(patch(block(now)), old)]).toEqual([
      [...now],
      [...now],
      [...now],
    ])
  })

  it('makes them from a delta', () => {
    const header = `index ${hashOf(old).slice(0, 7)}..${hashOf(Uint8Array.from([9, 8, ...old.slice(2, 298)])).slice(0, 7)}\n`
    const back = block(old)
    // Adds two bytes, then copies 296 from place 2: length in two bytes.
    expect(outcome(patch(delta(300, 298, 2, 9, 8, 0x80 | 0x01 | 0x10 | 0x20, 2, 40, 1) + back, header), old)).toEqual([9, 8, ...old.slice(2, 298)])
  })

  it('refuses any other file than the one it was made from', () => {
    const other = old.slice(1)
    expect([outcome(patch(block(now) + block(old)), other), outcome(patch(block(now) + block(old), ''), other), outcome(patch(block(now), ''), old)]).toEqual([
      stale,
      stale,
      'f.bin: the patch does not tell what the file held before. Make it with git diff --binary --full-index.',
    ])
  })

  it.each([
    ['a size that is too small', patch(block(now, 3) + block(old)), 'f.bin: the patch is damaged: its bytes cannot be inflated to the size that it states.'],
    ['a size that is too large', patch(block(now, 5) + block(old)), 'f.bin: the patch is damaged: its bytes have another size than it states.'],
    ['a size beyond reason', patch(block(now, 999_999_999) + block(old)), 'f.bin: the patch holds a part above 268435456 bytes. Change the file in another way.'],
    ['another result than it names', patch(block(Uint8Array.of(5)) + block(old)), 'f.bin: the patch is damaged: its result is not the one that it names.'],
    ['a delta of another size', patch(delta(299, 1, 1, 5)), 'f.bin: the file has another size than the one that the patch was made from.'],
    ['a delta that copies beyond the end', patch(delta(300, 9, 0x80 | 0x03 | 0x10, 40, 1, 9)), 'f.bin: the patch is damaged: a delta in it does not hold together.'],
    ['a delta that makes too little', patch(delta(300, 9, 1, 5)), 'f.bin: the patch is damaged: a delta in it does not hold together.'],
    ['a delta that is cut off', patch(delta(300, 4, 4, 5)), 'f.bin: the patch is damaged: a delta in it does not hold together.'],
    ['a command that does not exist', patch(delta(300, 1, 0)), 'f.bin: the patch is damaged: a delta in it does not hold together.'],
  ])('refuses %s', (_, text, message) => {
    expect(outcome(text, old)).toBe(message)
  })

  it('creates and deletes', () => {
    const created = patch(block(now) + block(new Uint8Array(0)), `new file mode 100644\nindex ${'0'.repeat(40)}..${hashOf(now)}\n`)
    const deleted = patch(block(new Uint8Array(0)) + block(old), `deleted file mode 100644\nindex ${hashOf(old)}..${'0'.repeat(40)}\n`)
    expect([outcome(created, null), outcome(created, old), outcome(deleted, old), outcome(deleted, now), outcome(deleted, null)]).toEqual([
      [...now],
      'f.bin: the patch creates this file, but it exists.',
      null,
      stale,
      'f.bin: the patch changes this file, but it does not exist.',
    ])
  })

  it('leaves bytes alone for a new name, and refuses what the patch does not hold', () => {
    expect([
      outcome('diff --git a/f.bin b/g.bin\nsimilarity index 100%\nrename from f.bin\nrename to g.bin\n', old),
      outcome('diff --git a/f.bin b/f.bin\nBinary files a/f.bin and b/f.bin differ\n', old),
      outcome('diff --git a/f.bin b/f.bin\ndeleted file mode 100644\n', old),
    ]).toEqual([
      [...old],
      'f.bin: the patch says only that the binary file differs, not how. Make it with git diff --binary.',
      'f.bin: the patch deletes an empty file, but this one is not empty.',
    ])
  })
})
