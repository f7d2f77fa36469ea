import { realpathSync } from 'node:fs'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import { isCancelled } from '../base/disk-errors.js'
import type { Log } from '../base/log.js'
import { breathe } from '../base/pool.js'
import type { Workspace } from '../workspace/workspace.js'
import type { BackupStore } from './backup-store.js'
import { ChangedNames, type Where } from './changed-names.js'
import { contentsOf, type DiskChange, type Read } from './change-contents.js'
import { EarlyCopies, type CopyFacts } from './early-copies.js'
import { FileTable, type Folder } from './file-table.js'
import { takeFirstLook } from './first-look.js'
import { openGitRepository, type GitRepository } from './git-repository.js'
import { builtInIgnored, gitIgnoreRules, plainIgnoreRules } from './ignore-rules.js'
import { createPace } from './pace.js'
import { isAllSeen, limitSentences, unreadableFolders } from './settle-limits.js'
import { statsOf, type Difference, type LookParts } from './tree-look.js'
import { openTreeWatch, type WatchState } from './tree-watch.js'

export type { DiskChange } from './change-contents.js'

/** What differs from the last time, by path. */
export interface DiskChanges {
  readonly changes: readonly DiskChange[]
  /** Sentences for people: what was not looked at, or not kept, and why. */
  readonly limits: readonly string[]
  /** Whether everything that is followed was looked at. */
  readonly isComplete: boolean
}

export interface IndexLimits {
  /** What is copied before anything changes it: by size of a file, by number, by size of all. */
  readonly copyFileBytes: number
  readonly copyFiles: number
  readonly copyBytes: number
  /** More files are not followed. */
  readonly files: number
  /** Bytes that one `settle` keeps. */
  readonly settleBytes: number
  /** Up to this many files, each `settle` looks at all of them. */
  readonly wholeLookFiles: number
  /** How long after a look at everything the next one is made in the background; ten times as long, and `settle` makes it. */
  readonly sweepMs: number
}

export const defaultIndexLimits: IndexLimits = {
  copyFileBytes: 1024 * 1024,
  copyFiles: 20_000,
  copyBytes: 256 * 1024 * 1024,
  files: 500_000,
  settleBytes: 512 * 1024 * 1024,
  wholeLookFiles: 1000,
  sweepMs: 60_000,
}

/** For the window. */
export interface IndexFacts {
  readonly files: number
  readonly folders: number
  /** Whether `settle` looks where the system tells of changes, or everywhere. */
  readonly watch: WatchState
  readonly isInGit: boolean
  /** Folders that are not followed, as found. */
  readonly ignoredFolders: readonly string[]
  /** Names that are ignored without any rule; empty inside git. */
  readonly builtInIgnored: readonly string[]
  readonly unreadableFolders: readonly string[]
  readonly copies: CopyFacts
}

/** Knows what every file of a workspace that is not ignored was, and finds what somebody changed. */
export interface WorkspaceIndex {
  /** Resolves after the first look at everything: what changes later is found. Errors: CANCELLED, WORKSPACE_MISSING. */
  whenReady(signal?: AbortSignal): Promise<void>
  /** Resolves when the early copies are made: what changes later is known as it was, within the limits. */
  whenCopied(signal?: AbortSignal): Promise<void>
  /**
   * What differs from the last time (or the first look), and takes it as seen. All that was done before the call is found; where
   * changes are watched, writes through a memory map or another hard link are found only by a later call, after a look in the background.
   * Errors: CANCELLED, WORKSPACE_MISSING; the changes then come with the next call.
   */
  settle(signal?: AbortSignal): Promise<DiskChanges>
  /** We wrote a file: this state, whose bytes the store holds, counts as seen. What somebody made of it since is found. */
  adopt(path: WorkspacePath, written: FileState): void
  facts(): IndexFacts
  close(): Promise<void>
}

export interface IndexOptions {
  readonly workspace: Workspace
  readonly store: BackupStore
  /** Our own folder: holds a file by which the watch tells before from after, and is not followed. */
  readonly dataFolder: string
  readonly log: Log
  readonly limits?: Partial<IndexLimits>
  readonly isWatching?: boolean
  /** Something may have changed; at most five times a second. */
  readonly onHint?: () => void
}

