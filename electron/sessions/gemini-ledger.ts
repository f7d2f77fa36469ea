import { createHash } from 'node:crypto'
import type { FileState, UnknownReason } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { RecordedText, ToolCall, TranscriptEntry } from '../../shared/session.js'
import { commandFiles, mayChangeBy, type CommandEntry, type CommandState, type TurnCalls } from './command-files.js'
import { computedPages, type ComputedEntry } from './computed-ledger.js'
import { isJoined, newEvent, proveChain, textOfBytes, type ChainEvidence, type EditEvent, type KnownBytes, type Slot } from './gemini-chain.js'
import { harmlessTools } from './gemini-calls.js'
import type { LedgerPages } from './recorded-session.js'
import type { DiskFile } from './read-inside.js'
import type { SedOutcome } from './session-reader.js'
import { shellEffects } from '../shell/shell-effects.js'
import { blankWords } from './text-ledger.js'

export interface GeminiLedgerDeps {
  readonly turns: readonly PromptId[]
  readonly readTurn: (promptId: PromptId) => Promise<readonly TranscriptEntry[]>
  /** Records were lost, and any of them may have been an edit. */
  readonly isBroken: boolean
  /** Turns before which the agent took others back, and perhaps their changes. */
  readonly afterRewinds: ReadonlySet<PromptId>
  readonly evidenceOf: (path: WorkspacePath) => Promise<Omit<ChainEvidence, 'blanks'>>
  /** Folder of the session, as it is recorded. */
  readonly folder: string | null
  readonly disk: (path: WorkspacePath) => Promise<DiskFile | null>
  readonly sedOutcome?: SedOutcome | undefined
}

type Entry = ComputedEntry & { readonly turn: number }

/**
 * What a session's edits did to files, with each state proved or unknown, and of what commands did to others as much as their text and
 * the disk tell.
 */
export async function geminiLedger(deps: GeminiLedgerDeps): Promise<LedgerPages> {
  const { turns, readTurn, evidenceOf, isBroken, folder, disk } = deps
  const paths = new Map<WorkspacePath, EditEvent[]>()
  /** All calls by turn, in order. */
  const ofTurns: (readonly ToolCall[])[] = []
  const commands: TurnCalls[] = []
  let blanks = 0
  const mayChange = mayChangeBy(folder, isWild)
  for (const [turn, promptId] of turns.entries()) {
    const shown = await readTurn(promptId)
    const placed = inOrder(shown.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : [])))
    const calls = placed.map(({ call }) => call)
    ofTurns.push(calls)
    // The time of a call is that of its end.
    commands.push({ promptId, startedAt: shown[0]?.at ?? 0, calls: calls.map((call) => ({ call, endedAt: call.startedAt })) })
    const before: ToolCall[] = []
    for (const [place, { call, isSubagents }] of placed.entries()) {
      const edited = isBroken || !call.command ? null : await bySed(call, calls.slice(0, place), paths, deps, mayChange)
      if (edited) {
        // What it did to the one file that it names is told as an edit is.
        calls[place] = edited.call
        paths.get(edited.path)?.push(newEvent(edited.call, { turn, promptId, cause: 'command', blanksBefore: blanks, isAfterCommand: true }))
        before.push(edited.call)
        continue
      }
      if (isWild(call)) {
        before.push(call)
        if (blankWords.test(call.command?.text ?? call.args)) blanks++
      }
      if (!call.edit || call.status === 'refused' || (call.status === 'failed' && call.output !== '')) continue
      const { path } = call.edit
      const isAfterCommand = before.some((earlier) => mayChange(earlier, path))
      const event = newEvent(call, { turn, promptId, cause: isSubagents ? 'subagent' : 'edit', blanksBefore: blanks, isAfterCommand })
      const known = paths.get(call.edit.path)
      if (known) known.push(event)
      else paths.set(call.edit.path, [event])
    }
  }
  const kept = new Map<string, KnownBytes>()
  const entries: Entry[] = []
  for (const [path, events] of paths) {
    const evidence = { ...(await evidenceOf(path)), blanks }
    await proveChain(events, evidence)
    const own = new Set(events.map((event) => event.call))
    const concerns = (call: ToolCall): boolean => isWild(call) && mayChange(call, path)
    const ofTurn = (turn: number): readonly ToolCall[] => (ofTurns[turn] ?? []).filter((call) => own.has(call) || concerns(call))
    const isDoubted = (turns: number): boolean => ofTurns.slice(0, turns).some((calls) => calls.some(concerns))
    entries.push(...entriesOf(path, events, evidence, deps, { ofTurn, isDoubted }, kept))
  }
  const byCommands = isBroken || folder === null ? [] : await commandFiles({ turns: commands, folder, leftOut: new Set(paths.keys()), isWild, disk })
  entries.push(...byCommands.map((each) => commandEntry(each, kept)))
  const order = (entry: Entry): number => 2 * entry.turn + (entry.isBeforeTurn ? 0 : 1)
  entries.sort((one, two) => order(one) - order(two))
  const pages = computedPages(entries, { read: async (sha256) => kept.get(sha256)?.bytes ?? null, sourceOf: (sha256) => kept.get(sha256)?.source ?? 'record' })
  return { ...pages, isPartial: true }
}

