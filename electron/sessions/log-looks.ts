import { createHash } from 'node:crypto'
import { addStat, type DiffStat } from '../../shared/changes.js'
import type { Usage } from '../../shared/usage.js'
import { throwIfAborted } from '../../shared/errors.js'
import { isOfAgent, mostSegments } from './codex-segments.js'
import { promptsBefore, type Branches } from './log-branches.js'
import { readLogEnds, type LogEnds } from './log-ends.js'
import { LogReader } from './log-reader.js'
import { otherReaderOf, readerOf } from './readers.js'
import type { LogFormat } from './record-sniff.js'
import { isSummed, recordedSums, type RecordedSums } from './recorded-sums.js'
import type { UsageBeside } from './recorded-usage.js'
import { shapeOf } from './session-shape.js'

/** Logs from this size on have an index of their own, so that a grown one is not read again. */
const indexedBytes = 4 << 20
const keptTrail = 1000
/** Logs of which both ends are read at a time, and logs that are counted at a time. */
const endReaders = 4
const counters = 2

/** What both ends of a log say. The newest prompts are left out: only the open session shows them. */
export type CatalogEnds = Omit<LogEnds, 'newestPrompts'>

export interface LogCounts {
  readonly lines: number
  /** Prompts on all branches, and turns of the live one. */
  readonly prompts: number
  readonly turns: number
  readonly problems: number
  /** For each live turn, up to 1,000, a hash of its prompt's identity and of all before it: equal ones begin with the same records. */
  readonly trail: readonly string[]
  /** Lines that the live branch's edits brought in and took away; `null` where they were not counted. */
  readonly stat: DiffStat | null
  /** Files that those edits changed. */
  readonly files: number | null
  /** Tokens and cost of all branches, with the subagents'; `null` where none are recorded, or they were not counted. */
  readonly usage: Usage | null
}

/** A log to look at: at both ends, or at all of it. */
export interface LogQuestion {
  readonly wanted: 'ends' | 'counts'
  readonly file: string
  readonly sizeBytes: number
  /** Where the index of a big one is kept; `null` for nowhere. */
  readonly indexFile: string | null
  /** Whether lines, files and tokens are summed up too. */
  readonly withSums: boolean
  /** Of the log's ends, where they are known. */
  readonly lineage: LogEnds['lineage']
}

/** What was learned of a log; a part that is left out was not looked at. */
export interface LogAnswer {
  /** `null` for a file that is no log of a known format, or that cannot be read. */
  readonly format: LogFormat | null
  readonly isUnreadable: boolean
  readonly ends?: CatalogEnds
  readonly counts?: LogCounts | null
}

/** Looks at logs on this thread, and tells each answer with the place of its question. Errors: CANCELLED; what cannot be read is marked so. */
export async function lookAtLogs(questions: readonly LogQuestion[], onAnswer: (answer: LogAnswer, at: number) => void, signal?: AbortSignal): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < questions.length; at = next++) {
      const question = questions[at]
      throwIfAborted(signal)
      if (question) onAnswer(await lookAtLog(question, signal), at)
    }
  }
  const workers = questions[0]?.wanted === 'counts' ? counters : endReaders
  await Promise.all(Array.from({ length: Math.min(workers, questions.length) }, work))
}

async function lookAtLog(question: LogQuestion, signal: AbortSignal | undefined): Promise<LogAnswer> {
  try {
    const other = otherReaderOf(question.file)
    if (question.wanted === 'ends' && other?.others.endsOf) {
      const ends = await other.others.endsOf(question.file, signal)
      if (ends) return { format: other.reader.format, isUnreadable: false, ends }
    }
    if (other) {
      const { ends: { newestPrompts: _, ...ends }, counts } = await other.others.look(question.file, signal)
      return { format: other.reader.format, isUnreadable: false, ends, counts }
    }
    return question.wanted === 'ends' ? await endsOf(question.file, signal) : await countsOf(question, signal)
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    return { format: null, isUnreadable: !isUnknownFormat(thrown), counts: null, ...(question.wanted === 'ends' ? { ends: noEnds } : {}) }
  }
}

/** What both ends of a session say: it began with the first of the logs that it goes on from. */
async function endsOf(file: string, signal: AbortSignal | undefined): Promise<LogAnswer> {
  const reader = await LogReader.open({ file, indexFile: null, isKept: false, isDeep: false })
  try {
    const { format } = reader.sniffer
    const { newestPrompts: _, ...own } = await readLogEnds(reader.log, reader.size, reader.sniffer, false)
    let ends: CatalogEnds = own
    await eachEarlier({ format, file, lineage: own.lineage }, signal, async (_, before) => {
      ends = { ...ends, model: ends.model ?? before.model, title: ends.title ?? before.title, firstPrompt: before.firstPrompt ?? ends.firstPrompt, startedAt: before.startedAt ?? ends.startedAt }
    })
    return { format, isUnreadable: false, ends }
  } finally {
    reader.close()
  }
}

