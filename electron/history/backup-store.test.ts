import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256Of } from '../workspace/text-files.js'
import { mostAtOnceBytes } from './backup-row.js'
import { backupNameOf, openBackupStore, parseBackupName, storedContent, type BackupStore } from './backup-store.js'

let data = ''
let store: BackupStore
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'store-'))
  store = await openBackupStore(data)
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8')
const text = (got: Uint8Array): string => Buffer.from(got).toString('utf8')
/** Too large for a row, so that it gets a file of its own. */
const large = (start: string): Uint8Array => bytes(start.padEnd(mostAtOnceBytes + 1, '.'))

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
}

const files = (): string[] => filesBelow(join(data, 'backups'))

async function keep(...blobs: Uint8Array[]): Promise<void> {
  const batch = store.batch()
  for (const each of blobs) await batch.add(sha256Of(each), each)
  await batch.seal()
}

/** Texts in a pack, which they would be too small for by themselves. */
async function pack(...texts: string[]): Promise<void> {
  await keep(...texts.map(bytes), large('so that it is many'))
}

function age(file: string): void {
  utimesSync(file, new Date(0), new Date(0))
}

describe('openBackupStore', () => {
  it('keeps equal bytes once, for this user only, and gives them back', async () => {
    const hash = await store.put(bytes('one'))
    await store.put(bytes('one'))
    await keep(bytes('one'))
    expect([hash, text(await store.readBlob(hash)), files().length, statSync(files()[0] ?? '').mode & 0o777]).toEqual([sha256Of(bytes('one')), 'one', 1, 0o600])
  })

  it('keeps many blobs in one file, and finds them after a restart and from another process', async () => {
    const other = await openBackupStore(data)
    await pack('one', 'two', 'one', '')
    const again = await openBackupStore(data)
    const read = await Promise.all([store, other, again].map(async (each) => text(await each.readBlob(sha256Of(bytes('two'))))))
    expect([read, files().length, await again.has(sha256Of(bytes('')))]).toEqual([['two', 'two', 'two'], 1, true])
  })

  it('counts nothing of a batch that was not sealed, and leaves nothing of a discarded one', async () => {
    const batch = store.batch()
    await batch.add(sha256Of(bytes('one')), bytes('one'))
    const before = await store.has(sha256Of(bytes('one')))
    await batch.discard()
    expect([before, await store.has(sha256Of(bytes('one'))), files()]).toEqual([false, false, []])
  })

  it('streams a batch that is larger than what it gathers', async () => {
    const texts = [...Array(9).keys()].map((n) => String(n).repeat(1_000_000))
    await pack(...texts)
    const again = await openBackupStore(data)
    expect(await Promise.all(texts.map(async (each) => text(await again.readBlob(sha256Of(bytes(each)))) === each))).toEqual(texts.map(() => true))
  })

  it('says damaged for changed bytes and missing for gone ones; never other bytes', async () => {
    const hash = await store.put(bytes('one'))
    const [file = ''] = files()
    writeFileSync(file, 'two')
    await expect(store.readBlob(hash)).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' })
    expect((await store.read(hash)).kind).toBe('damaged')
    rmSync(file)
    await expect(store.readBlob(hash)).rejects.toMatchObject({ code: 'BACKUP_MISSING' })
    expect((await store.read(hash)).kind).toBe('missing')
  })

  it('writes a blob again whose file was cut short', async () => {
    const hash = await store.put(bytes('one'))
    truncateSync(files()[0] ?? '', 1)
    await store.put(bytes('one'))
    expect(text(await store.readBlob(hash))).toBe('one')
  })

  it('says damaged for a changed pack, and takes a cut one as not there', async () => {
    await pack('one', 'two')
    const [file = ''] = files()
    const whole = readFileSync(file)
    writeFileSync(file, Buffer.concat([Buffer.from('X'), whole.subarray(1)]))
    expect([(await store.read(sha256Of(bytes('one')))).kind, (await store.read(sha256Of(bytes('two')))).kind]).toEqual(['damaged', 'bytes'])
    truncateSync(file, whole.length - 3)
    expect((await (await openBackupStore(data)).read(sha256Of(bytes('two')))).kind).toBe('missing')
  })

  it('reads by name: mode and links lie in the name', async () => {
    const [file, link] = [await store.put(bytes('one')), await store.put(bytes('../target'))]
    expect([
      await store.read(backupNameOf(file, { mode: 0o755 })),
      await store.read(backupNameOf(file, { mode: null })),
      await store.read(backupNameOf(link, 'link')),
      await store.sizeOf(backupNameOf(file, { mode: 0o600 })),
    ]).toEqual([
      { kind: 'bytes', bytes: bytes('one'), mode: 0o755 },
      { kind: 'bytes', bytes: bytes('one'), mode: null },
      { kind: 'link', target: '../target' },
      3,
    ])
  })

  it('takes no name for a path', async () => {
    writeFileSync(join(data, 'secret'), 'secret')
    const names = ['../secret', '/etc/passwd', '', 'x', `${'a'.repeat(64)}@999`, `${'a'.repeat(64)}/x`, `${'A'.repeat(64)}`]
    expect(await Promise.all(names.map(async (name) => [(await store.read(name)).kind, await store.sizeOf(name), parseBackupName(name)]))).toEqual(
      names.map(() => ['missing', null, null]),
    )
  })

  it('gives the bytes of a state that is a file, and none for others', async () => {
    const hash = await store.put(bytes('one'))
    const content = storedContent(store, { kind: 'file', sha256: hash, sizeBytes: 3, mode: null })
    expect(text(await content.read())).toBe('one')
    await expect(storedContent(store, { kind: 'absent' }).read()).rejects.toMatchObject({ code: 'CONTENT_UNKNOWN' })
  })

  it('says that the disk is full or read-only rather than keeping a part', async () => {
    rmSync(join(data, 'backups/aside'), { recursive: true })
    rmSync(join(data, 'backups/packs'), { recursive: true })
    for (const each of [bytes('one'), large('two')]) await expect(store.put(each)).rejects.toMatchObject({ name: 'ReviewError' })
    expect(files()).toEqual([])
  })
})

