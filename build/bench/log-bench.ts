// Opening one log and listing many: ours beside a bare scan for line ends, `wc -l`, and a parse of every line.

import { appendFileSync, closeSync, mkdirSync, openSync, readSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeLog, writeLogs, type LogShape, type LogTruth } from './generated-log.js'
import { readIn, type ReaderName, type ReaderResult } from './log-readers.js'
import { msOf, race, ratio, runProgram, type Timing, type Way } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const rounds = 7
type ReaderTimings = ReadonlyMap<string, Timing<ReaderResult | null>>

export const benchSession: Group = async (size, folder) => {
  const isFull = size === 'full'
  const file = join(folder, 'session.jsonl')
  const truth = writeLog(file, { bytes: isFull ? 1e9 : 1e8, seed: 2 })
  const cache = join(folder, 'cache')
  mkdirSync(cache)
  readIn('reopen', file, cache)
  const wc: Way<null> = { name: 'wc -l', run: () => ({ ...runProgram('wc', ['-l', file], folder), result: null }) }
  const timings = await race<ReaderResult | null>([wc, ...waysOf(['scan', 'parse', 'open', 'reopen', 'newest'], file, cache)], rounds)
  const scanMB = timings.get('scan')?.result?.peakMB ?? 0
  const goals: Goal[] = [
    { what: 'open: against a scan for line ends', measured: ratio(timings, 'open', 'scan'), atMost: 1.3 },
    { what: 'open: against wc -l', measured: ratio(timings, 'open', 'wc -l'), atMost: 2.5 },
    { what: 'open: against readline and JSON.parse', measured: ratio(timings, 'open', 'parse'), atMost: isFull ? 0.15 : 0.3 },
    { what: 'open: MB of memory above the scan', measured: (timings.get('open')?.result?.peakMB ?? Infinity) - scanMB, atMost: 60 },
    { what: 'open again: against the scan', measured: ratio(timings, 'reopen', 'scan'), atMost: isFull ? 0.06 : 0.1 },
    { what: 'newest prompts: ms', measured: msOf(timings, 'newest'), atMost: 100 },
    { what: 'open: counts that are wrong', measured: wrongCounts(timings, ['open', 'reopen'], truth), atMost: 0 },
    { what: 'open again, one turn longer: counts that are wrong', measured: wrongWhenGrown(file, truth, cache), atMost: 0 },
  ]
  const hard = await benchHardLogs(folder, cache)
  return { tables: [readersTable(`One log of ${megabytes(file)} MB`, timings), ...hard.tables], goals: [...goals, ...hard.goals] }
}

/** Logs with a line of 12 MB, Windows line ends, and a last line that is cut off. */
async function benchHardLogs(folder: string, cache: string): Promise<{ readonly tables: readonly string[]; readonly goals: readonly Goal[] }> {
  const shapes: Readonly<Record<string, LogShape>> = {
    'a line of 12 MB': { bytes: 4e7, seed: 3, hugeLine: 12e6 },
    'torn, with CRLF': { bytes: 4e7, seed: 4, isTorn: true, lineEnd: '\r\n' },
  }
  const tables: string[] = []
  const goals: Goal[] = []
  for (const [name, shape] of Object.entries(shapes)) {
    const file = join(folder, `${shape.seed}.jsonl`)
    const truth = writeLog(file, shape)
    const timings = await race<ReaderResult | null>(waysOf(['scan', 'parse', 'open'], file, cache), rounds)
    tables.push(readersTable(`A log with ${name}`, timings))
    goals.push(
      { what: `${name}: against a scan for line ends`, measured: ratio(timings, 'open', 'scan'), atMost: 1.3 },
      { what: `${name}: counts that are wrong`, measured: wrongCounts(timings, ['open', 'parse'], truth), atMost: 0 },
    )
  }
  return { tables, goals }
}

