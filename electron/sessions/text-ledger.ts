import { createHash } from 'node:crypto'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { ContentSource, FileState } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange } from '../../shared/ledger.js'
import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import { commandFiles, mayChangeBy, type TurnCalls } from './command-files.js'
import { isTextEvent, proveTexts, type PathEvents, type ProvenText, type TextEvent } from './proven-texts.js'
import type { DiskFile } from './read-inside.js'
import type { LedgerMark, LedgerPages, SessionLedger } from './recorded-session.js'

/** Commands that may be about line ends, blanks or encodings only, which recorded texts do not show. */
export const blankWords = /\\r|\\x0d|\\015|\\u000d|dos2unix|unix2dos|crlf|\beol\b|end-of-line|line.?end|\bbom\b|feff|utf-?8-sig|iconv|recode|encod|format|fmt|prettier|black|ruff|biome|lint|fix|style|commit|checkout|stash|reset|restore|\btr\b|autocrlf/i

export interface TextLedgerOptions {
  /** The live turns of which it is proved that none is missing between them, in order. */
  readonly turns: () => readonly PromptId[]
  readonly readTurn: (promptId: PromptId) => Promise<readonly TranscriptEntry[]>
  /** Paths that other records tell of, better than these; `null` where no path is to be told of here. */
  readonly leftOut: () => Promise<ReadonlySet<WorkspacePath> | null>
  /** A file of the workspace as it is now; `null` where there is none, or nothing may be read. */
  readonly readDisk: (path: WorkspacePath) => Promise<DiskFile | null>
  /** Folder of the session, as it is recorded. */
  readonly folder: () => string | null
}

/**
 * States of files by the texts that an agent's calls record whole: before and after an edit, and what a read showed.
 *
 * Such texts have lost line ends and BOM. So a text becomes a state only where something proves that the file has LF alone: the file on
 * the disk, which still is what was recorded last, or a file that the agent made itself; and from there, step by step, as long as each
 * text is the one that the next record begins with. Where the chain breaks, nothing is claimed.
 */
export class TextLedger implements SessionLedger {
  private latest: Promise<LedgerPages> | null = null

  constructor(private readonly options: TextLedgerOptions) {}

  forget(): void {
    this.latest = null
  }

  async pages(signal?: AbortSignal): Promise<LedgerPages> {
    const latest = (this.latest ??= this.read())
    latest.catch(() => this.forget())
    const pages = await latest
    throwIfAborted(signal)
    return pages
  }

  private async read(): Promise<LedgerPages> {
    const { turns, readTurn, leftOut, readDisk, folder } = this.options
    const skipped = await leftOut()
    const paths = new Map<WorkspacePath, PathEvents>()
    if (skipped === null) return pagesOf([], turns())
    // Whatever may concern line ends concerns every path that is known by then, and those to come.
    let blanks = 0
    let isBroken = false
    const commands: TurnCalls[] = []
    const isWild = (call: ToolCall): boolean => call.kind !== 'command' && isCommand(call)
    const mayChange = mayChangeBy(folder(), isWild)
    for (const [turn, promptId] of turns().entries()) {
      const before: ToolCall[] = []
      const shown = await readTurn(promptId)
      const placed = inOrder(shown)
      isBroken ||= shown.some((entry) => entry.kind === 'other' && /^(unreadable line|oversized record)$/.test(entry.label))
      commands.push({ promptId, startedAt: shown[0]?.at ?? 0, calls: placed.map(({ call }) => ({ call, endedAt: endOf(call) })) })
      for (const { call, isSubagent } of placed) {
        if (isCommand(call)) {
          before.push(call)
          if (blankWords.test(call.command?.text ?? call.args)) blanks++
        }
        if (!isTextEvent(call)) continue
        const path = call.edit?.path ?? call.seen?.path
        if (path === undefined || skipped.has(path)) continue
        const isAfterCommand = before.some((earlier) => mayChange(earlier, path))
        const event: TextEvent = { call, turn, promptId, cause: isSubagent ? 'subagent' : 'edit', blanksBefore: blanks, isAfterCommand }
        const known = paths.get(path)
        if (known) known.events.push(event)
        else paths.set(path, { path, events: [event] })
      }
    }
    const proven: ProvenText[] = []
    for (const each of paths.values()) {
      if (each.events.some(({ call }) => call.edit)) proven.push(...proveTexts(each, (await readDisk(each.path))?.bytes ?? null, blanks))
    }
    const named = folder()
    const byCommands = isBroken || named === null ? [] : await commandFiles({ turns: commands, folder: named, leftOut: new Set([...paths.keys(), ...skipped]), isWild, disk: readDisk })
    for (const { path, promptId, isBeforeTurn, callId, at, before, after } of byCommands) proven.push({ path, promptId, isBeforeTurn, callId, cause: isBeforeTurn ? 'unknown' : 'command', at, before, after })
    return pagesOf(proven, turns())
  }
}

