import { opendir, readlink } from 'node:fs/promises'
import { sep } from 'node:path'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { diskError, systemCode } from '../base/disk-errors.js'
import { lookAt } from '../workspace/look-at.js'

export interface ListedEntry {
  readonly name: string
  /** Whether the name has bytes that are no UTF-8, shown as U+FFFD: it cannot be opened under this name. */
  readonly isNameLossy: boolean
  /** `other` is a device, pipe or socket; `gone` disappeared between listing and looking, or may not be looked at. */
  readonly kind: 'folder' | 'file' | 'link' | 'other' | 'gone'
  /** Of files. */
  readonly sizeBytes: number | null
  /** Of links: what they hold, which need not be there. */
  readonly target: string | null
}

export interface Listing {
  /** Sorted by name; hidden ones and `.git` too. */
  readonly entries: readonly ListedEntry[]
  readonly totalCount: number
  readonly isCut: boolean
  /** One sentence that says what is not shown. */
  readonly cutWhy: string | null
}

export const maxListedEntries = 2000
/** Beyond this many a folder is not read to its end. */
const maxReadEntries = 200_000

/**
 * The entries of one folder, at most 2,000. `name` is how messages call the folder; `isLeftOut` names are not shown.
 * Errors: FOLDER_NOT_FOUND, FILE_UNREADABLE (no folder, or a link to one), PERMISSION_DENIED, CANCELLED.
 */
export async function listDirectory(folder: { readonly absolute: string }, name: string, signal?: AbortSignal, isLeftOut: (entry: string) => boolean = () => false): Promise<Listing> {
  throwIfAborted(signal)
  const names = (await namesIn(folder.absolute, name, signal)).filter((each) => !isLeftOut(each))
  const shown = names.sort().slice(0, maxListedEntries)
  const entries: ListedEntry[] = []
  for (const each of shown) entries.push(await entryOf(folder.absolute, each))
  throwIfAborted(signal)
  const isCut = names.length > shown.length
  const count = `${names.length >= maxReadEntries ? 'more than ' : ''}${names.length.toLocaleString('en')}`
  const cutWhy = `Only the first ${maxListedEntries.toLocaleString('en')} of ${count} entries are shown. Search for names to see the others.`
  return { entries, totalCount: names.length, isCut, cutWhy: isCut ? cutWhy : null }
}

/** The name as it is printed: `/` after folders. */
export function printedName({ name, kind }: ListedEntry): string {
  return kind === 'folder' ? `${name}/` : name
}

async function namesIn(absolute: string, name: string, signal: AbortSignal | undefined): Promise<string[]> {
  try {
    const stats = lookAt(absolute)
    if (!stats) throw new ReviewError('FOLDER_NOT_FOUND', `There is no folder ${name}. List the folder above to see what is there.`)
    if (stats.isSymbolicLink()) throw new ReviewError('FILE_UNREADABLE', `${name} is a link to "${await readlink(absolute)}". List that folder instead.`)
    if (!stats.isDirectory()) throw new ReviewError('FILE_UNREADABLE', `${name} is no folder. Read it as a file, or list the folder it lies in.`)
    const names: string[] = []
    for await (const entry of await opendir(absolute, { bufferSize: 1024 })) {
      names.push(entry.name)
      throwIfAborted(signal)
      if (names.length >= maxReadEntries) break
    }
    return names
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOTDIR') throw new ReviewError('FILE_UNREADABLE', `${name} is no folder. List the folder it lies in.`, { cause: thrown })
    throw diskError(thrown, name)
  }
}

async function entryOf(folder: string, name: string): Promise<ListedEntry> {
  const isNameLossy = name.includes('\ufffd')
  const entry = { name, isNameLossy, sizeBytes: null, target: null }
  try {
    const absolute = folder.endsWith(sep) ? folder + name : folder + sep + name
    const stats = lookAt(absolute)
    if (!stats) return { ...entry, kind: 'gone' }
    if (stats.isDirectory()) return { ...entry, kind: 'folder' }
    if (stats.isSymbolicLink()) return { ...entry, kind: 'link', target: await readlink(absolute) }
    return stats.isFile() ? { ...entry, kind: 'file', sizeBytes: stats.size } : { ...entry, kind: 'other' }
  } catch {
    return { ...entry, kind: 'gone' }
  }
}
