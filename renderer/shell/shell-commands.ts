import { approvalsCommands } from '../approvals/approvals-commands.js'
import { changesCommands } from '../changes/changes-commands.js'
import { mapCommands } from '../map/map-commands.js'
import { rewindCommands } from '../rewind/rewind-commands.js'
import { searchCommands } from '../search/search-commands.js'
import { sessionCommands } from '../sessions/session-commands.js'
import { cancelOpening, chooseWorkspace, closeSession, dismissNewestNotice, nextTheme, openDialog, setPrefs, setView } from '../state/actions.js'
import type { Command } from '../state/command.js'
import { getState, type AppStore } from '../state/store.js'
import { timelineCommands } from '../timeline/timeline-commands.js'
import { transcriptCommands } from '../transcript/transcript-commands.js'
import { firstRunCommands } from './found-agents.js'
import { focusNextPane, swapSlot } from './panes.js'

const always = (): boolean => true
const hasSession = ({ session }: AppStore): boolean => session !== null

const windowCommands: readonly Command[] = [
  { id: 'window.palette', label: 'Find or run', hint: null, keys: ['Mod+K'], group: 'Window', when: always, run: () => openDialog({ kind: 'palette', text: '', hits: { kind: 'idle' } }) },
  { id: 'window.review', label: 'Go to the review', hint: null, keys: ['1'], group: 'Go to', when: (state) => hasSession(state) || state.view !== 'review', run: () => setView('review') },
  { id: 'window.map', label: 'Go to the map of files and turns', hint: null, keys: ['2'], group: 'Go to', when: hasSession, run: () => setView('map') },
  { id: 'window.approvals', label: 'Go to the approvals', hint: null, keys: ['3'], group: 'Go to', when: always, run: () => setView('approvals') },
  { id: 'window.attach', label: 'Attach a folder to the session…', hint: null, keys: [], group: 'Go to', when: hasSession, run: attach },
  { id: 'window.close', label: 'Close the session', hint: null, keys: [], group: 'Go to', when: hasSession, run: closeSession },
  { id: 'window.next-pane', label: 'Go to the next pane', hint: null, keys: ['F6'], group: 'Window', when: always, run: () => focusNextPane(1) },
  { id: 'window.previous-pane', label: 'Go to the previous pane', hint: null, keys: ['Shift+F6'], group: 'Window', when: always, run: () => focusNextPane(-1) },
  { id: 'window.swap', label: 'Swap sessions and timeline in a narrow window', hint: null, keys: ['Mod+B'], group: 'Window', when: hasSession, run: swapSlot },
  { id: 'window.theme', label: 'Change the theme: system, light, dark', hint: null, keys: [], group: 'Window', when: always, run: nextTheme },
  { id: 'window.single-keys', label: 'Turn single keys on or off', hint: null, keys: [], group: 'Window', when: always, run: () => setPrefs({ singleKeys: !getState().prefs.singleKeys }) },
  { id: 'window.cancel-reading', label: 'Stop reading the session', hint: null, keys: ['Escape'], group: 'Window', when: ({ opening }) => opening !== null && opening.error === null, run: cancelOpening },
  { id: 'window.dismiss', label: 'Dismiss the newest notice', hint: null, keys: ['Escape'], group: 'Window', when: ({ notices }) => notices.length > 0, run: dismissNewestNotice },
  { id: 'window.keys', label: 'Show all keys', hint: 'all keys', keys: ['?'], group: 'Window', when: always, run: () => openDialog({ kind: 'keys' }) },
]

function attach(): void {
  const { session } = getState()
  if (session) void chooseWorkspace(session.key)
}

/** No command runs behind an open dialog. */
const inWindow = (command: Command): Command => ({ ...command, when: (state) => state.dialog === null && command.when(state) })

/**
 * Every command of the window, in the order in which they take a key: what belongs to a view first, the window's own
 * last. This one table feeds the keyboard, the foot bar, the key sheet and the palette.
 */
export const commands: readonly Command[] = [
  ...firstRunCommands,
  ...approvalsCommands,
  ...searchCommands,
  ...transcriptCommands,
  ...mapCommands,
  ...timelineCommands,
  ...sessionCommands,
  ...changesCommands,
  ...rewindCommands,
  ...windowCommands,
].map(inWindow)
