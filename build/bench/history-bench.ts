// A prompt's snapshot and the backups before its edits: ours beside a shadow repository, copies at each prompt, and the least that
// can be done. All see the same edits; what ours kept is read back and compared.

import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, copyFileSync, fdatasyncSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFolder } from './generated-folder.js'
import { randomFrom } from './generated-text.js'
import { createHistory } from './history-adapter.js'
import { runProgram } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const editsInTurn = 5
const git = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', '-c', 'gc.auto=0']

/** One way of keeping what files were. */
interface Keeper {
  readonly name: string
  readonly folder: string
  readonly turn: (number: number) => Promise<void> | void
  readonly edit: (path: string) => Promise<void> | void
  readonly close?: () => Promise<void> | void
  /** The session ends, which is no part of a turn. */
  readonly end?: () => Promise<void> | void
}

interface Times {
  readonly turns: number[]
  readonly edits: number[]
}

/** Turns on a folder of many files, of which few are edited. */
export const benchHistory: Group = async (size, folder) => {
  const [files, bytes, turns] = size === 'full' ? [100_000, 1e9, 20] : [10_000, 1e8, 40]
  const work = join(folder, 'work')
  const paths = writeFolder(work, files, bytes)
  const keepers = [shadowRepository(work, join(folder, 'shadow')), copyEachPrompt(work, join(folder, 'copies')), syncedCopy(join(folder, 'synced-copy')), least(work, join(folder, 'least'), true), await ours(work, join(folder, 'ours'))]
  const random = randomFrom(7)
  const hot = Array.from({ length: 40 }, () => pick(paths, random))
  const edited = (): string => join(work, random() < 0.7 ? pick(hot, random) : pick(paths, random))
  const times = await runTurns(keepers, turns, edited)
  const [shadow, copies, copy, limit, own] = keepers.map((keeper) => figures(keeper, times.get(keeper)))
  if (!shadow || !copies || !copy || !limit || !own) throw new Error('A way is missing.')
  const rows = [shadow, copies, copy, limit, own].map(({ name, turn, edit, whole, disk }) => [name, turn, edit, whole, disk / 1e6])
  const goals: Goal[] = [
    { what: `${files} files, snapshot of a prompt: against a shadow repository`, measured: own.turn / shadow.turn, atMost: size === 'full' ? 1 / 1000 : 1 / 100 },
    { what: `${files} files, snapshot of a prompt: against copies at each prompt`, measured: own.turn / copies.turn, atMost: 0.2 },
    { what: 'backup before an edit: against one synced copy', measured: own.edit / copy.edit, atMost: 1.3 },
    { what: 'a whole turn: against the least, synced', measured: own.whole / limit.whole, atMost: 1.3 },
    { what: 'disk: against the least', measured: own.disk / limit.disk, atMost: 1.1 },
  ]
  return { tables: [table(`${files.toLocaleString('en')} files, ${turns} turns of ${editsInTurn} edits; median ms`, ['way', 'snapshot', 'edit', 'whole turn', 'disk MB'], rows)], goals }
}

