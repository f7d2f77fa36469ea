// What changed on the disk while a command ran: ours beside git's ways and a look at every file. Each way finds five changes of its own.

import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { silentLog } from '../../electron/base/log.js'
import { openDataFolder } from '../../electron/base/settings.js'
import { openBackupStore, type BackupStore } from '../../electron/history/backup-store.js'
import { openWorkspaceIndex, type DiskChanges, type WorkspaceIndex } from '../../electron/history/workspace-index.js'
import { openWorkspace } from '../../electron/workspace/workspace.js'
import { writeFolder } from './generated-folder.js'
import { longestPieceOf } from './event-loop.js'
import { randomFrom } from './generated-text.js'
import { msOf, race, ratio, runProgram, timed, type Timing, type Way } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const rounds = 9
const changesAtATime = 5
const bytesAFile = 1000
const git = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', '-c', 'gc.auto=0']
const ours = 'ours'
const oursEverywhere = 'ours, looking everywhere'

export const benchShell: Group = async (size, folder) => {
  const counts = size === 'full' ? [1000, 10_000, 100_000] : [1000, 10_000]
  const rows: (readonly (string | number)[])[] = []
  const openings: (readonly (string | number)[])[] = []
  const goals: Goal[] = []
  const settled: number[] = []
  for (const count of counts) {
    const tree = await Tree.make(join(folder, `${count}`), count)
    const timings = await tree.raceAll()
    await tree.close()
    settled.push(msOf(timings, ours))
    rows.push(...[...timings].map(([name, { ms, result }]) => [count, name, ms, ratio(timings, name, 'git add -A, write-tree'), result]))
    openings.push([count, tree.opening.ms, tree.opening.blockedMs, tree.opening.bytesAFile])
    const [toShadow, toStatus] = count >= 100_000 ? [0.05, 0.2] : count >= 10_000 ? [0.2, 0.8] : [1, 3]
    goals.push(
      { what: `${count} files: against git add -A and write-tree`, measured: ratio(timings, ours, 'git add -A, write-tree'), atMost: toShadow },
      { what: `${count} files: against git status`, measured: ratio(timings, ours, 'git status'), atMost: toStatus },
      { what: `${count} files: changes missed or wrong`, measured: (timings.get(ours)?.result ?? Infinity) + (timings.get(oursEverywhere)?.result ?? Infinity), atMost: 0 },
      { what: `${count} files: the first look holds up other work for (ms)`, measured: tree.opening.blockedMs, atMost: 16 },
    )
    if (count >= 10_000) goals.push({ what: `${count} files: memory for each (bytes)`, measured: tree.opening.bytesAFile, atMost: 250 })
  }
  goals.push({ what: `${counts.at(-1)} files against 1,000`, measured: (settled.at(-1) ?? Infinity) / (settled[0] ?? 0), atMost: 1.5 })
  return {
    tables: [
      table('Finding five changes', ['files', 'way', 'ms', 'to git add -A', 'missed or wrong'], rows),
      table('Opening', ['files', 'first look, ms', 'longest hold-up, ms', 'memory a file, bytes'], openings),
    ],
    goals,
  }
}

interface Opening {
  readonly ms: number
  readonly blockedMs: number
  readonly bytesAFile: number
}

interface OpenIndex {
  readonly index: WorkspaceIndex
  readonly store: BackupStore
}

class Tree {
  private readonly random = randomFrom(7)
  private readonly expected = new Map<string, readonly [before: Buffer, after: Buffer]>()

  private constructor(
    private readonly folder: string,
    private readonly work: string,
    private readonly paths: readonly string[],
    private readonly watching: OpenIndex,
    private readonly everywhere: OpenIndex,
    readonly opening: Opening,
  ) {}

