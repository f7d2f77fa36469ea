import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { PatchFault, type BinaryBlock, type PatchContent, type PatchFile } from './patch-file.js'
import type { PatchLines } from './patch-lines.js'

export type BytesResult =
  /** null: the file is deleted. */
  | { readonly kind: 'applied'; readonly bytes: Uint8Array | null; readonly note: null }
  | { readonly kind: 'refused'; readonly message: string }

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const digitValues = new Int16Array(128).fill(-1)
for (let value = 0; value < digits.length; value++) digitValues[digits.charCodeAt(value)] = value

/** What a patch may make; a few kilobytes can claim to hold a thousand times as much as this. */
const largestBytes = 256 * 1024 * 1024

/**
 * What follows `GIT binary patch`: the way forward, and the way back, which older git leaves out.
 *
 * Source: git's apply.c: a line begins with a letter that counts its bytes, A to Z for 1 to 26, a to z for 27 to 52.
 */
export function readBinary(patch: PatchLines, oldHash: string | null, newHash: string | null): PatchContent {
  patch.skip()
  const forward = readBlock(patch)
  if (forward === null) throw new PatchFault('A binary patch begins with "literal" or "delta" and a size', patch.number)
  const backward = readBlock(patch)
  return { kind: 'binary', forward, backward, oldHash, newHash }
}

function readBlock(patch: PatchLines): BinaryBlock | null {
  const [, kind, size] = /^(literal|delta) (\d{1,12})$/.exec(patch.header()) ?? []
  if (kind !== 'literal' && kind !== 'delta') return null
  patch.skip()
  const lines: Uint8Array[] = []
  for (; patch.header() !== ''; patch.skip()) lines.push(readLine(patch.header(), patch.number))
  if (!patch.isDone) patch.skip()
  return { kind, size: Number(size), deflated: Buffer.concat(lines) }
}

function readLine(line: string, number: number): Uint8Array {
  const letter = line.charAt(0)
  const length = /[A-Z]/.test(letter) ? letter.charCodeAt(0) - 64 : /[a-z]/.test(letter) ? letter.charCodeAt(0) - 70 : 0
  const damaged = new PatchFault('A line of a binary patch is damaged', number)
  if (length === 0 || line.length !== 1 + 5 * Math.ceil(length / 4)) throw damaged
  const bytes = new Uint8Array(4 * Math.ceil(length / 4))
  for (let at = 1, put = 0; at < line.length; at += 5, put += 4) {
    let group = 0
    for (let place = at; place < at + 5; place++) {
      const value = digitValues[line.charCodeAt(place)] ?? -1
      if (value < 0) throw damaged
      group = group * 85 + value
    }
    if (group > 0xffffffff) throw damaged
    for (let n = 0; n < 4; n++) bytes[put + n] = Math.floor(group / 256 ** (3 - n)) % 256
  }
  return bytes.subarray(0, length)
}

/**
 * Applies one file of a patch to bytes: a binary change, or one that leaves the content alone, such as a rename.
 *
 * Shape: `before` are the bytes of `from` or else of `path`; null where there is no such file.
 * Promise: bytes come back only where those before are the ones that the patch was made from, by their hash or by the
 * patch read backwards, and the result has the size and hash that the patch states.
 */
