import { hunksOf, type Hunk } from '../../shared/changes.js'
import type { SearchFilter, SearchHit, SearchKind } from '../../shared/search.js'
import type { TranscriptEntry, Turn } from '../../shared/session.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { Pace } from '../history/pace.js'
import { placedCalls } from '../review/recorded-steps.js'
import type { TurnFile } from '../review/turn-files.js'
import { bringsIn, takesAway } from './line-passage.js'
import type { Excerpt, Needle } from './needle.js'
import type { Piece } from './patch-pieces.js'
import type { SearchedSession } from './searched-session.js'
import { changedFiles, editsOf, textsOf } from './turn-changes.js'

/** Texts that differ in a longer stretch are not compared line by line: that would hold up other calls. */
const longestCompared = 250_000

interface Found {
  readonly kind: SearchKind
  readonly excerpt: Excerpt
  readonly at: number
  readonly path?: WorkspacePath
  readonly hunk?: number | null
  readonly callId?: string | null
}

export interface TurnSearch {
  readonly session: SearchedSession
  readonly needle: Needle
  readonly filter: SearchFilter
  readonly pace: Pace
  readonly signal: AbortSignal
}

/**
 * What a turn holds of a text: prompt, replies, and commands with their outputs as they follow each other, then paths, then changed
 * lines. One hit for each prompt, reply, call, path and hunk, however often it holds the text.
 */
export async function hitsInTurn(search: TurnSearch, turn: Turn): Promise<readonly SearchHit[]> {
  const { session, filter, signal, pace } = search
  const { from, to } = filter
  if ((from !== null && turn.startedAt < from) || (to !== null && turn.startedAt > to)) return []
  const wants = (kind: SearchKind): boolean => filter.kinds?.includes(kind) ?? true
  const entries = await session.recorded.readTurn(turn.promptId, signal)
  await pace()
  const needsFiles = filter.path !== null || wants('path') || wants('change')
  const files = needsFiles ? (await changedFiles(session, turn, signal)).filter(({ path }) => isMeant(path, filter.path)) : []
  if (filter.path !== null && files.length === 0) return []
  const found: Found[] = saidIn(entries, search).filter(({ kind }) => wants(kind))
  if (wants('path')) found.push(...pathsIn(files, turn, search))
  if (wants('change')) {
    for (const file of files) {
      found.push(...(await changesIn(file, entries, turn, search)))
      await pace()
    }
  }
  const { key, agent, client, title } = session.summary
  return found.map(({ kind, excerpt, at, path = null, hunk = null, callId = null }) => ({
    session: key,
    agent,
    client,
    title,
    promptId: turn.promptId,
    turn: turn.index,
    at,
    kind,
    path,
    hunk,
    callId,
    ...excerpt,
  }))
}

/** Whether a path is the wanted one, lies below it, or ends with it. */
function isMeant(path: WorkspacePath, wanted: string | null): boolean {
  if (wanted === null) return true
  const bare = wanted.replace(/^\.\/|\/+$/g, '')
  return path === bare || path.startsWith(`${bare}/`) || path.endsWith(`/${bare}`) || path.includes(`/${bare}/`)
}

function saidIn(entries: readonly TranscriptEntry[], { needle }: TurnSearch): readonly Found[] {
  return entries.flatMap((entry): readonly Found[] => {
    switch (entry.kind) {
      case 'prompt':
      case 'reply': {
        const excerpt = needle.excerptOf(entry.text)
        return excerpt ? [{ kind: entry.kind, excerpt, at: entry.at }] : []
      }
      case 'call':
        return commandsIn(entry, needle)
      case 'thought':
      case 'other':
        return []
    }
  })
}

/** The commands of a call, its own and those of its subagent; one whose output alone holds the text counts too. */
function commandsIn(entry: Extract<TranscriptEntry, { readonly kind: 'call' }>, needle: Needle): readonly Found[] {
  return placedCalls([entry]).flatMap(({ call }): readonly Found[] => {
    if (!call.command) return []
    const excerpt = needle.excerptOf(call.command.text) ?? needle.excerptOf(call.output)
    return excerpt ? [{ kind: 'command', excerpt, at: call.startedAt ?? entry.at, callId: call.callId }] : []
  })
}

function pathsIn(files: readonly TurnFile[], turn: Turn, { needle }: TurnSearch): readonly Found[] {
  return files.flatMap(({ path }) => {
    const excerpt = needle.excerptOf(path)
    return excerpt ? [{ kind: 'path' as const, excerpt, at: turn.startedAt, path }] : []
  })
}

async function changesIn(file: TurnFile, entries: readonly TranscriptEntry[], turn: Turn, { needle, session, signal }: TurnSearch): Promise<readonly Found[]> {
  const { path } = file
  const edits = editsOf(entries, path, session.recorded.folder)
  const callOf = ({ line, isAdded }: HunkWith): string | null => {
    const having = edits.filter(({ pieces }) => pieces.some((piece) => isComparable(piece) && (isAdded ? bringsIn(piece, line) : takesAway(piece, line))))
    return having.length === 1 ? (having[0]?.callId ?? null) : null
  }
  const texts = await textsOf(file, entries, signal)
  if (texts && isComparable(texts)) {
    return hunksWith(texts, needle).map((found) => ({ kind: 'change', excerpt: found.excerpt, at: turn.startedAt, path, hunk: found.hunk, callId: callOf(found) }))
  }
  return edits.flatMap(({ callId, pieces }) => {
    const [first] = pieces.filter(isComparable).flatMap((piece) => hunksWith(piece, needle))
    return first ? [{ kind: 'change' as const, excerpt: first.excerpt, at: turn.startedAt, path, hunk: null, callId }] : []
  })
}

function isComparable({ before, after }: Piece): boolean {
  const most = Math.min(before.length, after.length)
  let leading = 0
  while (leading < most && before.charCodeAt(leading) === after.charCodeAt(leading)) leading++
  let trailing = 0
  while (leading + trailing < most && before.charCodeAt(before.length - trailing - 1) === after.charCodeAt(after.length - trailing - 1)) trailing++
  return before.length + after.length - 2 * (leading + trailing) <= longestCompared
}

interface HunkWith {
  readonly excerpt: Excerpt
  /** Without its line end; a long one is cut, and so found in no edit. */
  readonly line: string
  readonly isAdded: boolean
  /** 1-based. */
  readonly hunk: number
}

/** The hunks that hold the text in an added or, if in none of these, in a removed line. */
function hunksWith({ before, after }: Piece, needle: Needle): readonly HunkWith[] {
  // Most files do not hold it at all, and comparing is what takes the time.
  if (!needle.isIn(after) && !needle.isIn(before)) return []
  return hunksOf(before, after).flatMap((hunk, at) => {
    const found = lineIn(hunk, 'added', needle) ?? lineIn(hunk, 'removed', needle)
    return found ? [{ ...found, hunk: at + 1 }] : []
  })
}

/** Lines of one kind that follow each other count as one text, since what is looked for may have several lines. */
function lineIn({ lines }: Hunk, kind: 'added' | 'removed', needle: Needle): Omit<HunkWith, 'hunk'> | null {
  let block = ''
  for (const line of [...lines, null]) {
    if (line?.kind === kind) {
      block += line.text
      continue
    }
    const excerpt = block === '' ? null : needle.excerptOf(block)
    if (excerpt) return { excerpt, line: excerpt.text, isAdded: kind === 'added' }
    block = ''
  }
  return null
}