/** Snapshots where very many files are tracked already, and the log that they make. */
export const benchTracked: Group = async (size, folder) => {
  const most = size === 'full' ? 5000 : 1000
  const turns = 40
  const goals: Goal[] = []
  const rows: (readonly (string | number)[])[] = []
  const logBytes = new Map<number, number>()
  for (const tracked of [10, most]) {
    const base = join(folder, String(tracked))
    const work = join(base, 'work')
    const paths = writeFolder(work, tracked, tracked * 10_000)
    const keepers = [copyEachPrompt(work, join(base, 'copies')), lookAtEach(work, join(base, 'look'), paths), await ours(work, join(base, 'ours'))]
    for (const keeper of keepers) {
      await keeper.turn(-2)
      for (const path of paths) await keeper.edit(join(work, path))
      await keeper.turn(-1)
    }
    const first = keepers.map(logSize)
    const random = randomFrom(11)
    const times = await runTurns(keepers, turns, () => join(work, pick(paths, random)))
    const grown = keepers.map((keeper, at) => (logSize(keeper) - (first[at] ?? 0)) / turns)
    const ended = keepers.map(logSize)
    for (const keeper of keepers) await keeper.end?.()
    const closing = keepers.map((keeper, at) => logSize(keeper) - (ended[at] ?? 0))
    const [copies, look, own] = keepers.map((keeper) => figures(keeper, times.get(keeper)))
    if (!copies || !look || !own) throw new Error('A way is missing.')
    rows.push(...[copies, look, own].map(({ name, turn }, at) => [tracked, name, turn, (first[at] ?? 0) / 1e6, (grown[at] ?? 0) / 1e3, (closing[at] ?? 0) / 1e3]))
    logBytes.set(tracked, grown[2] ?? Infinity)
    if (tracked !== most) continue
    goals.push(
      { what: `${most} tracked, snapshot: against a look at each`, measured: own.turn / look.turn, atMost: 1.3 },
      { what: `${most} tracked, snapshot: against copies at each prompt`, measured: own.turn / copies.turn, atMost: 0.1 },
      { what: `${most} tracked, log a turn: against whole maps`, measured: (grown[2] ?? Infinity) / (grown[0] ?? 1), atMost: size === 'full' ? 1 / 500 : 1 / 100 },
      { what: `${most} tracked, record at the end: against one whole map`, measured: (closing[2] ?? Infinity) / (grown[0] ?? 1), atMost: 2 },
      { what: `log a turn: ${most} tracked against 10`, measured: (grown[2] ?? Infinity) / (logBytes.get(10) ?? 1), atMost: 1.5 },
      { what: `log while first tracking ${most}: against whole maps`, measured: (first[2] ?? Infinity) / (first[0] ?? 1), atMost: size === 'full' ? 1 / 1000 : 1 / 100 },
    )
  }
  return { tables: [table(`Snapshots by tracked files, ${turns} turns of ${editsInTurn} edits`, ['tracked', 'way', 'snapshot, median ms', 'log while first tracking, MB', 'log a turn, kB', 'record at the end, kB'], rows)], goals }
}

/** Each keeper in turn, in an order that moves on, before the same edit. */
async function runTurns(keepers: readonly Keeper[], turns: number, edited: () => string): Promise<ReadonlyMap<Keeper, Times>> {
  const times = new Map(keepers.map((keeper): [Keeper, Times] => [keeper, { turns: [], edits: [] }]))
  const inOrder = (from: number): readonly Keeper[] => keepers.map((_, at) => keepers[(at + from) % keepers.length]).filter((keeper) => keeper !== undefined)
  for (let turn = 0; turn < turns; turn++) {
    for (const keeper of inOrder(turn)) times.get(keeper)?.turns.push(await msOfRun(() => keeper.turn(turn)))
    for (let edit = 0; edit < editsInTurn; edit++) {
      const path = edited()
      for (const keeper of inOrder(turn + edit)) times.get(keeper)?.edits.push(await msOfRun(() => keeper.edit(path)))
      appendFileSync(path, `// edit ${turn}.${edit}\n`)
    }
  }
  for (const keeper of keepers) await keeper.close?.()
  return times
}

async function msOfRun(run: () => Promise<void> | void): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

function figures({ name, folder }: Keeper, times: Times | undefined): { readonly name: string; readonly turn: number; readonly edit: number; readonly whole: number; readonly disk: number } {
  const { turns, edits } = times ?? { turns: [], edits: [] }
  const wholes = turns.map((turn, at) => edits.slice(at * editsInTurn, (at + 1) * editsInTurn).reduce((sum, edit) => sum + edit, turn))
  // A second edit of a file in one turn costs nothing; the cost of one that must be kept is what counts.
  return { name, turn: median(turns), edit: median(edits), whole: median(wholes), disk: diskOf(folder) }
}

function shadowRepository(work: string, folder: string): Keeper {
  const run = (...args: readonly string[]): void => void runProgram('git', [...git, '--git-dir', folder, '--work-tree', work, ...args], work)
  run('init', '-q')
  run('add', '-A')
  run('commit', '-q', '--allow-empty', '-m', 'begin')
  return {
    name: 'shadow repository, add and commit',
    folder,
    turn: (number) => {
      run('add', '-A')
      run('commit', '-q', '--allow-empty', '-m', `turn ${number}`)
    },
    edit: () => undefined,
  }
}

