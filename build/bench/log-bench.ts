// Opening one log and listing many: ours beside a bare scan for line ends, `wc -l`, and a parse of every line.

import { appendFileSync, closeSync, mkdirSync, openSync, readSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildLogWorker } from '../built-module.js'
import { logName, writeLog, writeLogs, type LogShape, type LogTruth } from './generated-log.js'
import type { GeneratedFormat } from './generated-records.js'
import { marks, readIn, type ReaderName, type ReaderResult } from './log-readers.js'
import { logWorker } from './session-adapter.js'
import { msOf, race, ratio, runProgram, type Timing, type Way } from './measure.js'
import { table, type Goal, type Group, type Report, type Size } from './report.js'

const rounds = 5
const formats: readonly GeneratedFormat[] = ['qwen', 'claude', 'codex', 'gemini']
type ReaderTimings = ReadonlyMap<string, Timing<ReaderResult | null>>

export const benchSession: Group = async (size, folder) => joined(await inOrder((format) => benchLog(format, size, inNewFolder(folder, format))))

async function benchLog(format: GeneratedFormat, size: Size, folder: string): Promise<Report> {
  const isFull = size === 'full'
  const file = join(folder, logName(format, 'abcdef01'))
  const truth = writeLog(file, { bytes: isFull ? 1e9 : 1e8, seed: 2, format })
  const cache = inNewFolder(folder, 'cache')
  const wc: Way<null> = { name: 'wc -l', run: () => ({ ...runProgram('wc', ['-l', file], folder), result: null }) }
  // Logs of Gemini CLI are read as a whole: no index of them is kept.
  const isIndexed = format !== 'gemini'
  if (isIndexed) readIn('reopen', file, cache, format)
  const ways = waysOf(['scan', 'parse', 'open', ...(isIndexed ? (['reopen'] as const) : []), 'newest'], file, cache, format)
  const timings = await race<ReaderResult | null>([wc, ...ways], rounds)
  const peakOf = (name: ReaderName): number => timings.get(name)?.result?.peakMB ?? Infinity
  const firstOf = (name: ReaderName): number => timings.get(name)?.result?.firstMs ?? Infinity
  const goals: Goal[] = [
    { what: 'open: against a scan for line ends', measured: ratio(timings, 'open', 'scan'), atMost: 1.3 },
    { what: 'open: against wc -l', measured: ratio(timings, 'open', 'wc -l'), atMost: 2.5 },
    { what: 'open: against readline and JSON.parse', measured: ratio(timings, 'open', 'parse'), atMost: isFull ? 0.15 : 0.3 },
    { what: 'open: MB of memory above the scan', measured: peakOf('open') - peakOf('scan'), atMost: 60 },
    { what: 'newest prompts, first in a process: ms', measured: firstOf('newest'), atMost: 100 },
    { what: 'open: counts that are wrong', measured: wrongCounts(timings, ['open'], truth), atMost: 0 },
  ]
  if (isIndexed) {
    goals.push(
      { what: 'open again: against the scan', measured: ratio(timings, 'reopen', 'scan'), atMost: isFull ? 0.06 : 0.1 },
      { what: 'open again: counts that are wrong', measured: wrongCounts(timings, ['reopen'], truth), atMost: 0 },
      { what: 'open again, one turn longer: counts that are wrong', measured: wrongWhenGrown(file, truth, cache, format), atMost: 0 },
    )
  }
  const report = { tables: [readersTable(`One log of ${megabytes(file)} MB`, timings)], goals }
  rmSync(file)
  return named(format, joined([report, await benchHardLogs(format, folder, cache)]))
}

/** Logs with a line of 12 MB, Windows line ends, and a last line that is cut off. */
async function benchHardLogs(format: GeneratedFormat, folder: string, cache: string): Promise<Report> {
  const shapes: Readonly<Record<string, LogShape>> = {
    'a line of 12 MB': { bytes: 4e7, seed: 3, format, hugeLine: 12e6 },
    'torn, with CRLF': { bytes: 4e7, seed: 4, format, isTorn: true, lineEnd: '\r\n' },
  }
  const reports: Report[] = []
  for (const [name, shape] of Object.entries(shapes)) {
    const file = join(folder, logName(format, `0000000${shape.seed}`))
    const truth = writeLog(file, shape)
    const timings = await race<ReaderResult | null>(waysOf(['scan', 'parse', 'open'], file, cache, format), rounds)
    const goals = [
      { what: `${name}: against a scan for line ends`, measured: ratio(timings, 'open', 'scan'), atMost: 1.3 },
      { what: `${name}: counts that are wrong`, measured: wrongCounts(timings, ['open', 'parse'], truth), atMost: 0 },
    ]
    reports.push({ tables: [readersTable(`A log with ${name}`, timings)], goals })
  }
  return joined(reports)
}

