import { join } from 'node:path'
import type { FileState } from '../../shared/file-state.js'
import { stepMsOf, type Folder } from './file-table.js'
import { lookAtTree, statsOf, type Difference, type LookParts } from './tree-look.js'
import type { Hints } from './tree-watch.js'

/** Where to look for changes. */
export interface Where {
  readonly hints: Hints
  readonly isEverywhere: boolean
}

/** What a look for changes found. */
export interface Found {
  readonly differences: readonly Difference[]
  /** Came into sight, and has not changed since the last `settle`. */
  readonly newlyFollowed: readonly Difference[]
  /** Folders that went, whose files are among the differences. */
  readonly gone: ReadonlySet<Folder>
}

/** Finds the names that are not as the table has them, in any number of looks until they are taken as seen. */
export class ChangedNames {
  /** Names new to the table that may have been there before: of looks whose finds were not taken yet, too. */
  readonly #unseen = new Set<string>()

  constructor(private readonly parts: LookParts) {}

  /**
   * Looks where the hints say and at what we wrote, or after that at everything. `since` is when the last `settle` began.
   * Errors: CANCELLED.
   */
  async find(where: Where, written: ReadonlyMap<string, FileState>, since: number, signal?: AbortSignal): Promise<Found> {
    const found = new Map<Folder, Map<string, Difference>>()
    const gone = new Set<Folder>()
    let hasNewRules = false
    const see = (difference: Difference): void => {
      const { folder, name } = difference
      if (name === '.gitignore') hasNewRules = true
      this.#remember(difference)
      const names = found.get(folder)
      if (names) names.set(name, difference)
      else found.set(folder, new Map([[name, difference]]))
    }
    const look = async (at: ReadonlyMap<Folder, ReadonlySet<string>> | 'all', isAskingAgain: boolean): Promise<void> => {
      for (const folder of (await lookAtTree(this.parts, { at, isAskingAgain, tracked: null, see, signal })).gone) gone.add(folder)
    }
    // Hints come first in any case: they alone tell of a folder in whose place another one stands, to be watched anew.
    if (where.hints.kind === 'names') await look(this.#placesOf(where.hints.names, written.keys()), false)
    if (where.isEverywhere) await look('all', false)
    for (const [path, state] of written) {
      const { folder, rest } = this.#reached(path)
      const name = rest.join('/')
      // No look has seen it, so none can miss it.
      const isUnmet = !folder.files.has(name) && !found.get(folder)?.has(name)
      if (isUnmet && (state.kind === 'file' || state.kind === 'link') && this.#isGone(folder, rest)) see({ folder, name, row: null, stats: null, wasUnseen: false })
    }
    // What a rule has hidden until now lies anywhere.
    if (hasNewRules) await look('all', true)
    return { gone, ...this.#sortOut([...found.values()].flatMap((names) => [...names.values()]), since) }
  }

  /** Looks at everything, when nobody waits. What it finds becomes hints; whether there was any. Errors: CANCELLED. */
  async sweep(signal: AbortSignal): Promise<boolean> {
    const { watch } = this.parts
    let hasFound = false
    const see = (difference: Difference): void => {
      this.#remember(difference)
      watch.hint(difference.folder, difference.name)
      hasFound = true
    }
    const { gone } = await lookAtTree(this.parts, { at: 'all', isAskingAgain: true, tracked: null, see, signal })
    for (const folder of gone) if (folder.parent) watch.hint(folder.parent, folder.name)
    return hasFound || gone.size > 0
  }

  /** A find is in the table now. */
  taken(path: string): void {
    this.#unseen.delete(path)
  }

  /** Whether a path is followed. */
  isFollowed(path: string): boolean {
    const { folder, rest } = this.#reached(path)
    return folder.files.has(rest.join('/'))
  }

  #remember({ folder, name, wasUnseen }: Difference): void {
    if (wasUnseen) this.#unseen.add(folder.pathOf(name))
  }

  /** Tells what has changed from what only came into sight. */
  #sortOut(all: readonly Difference[], since: number): Pick<Found, 'differences' | 'newlyFollowed'> {
    const differences: Difference[] = []
    const newlyFollowed: Difference[] = []
    for (const each of all) {
      const wasUnseen = this.#unseen.has(each.folder.pathOf(each.name))
      const isOld = each.stats !== null && Number(each.stats.ctimeNs / 1_000_000n) < since - stepMsOf(each.stats)
      if (each.row === null && wasUnseen && isOld) newlyFollowed.push(each)
      else differences.push(each.row === null ? { ...each, wasUnseen } : each)
    }
    return { differences, newlyFollowed }
  }

  /** The hinted names, the paths as far as their folders are known, and the folders that could not be read. */
  #placesOf(names: ReadonlyMap<Folder, ReadonlySet<string>>, paths: Iterable<string>): ReadonlyMap<Folder, ReadonlySet<string>> {
    const { unseen } = this.parts
    const places = new Map(names)
    const add = (folder: Folder, name: string): void => void places.set(folder, new Set([...(places.get(folder) ?? []), name]))
    for (const path of paths) {
      const { folder, rest } = this.#reached(path)
      if (rest[0] !== undefined) add(folder, rest[0])
    }
    for (const folder of unseen.unreadable) if (folder.parent) add(folder.parent, folder.name)
    return places
  }

  /** The last known folder on the way to a path, and the names that follow: only the file's own where its folder is known. */
  #reached(path: string): { readonly folder: Folder; readonly rest: readonly string[] } {
    let folder = this.parts.table.root
    const rest = path.split('/')
    while (rest.length > 1) {
      const next = folder.folders.get(rest[0] ?? '')
      if (!next) break
      folder = next
      rest.shift()
    }
    return { folder, rest }
  }

  /** Whether nothing can be there: behind a link that took the place of a folder, too. What cannot be looked at counts as there. */
  #isGone(folder: Folder, rest: readonly string[]): boolean {
    const names = [...folder.path.split('/').filter((name) => name !== ''), ...rest]
    try {
      return names.some((_name, at) => {
        const stats = statsOf(join(this.parts.root, ...names.slice(0, at + 1)))
        return !stats || stats.isDirectory() === (at === names.length - 1)
      })
    } catch {
      return false
    }
  }
}