const hintMs = 200
/** More folders at once are no work of anyone's hands. */
const mostFolderChanges = 2_000

/** Opens the index of a workspace; the first look begins at once, in the background. */
export async function openWorkspaceIndex(options: IndexOptions): Promise<WorkspaceIndex> {
  const index = await Index.open(options)
  return {
    whenReady: (signal) => index.whenReady(signal),
    whenCopied: (signal) => index.whenCopied(signal),
    settle: (signal) => index.settle(signal),
    adopt: (path, written) => index.adopt(path, written),
    facts: () => index.facts(),
    close: () => index.close(),
  }
}

class Index {
  readonly #ending = new AbortController()
  readonly #ready: Promise<void>
  readonly #copies: EarlyCopies
  #last: Promise<unknown> = Promise.resolve()
  #copying: Promise<void> = Promise.resolve()
  #sweep: AbortController | null = null
  readonly #names: ChangedNames
  readonly #onHint: () => void
  /** Folders that were noted as made: they are noted as gone, too, whatever was in them by then. */
  readonly #notedFolders = new Set<string>()
  /** What we wrote, until it is followed: what is ignored stays here, so that it can be missed. */
  #announced = new Map<string, FileState>()
  #mustLookAtAll = false
  #settledAt = 0
  #lookedAtAllAt = 0

