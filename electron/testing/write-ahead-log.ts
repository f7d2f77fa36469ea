import { readFileSync } from 'node:fs'

/** One commit: the pages that it changes, and how many the database then has. */
interface Commit {
  readonly pages: readonly (readonly [number: number, bytes: Buffer])[]
  readonly pageCount: number
}

/**
 * A write-ahead log in SQLite's format that leads from one database file through the following ones, a commit each. All have one
 * page size. Returns its bytes, and where each commit ends in it.
 */
export function writeAheadLog(versions: readonly string[], salt = 7): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  const files = versions.map((file) => readFileSync(file))
  const size = files[0]?.readUInt16BE(16) ?? 0
  const pageSize = size === 1 ? 65_536 : size
  const header = Buffer.alloc(32)
  ;[0x377f0683, 3_007_000, pageSize, 0, salt, salt + 1].forEach((value, index) => header.writeUInt32BE(value, index * 4))
  let sums = sumOf(header.subarray(0, 24), [0, 0])
  sums.forEach((sum, index) => header.writeUInt32BE(sum, 24 + index * 4))
  const parts: Buffer[] = [header]
  const ends: number[] = []
  for (const { pages, pageCount } of files.slice(1).map((file, index) => commitOf(files[index] ?? Buffer.alloc(0), file, pageSize))) {
    pages.forEach(([number, bytes], at) => {
      const head = Buffer.alloc(24)
      ;[number, at === pages.length - 1 ? pageCount : 0, salt, salt + 1].forEach((value, index) => head.writeUInt32BE(value, index * 4))
      sums = sumOf(bytes, sumOf(head.subarray(0, 8), sums))
      sums.forEach((sum, index) => head.writeUInt32BE(sum, 16 + index * 4))
      parts.push(head, bytes)
    })
    ends.push(parts.reduce((sum, part) => sum + part.length, 0))
  }
  return { bytes: Buffer.concat(parts), ends }
}

/** Marks a database as one that is written through such a log. */
export function asLogged(bytes: Buffer): Buffer {
  const logged = Buffer.from(bytes)
  logged[18] = logged[19] = 2
  return logged
}

function commitOf(before: Buffer, after: Buffer, pageSize: number): Commit {
  const pageCount = after.length / pageSize
  const pages = Array.from({ length: pageCount }, (_, index) => index).flatMap((index): readonly (readonly [number, Buffer])[] => {
    const raw = after.subarray(index * pageSize, (index + 1) * pageSize)
    const page = index === 0 ? asLogged(raw) : raw
    const isSame = index > 0 && raw.equals(before.subarray(index * pageSize, (index + 1) * pageSize))
    return isSame ? [] : [[index + 1, page]]
  })
  return { pages, pageCount }
}

function sumOf(bytes: Buffer, [one, two]: readonly [number, number]): readonly [number, number] {
  let [a, b] = [one, two]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + bytes.readUInt32BE(at) + b) >>> 0
    b = (b + bytes.readUInt32BE(at + 4) + a) >>> 0
  }
  return [a, b]
}