describe('prune', () => {
  it('does nothing below the limit', async () => {
    await store.put(bytes('one'))
    age(files()[0] ?? '')
    expect([await store.prune(new Set(), 1_000), files().length]).toEqual([0, 1])
  })

  it('removes old blobs that nothing needs, never a needed one, never a young one', async () => {
    const [needed, free, young] = [await store.put(large('needed')), await store.put(large('free')), await store.put(large('young'))]
    await pack('packed and needed', 'packed')
    await pack('packed and free')
    for (const file of files()) if (!file.endsWith(young)) age(file)
    await store.prune(new Set([needed, sha256Of(bytes('packed and needed'))]), 0)
    const left = await Promise.all([needed, free, young, ...['packed and needed', 'packed', 'packed and free'].map((each) => sha256Of(bytes(each)))].map((hash) => store.has(hash)))
    expect([left, await store.sizeBytes() > 0]).toEqual([[true, false, true, true, false, false], true])
  })

  it('takes a pack apart that is needed in part, while another process reads from it', async () => {
    await pack('packed and needed', 'x'.repeat(10_000))
    const other = await openBackupStore(data)
    await other.readBlob(sha256Of(bytes('packed and needed')))
    for (const file of files()) age(file)
    const freed = await store.prune(new Set([sha256Of(bytes('packed and needed'))]), 0)
    const read = await Promise.all([store, other].map(async (each) => text(await each.readBlob(sha256Of(bytes('packed and needed'))))))
    expect([freed > 200_000, read, files().length]).toEqual([true, ['packed and needed', 'packed and needed'], 1])
  })

  it('stops as soon as the limit is met, oldest first', async () => {
    const hashes = [await store.put(large('a')), await store.put(large('b')), await store.put(large('c'))]
    hashes.forEach((hash, at) => {
      const file = files().find((each) => each.endsWith(hash)) ?? ''
      utimesSync(file, new Date(1_000 * (3 - at)), new Date(1_000 * (3 - at)))
    })
    const freed = await store.prune(new Set(), 1.5 * large('').length)
    expect([freed, await Promise.all(hashes.map((hash) => store.has(hash)))]).toEqual([2 * large('').length, [true, false, false]])
  })

  it('leaves a blob that was put again a moment ago', async () => {
    const hash = await store.put(bytes('one'))
    age(files()[0] ?? '')
    await store.put(bytes('one'))
    await store.prune(new Set(), 0)
    expect(await store.has(hash)).toBe(true)
  })

  it('removes what a crash left of a pack', async () => {
    const leftover = join(data, 'backups/packs/x.pack')
    writeFileSync(leftover, 'half a pack')
    age(leftover)
    await store.prune(new Set(), 0)
    expect(existsSync(leftover)).toBe(false)
  })
})