/** A call that can change files without naming them; of an agent whose log is here its own calls tell. */
function isWild({ kind, status, name, subagent }: ToolCall): boolean {
  if (kind === 'other') return status !== 'refused' && !harmlessTools.has(name)
  return status !== 'refused' && (kind === 'command' || (kind === 'subagent' && subagent?.calls.length === 0))
}

/** A sed on a file that an edit before it in its turn has shown, with what it made of that text; `null` where this is not certain. */
async function bySed(
  call: ToolCall,
  earlier: readonly ToolCall[],
  paths: ReadonlyMap<WorkspacePath, readonly EditEvent[]>,
  { folder, sedOutcome }: GeminiLedgerDeps,
  mayChange: (call: ToolCall, path: WorkspacePath) => boolean,
): Promise<{ readonly call: ToolCall; readonly path: WorkspacePath } | null> {
  if (!call.command || call.status !== 'done' || call.command.exitCode !== 0 || folder === null || !sedOutcome || blankWords.test(call.command.text)) return null
  const effects = shellEffects(call.command.text, folder, call.command.directory ?? folder)
  const [effect, second] = effects.kind === 'writes' ? effects.steps : []
  if (effect?.kind !== 'file' || second || !effect.sed || !effect.isCertain) return null
  const last = paths.get(effect.path)?.at(-1)
  const since = last ? earlier.lastIndexOf(last.call) : -1
  const before = last?.after.text ?? null
  if (since < 0 || before === null || earlier.slice(since + 1).some((other) => mayChange(other, effect.path))) return null
  // The text has lost the line ends of the file: what comes out must be the same with either.
  const [lf, crlf] = [await sedOutcome(effect.sed, Buffer.from(before)), await sedOutcome(effect.sed, Buffer.from(before.replaceAll('\n', '\r\n')))]
  const after = textOfBytes(lf && Buffer.from(lf))
  if (after === null || !lf || !crlf || Buffer.from(crlf).toString() !== after.replaceAll('\n', '\r\n')) return null
  const text = (held: string): RecordedText => ({ text: held, isWhole: true })
  const edit = { path: effect.path, change: { kind: 'replace', oldText: '', newText: '', all: false }, before: text(before), after: text(after), isNewFile: false, diff: null } as const
  return { call: { ...call, edit }, path: effect.path }
}

interface PlacedCall {
  readonly call: ToolCall
  readonly isSubagents: boolean
}

/** Calls in the order in which they ended: an agent's behind the call that started it, those of several that ran side by side by time. */
function inOrder(calls: readonly ToolCall[]): readonly PlacedCall[] {
  const placed: PlacedCall[] = []
  let beside: ToolCall[] = []
  const flush = (): void => {
    const inner = beside.flatMap((call) => inOrder(call.subagent?.calls ?? []))
    placed.push(...beside.map((call) => ({ call, isSubagents: false })))
    placed.push(...inner.map(({ call }) => ({ call, isSubagents: true })).sort((one, two) => (one.call.startedAt ?? 0) - (two.call.startedAt ?? 0)))
    beside = []
  }
  for (const call of calls) {
    if (call.kind === 'subagent') {
      beside.push(call)
      continue
    }
    flush()
    placed.push({ call, isSubagents: false })
  }
  flush()
  return placed
}

