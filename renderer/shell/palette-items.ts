import type { SessionList } from '../../shared/contract.js'
import type { SessionKey } from '../../shared/ids.js'
import type { SessionSummary } from '../../shared/session.js'
import type { Hit } from '../../shared/timeline.js'
import { openFile } from '../state/changes-actions.js'
import { openSearch, openSession, openTranscript, removePlace, selectTurn, setView } from '../state/actions.js'
import type { Command } from '../state/command.js'
import type { AppStore } from '../state/store.js'
import { sessionAgentText } from '../ui/agents.js'
import type { IconName } from '../ui/icons.js'
import { countText } from '../ui/words.js'

const mostSessions = 8

/** One line of the palette. */
export interface PaletteItem {
  readonly id: string
  readonly icon: IconName
  readonly text: string
  readonly note: string
  readonly keys: string | null
  readonly run: () => void
}

/** What was found in the session, as lines that lead there. */
export function hitItem(hit: Hit, at: number): PaletteItem {
  const turnName = (index: number | null): string => (index === null ? 'set aside' : `turn ${index}`)
  switch (hit.kind) {
    case 'file':
      return {
        id: `file ${hit.path}`,
        icon: 'file',
        text: hit.path,
        note: `changed in ${countText(hit.turns, 'turn')}`,
        keys: null,
        run: () => {
          setView('review')
          selectTurn(hit.lastIn)
          openFile(hit.path)
        },
      }
    case 'turn':
      return {
        id: `turn ${hit.promptId} ${at}`,
        icon: 'rail',
        text: hit.text,
        note: turnName(hit.index),
        keys: null,
        run: () => {
          setView('review')
          selectTurn(hit.promptId)
        },
      }
    case 'command':
      return { id: `command ${hit.promptId} ${at}`, icon: 'command', text: hit.text, note: `command in ${turnName(hit.index)}`, keys: null, run: () => void openTranscript(hit.promptId) }
  }
}

/** Sessions whose title, folder or agent have every word, at most so many. */
export function sessionItems(sessions: readonly SessionSummary[], open: SessionKey | null, text: string): readonly PaletteItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const fits = (session: SessionSummary): boolean => {
    const all = `${session.title} ${session.recordedFolder ?? ''} ${sessionAgentText(session)}`.toLowerCase()
    return session.key !== open && words.every((word) => all.includes(word))
  }
  const found: PaletteItem[] = []
  for (const session of sessions) {
    if (found.length === mostSessions) break
    if (fits(session)) found.push({ id: `session ${session.key}`, icon: 'agent', text: session.title, note: `session of ${sessionAgentText(session)}`, keys: null, run: () => void openSession(session.key) })
  }
  return found
}

/** Places that a person added, to be taken off the list again. */
export function placeItems(stores: SessionList['stores'], text: string): readonly PaletteItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return stores.flatMap(({ agent, folder }) => {
    const label = `Remove the added place ${folder}`
    const fits = agent === 'added' && words.length > 0 && words.every((word) => label.toLowerCase().includes(word))
    return fits ? [{ id: `remove ${folder}`, icon: 'folder' as const, text: label, note: 'its files stay', keys: null, run: () => void removePlace(folder) }] : []
  })
}

/** Name of the line that searches all sessions. */
export const searchId = 'search all'

/** Looks for the words in every session, where the open one does not have them. */
export function searchItem(text: string): PaletteItem {
  return { id: searchId, icon: 'search', text: `Search all sessions for “${text.trim()}”`, note: '', keys: 'Mod+Shift+F', run: () => openSearch(text) }
}

/** Commands that can be done now and whose label has every word, best first: words at its beginning count more. */
export function commandItems(commands: readonly Command[], state: AppStore, text: string): readonly PaletteItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ label }: Command): boolean => words.every((word) => label.toLowerCase().includes(word))
  const rank = ({ label }: Command): number => words.reduce((sum, word) => sum + (label.toLowerCase().startsWith(word) ? 0 : 1), 0)
  const seen = new Set<string>()
  return commands
    .filter((command) => command.id !== 'window.palette' && fits(command) && command.when(state) && !seen.has(command.label) && seen.add(command.label))
    .sort((a, b) => rank(a) - rank(b))
    .map(({ id, label, keys, run }) => ({ id, icon: 'play', text: label, note: '', keys: keys[0] ?? null, run }))
}

/** A text cut where the words occur, so that they can be shown strong. */
export function markWords(text: string, words: string): readonly { readonly text: string; readonly isHit: boolean }[] {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return [{ text, isHit: false }]
  const parts: { text: string; isHit: boolean }[] = []
  let from = 0
  for (let at = text.toLowerCase().indexOf(wanted); at >= 0; at = text.toLowerCase().indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), isHit: false })
    parts.push({ text: text.slice(at, at + wanted.length), isHit: true })
    from = at + wanted.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), isHit: false })
  return parts
}
