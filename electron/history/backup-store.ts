import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { makeDataFolder, removeUnfinished } from '../base/data-files.js'
import { dataFolderError, isMissing } from '../base/disk-errors.js'
import { readAll, readOnlyFile, syncData, syncFolder, writeAll } from '../base/file-bytes.js'
import { sha256Of } from '../workspace/text-files.js'
import { compactBlobs } from './backup-compact.js'
import { keptFiles, totalBytes, youngMs } from './kept-files.js'
import { isPack, listPacks, PackWriter, readPacked, readPackIndex, touch, type Deflating, type PackedBlob } from './backup-pack.js'
import { BackupRow, isRow, mostAtOnceBytes, rowHeadBytes } from './backup-row.js'
import type { BackupContent, BackupSource } from './backup-source.js'
import type { KnownContent } from './content.js'

/** Blobs that become durable together; until `seal` resolves, none of them counts. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE. */
export interface BackupBatch {
  /** Whether a blob is in the store, or in this batch, already. */
  has(sha256: string, sizeBytes: number): Promise<boolean>
  /** Adds bytes under their hash, which the caller has computed from these very bytes. */
  add(sha256: string, bytes: Uint8Array): Promise<void>
  seal(): Promise<void>
  /** Throws away what was added and not sealed. */
  discard(): Promise<void>
}

/**
 * Bytes of files by their SHA-256, in our data folder. Equal bytes are kept once; a blob is added to a row, or written aside,
 * synced and renamed, and never changed. Permission bits and links lie in the backup's name (`backupNameOf`), not in the blob.
 */
export interface BackupStore extends BackupSource {
  /** Keeps bytes; on the disk when it resolves. Returns their hash, computed unless told. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE. */
  put(bytes: Uint8Array, sha256?: string): Promise<string>
  /** Many blobs at the price of one sync; `quick` takes a little time for a third of the space. */
  batch(deflating?: Deflating): BackupBatch
  has(sha256: string): Promise<boolean>
  /**
   * Bytes by hash, checked against it.
   * Errors: BACKUP_MISSING, BACKUP_DAMAGED.
   */
  readBlob(sha256: string, signal?: AbortSignal): Promise<Uint8Array>
  /** Bytes on the disk, all in all. */
  sizeBytes(): Promise<number>
  /**
   * Removes blobs that `needed` does not name, oldest files first, until at most `limitBytes` are left; none younger than an
   * hour, since another process may be about to name it. Returns the bytes that were freed.
   */
  prune(needed: ReadonlySet<string>, limitBytes: number): Promise<number>
  /**
   * Gathers single files and small packs that are older than an hour into deflated packs, while nothing else goes on. Every blob can
   * be read all the time, by all processes. Returns the bytes that were saved. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE, CANCELLED.
   */
  compact(signal?: AbortSignal): Promise<number>
}

/** Name of a backup: the hash, and what the bytes do not tell: `<sha256>@644`, `<sha256>@link`, or `<sha256>` alone. */
export function backupNameOf(sha256: string, rest: { readonly mode: number | null } | 'link'): string {
  if (rest === 'link') return `${sha256}@link`
  return rest.mode === null ? sha256 : `${sha256}@${rest.mode.toString(8)}`
}

/** The inverse; `null` for any other text, so that a name from a log never becomes a path. */
export function parseBackupName(name: string): { readonly sha256: string; readonly rest: { readonly mode: number | null } | 'link' } | null {
  const match = /^([0-9a-f]{64})(?:@(link|[0-7]{1,3}))?$/.exec(name)
  if (!match?.[1]) return null
  if (match[2] === 'link') return { sha256: match[1], rest: 'link' }
  return { sha256: match[1], rest: { mode: match[2] === undefined ? null : parseInt(match[2], 8) } }
}

/** A state whose bytes, if it has any, are ours to give. */
export function storedContent(store: BackupStore, state: FileState): KnownContent {
  return {
    state,
    read: (signal) => {
      if (state.kind !== 'file') return Promise.reject(new ReviewError('CONTENT_UNKNOWN', 'There are no bytes of this file at that moment.'))
      return store.readBlob(state.sha256, signal)
    },
  }
}

