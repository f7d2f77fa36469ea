// Putting changed files back: ours beside git's ways and bare copies. Every way gets the same changes, and every byte is checked.

import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { copyFile, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFolder } from './generated-folder.js'
import { randomFrom } from './generated-text.js'
import { createHistory, type BenchHistory } from './history-adapter.js'
import { msOf, race, ratio, runProgram, timed, type Timing, type Way } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const rounds = 5
const atATime = 16
const git = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', '-c', 'gc.auto=0']

export const benchRewind: Group = async (size, folder) => {
  const isFull = size === 'full'
  const changes = isFull ? [10, 100, 1000, 5000] : [10, 100, 1000]
  const tree = await Tree.make(folder, isFull ? 100_000 : 10_000, isFull ? 1e9 : 1e8, Math.max(...changes))
  const rows: (readonly (string | number)[])[] = []
  const goals: Goal[] = []
  for (const count of changes) {
    const timings = await tree.raceAll(count)
    const fastestGit = Math.min(msOf(timings, 'git restore, clean'), msOf(timings, 'git reset --hard, clean'))
    const toGit = msOf(timings, 'ours') / fastestGit
    const harm = [...timings].map(([name, { result }]) => `${name}: ${result.wrong} wrong, ${result.lost} lost`)
    rows.push(...[...timings].map(([name, { ms, result }]) => [count, name, ms, ratio(timings, name, 'limit: stat, 16 synced copies'), result.wrong, result.touched, result.lost]))
    goals.push(
      { what: `${count} files: against stat and 16 synced copies`, measured: ratio(timings, 'ours', 'limit: stat, 16 synced copies'), atMost: 1.5 },
      { what: `${count} files: against the faster way of git`, measured: toGit, atMost: gitBound(count, isFull) },
      { what: `${count} files: wrong, touched or lost ones (${harm.length} ways)`, measured: harmOf(timings.get('ours')), atMost: 0 },
    )
  }
  await tree.history.close()
  const head = ['changed', 'way', 'ms', 'to the limit', 'files wrong', 'others touched', 'new files lost']
  return { tables: [table(`Rewind in a folder of ${isFull ? '100,000' : '10,000'} files`, head, rows)], goals }
}

/** In a big folder git looks at every file. */
function gitBound(count: number, isFull: boolean): number {
  if (count > 100) return 0.9
  return isFull ? 0.05 : count <= 10 ? 0.2 : 0.5
}

interface Outcome {
  /** Files that have not their old bytes. */
  readonly wrong: number
  /** Tracked files that had not changed and were written all the same. */
  readonly touched: number
  /** Files that somebody made since and that are gone. */
  readonly lost: number
}

function harmOf(timing: Timing<Outcome> | undefined): number {
  return timing ? timing.result.wrong + timing.result.touched + timing.result.lost : Infinity
}

class Tree {
  private changes = 0

  private constructor(
    private readonly folder: string,
    private readonly work: string,
    private readonly tracked: readonly string[],
    private readonly originals: ReadonlyMap<string, Buffer>,
    readonly history: BenchHistory,
  ) {}

  /** Makes the folder, two repositories that hold it, plain copies of the files to change, and our own history of them. */
  static async make(folder: string, count: number, bytes: number, most: number): Promise<Tree> {
    const work = join(folder, 'work')
    const paths = writeFolder(work, count, bytes)
    runProgram('git', [...git, 'init', '-q', '--separate-git-dir', join(folder, 'git'), work], folder)
    runProgram('git', [...git, 'add', '-A'], work)
    runProgram('git', [...git, 'commit', '-q', '-m', 'base'], work)
    const random = randomFrom(3)
    const tracked = paths.map((path) => ({ path, order: random() })).sort((a, b) => a.order - b.order).slice(0, most).map(({ path }) => path)
    mkdirSync(join(folder, 'copies'))
    const originals = new Map(tracked.map((path) => [path, readFileSync(join(work, path))]))
    for (const path of tracked) cpSync(join(work, path), join(folder, 'copies', flat(path)))
    const history = await createHistory({ workspace: work, store: join(folder, 'store'), sessionLog: join(folder, 'session.jsonl') })
    await history.makeSnapshot('base')
    for (const path of tracked) await history.trackEdit(join(work, path))
    return new Tree(folder, work, tracked, originals, history)
  }

  async raceAll(count: number): Promise<ReadonlyMap<string, Timing<Outcome>>> {
    const { work } = this
    const changed = this.tracked.slice(0, count)
    const gitWay = (...commands: readonly (readonly string[])[]) => (): void => {
      for (const command of commands) runProgram('git', [...git, ...command], work)
    }
    return race(
      [
        this.way('git restore, clean', changed, gitWay(['restore', '--source', 'HEAD', '.'], ['clean', '-fdq'])),
        this.way('git reset --hard, clean', changed, gitWay(['clean', '-fdq'], ['reset', '-q', '--hard', 'HEAD'])),
        this.way('16 bare copies at a time', changed, () => inParallel(changed, (path) => copyFile(this.copyOf(path), join(work, path)))),
        this.way('limit: stat, 16 synced copies', changed, (times) => {
          const found = this.tracked.filter((path) => statSync(join(work, path)).mtimeMs !== times.get(path))
          return inParallel(found, (path) => copySynced(this.copyOf(path), join(work, path)))
        }),
        this.way('ours', changed, () => this.history.rewind('base')),
      ],
      rounds,
    )
  }

  private way(name: string, changed: readonly string[], restore: (times: ReadonlyMap<string, number>) => Promise<void> | void): Way<Outcome> {
    let times: ReadonlyMap<string, number> = new Map()
    const newFile = join(this.work, 'packages', 'made-since.txt')
    return {
      name,
      prepare: () => {
        runProgram('git', ['status', '--porcelain'], this.work)
        times = this.times()
        this.changes++
        for (const path of changed) appendFileSync(join(this.work, path), `// change ${this.changes}\n`)
        writeFileSync(newFile, 'Somebody made this.\n')
      },
      run: async () => {
        const { ms } = await timed(() => restore(times))
        const wrong = changed.filter((path) => !this.originals.get(path)?.equals(readFileSync(join(this.work, path)))).length
        const now = this.times()
        const touched = this.tracked.slice(changed.length).filter((path) => now.get(path) !== times.get(path)).length
        return { ms, result: { wrong, touched, lost: existsSync(newFile) ? 0 : 1 } }
      },
    }
  }

  private times(): ReadonlyMap<string, number> {
    return new Map(this.tracked.map((path) => [path, statSync(join(this.work, path)).mtimeMs]))
  }

  private copyOf(path: string): string {
    return join(this.folder, 'copies', flat(path))
  }
}

function flat(path: string): string {
  return path.replaceAll('/', '%')
}

/** Copies so that neither a crash nor a power cut leaves half a file. */
async function copySynced(from: string, to: string): Promise<void> {
  const fresh = `${to}.new`
  await copyFile(from, fresh)
  const handle = await open(fresh, 'r+')
  await handle.datasync()
  await handle.close()
  await rename(fresh, to)
}

async function inParallel(paths: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  const left = [...paths]
  const run = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await work(path)
  }
  await Promise.all(Array.from({ length: atATime }, run))
}