export function applyBinaryPatch(file: PatchFile, before: Uint8Array | null): BytesResult {
  const refuse = (what: string): BytesResult => ({ kind: 'refused', message: `${file.from ?? file.path}: ${what}` })
  if (file.op === 'create' ? before !== null : before === null)
    return refuse(file.op === 'create' ? 'the patch creates this file, but it exists.' : 'the patch changes this file, but it does not exist.')
  const { content } = file
  const old = before ?? new Uint8Array(0)
  const done = (bytes: Uint8Array): BytesResult => ({ kind: 'applied', bytes: file.op === 'delete' ? null : bytes, note: null })
  switch (content.kind) {
    case 'any':
      return done(old)
    case 'same':
      return file.op === 'delete' && old.length > 0 ? refuse('the patch deletes an empty file, but this one is not empty.') : done(old)
    case 'hunks':
      return refuse('this part of the patch changes text, not bytes.')
    case 'left-out':
      return refuse('the patch says only that the binary file differs, not how. Make it with git diff --binary.')
    case 'binary':
      break
    default:
      return content satisfies never
  }

  const stale = 'the file is not the one that the patch was made from. Make the patch again.'
  if (content.oldHash !== null && file.op !== 'create' && !isNamed(old, content.oldHash)) return refuse(stale)
  const bytes = applyBlock(content.forward, old)
  if (typeof bytes === 'string') return refuse(bytes)
  const isFull = (hash: string | null): boolean => hash !== null && (hash.length === 40 || hash.length === 64)
  if (content.backward !== null) {
    const back = applyBlock(content.backward, bytes)
    if (typeof back === 'string' || !isEqual(back, old)) return refuse(stale)
  } else if (!isFull(content.oldHash) && file.op !== 'create') {
    return refuse('the patch does not tell what the file held before. Make it with git diff --binary --full-index.')
  }
  if (content.newHash !== null && file.op !== 'delete' && !isNamed(bytes, content.newHash))
    return refuse('the patch is damaged: its result is not the one that it names.')
  if (file.op === 'delete' && bytes.length > 0) return refuse('the patch deletes the file and yet leaves bytes in it.')
  return done(bytes)
}

/** Whether bytes have the hash that git gives a content, SHA-1 or SHA-256, or begin with it. */
export function isNamed(bytes: Uint8Array, hash: string): boolean {
  const nameBy = (algorithm: string): string => createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  return (hash.length <= 40 && nameBy('sha1').startsWith(hash)) || nameBy('sha256').startsWith(hash)
}

/** The bytes that a block makes, or what is wrong with it. */
function applyBlock(block: BinaryBlock, old: Uint8Array): Uint8Array | string {
  if (block.size > largestBytes) return `the patch holds a part above ${largestBytes} bytes. Change the file in another way.`
  let inflated: Uint8Array
  try {
    inflated = inflateSync(block.deflated, { maxOutputLength: Math.max(block.size, 1) })
  } catch {
    return 'the patch is damaged: its bytes cannot be inflated to the size that it states.'
  }
  if (inflated.length !== block.size) return 'the patch is damaged: its bytes have another size than it states.'
  return block.kind === 'literal' ? inflated : applyDelta(inflated, old)
}

/**
 * Source: git's patch-delta.c: two sizes, then commands. A byte above 127 copies from the old bytes, its bits telling
 * which bytes of place and length follow; one up to 127 adds that many bytes that follow.
 */
function applyDelta(delta: Uint8Array, old: Uint8Array): Uint8Array | string {
  const damaged = 'the patch is damaged: a delta in it does not hold together.'
  let at = 0
  const readByte = (): number => delta[at++] ?? Number.NaN
  const readSize = (): number => {
    let size = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = readByte()
      size += (byte & 127) * factor
      if (Number.isNaN(byte) || factor > 2 ** 42) return Number.NaN
      if (byte < 128) return size
    }
  }
  if (readSize() !== old.length) return 'the file has another size than the one that the patch was made from.'
  const size = readSize()
  if (!(size <= largestBytes)) return damaged
  const result = new Uint8Array(size)
  let length = 0
  while (at < delta.length) {
    const command = readByte()
    if (command === 0) return damaged
    let source = delta
    let from = at
    let count = command
    if (command > 127) {
      source = old
      from = 0
      count = 0
      for (let bit = 0; bit < 4; bit++) if ((command & (1 << bit)) !== 0) from += readByte() * 256 ** bit
      for (let bit = 0; bit < 3; bit++) if ((command & (16 << bit)) !== 0) count += readByte() * 256 ** bit
      if (count === 0) count = 0x10000
    } else {
      at += count
    }
    if (!(from + count <= source.length && length + count <= size)) return damaged
    result.set(source.subarray(from, from + count), length)
    length += count
  }
  return length === size ? result : damaged
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
