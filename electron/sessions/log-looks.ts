import { createHash } from 'node:crypto'
import type { DiffStat } from '../../shared/changes.js'
import type { Usage } from '../../shared/usage.js'
import { throwIfAborted } from '../../shared/errors.js'
import { isOfAgent } from './codex-segments.js'
import type { Branches } from './log-branches.js'
import { readLogEnds, type LogEnds } from './log-ends.js'
import { LogReader } from './log-reader.js'
import { otherReaderOf, readerOf } from './readers.js'
import type { LogFormat } from './record-sniff.js'
import { recordedSums } from './recorded-sums.js'
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
    return question.wanted === 'ends' ? await endsOf(question.file) : await countsOf(question, signal)
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    return { format: null, isUnreadable: !isUnknownFormat(thrown), counts: null, ...(question.wanted === 'ends' ? { ends: noEnds } : {}) }
  }
}

async function endsOf(file: string): Promise<LogAnswer> {
  const reader = await LogReader.open({ file, indexFile: null, isKept: false, isDeep: false })
  try {
    const { newestPrompts: _, ...ends } = await readLogEnds(reader.log, reader.size, reader.sniffer, false)
    return { format: reader.sniffer.format, isUnreadable: false, ends }
  } finally {
    reader.close()
  }
}

async function countsOf({ file, sizeBytes, indexFile, withSums, lineage }: LogQuestion, signal: AbortSignal | undefined): Promise<LogAnswer> {
  const isIndexed = sizeBytes >= indexedBytes
  const reader = await LogReader.open({ file, indexFile: isIndexed ? indexFile : null, isKept: isIndexed, isDeep: false })
  try {
    await reader.load(signal)
    const beside = readerOf(reader.sniffer.format)?.usageBeside?.(file) ?? noUsageBeside
    const sums = withSums ? await recordedSums(reader, beside, signal, !isOfAgent(lineage)) : { stat: null, files: null, usage: null }
    const { index, sniffer } = reader
    const { turns, branches } = shapeOf(index)
    const trail = sniffer.hasIds ? trailOf(index, branches) : []
    if (isIndexed) await reader.save()
    return {
      format: sniffer.format,
      isUnreadable: false,
      counts: { lines: index.lines, prompts: index.prompts.length, turns: turns.length, problems: index.problemCount(), trail, ...sums },
    }
  } finally {
    reader.close()
  }
}

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