/** Opens (and makes) the store in `<data folder>/backups`. */
export async function openBackupStore(dataFolder: string): Promise<BackupStore> {
  const root = join(dataFolder, 'backups')
  const aside = join(root, 'aside')
  const packs = join(root, 'packs')
  for (const folder of [join(root, 'blobs'), aside, packs]) makeDataFolder(folder)
  const blobs = join(root, 'blobs')
  const blobFile = (sha256: string): string => `${blobs}${sep}${sha256}`
  const packed = new Map<string, PackedBlob>()
  /** Packs and rows with the sizes up to which they were read. */
  const knownPacks = new Map<string, number>()
  let row = new BackupRow(packs)

  let loading: Promise<void> = Promise.resolve()

  /** Reads the indexes of packs that another process, or an earlier run, has made; calls at the same time wait for each other. */
  const loadPacks = (): Promise<void> => (loading = loading.catch(() => undefined).then(readNewPacks))

  const readNewPacks = async (): Promise<void> => {
    for (const file of await listPacks(packs).catch(() => [])) {
      const known = knownPacks.get(file)
      // A pack never changes; a row of another process may have grown, and what is new in our own may not be on the disk yet.
      if ((known !== undefined && !isRow(file)) || row.isWriting(file)) continue
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (known === size) continue
      const index = await readPackIndex(file).catch(() => null)
      for (const [sha256, blob] of index ?? []) packed.set(sha256, blob)
      knownPacks.set(file, size)
    }
  }

  const forgetPack = (file: string): void => {
    for (const [sha256, blob] of packed) if (blob.file === file) packed.delete(sha256)
  }

  const findPacked = async (sha256: string): Promise<PackedBlob | null> => {
    const found = packed.get(sha256)
    if (found && existsSync(found.file)) return found
    // Another process may have put the rest of a pack into a new one.
    if (found) forgetPack(found.file)
    await loadPacks()
    return packed.get(sha256) ?? null
  }

  /** The newest place of a blob, by what all packs say now. */
  const findAnew = async (sha256: string): Promise<PackedBlob | null> => {
    const before = packed.get(sha256)
    packed.delete(sha256)
    knownPacks.clear()
    await loadPacks()
    const found = packed.get(sha256)
    if (!found && before) packed.set(sha256, before)
    return found ?? null
  }

  let loaded: Promise<void> | null = null
  /** Blobs that this process has written, or read again and found sound. */
  const sound = new Set<string>()

  /** A power failure may have left a name whose bytes never reached the disk; what is found so is written again. */
  const isSound = async (sha256: string): Promise<boolean> => {
    if (sound.has(sha256)) return true
    const isGood = await readBlob(sha256).then(
      () => true,
      () => false,
    )
    if (isGood) sound.add(sha256)
    return isGood
  }

  /** Whether a blob is here already; its file is then marked as in use, so that no other process prunes it. */
  const isKept = async (sha256: string, sizeBytes: number): Promise<boolean> => {
    try {
      await (loaded ??= loadPacks())
    } catch (thrown) {
      // The folder may be readable again for the next one.
      loaded = null
      throw thrown
    }
    const loose = statSync(blobFile(sha256), { throwIfNoEntry: false })
    const blob = loose?.size === sizeBytes ? null : packed.get(sha256)
    const stats = blob ? statSync(blob.file, { throwIfNoEntry: false }) : loose
    const isCut = !stats || (blob ? stats.size < blob.offset + blob.storedBytes : stats.size !== sizeBytes)
    if (isCut || !(await isSound(sha256))) return false
    if (Date.now() - stats.mtimeMs < youngMs / 2) return true
    return touch(blob?.file ?? blobFile(sha256)).then(
      () => true,
      () => false,
    )
  }

  /** The blobs of a pack or row that this process has written. */
  const place = (sealed: ReadonlyMap<string, PackedBlob>): void => {
    for (const [sha256, blob] of sealed) {
      packed.set(sha256, blob)
      if (!isRow(blob.file)) knownPacks.set(blob.file, 0)
    }
  }

  /** The same, of bytes that were checked. */
  const takeUp = (sealed: ReadonlyMap<string, PackedBlob>): void => {
    place(sealed)
    for (const sha256 of sealed.keys()) sound.add(sha256)
  }

  const put = async (bytes: Uint8Array, sha256 = sha256Of(bytes)): Promise<string> => {
    if (await isKept(sha256, bytes.length).catch(failed)) return sha256
    if (bytes.length <= mostAtOnceBytes) {
      takeUp(await row.append([{ sha256, stored: bytes, sizeBytes: null }]).catch(failed))
      return sha256
    }
    const temporary = join(aside, randomBytes(8).toString('hex'))
    const file = blobFile(sha256)
    let handle: number | null = null
    let isNamed = false
    try {
      handle = openSync(temporary, 'wx', 0o600)
      await writeAll(handle, bytes)
      renameSync(temporary, file)
      isNamed = true
      // Both at once: the disk makes one commit of them.
      await Promise.all([syncData(handle), syncFolder(blobs)])
      sound.add(sha256)
      return sha256
    } catch (thrown) {
      removeUnfinished(isNamed ? file : temporary)
      failed(thrown)
    } finally {
      if (handle !== null) closeSync(handle)
    }
  }

  const readLoose = async (sha256: string): Promise<Uint8Array | null> => {
    try {
      return (await readAll(blobFile(sha256), readOnlyFile)).bytes
    } catch (thrown) {
      if (isMissing(thrown)) return null
      throw new ReviewError('BACKUP_DAMAGED', 'The backup cannot be read.', { cause: thrown })
    }
  }

  const readPlaced = async (blob: PackedBlob | null): Promise<Uint8Array | null> => blob && (await readPacked(blob).catch(() => null))

  const readBlob = async (sha256: string, signal?: AbortSignal): Promise<Uint8Array> => {
    throwIfAborted(signal)
    const isWhole = (bytes: Uint8Array | null): bytes is Uint8Array => bytes !== null && sha256Of(bytes) === sha256
    const known = packed.has(sha256) ? await readPlaced(await findPacked(sha256)) : null
    if (isWhole(known)) return known
    const loose = await readLoose(sha256)
    if (isWhole(loose)) return loose
    const found = known ?? (await readPlaced(await findPacked(sha256)))
    if (isWhole(found)) return found
    if (!loose && !found) throw new ReviewError('BACKUP_MISSING', 'The backup is no longer in the store.')
    // A blob that was found damaged when it was kept again lies in two places.
    const other = await readPlaced(await findAnew(sha256))
    if (isWhole(other)) return other
    throw new ReviewError('BACKUP_DAMAGED', 'The backup does not match its hash. The disk may be failing.')
  }

  /** Makes the blobs of a batch durable: few of them in the row, many in a pack. */
  const seal = async (pack: PackWriter): Promise<ReadonlyMap<string, PackedBlob>> => {
    const few = pack.takeFew(mostAtOnceBytes)
    if (!few) return pack.seal()
    return few.length > 0 ? row.append(few) : new Map<string, PackedBlob>()
  }

  /** Keeps the blobs that stay elsewhere; returns what they take there. */
  const repack = async (blobs: readonly (readonly [string, PackedBlob])[]): Promise<number> => {
    const pack = new PackWriter(packs)
    for (const [sha256, blob] of blobs) await pack.add(sha256, await readPacked(blob))
    const sealed = await seal(pack)
    place(sealed)
    const [first] = sealed.values()
    if (!first) return 0
    return isRow(first.file) ? [...sealed.values()].reduce((sum, { storedBytes }) => sum + rowHeadBytes + storedBytes, 0) : statSync(first.file).size
  }

  return {
    put,
    readBlob,
    has: async (sha256) => (await stat(blobFile(sha256)).catch(() => null)) !== null || (await findPacked(sha256)) !== null,
    batch: (deflating) => {
      const pack = new PackWriter(packs, deflating)
      const has = async (sha256: string, sizeBytes: number): Promise<boolean> => pack.has(sha256) || isKept(sha256, sizeBytes).catch(failed)
      return {
        has,
        add: async (sha256, bytes) => {
          if (!(await has(sha256, bytes.length))) await pack.add(sha256, bytes).catch(failed)
        },
        seal: async () => takeUp(await seal(pack).catch(failed)),
        discard: () => pack.discard(),
      }
    },
    read: async (name, signal): Promise<BackupContent> => {
      const parsed = parseBackupName(name)
      if (!parsed) return { kind: 'missing' }
      try {
        const bytes = await readBlob(parsed.sha256, signal)
        if (parsed.rest === 'link') return { kind: 'link', target: Buffer.from(bytes).toString('utf8') }
        return { kind: 'bytes', bytes, mode: parsed.rest.mode }
      } catch (thrown) {
        if (!(thrown instanceof ReviewError) || thrown.code === 'CANCELLED') throw thrown
        return thrown.code === 'BACKUP_MISSING' ? { kind: 'missing' } : { kind: 'damaged', reason: thrown.message }
      }
    },
    sizeOf: async (name) => {
      const sha256 = parseBackupName(name)?.sha256
      if (sha256 === undefined) return null
      const loose = await stat(blobFile(sha256)).catch(() => null)
      return loose?.size ?? (await findPacked(sha256))?.sizeBytes ?? null
    },
    sizeBytes: async () => totalBytes(await keptFiles(root)),
    compact: async (signal) => {
      row = new BackupRow(packs)
      await loadPacks()
      return compactBlobs({ root, packed, readBlob, takeUp }, signal)
    },
    prune: async (needed, limitBytes) => {
      // What is kept from now on goes into no file that is about to be taken away.
      row = new BackupRow(packs)
      await loadPacks()
      const kept = await keptFiles(root)
      const before = totalBytes(kept)
      let left = before
      const oldest = kept.filter((each) => Date.now() - each.mtimeMs > youngMs).sort((a, b) => a.mtimeMs - b.mtimeMs)
      for (const each of oldest) {
        if (left <= limitBytes) break
        const holds = isPack(each.name) ? [...packed].filter(([, blob]) => blob.file === each.file) : []
        const wanted = isPack(each.name) ? holds.filter(([sha256]) => needed.has(sha256)) : []
        if (needed.has(each.name) || (wanted.length > 0 && wanted.length === holds.length)) continue
        left += (await repack(wanted)) - each.sizeBytes
        await rm(each.file, { force: true })
        for (const [sha256] of holds) if (packed.get(sha256)?.file === each.file) packed.delete(sha256)
      }
      return before - left
    },
  }
}

function failed(thrown: unknown): never {
  throw dataFolderError(thrown, 'a backup in it')
}
