import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Random } from '../testing/random.js'
import { sha256Of } from '../workspace/text-files.js'
import { mostAtOnceBytes } from './backup-row.js'
import { openBackupStore, type BackupStore } from './backup-store.js'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const rounds = Number(process.env['ROUNDS'] ?? 12)

let data = ''
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'row-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const rows = (): string[] => readdirSync(join(data, 'backups/packs')).filter((name) => name.endsWith('.row')).map((name) => join(data, 'backups/packs', name))
const bytesOf = (text: string): Uint8Array => Buffer.from(text)

/** Each text as the store gives it, or the code of the refusal. */
async function readAll(store: BackupStore, texts: readonly string[]): Promise<readonly string[]> {
  const read = async (text: string): Promise<string> => Buffer.from(await store.readBlob(sha256Of(bytesOf(text)))).toString('utf8')
  return Promise.all(texts.map((text) => read(text).catch((thrown: { readonly code?: string }) => thrown.code ?? 'thrown')))
}

describe('a row of backups', () => {
  it('takes all that is put at the same time, and another process that had read it before finds what came later', async () => {
    const [store, other] = [await openBackupStore(data), await openBackupStore(data)]
    await store.put(bytesOf('first'))
    await readAll(other, ['first'])
    const texts = Array.from({ length: 50 }, (_, n) => `text ${n}`)
    await Promise.all(texts.map((text) => store.put(bytesOf(text))))
    expect([rows().length, await readAll(other, ['first', ...texts]), statSync(rows()[0] ?? '').mode & 0o777]).toEqual([1, ['first', ...texts], 0o600])
  })

  it('gives each process its own, and begins another one after a while, and when it is full', async () => {
    const [store, other] = [await openBackupStore(data), await openBackupStore(data)]
    await Promise.all([store.put(bytesOf('a')), other.put(bytesOf('b'))])
    const two = rows().length
    for (let n = 0; n < 9; n++) await store.put(Buffer.alloc(mostAtOnceBytes, n))
    expect([two, rows().length, await readAll(await openBackupStore(data), ['a', 'b'])]).toEqual([2, 3, ['a', 'b']])
  })

  it('loses what was cut off at its end, and nothing before; the next process writes elsewhere', async () => {
    const store = await openBackupStore(data)
    for (const text of ['one', 'two', 'three']) await store.put(bytesOf(text))
    const [file = ''] = rows()
    truncateSync(file, statSync(file).size - 1)
    const later = await openBackupStore(data)
    const cut = await readAll(later, ['one', 'two', 'three'])
    await later.put(bytesOf('three'))
    expect([cut, rows().length, await readAll(later, ['three']), await readAll(await openBackupStore(data), ['one', 'two', 'three'])]).toEqual([
      ['one', 'two', 'BACKUP_MISSING'],
      2,
      ['three'],
      ['one', 'two', 'three'],
    ])
  })

  it('passes over a damaged head, and keeps a damaged blob again when it is put again', async () => {
    const store = await openBackupStore(data)
    for (const text of ['one', 'two', 'three']) await store.put(bytesOf(text))
    const [file = ''] = rows()
    const damaged = readFileSync(file)
    // The head of the second says other bytes, and the third is another text.
    damaged.fill(0xee, damaged.indexOf('two') - 8, damaged.indexOf('two'))
    damaged.write('thxxx', damaged.indexOf('three'))
    writeFileSync(file, damaged)
    const later = await openBackupStore(data)
    const found = await readAll(later, ['one', 'two', 'three'])
    await later.put(bytesOf('three'))
    expect([found, await readAll(later, ['three']), await readAll(store, ['three'])]).toEqual([['one', 'BACKUP_MISSING', 'BACKUP_DAMAGED'], ['three'], ['three']])
  })

  it('survives pruning and compacting by one process while another writes', async () => {
    const [store, other] = [await openBackupStore(data), await openBackupStore(data)]
    for (const text of ['needed', 'free']) await store.put(bytesOf(text))
    await readAll(other, ['needed', 'free'])
    rows().forEach((file) => utimesSync(file, new Date(0), new Date(0)))
    await other.prune(new Set([sha256Of(bytesOf('needed'))]), 0)
    const pruned = await readAll(store, ['needed', 'free'])
    await store.put(bytesOf('later'))
    rows().forEach((file) => utimesSync(file, new Date(0), new Date(0)))
    await other.compact()
    expect([pruned, rows(), await readAll(store, ['needed', 'later']), await readAll(other, ['needed', 'later'])]).toEqual([['needed', 'BACKUP_MISSING'], [], ['needed', 'later'], ['needed', 'later']])
  })
})

describe('a store that several processes use', () => {
  it(`gives back every blob that was kept and is needed, in all of them, after any calls and crashes (SEED=${seed})`, { timeout: 120_000 }, async () => {
    const random = new Random(seed)
    for (let round = 0; round < rounds; round++) {
      const folder = join(data, String(round))
      const hosts = [await openBackupStore(folder), await openBackupStore(folder)]
      const kept = new Map<string, Uint8Array>()
      const host = (): BackupStore => hosts[random.below(hosts.length)] as BackupStore
      const blob = (): Uint8Array => Buffer.from(`${random.below(40)} `.repeat(1 + random.below(random.below(20) === 0 ? 200_000 : 200)))
      const put = async (to: BackupStore): Promise<void> => {
        const bytes = blob()
        kept.set(await to.put(bytes), bytes)
      }
      const pack = async (to: BackupStore): Promise<void> => {
        const batch = to.batch(random.below(2) === 0 ? 'quick' : 'none')
        const blobs = Array.from({ length: random.below(6) }, blob)
        for (const bytes of blobs) await batch.add(sha256Of(bytes), bytes)
        if (random.below(6) === 0) return batch.discard()
        await batch.seal()
        for (const bytes of blobs) kept.set(sha256Of(bytes), bytes)
      }
      const age = (): void => {
        for (const name of ['packs', 'blobs']) for (const each of readdirSync(join(folder, 'backups', name))) utimesSync(join(folder, 'backups', name, each), new Date(0), new Date(0))
      }
      for (let step = 0; step < 30; step++) {
        const what = random.below(10)
        if (what < 4) await Promise.all(Array.from({ length: 1 + random.below(5) }, () => put(host())))
        else if (what < 7) await Promise.all([pack(host()), put(host())])
        else if (what === 7) hosts[random.below(hosts.length)] = await openBackupStore(folder)
        else if (what === 8) {
          // What nobody wrote to for an hour, the writers have left.
          age()
          hosts.splice(0, 2, await openBackupStore(folder), await openBackupStore(folder))
          for (const hash of kept.keys()) if (random.below(4) === 0) kept.delete(hash)
          await host().prune(new Set(kept.keys()), random.below(2) === 0 ? 0 : 100_000)
        } else {
          age()
          hosts.splice(0, 2, await openBackupStore(folder), await openBackupStore(folder))
          await host().compact()
        }
      }
      for (const store of [...hosts, await openBackupStore(folder)]) {
        for (const [hash, bytes] of kept) expect(Buffer.compare(await store.readBlob(hash), bytes)).toBe(0)
      }
    }
  })
})