export const benchList: Group = async (size, folder) => {
  const isFull = size === 'full'
  const count = isFull ? 5000 : 1000
  const logs = join(folder, 'logs')
  const truth = { n: count, prompts: writeLogs(logs, count, isFull ? 1e9 : 2e8) }
  const cache = join(folder, 'cache')
  mkdirSync(cache)
  readIn('relist', logs, cache)
  const timings = await race<ReaderResult | null>(waysOf(['statAll', 'readHeads', 'scanAll', 'parseAll', 'listTitles', 'list', 'relist'], logs, cache), rounds)
  const changed = readdirSync(logs, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.jsonl')) ?? ''
  appendFileSync(join(logs, changed), anotherPrompt(join(logs, changed)))
  const afterChange = readIn('relist', logs, cache)
  const goals: Goal[] = [
    { what: 'titles: against reading all heads', measured: ratio(timings, 'listTitles', 'readHeads'), atMost: 1.3 },
    { what: 'with counts: against a scan of all', measured: ratio(timings, 'list', 'scanAll'), atMost: 1.2 },
    { what: 'with counts: against a parse of all', measured: ratio(timings, 'list', 'parseAll'), atMost: 0.2 },
    { what: 'with counts: MB of memory', measured: timings.get('list')?.result?.peakMB ?? Infinity, atMost: 150 },
    { what: 'again: against readdir and stat', measured: ratio(timings, 'relist', 'statAll'), atMost: 1.5 },
    { what: 'counts that are wrong', measured: wrongCounts(timings, ['list', 'relist'], truth), atMost: 0 },
    { what: 'again, one log longer: prompts missed', measured: truth.prompts + 1 - (afterChange.result.counts.prompts ?? 0), atMost: 0 },
    { what: 'again, one log longer: against a scan of all', measured: afterChange.ms / msOf(timings, 'scanAll'), atMost: 0.25 },
  ]
  return { tables: [readersTable(`${count} logs`, timings)], goals }
}

function waysOf(names: readonly ReaderName[], target: string, cache: string): Way<ReaderResult>[] {
  return names.map((name) => ({ name, run: () => readIn(name, target, cache) }))
}

function readersTable(title: string, timings: ReaderTimings): string {
  const rows = [...timings].map(([name, { ms, result }]) => [readerTitles[name] ?? name, ms, ratioTo(timings, name), result?.cpuMs ?? '', result?.peakMB ?? '', result?.blockMs ?? ''])
  return table(title, ['reader', 'ms', 'to the scan', 'CPU, ms', 'peak MB', 'longest block, ms'], rows)
}

function ratioTo(timings: ReaderTimings, name: string): number {
  return ratio(timings, name, timings.has('scan') ? 'scan' : 'scanAll')
}

const readerTitles: Readonly<Record<string, string>> = {
  scan: 'scan for line ends',
  parse: 'readline and JSON.parse',
  open: 'ours, first time',
  reopen: 'ours, again',
  newest: 'ours, newest prompts',
  scanAll: 'scan of all',
  parseAll: 'readline and JSON.parse of all',
  readHeads: 'heads of all',
  statAll: 'readdir and stat',
  list: 'ours, with counts',
  listTitles: 'ours, titles',
  relist: 'ours, again',
}

function wrongCounts(timings: ReaderTimings, names: readonly ReaderName[], truth: Partial<LogTruth> & { readonly n?: number }): number {
  return names.reduce((wrong, name) => wrong + wrongIn(timings.get(name)?.result ?? null, truth), 0)
}

function wrongIn(found: ReaderResult | null, truth: Partial<LogTruth> & { readonly n?: number }): number {
  const { lines, prompts, snaps, n }: ReaderResult['counts'] = found?.counts ?? {}
  return [lines === truth.lines, prompts === truth.prompts, snaps === truth.snaps, n === truth.n].filter((isRight) => !isRight).length
}

/** Appends a prompt, opens the log by the index that was made before, and compares the counts. */
function wrongWhenGrown(file: string, truth: LogTruth, cache: string): number {
  appendFileSync(file, anotherPrompt(file))
  return wrongIn(readIn('reopen', file, cache).result, { lines: truth.lines + 1, prompts: truth.prompts + 1, snaps: truth.snaps })
}

/** The first prompt of a log as a new record. */
function anotherPrompt(file: string): string {
  const handle = openSync(file, 'r')
  const head = Buffer.alloc(1 << 16)
  readSync(handle, head)
  closeSync(handle)
  const line = head.toString('utf8', 0, head.indexOf('\n'))
  return `${line.replace(/^\{"uuid":".{8}/, '{"uuid":"ffffffff')}\n`
}

function megabytes(file: string): number {
  return Math.round(statSync(file).size / 1e6)
}
