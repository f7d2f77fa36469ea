import { lstatSync, readdir, readdirSync, type BigIntStats } from 'node:fs'
import { sep } from 'node:path'
import { promisify } from 'node:util'
import { throwIfAborted } from '../../shared/errors.js'
import { isMissing } from '../base/disk-errors.js'
import { isGitName } from '../workspace/workspace.js'
import type { FileTable, Folder } from './file-table.js'
import type { Tracked } from './git-repository.js'
import type { IgnoreRules } from './ignore-rules.js'
import type { Pace } from './pace.js'
import type { TreeWatch } from './tree-watch.js'

const readdirLater = promisify(readdir)
/** A folder whose own size is at most this has a few thousand names, and is read in place. */
const inPlaceBytes = 65_536n

/** So many names are asked about at once: a question for each folder would start too many programs, one for all hold up other work. */
const askedAtOnce = 4096

/** A name that is not as the table has it. */
export interface Difference {
  readonly folder: Folder
  readonly name: string
  /** The table's row, where it has one. */
  readonly row: number | null
  /** What is there now; `null` for nothing that could be followed. */
  readonly stats: BigIntStats | null
  /** Whether a name that is new to the table may have been there all the time. */
  readonly wasUnseen: boolean
}

export interface LookParts {
  readonly root: string
  readonly table: FileTable
  readonly rules: IgnoreRules
  readonly watch: TreeWatch
  readonly pace: Pace
  /** Our own folder, wherever it lies. */
  readonly dataFolder: string
  readonly maxFiles: number
  readonly unseen: Unseen
}

/** What stays out of sight, over all looks. */
export interface Unseen {
  readonly unreadable: Set<Folder>
  readonly ignoredFolders: Set<string>
  /** Names that are no Unicode text, by which no file can be reached. */
  readonly unnameable: Set<string>
  isFull: boolean
}

export interface LookRequest {
  /** Names to look at, or every folder. */
  readonly at: ReadonlyMap<Folder, ReadonlySet<string>> | 'all'
  /** Whether to ask again about names that were ignored at the last look. */
  readonly isAskingAgain: boolean
  /** What git tracks is followed although it is ignored; told at the first look only, since what is followed stays so. */
  readonly tracked: Tracked | null
  /** Called for each difference, once. The table's files are left to it; its folders come at once and go by `gone`. */
  readonly see: (difference: Difference) => void
  readonly signal?: AbortSignal
}

/** Folders of the table that are no more, to be removed once their files have been dealt with. */
export interface Look {
  readonly gone: ReadonlySet<Folder>
}

interface Unasked {
  readonly folder: Folder
  readonly name: string
  readonly isFolder: boolean
  readonly wasUnseen: boolean
}

/**
 * Compares the disk with the table. Ignored folders and whatever git keeps are not entered. Each folder is watched before it is read,
 * so that nothing can happen in between unnoticed. Runs in short slices.
 * Errors: CANCELLED.
 */
