// Line diffs of ours beside those of git, jsdiff and Monaco: time, and how much they call changed.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchChange } from './diff-adapter.js'
import { EngineThread, type EngineName, type EngineResult } from './diff-engines.js'
import { msOf, race, ratio, runProgram, type Timing, type Way } from './measure.js'
import { table, type Goal, type Group } from './report.js'
import { textPairs, type TextPair } from './text-pairs.js'

const rounds = 9
const peers: readonly EngineName[] = ['jsdiff', 'Monaco']

export const benchDiff: Group = async (size, folder) => {
  const threads = new Map(['ours' as const, ...peers].map((name) => [name, new EngineThread(name)]))
  const rows: (readonly (string | number)[])[] = []
  const goals: Goal[] = []
  for (const pair of textPairs(size === 'full' ? 100_000 : 10_000)) {
    const timings = await raceOne(pair, threads, folder)
    const changed = changedLines(pair, timings.get('ours')?.result ?? null)
    const least = leastChangedLines(folder)
    const peer = (name: EngineName): string => {
      const timing = timings.get(name)
      return timing?.result ? `${timing.ms.toFixed(1)} (${(timing.ms / msOf(timings, 'ours')).toFixed(0)}x)` : 'gave up'
    }
    rows.push([pair.name, msOf(timings, 'ours'), msOf(timings, 'git'), ratio(timings, 'ours', 'git'), ...peers.map(peer), changed / least])
    goals.push(
      { what: `${pair.name}: against git --histogram`, measured: ratio(timings, 'ours', 'git'), atMost: pair.lines > 10_000 ? 1.4 : 0.6 },
      { what: `${pair.name}: changed lines against git --minimal`, measured: changed / least, atMost: 1.02 },
    )
    if (pair.isRewrite && pair.lines === 10_000) goals.push({ what: `${pair.name}: against Monaco`, measured: ratio(timings, 'ours', 'Monaco'), atMost: 0.02 })
  }
  for (const thread of threads.values()) await thread.stop()
  const head = ['texts', 'ours, ms', 'git --histogram, ms', 'ours to git', 'jsdiff, ms (to ours)', 'Monaco, ms (to ours)', 'changed lines to --minimal']
  return { tables: [table('Line diff', head, rows)], goals }
}

async function raceOne(pair: TextPair, threads: ReadonlyMap<EngineName, EngineThread>, folder: string): Promise<ReadonlyMap<string, Timing<EngineResult>>> {
  writeFileSync(join(folder, 'before'), pair.before)
  writeFileSync(join(folder, 'after'), pair.after)
  const ways: Way<EngineResult>[] = [...threads].map(([name, thread]) => ({ name, prepare: () => thread.start(), run: () => thread.ask(pair) }))
  return race([...ways, { name: 'git', run: () => ({ ...gitDiff(folder, ['--diff-algorithm=histogram']), result: [] }) }], rounds)
}

function gitDiff(folder: string, options: readonly string[]): { readonly ms: number; readonly result: Buffer } {
  return runProgram('git', ['diff', '--no-index', '--no-color', ...options, 'before', 'after'], folder, [0, 1])
}

function leastChangedLines(folder: string): number {
  const [added = '', removed = ''] = gitDiff(folder, ['--minimal', '--numstat']).result.toString().split('\t')
  return Number(added) + Number(removed)
}

/** Infinity when the lines between the changes are not equal. */
function changedLines({ before, after }: TextPair, changes: EngineResult): number {
  if (changes === null || typeof changes === 'string') return Infinity
  const old = before.split(/(?<=\n)/)
  const next = after.split(/(?<=\n)/)
  const placeOf = (start: number, lines: number): number => (lines > 0 ? start - 1 : start)
  const rebuilt: string[] = []
  let done = 0
  let changed = 0
  for (const { oldStart, oldLines, newStart, newLines } of changes satisfies readonly BenchChange[]) {
    const newPlace = placeOf(newStart, newLines)
    rebuilt.push(...old.slice(done, placeOf(oldStart, oldLines)), ...next.slice(newPlace, newPlace + newLines))
    done = placeOf(oldStart, oldLines) + oldLines
    changed += oldLines + newLines
  }
  rebuilt.push(...old.slice(done))
  return rebuilt.join('') === after ? changed : Infinity
}

/** Patches of git applied by ours, by jsdiff and by git. */
export const benchPatch: Group = async (size, folder) => {
  const ours = new EngineThread('ours, patch')
  const theirs = new EngineThread('jsdiff, patch')
  const rows: (readonly (string | number)[])[] = []
  const goals: Goal[] = []
  for (const pair of textPairs(size === 'full' ? 100_000 : 10_000)) {
    writeFileSync(join(folder, 'before'), pair.before)
    writeFileSync(join(folder, 'after'), pair.after)
    const whole = gitDiff(folder, []).result.toString()
    const patch = `--- a/file\n+++ b/file\n${whole.slice(whole.indexOf('\n@@') + 1)}`
    writeFileSync(join(folder, 'patch'), patch)
    const task = { before: pair.before, after: patch }
    const timings = await race<EngineResult>(
      [
        { name: 'ours', prepare: () => ours.start(), run: () => ours.ask(task) },
        { name: 'jsdiff', prepare: () => theirs.start(), run: () => theirs.ask(task) },
        {
          name: 'git apply',
          prepare: () => writeFileSync(join(folder, 'file'), pair.before),
          run: () => ({ ...runProgram('git', ['apply', '--unsafe-paths', 'patch'], folder), result: null }),
        },
      ],
      rounds,
    )
    rows.push([pair.name, Math.round(patch.length / 1000), msOf(timings, 'ours'), msOf(timings, 'jsdiff'), msOf(timings, 'git apply'), ratio(timings, 'ours', 'jsdiff'), ratio(timings, 'ours', 'git apply')])
    goals.push(
      { what: `${pair.name}: bytes of the result that are wrong`, measured: timings.get('ours')?.result === pair.after ? 0 : 1, atMost: 0 },
      { what: `${pair.name}: against jsdiff`, measured: ratio(timings, 'ours', 'jsdiff'), atMost: 1.2 },
    )
    if (patch.length < 400_000) goals.push({ what: `${pair.name}: against git apply`, measured: ratio(timings, 'ours', 'git apply'), atMost: 0.5 })
  }
  await ours.stop()
  await theirs.stop()
  const head = ['texts', 'patch, KB', 'ours, ms', 'jsdiff, ms', 'git apply, ms', 'ours to jsdiff', 'ours to git']
  return { tables: [table('Applying a patch', head, rows)], goals }
}