/** A copy of each tracked file that has changed, at each prompt, and all paths in each record: what agents themselves do. */
function copyEachPrompt(work: string, folder: string): Keeper {
  mkdirSync(folder, { recursive: true })
  const log = join(folder, 'session.jsonl')
  let latest = new Map<string, { readonly backupFileName: string; readonly version: number; readonly backupTime: Date; readonly mtimeMs: number; readonly size: number }>()
  const backUp = async (path: string): Promise<void> => {
    const version = (latest.get(path)?.version ?? 0) + 1
    const backupFileName = `${createHash('sha256').update(path).digest('hex').slice(0, 16)}@v${version}`
    const { mtimeMs, size } = await stat(path)
    await copyFile(path, join(folder, backupFileName))
    latest.set(path, { backupFileName, version, backupTime: new Date(), mtimeMs, size })
  }
  const record = (): void => appendFileSync(log, `${JSON.stringify({ type: 'system', trackedFileBackups: Object.fromEntries([...latest].map(([path, { backupFileName, version, backupTime }]) => [path.slice(work.length + 1), { backupFileName, version, backupTime }])) })}\n`)
  let thisTurn = new Set<string>()
  return {
    name: 'copies at each prompt',
    folder,
    turn: async () => {
      latest = new Map(latest)
      await Promise.all(
        [...latest].map(async ([path, seen]) => {
          const now = await stat(path)
          const copied = await stat(join(folder, seen.backupFileName))
          if (now.size !== copied.size || now.mtimeMs > copied.mtimeMs) await backUp(path)
        }),
      )
      thisTurn = new Set(latest.keys())
      record()
    },
    edit: async (path) => {
      if (thisTurn.has(path)) return
      thisTurn.add(path)
      await backUp(path)
      record()
    },
  }
}

/** The unit in which a backup before an edit is measured. */
function syncedCopy(folder: string): Keeper {
  mkdirSync(folder, { recursive: true })
  let number = 0
  return {
    name: 'one synced copy for each edit',
    folder,
    turn: () => undefined,
    edit: (path) => {
      const copy = join(folder, String(number++))
      copyFileSync(path, copy)
      const file = openSync(copy, 'r+')
      fdatasyncSync(file)
      closeSync(file)
    },
  }
}

/** Hash, one write for each content that is new, one line a turn. */
function least(work: string, folder: string, isSynced: boolean): Keeper {
  mkdirSync(folder, { recursive: true })
  const log = openSync(join(folder, 'session.jsonl'), 'a')
  let touched = new Map<string, string>()
  return {
    name: 'the least, synced',
    folder,
    turn: (number) => {
      writeSync(log, `${JSON.stringify({ promptId: number, files: [...touched] })}\n`)
      if (isSynced) fdatasyncSync(log)
      touched = new Map()
    },
    edit: (path) => {
      if (touched.has(path)) return
      const bytes = readFileSync(path)
      const hash = createHash('sha256').update(bytes).digest('hex')
      touched.set(path.slice(work.length + 1), hash)
      try {
        const file = openSync(join(folder, hash), 'wx')
        writeSync(file, bytes)
        if (isSynced) fdatasyncSync(file)
        closeSync(file)
      } catch {
        // The content is there already.
      }
    },
    close: () => closeSync(log),
  }
}

/** The least, and a look at each tracked file, by which edits of others are noticed. */
function lookAtEach(work: string, folder: string, paths: readonly string[]): Keeper {
  const under = least(work, folder, false)
  const absolute = paths.map((path) => join(work, path))
  const seen = new Map<string, number>()
  return {
    ...under,
    name: 'the least, and a look at each',
    turn: (number) => {
      for (const path of absolute) seen.set(path, statSync(path).mtimeMs)
      return under.turn(number)
    },
  }
}

async function ours(work: string, folder: string): Promise<Keeper> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'session.jsonl'), '')
  const history = await createHistory({ workspace: work, store: join(folder, 'store'), sessionLog: join(folder, 'session.jsonl') })
  return { name: 'ours', folder, turn: (number) => history.makeSnapshot(`p${number}`), edit: (path) => history.trackEdit(path), close: () => history.close(), end: () => history.end() }
}

function logSize({ folder }: Keeper): number {
  return statSync(join(folder, 'session.jsonl')).size
}

/** Bytes on the disk, in whole blocks. */
function diskOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => (entry.isFile() ? sum + statSync(join(entry.parentPath, entry.name)).blocks * 512 : sum), 0)
}

function pick(paths: readonly string[], random: () => number): string {
  return paths[Math.floor(random() * paths.length)] ?? ''
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Infinity
}