/**
 * Visits the logs that one goes on from, the nearest first, each with its ends and the offset up to which it counts. Returns whether
 * all are here. Errors: CANCELLED.
 */
async function eachEarlier(
  from: { readonly format: LogFormat; readonly file: string; readonly lineage: LogEnds['lineage'] },
  signal: AbortSignal | undefined,
  visit: (reader: LogReader, ends: LogEnds, before: number) => Promise<void>,
): Promise<boolean> {
  const seen = new Set<string>()
  for (let { file, lineage } = from; ; ) {
    const part = await readerOf(from.format)?.earlierPart?.(file, lineage, signal)
    if (!part) return true
    seen.add(file)
    if (part.file === null || seen.has(part.file) || seen.size >= mostSegments) return false
    file = part.file
    try {
      const reader = await LogReader.open({ file, indexFile: null, isKept: false, isDeep: false })
      try {
        const ends = await readLogEnds(reader.log, Math.min(reader.size, part.endOffset), reader.sniffer, false)
        await visit(reader, ends, part.endOffset)
        lineage = ends.lineage
      } finally {
        reader.close()
      }
    } catch (thrown) {
      if (signal?.aborted) throw thrown
      return false
    }
  }
}

async function countsOf(question: LogQuestion, signal: AbortSignal | undefined): Promise<LogAnswer> {
  const { file, sizeBytes, indexFile, withSums, lineage } = question
  const isIndexed = sizeBytes >= indexedBytes
  const reader = await LogReader.open({ file, indexFile: isIndexed ? indexFile : null, isKept: isIndexed, isDeep: false })
  try {
    await reader.load(signal)
    const { index, sniffer } = reader
    const { format } = sniffer
    const files = new Set<string>()
    const beside = readerOf(format)?.usageBeside?.(file) ?? noUsageBeside
    let sums = withSums ? await recordedSums(reader, beside, { signal, isWhole: !isOfAgent(lineage), files }) : noSums
    let areSummed = isSummed(reader)
    const { turns, branches, places } = shapeOf(index)
    const trail = sniffer.hasIds ? trailOf(index, branches) : []
    if (isIndexed) await reader.save()
    const ids = new Set(places.keys())
    const counted = { prompts: index.prompts.length, turns: turns.length, problems: index.problemCount() }
    const areAllHere = await eachEarlier({ format, file, lineage }, signal, async (earlier, ends, before) => {
      await earlier.load(signal)
      if (withSums) sums = joinSums(sums, await recordedSums(earlier, noUsageBeside, { signal, isWhole: !isOfAgent(ends.lineage), before, files }), files)
      areSummed &&= isSummed(earlier)
      const own = [...shapeOf(earlier.index).places.values()].filter(({ turn }) => !ids.has(turn.promptId))
      const kept = new Set(promptsBefore(earlier.index, before))
      for (const { turn } of own) ids.add(turn.promptId)
      counted.prompts += own.length
      counted.turns += own.filter(({ prompt }) => kept.has(prompt)).length
      counted.problems += earlier.index.problemCount()
    })
    if (!areAllHere) counted.problems++
    return { format, isUnreadable: false, counts: { lines: index.lines, trail, ...counted, ...sums, ...(areSummed ? {} : { stat: null, files: null }) } }
  } finally {
    reader.close()
  }
}

/** Of a log and of one that it goes on from, whose tokens its own running sum has where it has one. */
function joinSums(later: RecordedSums, earlier: RecordedSums, files: ReadonlySet<string>): RecordedSums {
  const stat = later.stat && earlier.stat ? addStat(later.stat, earlier.stat) : (later.stat ?? earlier.stat)
  return { stat, files: stat && files.size, usage: later.usage ?? earlier.usage }
}

const noSums: RecordedSums = { stat: null, files: null, usage: null }
const noUsageBeside: UsageBeside = async () => undefined

/** What is told of a log whose ends could not be read. */
export const noEnds: CatalogEnds = {
  sessionId: null,
  folder: null,
  branch: null,
  agent: null,
  client: null,
  model: null,
  title: null,
  firstPrompt: null,
  startedAt: null,
  lastActiveAt: null,
  end: null,
  lineage: [],
}

function trailOf({ rows, prompts }: LogReader['index'], { live }: Branches): readonly string[] {
  let before = ''
  return live.slice(0, keptTrail).map(({ prompt }) => {
    before = createHash('sha256').update(`${before} ${rows.idOf(prompts[prompt]?.row ?? -1)}`).digest('hex').slice(0, 12)
    return before
  })
}

function isUnknownFormat(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'SESSION_FORMAT_UNKNOWN'
}