/** Calls in the order in which they were made, a subagent's in the place of the call that started it. */
function inOrder(entries: readonly TranscriptEntry[]): readonly { readonly call: ToolCall; readonly isSubagent: boolean }[] {
  const found: { call: ToolCall; isSubagent: boolean }[] = []
  const add = (call: ToolCall, isSubagent: boolean): void => {
    found.push({ call, isSubagent })
    for (const inner of call.subagent?.calls ?? []) add(inner, true)
  }
  for (const entry of entries) if (entry.kind === 'call') add(entry.call, false)
  return found
}

function isCommand(call: ToolCall): boolean {
  return call.status !== 'refused' && (call.kind === 'command' || call.kind === 'other' || (call.kind === 'subagent' && call.subagent?.calls.length === 0))
}

function endOf({ startedAt, durationMs }: ToolCall): number | null {
  return startedAt === null || durationMs === null ? null : startedAt + durationMs
}

function pagesOf(proven: readonly ProvenText[], turns: readonly PromptId[]): LedgerPages {
  const order = new Map(turns.map((promptId, at) => [promptId, at]))
  const place = ({ promptId, isBeforeTurn }: LedgerMark): number => 2 * (order.get(promptId) ?? 0) + (isBeforeTurn ? 0 : 1)
  const byPath = new Map<WorkspacePath, LedgerMark[]>()
  const byTurn = new Map<PromptId, LedgerMark[]>()
  const changes = new Map<LedgerMark, LedgerChange>()
  const bytes = new Map<string, { readonly content: Buffer; readonly source: ContentSource }>()
  const stateOf = (known: ProvenText['before']): FileState => {
    if (known.kind !== 'text' && known.kind !== 'bytes') return known.kind === 'absent' ? { kind: 'absent' } : { kind: 'unknown', reason: known.reason }
    const content = known.kind === 'bytes' ? known.bytes : Buffer.from(known.text)
    const sha256 = createHash('sha256').update(content).digest('hex')
    bytes.set(sha256, { content, source: known.source })
    return { kind: 'file', sha256, sizeBytes: content.length, mode: null }
  }
  for (const { path, promptId, isBeforeTurn, callId, cause, at, before, after } of proven) {
    const mark: LedgerMark = { promptId, isBeforeTurn, callId, cause, at, paths: [path], limits: [], isFirstSight: isBeforeTurn }
    changes.set(mark, { path, before: stateOf(before), after: stateOf(after) })
    put(byPath, path, mark)
    put(byTurn, promptId, mark)
  }
  for (const marks of byTurn.values()) marks.sort((one, two) => place(one) - place(two))
  return {
    isPartial: true,
    paths: new Set(byPath.keys()),
    ofPath: (path) => byPath.get(path) ?? [],
    ofTurn: (promptId) => byTurn.get(promptId) ?? [],
    changeOf: async (mark) => {
      const change = changes.get(mark)
      if (!change) throw new ReviewError('CONTENT_UNKNOWN', 'The log has changed since. Open the turn again.')
      return change
    },
    read: async (sha256) => {
      const known = bytes.get(sha256)
      if (!known) throw new ReviewError('CONTENT_UNKNOWN', 'The log has changed since. Open the turn again.')
      return known.content
    },
    sourceOf: (sha256) => bytes.get(sha256)?.source ?? 'record',
  }
}

function put<Key>(map: Map<Key, LedgerMark[]>, key: Key, mark: LedgerMark): void {
  const list = map.get(key)
  if (list) list.push(mark)
  else map.set(key, [mark])
}
