import { useEffect } from 'react'
import type { PromptId } from '../../shared/ids.js'
import { loadDetails } from '../state/turn-actions.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { visibleText } from '../ui/visible-text.js'
import { limitsText } from './scope-words.js'

/** What was not looked at in a turn, or not kept. One line that opens; where nothing else is shown, open from the start. */
export function TurnLimits({ turn, isOpen }: { readonly turn: PromptId; readonly isOpen: boolean }) {
  const limits = useStore((state) => state.session?.details.get(turn)?.limits)
  const revision = useStore((state) => state.session?.outline.revision)
  useEffect(() => void loadDetails([turn]), [turn, revision])
  if (!limits || limits.length === 0) return null
  return (
    <details key={turn} className="limits md" open={isOpen}>
      <summary>
        <Icon name="right" size={13} />
        <Icon name="blind" size={14} />
        {limitsText(limits.length)}
      </summary>
      <ul>
        {limits.map((limit) => (
          <li key={limit}>{visibleText(limit)}</li>
        ))}
      </ul>
    </details>
  )
}
