import type { SessionSummary } from '../../shared/session.js'
import { folderName } from '../ui/words.js'

/** Sessions of one folder, newest first. */
export interface SessionGroup {
  readonly name: string
  /** The whole folder, for the tooltip; `null` where the logs name none. */
  readonly folder: string | null
  readonly note: string
  readonly sessions: readonly SessionSummary[]
}

/** The list by workspace: the folder with the newest session first, the sample last. Every word must occur in a session's title, folder, agent or id. */
export function groupSessions(sessions: readonly SessionSummary[], words = ''): readonly SessionGroup[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = sessions
    .filter((session) => wanted.every((word) => searchText(session).includes(word)))
    .sort((a, b) => Number(a.isSample) - Number(b.isSample) || (b.lastActiveAt ?? 0) - (a.lastActiveAt ?? 0))
  const groups = new Map<string, SessionSummary[]>()
  for (const session of shown) {
    const name = session.isSample ? 'sample' : (session.workspace ?? session.recordedFolder ?? '')
    const group = groups.get(name)
    if (group) group.push(session)
    else groups.set(name, [session])
  }
  return [...groups.values()].map(toGroup)
}

/** The sessions in the order in which they are shown. */
export function orderedSessions(groups: readonly SessionGroup[]): readonly SessionSummary[] {
  return groups.flatMap((group) => group.sessions)
}

function toGroup(sessions: readonly SessionSummary[]): SessionGroup {
  const first = sessions[0]
  const folder = first?.workspace ?? first?.recordedFolder ?? null
  const isMissing = first?.workspace === null
  if (first?.isSample) return { name: 'Sample', folder, note: '', sessions }
  return {
    name: folder === null ? 'No folder' : folderName(folder),
    folder,
    note: isMissing ? 'folder not found here' : (first?.branch ?? ''),
    sessions,
  }
}

function searchText({ title, workspace, recordedFolder, agent, client, id, branch }: SessionSummary): string {
  return [title, workspace, recordedFolder, agent, client, id, branch].join(' ').toLowerCase()
}
