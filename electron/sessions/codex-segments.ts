import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import { addUsage, type Usage } from '../../shared/usage.js'
import type { CatalogEntry } from './log-catalog.js'
import type { LogEnds } from './log-ends.js'

/** What a file of a Codex session says of its place among others. */
export interface SegmentFacts {
  readonly thread: string | null
  /** Of an agent that another one started: the thread of that one, its own name, and the path by which it is named. */
  readonly parent: string | null
  readonly agent: string | null
  readonly path: string | null
  /** The segment that it goes on from, and how many bytes of that count. */
  readonly base: { readonly segment: string; readonly endOffset: number } | null
  readonly beganAt: number | null
  readonly version: string | null
  readonly commit: string | null
}

const identity = /^[0-9a-z][0-9a-z-]{7,63}$/i
const deepest = 4
/** A session is made of no more files than these. */
export const mostSegments = 100
const mostFolders = 20_000

export function segmentFacts({ lineage }: Pick<LogEnds, 'lineage'>): SegmentFacts {
  // The log of an agent that took over a talk has that one's facts behind its own.
  const second = lineage.findIndex((each, at) => at > 0 && each.startsWith('thread:'))
  const own = second < 0 ? lineage : lineage.slice(0, second)
  const of = (name: string): string | null => own.find((each) => each.startsWith(`${name}:`))?.slice(name.length + 1) ?? null
  const [segment, cut] = [of('base'), of('cut')]
  const beganAt = Date.parse(of('began') ?? '')
  const isUsable = segment !== null && identity.test(segment) && cut !== null && /^\d{1,15}$/.test(cut)
  return {
    thread: of('thread'),
    parent: of('parent'),
    agent: of('agent'),
    path: of('path'),
    base: isUsable ? { segment, endOffset: Number(cut) } : null,
    beganAt: Number.isFinite(beganAt) ? beganAt : null,
    version: of('version'),
    commit: of('commit'),
  }
}

/**
 * The file of a segment, looked for beside a file that goes on from it and then in all folders of the store; `null` where it is gone.
 * Source: `rollout-<time>-<thread>.jsonl`, and `rollout-<time>-<thread>_<segment>.jsonl` for a later segment of a thread.
 */
export async function findSegment(segment: string, from: string, signal?: AbortSignal): Promise<string | null> {
  if (!identity.test(segment)) return null
  const ends = [`-${segment}.jsonl`, `_${segment}.jsonl`]
  const isIt = (name: string): boolean => name.startsWith('rollout-') && name !== basename(from) && ends.some((end) => name.endsWith(end))
  let looked = 0
  const lookIn = async (folder: string, depth: number): Promise<string | null> => {
    throwIfAborted(signal)
    if (looked++ > mostFolders) return null
    const entries: readonly Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const found = entries.find((entry) => entry.isFile() && isIt(entry.name))
    if (found) return join(folder, found.name)
    // The newest days first.
    const folders = depth === 0 ? [] : entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    for (const name of folders.sort().reverse()) {
      const inside = await lookIn(join(folder, name), depth - 1)
      if (inside !== null) return inside
    }
    return null
  }
  const beside = await lookIn(dirname(from), 0)
  if (beside !== null) return beside
  const home = storeOf(from)
  for (const folder of home === null ? [] : [join(home, 'sessions'), join(home, 'archived_sessions')]) {
    const found = await lookIn(folder, deepest)
    if (found !== null) return found
  }
  return null
}

/** A log that another one goes on from, of which only what stands before `endOffset` counts; its `file` is `null` where it is not here. */
export interface EarlierPart {
  readonly file: string | null
  readonly endOffset: number
}

/** What a file goes on from by its lineage; `null` for one that begins a session. */
export async function earlierPart(file: string, lineage: LogEnds['lineage'], signal?: AbortSignal): Promise<EarlierPart | null> {
  const { base } = segmentFacts({ lineage })
  return base && { file: await findSegment(base.segment, file, signal), endOffset: base.endOffset }
}

/**
 * Files that another one shows: those that a later segment of the same thread goes on from, and those of agents that a thread started
 * whose log is here too.
 */
export function shownElsewhere(logs: readonly CatalogEntry[]): ReadonlySet<string> {
  const facts = logs.flatMap(({ file, ends }) => (ends ? [{ file, segment: segmentOf(file), ...segmentFacts(ends) }] : []))
  const bySegment = new Map(facts.flatMap((each) => (each.segment === null ? [] : [[each.segment, each]])))
  const parents = parentsOf(facts)
  /** Whether following those that started it leads to one that nobody started. */
  const isJoined = (thread: string | null): boolean => {
    const top = topOf(thread, parents)
    return top !== null && top !== thread && parents.get(top) === null
  }
  const covered = new Set<string>()
  for (const each of facts) {
    const base = each.base && bySegment.get(each.base.segment)
    if (base && base.thread === each.thread && base.file !== each.file) covered.add(base.file)
    if (each.parent !== null && isJoined(each.thread)) covered.add(each.file)
  }
  return covered
}

/** What the agents took that a log's thread started, and those that they started, by the log. Each counts for all files of the thread. */
export function usageOfStarted(logs: readonly CatalogEntry[]): ReadonlyMap<string, Usage> {
  const facts = logs.flatMap(({ file, ends, counts }) => (ends ? [{ file, usage: counts?.usage ?? null, ...segmentFacts(ends) }] : []))
  if (facts.every(({ parent }) => parent === null)) return new Map()
  const parents = parentsOf(facts)
  const taken = new Map<string, Usage>()
  for (const { thread, usage } of facts) {
    const top = topOf(thread, parents)
    const sum = top === null || top === thread ? null : addUsage(taken.get(top) ?? null, usage)
    if (top !== null && sum) taken.set(top, sum)
  }
  return new Map(facts.flatMap(({ file, thread }) => (thread !== null && taken.has(thread) ? [[file, taken.get(thread) as Usage] as const] : [])))
}

/** Each thread that is here with the one that started it; `null` where nobody did. */
function parentsOf(facts: readonly Pick<SegmentFacts, 'thread' | 'parent'>[]): ReadonlyMap<string, string | null> {
  return new Map(facts.flatMap(({ thread, parent }) => (thread === null ? [] : [[thread, parent] as const])))
}

/** The last one of those that started a thread, here or not; of a circle the last that was not met before. */
function topOf(thread: string | null, parents: ReadonlyMap<string, string | null>): string | null {
  const seen = new Set<string>()
  let top = thread
  for (let above = thread; above !== null && !seen.has(above); above = parents.get(above) ?? null) {
    seen.add(above)
    top = above
  }
  return top
}

/** Whether a log is of an agent that another one started: what its running sum begins with may be that one's. */
export function isOfAgent(lineage: LogEnds['lineage']): boolean {
  return segmentFacts({ lineage }).parent !== null
}

/** The identity of a file's segment: what its name ends with. */
function segmentOf(file: string): string | null {
  return /(?:_|-)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i.exec(basename(file))?.[1] ?? null
}

/** The agent's folder that a log lies in: the one that holds `sessions` or `archived_sessions`. */
export function storeOf(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (/^(archived_)?sessions$/.test(basename(folder))) return dirname(folder)
  }
  return null
}
