import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import { dataFolderError } from '../base/disk-errors.js'
import { isPack, PackWriter, type PackedBlob } from './backup-pack.js'
import { isRow } from './backup-row.js'
import { keptFiles, totalBytes, youngMs, type KeptFile } from './kept-files.js'

/** What compacting needs of the store. */
export interface CompactParts {
  readonly root: string
  readonly packed: ReadonlyMap<string, PackedBlob>
  /** Checked against the hash. */
  readonly readBlob: (sha256: string, signal?: AbortSignal) => Promise<Uint8Array>
  readonly takeUp: (sealed: ReadonlyMap<string, PackedBlob>) => void
}

/** Gathering makes packs of about this size, and takes up packs below the other. */
const packBytes = 32 * 1024 * 1024
const smallPackBytes = 4 * 1024 * 1024

/**
 * Gathers single blobs, rows and small packs into deflated packs; each source goes only once the new pack is on the disk. Returns the
 * bytes that were saved. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE, CANCELLED; what was gathered until then stays.
 */
export async function compactBlobs({ root, packed, readBlob, takeUp }: CompactParts, signal?: AbortSignal): Promise<number> {
  const before = await keptFiles(root)
  const old = before.filter(({ mtimeMs }) => Date.now() - mtimeMs > youngMs)
  const loose = old.filter(({ name }) => isHash(name))
  const rows = old.filter(({ name }) => isRow(name))
  const small = old.filter(({ name, sizeBytes }) => isPack(name) && !isRow(name) && sizeBytes < smallPackBytes)
  // One small pack by itself has nothing to be gathered with.
  const sources = [...loose, ...rows, ...(small.length > 1 ? small : [])]

  const newPack = (): PackWriter => new PackWriter(join(root, 'packs'), 'well')
  let pack = newPack()
  let taken: KeptFile[] = []
  const seal = async (): Promise<void> => {
    takeUp(await pack.seal())
    for (const { file } of taken) await rm(file, { force: true })
    pack = newPack()
    taken = []
  }
  try {
    for (const source of sources) {
      throwIfAborted(signal)
      const hashes = isHash(source.name) ? [source.name] : [...packed].flatMap(([sha256, blob]) => (blob.file === source.file ? [sha256] : []))
      const blobs = await Promise.all(hashes.map(async (sha256) => [sha256, await readBlob(sha256, signal).catch(() => null)] as const))
      // What is damaged stays as it is, for whoever may still get something out of it.
      if (blobs.some(([, bytes]) => bytes === null)) continue
      for (const [sha256, bytes] of blobs) if (bytes) await pack.add(sha256, bytes)
      taken.push(source)
      if (totalBytes(taken) >= packBytes) await seal()
    }
    await seal()
  } catch (thrown) {
    await pack.discard()
    throw dataFolderError(thrown, 'a backup in it')
  }
  return totalBytes(before) - totalBytes(await keptFiles(root))
}

function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name)
}
