import { statSync } from 'node:fs'
import type { SessionSummary } from '../../shared/session.js'
import { addUsage, type Usage } from '../../shared/usage.js'
import { titleOf } from './log-ends.js'
import type { CatalogEntry } from './log-catalog.js'
import { readerOf } from './readers.js'
import type { SessionPlace } from './session-places.js'

/** A log that grew within this time is live. */
export const liveMs = 60_000
/** The newest record may be older than the write that brought it; a log that was only copied has far older ones. */
const recordLagMs = 10 * 60_000
const folderCheckMs = 2000

export interface SummaryContext {
  /** What logs that are not listed add to its tokens. */
  readonly usageBeside: Usage | null
  readonly now: number
  /** Session id to the folder that a person attached to it. */
  readonly attachments: Readonly<Record<string, string>>
  /** For sessions whose own folder is not here; for all of them where it is forced. */
  readonly fallbackWorkspace: string | null
  readonly isFallbackForced: boolean
  readonly isFolder: (folder: string) => boolean
}

/** One line of the session list. A folder that a person attached counts before the one that the log names. */
export function summaryOf(entry: CatalogEntry, place: SessionPlace, context: SummaryContext): SessionSummary {
  const { ends, counts } = entry
  const id = ends?.sessionId ?? nameOf(entry.file)
  const recordedFolder = ends?.folder ?? null
  const attached = Object.hasOwn(context.attachments, id) ? (context.attachments[id] ?? null) : null
  const own = recordedFolder !== null && context.isFolder(recordedFolder) ? recordedFolder : null
  const reader = readerOf(entry.format)
  const named = reader?.titleBeside?.(entry.file, id) ?? null
  const end = ends?.end ?? (reader?.isArchived?.(entry.file) ? { at: null, how: 'archived' } : null)
  const modifiedAt = Math.trunc(entry.modifiedAtMs)
  return {
    key: entry.key,
    id,
    agent: place.kind === 'overturn' || ends?.agent === 'overturn' ? 'overturn' : (reader?.agent ?? 'qwen-code'),
    title: titleOf(named ?? ends?.title ?? ends?.firstPrompt ?? '') || 'Without a prompt',
    recordedFolder,
    workspace: context.isFallbackForced && context.fallbackWorkspace !== null ? context.fallbackWorkspace : (attached ?? own ?? context.fallbackWorkspace),
    branch: ends?.branch ?? null,
    model: ends?.model ?? null,
    file: entry.file,
    sizeBytes: entry.sizeBytes,
    startedAt: ends?.startedAt ?? null,
    lastActiveAt: ends?.lastActiveAt ?? modifiedAt,
    turns: counts?.turns ?? null,
    stat: counts?.stat ?? null,
    files: counts?.files ?? null,
    usage: counts ? addUsage(counts.usage, context.usageBeside) : null,
    end,
    problems: counts?.problems ?? 0,
    isLive: end === null && context.now - Math.min(modifiedAt, (ends?.lastActiveAt ?? modifiedAt) + recordLagMs) < liveMs,
    isSample: place.kind === 'sample',
    client: ends?.client ?? null,
  }
}

/** Whether a folder is here, asked of the disk at most every 2 s. */
export function folderChecks(now: () => number): (folder: string) => boolean {
  const known = new Map<string, { readonly isHere: boolean; readonly at: number }>()
  return (folder) => {
    const at = now()
    const before = known.get(folder)
    if (before && at - before.at < folderCheckMs) return before.isHere
    const isHere = isFolderNow(folder)
    known.set(folder, { isHere, at })
    return isHere
  }
}

function isFolderNow(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

function nameOf(file: string): string {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  return name.replace(/\.jsonl$/, '')
}