export async function lookAtTree(parts: LookParts, request: LookRequest): Promise<Look> {
  const { root, table, rules, watch, pace, unseen } = parts
  const { see, signal, tracked, isAskingAgain } = request
  const gone = new Set<Folder>()
  const entered = new Set<Folder>()
  let level: Folder[] = []
  let unasked: Unasked[] = []
  const absoluteOf = (path: string): string => (path === '' ? root : root + sep + path)

  const seeGone = (folder: Folder): void => {
    if (gone.has(folder)) return
    gone.add(folder)
    for (const [name, row] of folder.files) see({ folder, name, row, stats: null, wasUnseen: false })
    for (const each of folder.folders.values()) seeGone(each)
  }

  const visit = (folder: Folder, name: string, isHinted: boolean): void => {
    if (isGitName(name)) return
    const absolute = absoluteOf(folder.pathOf(name))
    if (absolute === parts.dataFolder) return
    const stats = statsOf(absolute)
    if (!stats && name.includes('\ufffd')) unseen.unnameable.add(folder.pathOf(name))
    const row = folder.files.get(name) ?? null
    const known = folder.folders.get(name)
    if (stats?.isDirectory()) {
      if (row !== null) see({ folder, name, row, stats: null, wasUnseen: false })
      if (!known) return tracked?.folders.has(folder.pathOf(name)) ? addFolder(folder, name, stats, isPartly(folder, name)) : ask(folder, name, true)
      // A hint at the folder itself may mean that another one stands in its place, of which the old watch knows nothing.
      if (isHinted || known.inode !== stats.ino) watch.unwatch(known)
      known.inode = stats.ino
      if (isHinted) level.push(known)
      return
    }
    if (known) seeGone(known)
    if (row !== null) {
      if (!stats || !table.isSame(row, stats)) see({ folder, name, row, stats, wasUnseen: false })
    } else if (!stats) {
      folder.ignored?.delete(name)
      unseen.ignoredFolders.delete(folder.pathOf(name))
    } else if (stats.isFile() || stats.isSymbolicLink()) {
      if (tracked?.hasFile(folder.pathOf(name))) follow(folder, name, stats, isPartly(folder, name))
      else ask(folder, name, false)
    }
  }

  const ask = (folder: Folder, name: string, isFolder: boolean): void => {
    if (folder.ignored?.has(name) && !isAskingAgain) return
    unasked.push({ folder, name, isFolder, wasUnseen: isPartly(folder, name) })
  }

  /** Whether a name that is new to the table may have been there all the time. */
  const isPartly = (folder: Folder, name: string): boolean => folder.isPartial || unseen.isFull || folder.ignored?.has(name) === true

  const addFolder = (folder: Folder, name: string, stats: BigIntStats, wasUnseen: boolean): void => {
    const added = table.addFolder(folder, name, stats.ino)
    added.isPartial = wasUnseen
    if (!wasUnseen) table.newFolders.push(added)
    unseen.ignoredFolders.delete(folder.pathOf(name))
    level.push(added)
  }

  const hearAnswers = async (): Promise<void> => {
    const asked = unasked
    unasked = []
    const ignored = await rules.ignored(asked.map(({ folder, name, isFolder }) => ({ path: folder.pathOf(name), isFolder })), signal)
    for (const { folder, name, isFolder, wasUnseen } of asked) {
      await pace()
      const path = folder.pathOf(name)
      if (ignored.has(path)) {
        folder.ignored ??= new Set()
        folder.ignored.add(name)
        if (isFolder) unseen.ignoredFolders.add(path)
        continue
      }
      const stats = statsIfAny(absoluteOf(path))
      if (!stats || stats.isDirectory() !== isFolder) {
        // It went or turned into something else meanwhile, of which the next look is told.
        watch.hint(folder, name)
        continue
      }
      folder.ignored?.delete(name)
      if (!isFolder) follow(folder, name, stats, wasUnseen)
      else if (!folder.folders.has(name)) addFolder(folder, name, stats, wasUnseen)
    }
  }

  let added = 0
  const follow = (folder: Folder, name: string, stats: BigIntStats, wasUnseen: boolean): void => {
    if (table.count + added >= parts.maxFiles) unseen.isFull = true
    else see({ folder, name, row: null, stats, wasUnseen })
    if (!folder.files.has(name)) added++
  }

  /** The next look is told of what happened since this one has begun. */
  const goneMeanwhile = (folder: Folder): void => {
    if (folder.parent) watch.hint(folder.parent, folder.name)
  }

  const real = new Map<Folder, boolean>([[table.root, true]])
  /** Whether a folder still is one, and all above it: names must not be looked at through a link that took its place. */
  const isReal = (folder: Folder): boolean => {
    let answer = real.get(folder)
    if (answer !== undefined) return answer
    answer = folder.parent !== null && isReal(folder.parent) && statsIfAny(absoluteOf(folder.path))?.isDirectory() === true
    real.set(folder, answer)
    return answer
  }

  const enter = async (folder: Folder): Promise<void> => {
    if (entered.has(folder) || gone.has(folder)) return
    entered.add(folder)
    unseen.unreadable.delete(folder)
    const absolute = absoluteOf(folder.path)
    let names: readonly string[]
    try {
      const stats = statsOf(absolute)
      if (!stats?.isDirectory()) return goneMeanwhile(folder)
      watch.watch(folder, absolute, stats.dev)
      names = stats.size <= inPlaceBytes ? readdirSync(absolute) : await readdirLater(absolute)
    } catch (thrown) {
      if (isMissing(thrown)) return goneMeanwhile(folder)
      folder.isPartial = true
      unseen.unreadable.add(folder)
      return
    }
    for (const name of names) {
      await pace()
      visitSafely(folder, name, false)
    }
    const present = new Set(names)
    for (const [name, row] of folder.files) if (!present.has(name)) see({ folder, name, row, stats: null, wasUnseen: false })
    for (const name of folder.ignored ?? []) if (!present.has(name)) folder.ignored?.delete(name)
    for (const each of folder.folders.values()) {
      if (present.has(each.name)) level.push(each)
      else seeGone(each)
    }
    if (!unseen.unreadable.has(folder)) folder.isPartial = false
  }

  const visitSafely = (folder: Folder, name: string, isHinted: boolean): void => {
    try {
      visit(folder, name, isHinted)
    } catch {
      folder.isPartial = true
      unseen.unreadable.add(folder)
    }
  }

  if (request.at === 'all') {
    unseen.unnameable.clear()
    level.push(table.root)
  } else {
    for (const [folder, names] of request.at) {
      if (!folder.isBelow(table.root)) continue
      if (!isReal(folder)) {
        goneMeanwhile(folder)
        continue
      }
      for (const name of names) {
        await pace()
        visitSafely(folder, name, true)
      }
    }
  }
  for (;;) {
    throwIfAborted(signal)
    await hearAnswers()
    if (level.length === 0) return { gone }
    const folders = level
    level = []
    for (const folder of folders) {
      throwIfAborted(signal)
      await enter(folder)
      if (unasked.length >= askedAtOnce) await hearAnswers()
    }
  }
}

/** What lies at a path, the link itself for a link, with times to the nanosecond; `null` for nothing. Errors: those of the system. */
export function statsOf(absolute: string): BigIntStats | null {
  try {
    return lstatSync(absolute, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
}

function statsIfAny(absolute: string): BigIntStats | null {
  try {
    return statsOf(absolute)
  } catch {
    return null
  }
}
