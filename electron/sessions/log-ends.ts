import type { SessionEnd } from '../../shared/session.js'
import { markLength } from './json-bytes.js'
import { cutText, objectAt, parseObject, textAt, timeAt, type JsonObject } from './json-values.js'
import { lookAtBytes } from './file-reads.js'
import { lookAtTailLines, parseGlued, tailSteps, type TailLine } from './jsonl.js'
import { recordKind, type RecordSniffer, type SniffSpot } from './record-sniff.js'

const firstHeadBytes = 1 << 14
/** A first prompt with pictures in it is a line of megabytes. */
const largestHeadBytes = 1 << 24
const wantedPrompts = 20
const keptTitle = 200
const keptLineage = 16
const timeBytes = 24
const modelMark = Buffer.from('"model":"')
/** How far back the end of a log is looked through for an answer, which names the model. */
const listedTailSteps: readonly number[] = [1 << 16, 1 << 18, 1 << 20]

/** What the beginning and the end of a log say, without reading what is between. */
export interface LogEnds {
  readonly sessionId: string | null
  readonly folder: string | null
  readonly branch: string | null
  readonly agent: string | null
  /** In a log of ours: the name that the agent gave itself. */
  readonly client: string | null
  readonly model: string | null
  /** The newest title that was given to the session. */
  readonly title: string | null
  readonly firstPrompt: string | null
  readonly startedAt: number | null
  readonly lastActiveAt: number | null
  /** That the session is over, where its records tell. */
  readonly end: SessionEnd | null
  /** What the reader of the format tells copies and continuations of a session apart by. */
  readonly lineage: readonly string[]
  /** From the tail, newest first. */
  readonly newestPrompts: readonly { readonly prompt: string; readonly startedAt: number }[]
}

/**
 * Reads both ends of a log: the head up to its first prompt, the tail until it holds a prompt, or, where the newest prompts are not
 * wanted, until it holds an answer. Takes milliseconds for a log of any size.
 */
export async function readLogEnds(file: number, size: number, sniffer: RecordSniffer, wantsPrompts = true): Promise<LogEnds> {
  const head = await readHead(file, size, sniffer)
  const tail = await readTail(file, size, sniffer, head.lineage, wantsPrompts)
  const { title, ...others } = tail
  return { ...head, ...others, title: (title ?? head.title)?.text ?? null }
}

/** The title of a session in one line: the first line of a text that says something. */
export function titleOf(text: string): string {
  const line = /[^\n]*\S[^\n]*/.exec(text)?.[0] ?? ''
  return cutText(line.trim(), keptTitle)
}

type Title = ReturnType<RecordSniffer['titleOf']>
type Head = Pick<LogEnds, 'sessionId' | 'folder' | 'branch' | 'agent' | 'client' | 'firstPrompt' | 'startedAt' | 'lineage'> & { readonly title: Title }
type Tail = Pick<LogEnds, 'model' | 'lastActiveAt' | 'end' | 'newestPrompts'> & { readonly title: Title }

async function readHead(file: number, size: number, sniffer: RecordSniffer): Promise<Head> {
  for (let length = firstHeadBytes; ; length *= 4) {
    const head = await lookAtBytes(file, 0, Math.min(size, length), (bytes) => lookAtHead(bytes, bytes.length === size, sniffer))
    if (head.firstPrompt !== null || length >= size || length >= largestHeadBytes) return head
  }
}

function lookAtHead(bytes: Buffer, isAll: boolean, sniffer: RecordSniffer): Head {
  const spot: SniffSpot = { idStart: 0, parentStart: 0, sessionStart: 0 }
  const found = { sessionId: null, folder: null, branch: null, agent: null, client: null, firstPrompt: null, startedAt: null, lineage: [], title: null } as {
    -readonly [Key in keyof Head]: Head[Key]
  }
  for (let start = markLength(bytes); start < bytes.length && found.firstPrompt === null; ) {
    const close = bytes.indexOf(10, start)
    const end = close < 0 ? bytes.length : close
    if (close < 0 && !isAll) {
      // A first line that is longer than the head: its plain fields stand before the prompt.
      if (found.folder === null) found.folder = plainField(bytes.toString('utf8', start, end), 'cwd')
      break
    }
    const kind = sniffer.sniff(bytes, start, end, spot)
    const isWanted = kind === null || kind === recordKind.prompt || found.folder === null
    for (const record of isWanted ? recordsIn(bytes.subarray(start, end), sniffer) : []) {
      if (found.firstPrompt !== null) break
      const classified = sniffer.classify(record)
      const facts = sniffer.factsOf?.(record) ?? record
      found.sessionId ??= sniffer.hasIds ? classified.sessionId : textAt(facts, 'sessionId')
      found.folder ??= textAt(facts, 'cwd')
      found.branch ??= textAt(facts, 'gitBranch')
      if (textAt(record, 'subtype') === 'overturn_session') {
        found.agent ??= 'overturn'
        found.client ??= clientOf(record)
      }
      found.agent ??= textAt(record, 'agent')
      found.startedAt ??= timeAt(record, 'timestamp')
      found.title = better(found.title, sniffer.titleOf(record))
      found.lineage = [...found.lineage, ...sniffer.lineageOf(record)].slice(0, keptLineage)
      if (classified.kind === recordKind.prompt) found.firstPrompt = cutText(sniffer.promptText(record), 4000)
    }
    start = end + 1
  }
  return found
}

