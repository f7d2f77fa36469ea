import { useState } from 'react'
import type { CommandRule } from '../../shared/policy.js'
import { removeRule } from '../state/actions.js'
import { Button, EmptyState } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { dayText } from '../ui/words.js'
import { CommandText } from './CommandText.js'

/** The commands that a person allowed for good, each exactly as it stands. */
export function PolicyRules({ rules }: { readonly rules: readonly CommandRule[] }) {
  const [now] = useState(Date.now)
  if (rules.length === 0) {
    return (
      <EmptyState icon="lock" title="No rule yet">
        Every command asks, but for those that only read the workspace. “Always allow exactly …” beside a command stores one.
      </EmptyState>
    )
  }
  return (
    <ul className="rules">
      {rules.map(({ id, command, workspace, addedAt }) => (
        <li key={id}>
          <code className="mono rule-command">
            <CommandText command={command} />
          </code>
          <span className="md t2 ell" title={workspace === null ? undefined : visibleText(workspace)}>
            {workspace === null ? 'in every workspace' : `in ${visibleText(workspace)}`}
          </span>
          <span className="md t3 num">{dayText(addedAt, now)}</span>
          <Button size="small" aria-label={`Remove the rule ${visibleText(command)}`} onClick={() => void removeRule(id, visibleText(command))}>
            Remove
          </Button>
        </li>
      ))}
    </ul>
  )
}
