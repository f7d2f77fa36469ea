import { DatabaseDamaged, type DatabasePages } from './sqlite-pages.js'

export type SqlValue = number | string | Buffer | null

/** Longer values are left out: an image in a message, not a text that is looked at. */
const longestPayload = 64 << 20
/** Not the truth: the varint of a size that no buffer has. */
const noNumber = Number.MAX_SAFE_INTEGER

/** A number of one to nine bytes; above 2^53 it is only about right. */
export function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) throw new DatabaseDamaged('a number is cut off')
    if (index === 8) return { value: value * 256 + byte, next: at + 9 }
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, next: at + index + 1 }
  }
  return { value: noNumber, next: at + 9 }
}

/** Where a cell's payload is: its beginning on the page, the rest on a chain of other pages. */
export interface PayloadPlace {
  readonly page: Buffer
  readonly start: number
  readonly size: number
  readonly kind: 'table' | 'index'
}

/**
 * The first `wanted` bytes of a payload.
 * Source: "B-tree Cell Format" and "Cell Payload Overflow Pages" in SQLite's description of its file format.
 */
function readPayload(pages: DatabasePages, { page, start, size, kind }: PayloadPlace, wanted: number): Buffer {
  const usable = pages.usableSize
  const most = kind === 'table' ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % (usable - 4))
  const local = size <= most ? size : fitting <= most ? fitting : least
  const length = Math.min(size, wanted)
  if (start + local > page.length) throw new DatabaseDamaged('a record runs over its page')
  if (length <= local) return page.subarray(start, start + length)
  const parts = [page.subarray(start, start + local)]
  let have = local
  let next = start + local + 4 <= page.length ? page.readUInt32BE(start + local) : 0
  while (have < length) {
    const more = pages.page(next)
    const part = more.subarray(4, 4 + Math.min(usable - 4, length - have))
    parts.push(part)
    have += part.length
    next = more.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

/** One record: its columns are decoded when asked for, and its long tail is read only then. */
export class SqlRecord {
  private readonly types: readonly number[]
  private readonly bodyStart: number

  constructor(
    private readonly pages: DatabasePages,
    private readonly place: PayloadPlace,
  ) {
    const head = readPayload(pages, place, 9)
    const { value: headBytes, next } = readVarint(head.length < 9 ? Buffer.concat([head, Buffer.alloc(9)]) : head, 0)
    if (headBytes > place.size || headBytes > 65_536) throw new DatabaseDamaged('a record with an endless head')
    const whole = readPayload(pages, place, headBytes)
    const types: number[] = []
    for (let at = next; at < headBytes; ) {
      const type = readVarint(whole, at)
      types.push(type.value)
      at = type.next
    }
    this.types = types
    this.bodyStart = headBytes
  }

  get columns(): number {
    return this.types.length
  }

  /** `null` also for a column that the record does not have, and for a value that is too long. */
  value(column: number): SqlValue {
    const type = this.types[column]
    if (type === undefined) return null
    let start = this.bodyStart
    for (let before = 0; before < column; before++) start += sizeOf(this.types[before] ?? 0)
    const size = sizeOf(type)
    if (size === 0) return type === 9 ? 1 : type === 8 ? 0 : type >= 13 ? '' : type >= 12 ? Buffer.alloc(0) : null
    if (start + size > this.place.size) throw new DatabaseDamaged('a value runs over its record')
    if (start + size > longestPayload) return null
    const bytes = readPayload(this.pages, this.place, start + size).subarray(start)
    if (type >= 12) return type % 2 === 1 ? bytes.toString('utf8') : Buffer.from(bytes)
    if (type === 7) return bytes.readDoubleBE(0)
    return size === 8 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, size)
  }

  /** Length of a value in bytes, without reading it. */
  sizeOf(column: number): number {
    return sizeOf(this.types[column] ?? 0)
  }
}

const fixedSizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0]

function sizeOf(type: number): number {
  return type < 12 ? (fixedSizes[type] ?? 0) : Math.floor((type - 12) / 2)
}