/** The calls that concern one file: its own edits, and what may have changed it without naming it. */
interface CallsOfPath {
  readonly ofTurn: (turn: number) => readonly ToolCall[]
  /** Whether something before a turn may have. */
  readonly isDoubted: (turn: number) => boolean
}

function entriesOf(
  path: WorkspacePath,
  events: readonly EditEvent[],
  { disk, blanks }: ChainEvidence,
  { turns, isBroken, afterRewinds }: GeminiLedgerDeps,
  calls: CallsOfPath,
  kept: Map<string, KnownBytes>,
): readonly Entry[] {
  const entry = (turn: number, promptId: PromptId, before: FileState, after: FileState, facts: Partial<ComputedEntry>): Entry => {
    const change = { path, before: async () => before, after: async () => after }
    return { turn, promptId, isBeforeTurn: false, callId: null, cause: 'unknown', at: 0, limits: [], changes: [change], ...facts }
  }
  const sighted = (turn: number, promptId: PromptId, event: EditEvent): Entry =>
    entry(turn, promptId, unknown('no-record'), event.isAfterCommand ? unknown('changed-by-command') : stateOf(event.before, kept), { isBeforeTurn: true, isFirstSight: true })
  const [first] = events
  const found: Entry[] = []
  // A file that the agent made was not there before either, if nothing can have taken it away.
  const isNew = !isBroken && first?.before.isAbsent && !first.isAfterCommand && !calls.isDoubted(first.turn)
  if (first && !isNew) found.push(sighted(first.turn, first.promptId, first))
  events.forEach((event, at) => {
    const { call, turn, promptId } = event
    found.push(entry(turn, promptId, stateOf(event.before, kept), stateOf(event.after, kept), { callId: call.callId, cause: event.cause, at: call.startedAt ?? 0 }))
    const next = events[at + 1]
    if (isJoined(event, next, disk, blanks) || next?.turn === turn) return
    // Nobody saw it again as it was left: a command behind it may have changed it, and so may anybody later.
    const ofTurn = calls.ofTurn(turn)
    const isFollowed = isBroken || ofTurn.slice(ofTurn.indexOf(call) + 1).some(isWild)
    const reason = isBroken ? 'log-broken' : isFollowed ? 'changed-by-command' : 'no-record'
    if (isFollowed) found.push(entry(turn, promptId, stateOf(event.after, kept), unknown(reason), { cause: isBroken ? 'unknown' : 'command' }))
    const nextTurn = turns[turn + 1]
    if (next?.turn === turn + 1 && !isFollowed && !next.isAfterCommand && event.after.known && next.before.known) {
      found.push(entry(next.turn, next.promptId, stateOf(event.after, kept), stateOf(next.before, kept), { isBeforeTurn: true, cause: afterRewinds.has(next.promptId) ? 'unknown' : 'user' }))
      return
    }
    if (nextTurn !== undefined && next?.turn !== turn + 1) found.push(entry(turn + 1, nextTurn, unknown(reason), unknown(reason), { isBeforeTurn: true, isFirstSight: true }))
    if (next) found.push(sighted(next.turn, next.promptId, next))
  })
  return found
}

function commandEntry({ path, turn, promptId, isBeforeTurn, callId, at, before, after }: CommandEntry, kept: Map<string, KnownBytes>): Entry {
  const state = (known: CommandState): FileState => (known.kind === 'unknown' ? known : stateOf({ text: null, isAbsent: known.kind === 'absent', known: known.kind === 'bytes' ? known : null }, kept))
  const [was, is] = [state(before), state(after)]
  return { turn, promptId, isBeforeTurn, callId, cause: isBeforeTurn ? 'unknown' : 'command', at, limits: [], changes: [{ path, before: async () => was, after: async () => is }], ...(isBeforeTurn ? { isFirstSight: true } : {}) }
}

function stateOf({ isAbsent, known }: Slot, kept: Map<string, KnownBytes>): FileState {
  if (isAbsent) return { kind: 'absent' }
  if (!known) return unknown('no-record')
  const sha256 = createHash('sha256').update(known.bytes).digest('hex')
  kept.set(sha256, kept.get(sha256) ?? known)
  return { kind: 'file', sha256, sizeBytes: known.bytes.length, mode: null }
}

function unknown(reason: UnknownReason): FileState {
  return { kind: 'unknown', reason }
}
