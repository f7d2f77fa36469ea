// Searching contents and names beside ripgrep, git, grep and walks in JavaScript.

import { appendFileSync, readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ripgrepProgram } from '../../electron/tools/ripgrep.js'
import { searchFiles, type SearchResult } from '../../electron/tools/search.js'
import { watched } from './event-loop.js'
import { writeFolder } from './generated-folder.js'
import { msOf, race, ratio, runProgram, timed, type Timed, type Way } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const needle = 'needle_q7z'
const planted = 20
/** Fits one name in ten. */
const nameEnd = '5.ts'
/** Nothing is cut. */
const everything = 1_000_000
const rounds = 7

export const benchSearch: Group = async (size, folder) => {
  const count = size === 'full' ? 100_000 : 10_000
  const paths = writeFolder(folder, count, count * 10_000)
  for (let at = 0; at < planted; at++) appendFileSync(join(folder, paths[Math.floor((at + 0.5) * (count / planted))] ?? ''), `const ${needle} = ${at}\n`)
  runProgram('git', ['init', '-q'], folder)
  runProgram('git', ['add', '-A'], folder)
  // Whoever reads the files first pays for all that come after.
  runProgram('grep', ['-rnc', needle, '.'], folder, [0, 1])
  const contents = await raceContents(folder)
  const names = await raceNames(folder)
  const { firstMs, cappedMs, longestBlockMs } = await behaviour(folder)
  const fastest = (timings: ReadonlyMap<string, Timed<number>>, others: readonly string[]): string => others.toSorted((a, b) => msOf(timings, a) - msOf(timings, b))[0] ?? ''
  const tool = fastest(contents, ['rg', 'git grep --untracked', 'grep -rn'])
  const list = fastest(names, ['rg --files', 'git ls-files -co', 'walk in place'])
  const wrong = (timings: ReadonlyMap<string, Timed<number>>): number => Math.abs((timings.get('ours')?.result ?? 0) - (timings.get('rg')?.result ?? timings.get('rg --files')?.result ?? 0))
  const goals: Goal[] = [
    { what: `contents: against the fastest tool (${tool})`, measured: ratio(contents, 'ours', tool), atMost: 1.2 },
    { what: 'contents: against an asynchronous walk in JavaScript', measured: ratio(contents, 'ours', 'asynchronous walk'), atMost: 0.25 },
    { what: 'contents: first hits, ms', measured: firstMs, atMost: 100 },
    { what: 'contents: stopped at 200 matches, against reading all', measured: cappedMs / msOf(contents, 'ours'), atMost: 0.5 },
    { what: 'contents: hits that are wrong', measured: wrong(contents), atMost: 0 },
    { what: `names: against the fastest (${list})`, measured: ratio(names, 'ours', list), atMost: 1.3 },
    { what: 'names: hits that are wrong', measured: wrong(names), atMost: 0 },
    { what: 'names: longest time without turn for others, ms', measured: longestBlockMs, atMost: 50 },
  ]
  const rows = (timings: ReadonlyMap<string, Timed<number>>): readonly (readonly (string | number)[])[] => [...timings].map(([name, { ms, result }]) => [name, ms, ms / msOf(timings, 'ours'), result])
  const head = ['way', 'ms', 'to ours', 'hits']
  const title = `of ${count.toLocaleString('en')} files`
  return { tables: [table(`Contents ${title}, ${planted} with the text`, head, rows(contents)), table(`Names ${title}, one in ten fits`, head, rows(names))], goals }
}

function search(folder: string, pattern: string, contentSearch: boolean, maxMatches: number, onMatches?: () => void): Promise<SearchResult> {
  const request = { folder, pattern, contentSearch, isRegex: false, isCaseSensitive: true, respectIgnore: true, includeHidden: true, maxMatches }
  return searchFiles(folder, request, { onMatches })
}

function raceContents(folder: string): Promise<ReadonlyMap<string, Timed<number>>> {
  const ways: Way<number>[] = [
    { name: 'ours', run: () => timed(async () => (await search(folder, needle, true, everything)).matches.length) },
    { name: 'rg', run: () => lines(folder, ripgrepProgram() ?? 'rg', ['--no-config', '-n', '--no-heading', needle, '.']) },
    { name: 'git grep --untracked', run: () => lines(folder, 'git', ['grep', '-n', '--untracked', needle]) },
    { name: 'grep -rn', run: () => lines(folder, 'grep', ['-rn', '--exclude-dir=.git', needle, '.']) },
    { name: 'asynchronous walk', run: () => timed(() => walkContents(folder)) },
  ]
  return race(ways, rounds)
}

function raceNames(folder: string): Promise<ReadonlyMap<string, Timed<number>>> {
  const ways: Way<number>[] = [
    { name: 'ours', run: () => timed(async () => (await search(folder, `*${nameEnd}`, false, everything)).matches.length) },
    { name: 'rg --files', run: () => lines(folder, ripgrepProgram() ?? 'rg', ['--no-config', '--files', '-g', `*${nameEnd}`, '.']) },
    { name: 'git ls-files -co', run: () => lines(folder, 'git', ['ls-files', '-co', '--exclude-standard', '--', `*${nameEnd}`]) },
    { name: 'walk in place', run: () => timed(() => walkNames(folder)) },
  ]
  return race(ways, rounds)
}

/** When the first hits come, how long a search for a frequent word takes that stops at 200, and how long names keep others waiting. */
async function behaviour(folder: string): Promise<{ readonly firstMs: number; readonly cappedMs: number; readonly longestBlockMs: number }> {
  let firstMs = Infinity
  let cappedMs = Infinity
  let longestBlockMs = Infinity
  for (let round = 0; round < 3; round++) {
    const start = performance.now()
    let first = Infinity
    await search(folder, needle, true, everything, () => (first = Math.min(first, performance.now() - start)))
    firstMs = Math.min(firstMs, first)
    cappedMs = Math.min(cappedMs, (await timed(() => search(folder, 'const', true, 200))).ms)
    longestBlockMs = Math.min(longestBlockMs, (await watched(() => search(folder, `*${nameEnd}`, false, everything))).longestBlockMs)
  }
  return { firstMs, cappedMs, longestBlockMs }
}

function lines(folder: string, program: string, args: readonly string[]): Timed<number> {
  const { ms, result } = runProgram(program, args, folder)
  return { ms, result: result.toString().split('\n').length - 1 }
}

/** What many agents do: all files, 32 at a time, as text. */
async function walkContents(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('/.git')).map((entry) => join(entry.parentPath, entry.name))
  let next = 0
  let hits = 0
  const reader = async (): Promise<void> => {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      for (const line of (await readFile(file, 'utf8')).split('\n')) if (line.includes(needle)) hits++
    }
  }
  await Promise.all(Array.from({ length: 32 }, reader))
  return hits
}

/** The least that a walk can do: no rules, nothing left out but `.git`, nobody else has a turn. */
function walkNames(folder: string): number {
  let hits = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === '.git') continue
    if (entry.isDirectory()) hits += walkNames(`${folder}/${entry.name}`)
    else if (entry.name.endsWith(nameEnd)) hits++
  }
  return hits
}
