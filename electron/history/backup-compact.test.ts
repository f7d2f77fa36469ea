import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../base/log.js'
import { sha256Of } from '../workspace/text-files.js'
import { openBackupStore, type BackupStore } from './backup-store.js'
import { startUpkeep } from './upkeep.js'

let data = ''
let store: BackupStore
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'compact-'))
  store = await openBackupStore(data)
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

/** Too large for a row. */
const line = (n: number): Uint8Array => Buffer.from(`export const value${n} = ${n}\n`.repeat(14_000 + n))
const blobs = [...Array(12).keys()].map(line)

function files(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? below(join(folder, entry.name)) : [join(folder, entry.name)]))
  return below(join(data, 'backups'))
}

const size = (): number => files().reduce((sum, file) => sum + statSync(file).size, 0)

/** Six single blobs, and three packs of two. */
async function fill(): Promise<void> {
  for (const each of blobs.slice(0, 6)) await store.put(each)
  for (let from = 6; from < 12; from += 2) {
    const batch = store.batch()
    for (const each of blobs.slice(from, from + 2)) await batch.add(sha256Of(each), each)
    await batch.seal()
  }
  files().forEach((file) => utimesSync(file, new Date(0), new Date(0)))
}

const readAll = (from: BackupStore): Promise<boolean[]> => Promise.all(blobs.map(async (each) => Buffer.compare(await from.readBlob(sha256Of(each)), each) === 0))

describe('compact', () => {
  it('gathers old blobs and small packs into one smaller file, from which all are read byte for byte, by every process', async () => {
    const other = await openBackupStore(data)
    await fill()
    await readAll(other)
    const before = size()
    const saved = await store.compact()
    const again = await openBackupStore(data)
    expect([files().length, before - size() === saved, size() < before / 5, new Set([...(await readAll(store)), ...(await readAll(other)), ...(await readAll(again))])]).toEqual([
      1,
      true,
      true,
      new Set([true]),
    ])
  })

  it('leaves what is young, what cannot be read, and a pack that is alone', async () => {
    const [young, damaged, packed] = [await store.put(line(1)), await store.put(line(2)), line(3)]
    const batch = store.batch()
    await batch.add(sha256Of(packed), packed)
    await batch.seal()
    const file = (hash: string): string => files().find((each) => each.endsWith(hash)) ?? ''
    truncateSync(file(damaged), 10)
    files().filter((each) => !each.endsWith(young)).forEach((each) => utimesSync(each, new Date(0), new Date(0)))
    const before = files()
    await store.compact()
    expect(files()).toEqual(before)
  })

  it('does not deflate what does not shrink', async () => {
    const noise = randomBytes(50_000)
    const hash = await store.put(noise)
    files().forEach((each) => utimesSync(each, new Date(0), new Date(0)))
    await store.compact()
    expect([Buffer.compare(await store.readBlob(hash), noise), size() < 50_300]).toEqual([0, true])
  })

  it('names a deflated blob that was damaged as damaged', async () => {
    await fill()
    await store.compact()
    const [pack = ''] = files()
    const bytes = readFileSync(pack)
    bytes.fill(7, 10, 200)
    writeFileSync(pack, bytes)
    const codes = await Promise.all(blobs.map((each) => store.readBlob(sha256Of(each)).then(() => 'read', (thrown: { readonly code?: string }) => thrown.code)))
    expect(codes.filter((code) => code !== 'read').every((code) => code === 'BACKUP_MISSING' || code === 'BACKUP_DAMAGED') && codes.includes('read')).toBe(true)
  })

  it('keeps everything when it is told to stop', async () => {
    await fill()
    const before = files()
    await expect(store.compact(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(files()).toEqual(before)
  })
})

describe('put', () => {
  it('writes a blob again whose bytes a power failure has lost', async () => {
    const hash = await store.put(line(1))
    const [file = ''] = files()
    writeFileSync(file, Buffer.alloc(line(1).length))
    const later = await openBackupStore(data)
    await later.put(line(1))
    expect(Buffer.compare(await later.readBlob(hash), line(1))).toBe(0)
  })
})

describe('upkeep', () => {
  it('waits until nothing goes on, and ends when told', async () => {
    await fill()
    let isIdle = false
    const asked: boolean[] = []
    const upkeep = startUpkeep({ dataFolder: data, store, limits: () => ({ limitBytes: 1e9, maxAgeMs: null }), log: silentLog, isIdle: () => (asked.push(isIdle), isIdle), firstAfterMs: 1, everyMs: 1 })
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    const untouched = files().length
    await upkeep.stop()
    isIdle = true
    const second = startUpkeep({ dataFolder: data, store, limits: () => ({ limitBytes: 1e9, maxAgeMs: null }), log: silentLog, isIdle: () => isIdle, firstAfterMs: 1, everyMs: 1e6 })
    await expect.poll(() => files().length).toBe(1)
    await second.stop()
    expect([untouched, existsSync(data)]).toEqual([9, true])
  })
})
