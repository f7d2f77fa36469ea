import type { FileChange, Scope } from '../../shared/file-state.js'
import type { PromptId } from '../../shared/ids.js'
import type { OpenSession } from '../state/shell-slice.js'
import { liveTurns } from '../state/scope.js'
import { countText } from '../ui/words.js'

function numberOf(session: OpenSession, turn: PromptId): string {
  return String(liveTurns(session).find(({ promptId }) => promptId === turn)?.index ?? '?')
}

/** "Range 7–9". */
export function rangeText(session: OpenSession, range: { readonly from: PromptId; readonly to: PromptId }): string {
  return `Range ${numberOf(session, range.from)}–${numberOf(session, range.to)}`
}

/** That the record of a turn has holes. */
export function limitsText(limits: number): string {
  return `${countText(limits, 'thing')} ${limits === 1 ? 'was' : 'were'} not looked at or not kept`
}

/** What an empty list means: a title, and where the records tell it a sentence. */
export function emptyTexts(session: OpenSession, scope: Scope, files: readonly FileChange[]): { readonly title: string; readonly text: string } {
  if (files.length > 0) return { title: 'No file is selected', text: 'Choose one of the list.' }
  switch (scope.kind) {
    case 'turn': {
      const { commands = 0, limits = [] } = session.details.get(scope.promptId) ?? {}
      const isLive = liveTurns(session).some(({ promptId }) => promptId === scope.promptId)
      if (limits.length > 0) {
        const where = isLive ? `turn ${numberOf(session, scope.promptId)}` : 'this turn'
        return { title: `No file is known to have changed in ${where}`, text: `Not everything was looked at, so files may have changed all the same. ${commands > 0 ? `${countText(commands, 'command')} ran.` : ''}`.trim() }
      }
      return {
        title: isLive ? `No file changed in turn ${numberOf(session, scope.promptId)}` : 'No file changed in this turn',
        text: commands > 0 ? `${countText(commands, 'command')} ran. As far as the log tells, the files were the same before and after.` : 'The agent neither edited a file nor ran a command.',
      }
    }
    case 'to-disk':
      return { title: 'The disk is as it was then', text: `Every file that the session touched is as at the start of turn ${numberOf(session, scope.promptId)}.` }
    case 'session':
      return { title: 'No file changed in this session', text: 'Everything is at its end as it was at its start.' }
    case 'range':
      return { title: 'No file changed between these turns', text: 'Everything is at the end of the range as it was at its start.' }
    case 'since-reviewed':
      return { title: 'Nothing changed since you last looked', text: 'Files appear here when their content is no longer what you marked as reviewed.' }
    case 'base':
      return { title: 'The worktree is as its commit', text: 'No file differs from the commit that its branch left from.' }
    case 'by-user':
      return { title: 'No file was changed by others', text: 'After the turn every file stayed as the agent had left it.' }
    case 'user-in-turn':
      return { title: 'No file was changed by others', text: 'In this turn nobody but the agent changed its files.' }
    case 'operation':
      return { title: 'No file was changed', text: 'The operation left every file as it was.' }
  }
}