  static async make(folder: string, count: number): Promise<Tree> {
    const work = join(folder, 'work')
    mkdirSync(work, { recursive: true })
    const paths = writeFolder(work, count, count * bytesAFile)
    runProgram('git', [...git, 'init', '-q'], work)
    runProgram('git', [...git, 'add', '-A'], work)
    runProgram('git', [...git, 'commit', '-q', '-m', 'base'], work)
    runProgram('git', ['init', '-q', '--bare', join(folder, 'shadow')], work)
    runProgram('git', shadow(folder, 'add', '-A'), work)
    const everywhere = await openIndex(work, join(folder, 'data-2'), false)
    await everywhere.index.whenCopied()
    const usedBefore = usedBytes()
    const { result: { ms, result: watching }, pieceMs: blockedMs } = await longestPieceOf(() =>
      timed(async () => {
        const opened = await openIndex(work, join(folder, 'data-1'), true)
        await opened.index.whenCopied()
        return opened
      }),
    )
    const opening = { ms, blockedMs, bytesAFile: (usedBytes() - usedBefore) / count }
    return new Tree(folder, work, paths, watching, everywhere, opening)
  }

  raceAll(): Promise<ReadonlyMap<string, Timing<number>>> {
    return race(
      [
        this.gitWay('git add -A, write-tree', shadow(this.folder, 'add', '-A'), shadow(this.folder, 'write-tree')),
        this.gitWay('git status', ['status', '--porcelain=v2', '-z']),
        this.way('stat of every file', () => Promise.resolve(statAll(this.work)), () => Promise.resolve(0)),
        this.ourWay(oursEverywhere, this.everywhere),
        this.ourWay(ours, this.watching),
      ],
      rounds,
    )
  }

  async close(): Promise<void> {
    await this.watching.index.close()
    await this.everywhere.index.close()
  }

  private gitWay(name: string, ...commands: readonly (readonly string[])[]): Way<number> {
    const run = (): Promise<void> => {
      for (const command of commands) runProgram('git', command, this.work)
      return Promise.resolve()
    }
    return this.way(name, run, () => Promise.resolve(0))
  }

  private ourWay(name: string, { index, store }: OpenIndex): Way<number> {
    return this.way(name, () => index.settle(), (changes) => this.wrongIn(changes, store))
  }

  /** Carries the way out once, so that all earlier changes are behind it, then makes five more. */
  private way<Result>(name: string, find: () => Promise<Result>, judge: (result: Result) => Promise<number>): Way<number> {
    let wrong = 0
    return {
      name,
      prepare: async () => {
        await find()
        this.expected.clear()
        while (this.expected.size < changesAtATime) {
          const path = this.paths[Math.floor(this.random() * this.paths.length)] ?? ''
          const before = readFileSync(join(this.work, path))
          if (this.expected.has(path)) continue
          appendFileSync(join(this.work, path), `// changed ${this.random()}\n`)
          this.expected.set(path, [before, readFileSync(join(this.work, path))])
        }
      },
      run: async () => {
        const { ms, result } = await timed(find)
        wrong += await judge(result)
        return { ms, result: wrong }
      },
    }
  }

  private async wrongIn({ changes }: DiskChanges, store: BackupStore): Promise<number> {
    let wrong = Math.abs(changes.length - this.expected.size)
    for (const { path, before, after } of changes) {
      const [was, is] = this.expected.get(path) ?? []
      const right = before.kind === 'file' && after.kind === 'file' && was?.equals(await store.readBlob(before.sha256)) && is?.equals(await store.readBlob(after.sha256))
      if (!right) wrong++
    }
    return wrong
  }
}

function shadow(folder: string, ...command: readonly string[]): readonly string[] {
  return [...git, '--git-dir', join(folder, 'shadow'), '--work-tree', join(folder, 'work'), ...command]
}

async function openIndex(work: string, dataFolder: string, isWatching: boolean): Promise<OpenIndex> {
  openDataFolder(dataFolder)
  const store = await openBackupStore(dataFolder)
  const workspace = await openWorkspace(work)
  // The hints alone are measured, in the smallest tree too, and no look in the background.
  const limits = { wholeLookFiles: 0, sweepMs: 3_600_000 }
  return { store, index: await openWorkspaceIndex({ workspace, store, dataFolder, log: silentLog, isWatching, limits }) }
}

function statAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === '.git') continue
    if (entry.isDirectory()) statAll(join(folder, entry.name))
    else lstatSync(join(folder, entry.name), { bigint: true })
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

function usedBytes(): number {
  if (typeof collectGarbage === 'function') collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