async function readTail(file: number, size: number, sniffer: RecordSniffer, lineage: LogEnds['lineage'], wantsPrompts: boolean): Promise<Tail> {
  let tail: Tail = { model: null, title: null, lastActiveAt: null, end: null, newestPrompts: [] }
  for (const tailBytes of wantsPrompts ? tailSteps : listedTailSteps) {
    tail = await lookAtTailLines(file, size, tailBytes, (lines) => lookAtTail(lines, sniffer, lineage, wantsPrompts))
    if (wantsPrompts ? tail.newestPrompts.length > 0 : tail.model !== null) break
    if (tailBytes >= size) break
  }
  return tail
}

function lookAtTail(newestFirst: readonly TailLine[], sniffer: RecordSniffer, lineage: LogEnds['lineage'], wantsPrompts: boolean): Tail {
  const spot: SniffSpot = { idStart: 0, parentStart: 0, sessionStart: 0 }
  const newestPrompts: { prompt: string; startedAt: number }[] = []
  let model: string | null = null
  let title: Title = null
  let lastActiveAt: number | null = null
  let end: SessionEnd | null = null
  let isEndKnown = false
  for (const { bytes } of newestFirst) {
    if (newestPrompts.length >= wantedPrompts) break
    const kind = sniffer.sniff(bytes, 0, bytes.length, spot)
    const isPrompt = kind === null || kind === recordKind.prompt
    const isReply = kind === recordKind.reply && model === null && bytes.includes(modelMark)
    const isTitle = kind === sniffer.titles.kind && title?.rank !== 0 && sniffer.titles.marks.some((mark) => bytes.includes(mark))
    const mayEnd = !isEndKnown && (kind === recordKind.note || kind === recordKind.reply || kind === recordKind.prompt)
    const isWanted = kind === null || isReply || isTitle || mayEnd || (isPrompt && wantsPrompts)
    lastActiveAt ??= kind === null ? null : timeAtPlace(bytes, sniffer.timePlace(bytes, spot))
    // A record of copies has no time of its own.
    if (!isWanted && (lastActiveAt !== null || kind === recordKind.copies || kind === recordKind.addedCopies)) continue
    for (const record of recordsIn(bytes, sniffer).toReversed()) {
      lastActiveAt ??= timeAt(record, 'timestamp')
      const told: ReturnType<NonNullable<RecordSniffer['endOf']>> = isEndKnown ? null : (sniffer.endOf?.(record, lineage) ?? null)
      isEndKnown ||= told !== null
      if (told === 'ended') end = { at: timeAt(record, 'timestamp'), how: 'ended' }
      model ??= modelOf(sniffer.factsOf?.(record) ?? record)
      title = better(title, sniffer.titleOf(record))
      if (isPrompt && wantsPrompts && sniffer.classify(record).kind === recordKind.prompt) {
        newestPrompts.push({ prompt: cutText(sniffer.promptText(record), 4000), startedAt: timeAt(record, 'timestamp') ?? 0 })
      }
    }
  }
  return { model, title, lastActiveAt, end, newestPrompts }
}

/** The record of a line, or what is whole of several on one line. */
function recordsIn(line: Buffer, { opening }: RecordSniffer): readonly JsonObject[] {
  const record = parseObject(line.toString())
  return record ? [record] : parseGlued(line, opening).map(({ value }) => value)
}

/** The time that stands at a place of a line; `null` where none does. */
function timeAtPlace(line: Buffer, place: number): number | null {
  const at = place < 0 ? NaN : Date.parse(line.toString('latin1', place, place + timeBytes))
  return Number.isFinite(at) ? at : null
}

/** Of two titles the one of lower rank; of the same rank the one that was found first. */
function better(found: Title, other: Title): Title {
  return other && (!found || other.rank < found.rank) ? other : found
}

/** A name that an agent gave itself, in one line of at most 200 characters. */
function clientOf(record: JsonObject): string | null {
  const name = textAt(objectAt(objectAt(record, 'systemPayload'), 'client'), 'name')
  return name === null || name.trim() === '' ? null : titleOf(name)
}

function modelOf(record: JsonObject): string | null {
  return textAt(record, 'model') ?? textAt(objectAt(record, 'message'), 'model')
}

function plainField(text: string, name: string): string | null {
  const found = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*")`).exec(text)?.[1]
  const value = found === undefined ? null : parseObject(`{"value":${found}}`)
  return textAt(value, 'value')
}