export const benchList: Group = async (size, folder) => {
  // The readers find it there, as the app finds it beside itself.
  process.env[logWorker] = await buildLogWorker(folder)
  return joined(await inOrder((format) => benchLogs(format, size, inNewFolder(folder, format))))
}

async function benchLogs(format: GeneratedFormat, size: Size, folder: string): Promise<Report> {
  const isFull = size === 'full'
  const count = isFull ? 5000 : 1000
  const logs = join(folder, 'logs')
  const truth = { n: count, prompts: writeLogs(logs, count, isFull ? 1e9 : 2e8, format) }
  const cache = inNewFolder(folder, 'cache')
  readIn('relist', logs, cache, format)
  const names: readonly ReaderName[] = ['statAll', 'readHeads', 'scanAll', 'parseAll', 'listTitles', 'list', 'relist']
  const timings = await race<ReaderResult | null>(waysOf(names, logs, cache, format), rounds)
  const changed = readdirSync(logs, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.jsonl')) ?? ''
  appendFileSync(join(logs, changed), anotherPrompt(join(logs, changed), format))
  const afterChange = readIn('relist', logs, cache, format)
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
  rmSync(logs, { recursive: true })
  return named(format, { tables: [readersTable(`${count} logs`, timings)], goals })
}

async function inOrder(run: (format: GeneratedFormat) => Promise<Report>): Promise<readonly Report[]> {
  const reports: Report[] = []
  for (const format of formats) reports.push(await run(format))
  return reports
}

function joined(reports: readonly Report[]): Report {
  return { tables: reports.flatMap(({ tables }) => tables), goals: reports.flatMap(({ goals }) => goals) }
}

/** A report whose tables and goals begin with the name of what they are about. */
function named(name: string, { tables, goals }: Report): Report {
  return { tables: tables.map((each) => each.replace(/^### /, `### ${name}: `)), goals: goals.map((goal) => ({ ...goal, what: `${name}: ${goal.what}` })) }
}

function inNewFolder(folder: string, name: string): string {
  const made = join(folder, name)
  mkdirSync(made)
  return made
}

function waysOf(names: readonly ReaderName[], target: string, cache: string, format: GeneratedFormat): Way<ReaderResult>[] {
  return names.map((name) => ({ name, run: () => readIn(name, target, cache, format) }))
}

function readersTable(title: string, timings: ReaderTimings): string {
  const rows = [...timings].map(([name, { ms, result }]) => [readerTitles[name] ?? name, ms, ratioTo(timings, name), result?.firstMs ?? '', result?.cpuMs ?? '', result?.peakMB ?? '', result?.blockMs ?? ''])
  return table(title, ['reader', 'ms', 'to the scan', 'first in a process, ms', 'CPU, ms', 'peak MB', 'longest block, ms'], rows)
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
function wrongWhenGrown(file: string, truth: LogTruth, cache: string, format: GeneratedFormat): number {
  appendFileSync(file, anotherPrompt(file, format))
  return wrongIn(readIn('reopen', file, cache, format).result, { lines: truth.lines + 1, prompts: truth.prompts + 1, snaps: truth.snaps })
}

/** The first prompt of a log as a new record. */
function anotherPrompt(file: string, format: GeneratedFormat): string {
  const handle = openSync(file, 'r')
  const head = Buffer.alloc(1 << 16)
  const bytesRead = readSync(handle, head)
  closeSync(handle)
  const line = head.toString('utf8', 0, bytesRead).split('\n').find((each) => each.includes(marks[format].prompt)) ?? ''
  return `${line.replace(/("uuid":"|^\{"id":").{8}/, '$1ffffffff')}\n`
}

function megabytes(file: string): number {
  return Math.round(statSync(file).size / 1e6)
}