  private constructor(
    private readonly options: IndexOptions,
    private readonly limits: IndexLimits,
    private readonly repository: GitRepository | null,
    private readonly parts: LookParts,
    onHint: () => void,
  ) {
    this.#onHint = onHint
    const { workspace, store, log } = options
    this.#copies = new EarlyCopies(
      { workspace, store, log, table: parts.table, pace: parts.pace },
      { fileBytes: limits.copyFileBytes, files: limits.copyFiles, bytes: limits.copyBytes },
    )
    this.#names = new ChangedNames(parts)
    this.#ready = this.#inTurn(() => this.#lookFirst())
    this.#ready.then(() => this.#makeCopies(), () => undefined)
  }

  static async open(options: IndexOptions): Promise<Index> {
    const { workspace, log, isWatching = true } = options
    const dataFolder = realpathSync(options.dataFolder)
    const onHint = atMostEvery(hintMs, options.onHint ?? (() => undefined))
    const limits = { ...defaultIndexLimits, ...options.limits }
    const stats = statsOf(workspace.root)
    if (!stats) throw workspaceMissing()
    const repository = await openGitRepository(workspace.root)
    const plain = plainIgnoreRules(workspace.root)
    const parts: LookParts = {
      root: workspace.root,
      table: new FileTable(stats.ino),
      rules: repository ? gitIgnoreRules(repository, plain, log) : plain,
      watch: await openTreeWatch(dataFolder, isWatching, onHint),
      pace: createPace(),
      dataFolder,
      maxFiles: limits.files,
      unseen: { unreadable: new Set(), ignoredFolders: new Set(), unnameable: new Set(), isFull: false },
    }
    return new Index(options, limits, repository, parts, onHint)
  }

  whenReady(signal?: AbortSignal): Promise<void> {
    return orCancelled(this.#ready, signal)
  }

  async whenCopied(signal?: AbortSignal): Promise<void> {
    await this.whenReady(signal)
    await orCancelled(this.#copying, signal)
  }

  adopt(path: WorkspacePath, written: FileState): void {
    this.#announced.set(path, written)
  }

  async settle(signal?: AbortSignal): Promise<DiskChanges> {
    await this.whenReady(signal)
    this.#sweep?.abort()
    const changes = await this.#inTurn(() => this.#settleNow(signal))
    if (Date.now() - this.#lookedAtAllAt > this.limits.sweepMs) this.#startSweep()
    return changes
  }

  facts(): IndexFacts {
    const { table, watch, unseen } = this.parts
    return {
      files: table.count,
      folders: table.folderCount,
      watch: watch.state(),
      isInGit: this.repository !== null,
      ignoredFolders: [...unseen.ignoredFolders].sort(),
      builtInIgnored: this.repository ? [] : builtInIgnored,
      unreadableFolders: unreadableFolders(unseen, table),
      copies: this.#copies.facts(),
    }
  }

  async close(): Promise<void> {
    this.#ending.abort()
    this.#sweep?.abort()
    await this.#last
    await this.#copying
    this.parts.watch.close()
  }

  /** One thing at a time: looks, copies and settling share the table. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      throwIfAborted(this.#ending.signal)
      return work()
    })
    this.#last = result.catch(() => undefined)
    return result
  }

  async #lookFirst(): Promise<void> {
    this.#settledAt = Date.now()
    await takeFirstLook(this.parts, this.repository, this.options.log, this.#ending.signal)
    this.parts.table.newFolders = []
    await this.#copies.takeUpAll()
    this.#lookedAtAllAt = Date.now()
  }

  #makeCopies(): void {
    this.#copying = (async () => {
      while (await this.#inTurn(() => this.#copies.makeSome(this.#ending.signal))) await breathe()
    })().catch((thrown: unknown) => {
      if (!isCancelled(thrown)) this.options.log.error('history.early-copies-stopped', thrown)
    })
  }

  async #settleNow(signal?: AbortSignal): Promise<DiskChanges> {
    const { table, watch, unseen } = this.parts
    const startedAt = Date.now()
    const where = await this.#whereToLook(signal)
    const announced = this.#announced
    this.#announced = new Map()
    try {
      const { differences, gone, newlyFollowed } = await this.#names.find(where, announced, this.#settledAt, signal)
      const { reads, notKept } = await contentsOf(this.#contentParts(), differences, announced, signal)
      const wereEmpty = [...gone].filter((folder) => isEmptyFolder(folder) || this.#notedFolders.has(folder.path))
      this.#take(reads, gone, announced)
      await this.#follow(newlyFollowed)
      this.#keepUnfollowed(announced, reads)
      const folders = this.#folderChanges(wereEmpty, new Set(reads.flatMap(({ change }) => change?.path ?? [])))
      this.#settledAt = startedAt
      if (where.isEverywhere) this.#lookedAtAllAt = startedAt
      const changes = [...reads.flatMap(({ change }) => change ?? []), ...folders].sort((one, two) => (one.path < two.path ? -1 : 1))
      const followed = newlyFollowed.map(({ folder, name }) => folder.pathOf(name))
      return { changes, limits: limitSentences(unseen, notKept, followed, this.limits, table), isComplete: isAllSeen(unseen, table) }
    } catch (thrown) {
      // Nothing was taken as seen, so the next call must look where this one has looked.
      this.#announced = new Map([...announced, ...this.#announced])
      if (where.hints.kind === 'all') this.#mustLookAtAll = true
      else for (const [folder, names] of where.hints.names) for (const name of names) watch.hint(folder, name)
      throw thrown
    }
  }

  /** Empty folders that came, and those that went: no file tells of them. What stood under the name of a file is that file's change. */
  #folderChanges(wentEmpty: readonly Folder[], changedFiles: ReadonlySet<string>): readonly DiskChange[] {
    const { table } = this.parts
    const came = table.newFolders.filter((folder) => isEmptyFolder(folder) && folder.isBelow(table.root))
    table.newFolders = []
    const changes = new Map<string, DiskChange>()
    for (const { path } of wentEmpty) changes.set(path, { path: workspacePath(path), before: { kind: 'folder' }, after: { kind: 'absent' } })
    // Another one in the place of one that went is no change.
    for (const { path } of came) if (!changes.delete(path)) changes.set(path, { path: workspacePath(path), before: { kind: 'absent' }, after: { kind: 'folder' } })
    for (const { path } of wentEmpty) this.#notedFolders.delete(path)
    for (const { path } of came) this.#notedFolders.add(path)
    return [...changes.values()].filter(({ path }) => !changedFiles.has(path)).slice(0, mostFolderChanges)
  }

  async #whereToLook(signal?: AbortSignal): Promise<Where> {
    const { table, watch, root, unseen } = this.parts
    const stats = statsOf(root)
    if (!stats?.isDirectory()) throw workspaceMissing()
    const hints = await watch.take(signal)
    if (hints.kind === 'all' || this.#mustLookAtAll || stats.ino !== table.root.inode || unseen.unreadable.has(table.root)) {
      // A watch that missed something may sit on folders that others have replaced.
      watch.unwatchAll()
      table.root.inode = stats.ino
      this.#mustLookAtAll = false
      return { hints: { kind: 'all' }, isEverywhere: true }
    }
    // Where one `settle` follows another so closely that no look in the background comes to its end, this one does its work.
    const isOverdue = Date.now() - this.#lookedAtAllAt > 10 * this.limits.sweepMs
    return { hints, isEverywhere: isOverdue || table.count <= this.limits.wholeLookFiles }
  }

  /** The new base. */
  #take(reads: readonly Read[], gone: ReadonlySet<Folder>, announced: ReadonlyMap<string, FileState>): void {
    const { table, watch } = this.parts
    for (const { difference, stats, lookedAt, after, change } of reads) {
      const { folder, name } = difference
      const path = folder.pathOf(name)
      this.#names.taken(path)
      if (!stats || stats.isDirectory()) {
        table.remove(folder, name)
        if (stats) watch.hint(folder, name)
        continue
      }
      const row = folder.files.get(name) ?? table.add(folder, name)
      table.stamp(row, stats, lookedAt)
      if (change || announced.has(path)) table.setState(row, after)
    }
    for (const folder of gone) if (folder.isBelow(table.root)) table.removeFolder(folder, (each) => watch.unwatch(each))
  }

  #keepUnfollowed(announced: ReadonlyMap<string, FileState>, reads: readonly Read[]): void {
    const dealtWith = new Set(reads.map(({ difference: { folder, name } }) => folder.pathOf(name)))
    const kept = [...announced].filter(([path, { kind }]) => (kind === 'file' || kind === 'link') && !dealtWith.has(path) && !this.#names.isFollowed(path))
    this.#announced = new Map([...kept, ...this.#announced])
  }

  async #follow(newlyFollowed: readonly Difference[]): Promise<void> {
    const { table } = this.parts
    for (const { folder, name, stats } of newlyFollowed) {
      this.#names.taken(folder.pathOf(name))
      if (stats) table.stamp(table.add(folder, name), stats, Date.now())
    }
    if (newlyFollowed.length === 0) return
    await this.#copies.takeUpAll()
    this.#makeCopies()
  }

  /** Looks at everything when nobody waits. What it finds is a hint for the next `settle`. */
  #startSweep(): void {
    const sweep = new AbortController()
    this.#sweep = sweep
    this.#inTurn(async () => {
      const hasFound = await this.#names.sweep(sweep.signal)
      this.#lookedAtAllAt = Date.now()
      if (hasFound) this.#onHint()
    }).catch((thrown: unknown) => {
      if (!isCancelled(thrown)) this.options.log.error('history.sweep-failed', thrown)
    })
  }

  #contentParts(): Parameters<typeof contentsOf>[0] {
    const { workspace, store, log } = this.options
    const { table, pace } = this.parts
    const whyNotCopied = (row: number): ReturnType<EarlyCopies['whyNotCopied']> => this.#copies.whyNotCopied(row)
    return { workspace, store, log, table, pace, repository: this.repository, maxKeptBytes: this.limits.settleBytes, whyNotCopied }
  }
}

/** A whole look found nothing in it, followed or not. */
function isEmptyFolder({ files, folders, ignored, isPartial }: Folder): boolean {
  return files.size === 0 && folders.size === 0 && (ignored?.size ?? 0) === 0 && !isPartial
}

function atMostEvery(ms: number, call: () => void): () => void {
  let timer: NodeJS.Timeout | null = null
  return () => {
    timer ??= setTimeout(() => {
      timer = null
      call()
    }, ms).unref()
  }
}

function workspaceMissing(): ReviewError {
  return new ReviewError('WORKSPACE_MISSING', 'The folder is not here. Attach the folder that this session belongs to.')
}

/** Waits no longer than until the signal fires; the work itself goes on. */
async function orCancelled(work: Promise<void>, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal)
  if (!signal) return work
  let cancel = (): void => undefined
  const fired = new Promise<void>((resolve) => {
    cancel = resolve
    signal.addEventListener('abort', cancel)
  })
  await Promise.race([work, fired]).finally(() => signal.removeEventListener('abort', cancel))
  throwIfAborted(signal)
}
