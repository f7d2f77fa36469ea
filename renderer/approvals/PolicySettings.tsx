import { useState } from 'react'
import { sensitivities, type PolicySettings as Settings, type Sensitivity } from '../../shared/policy.js'
import { updatePolicy } from '../state/actions.js'
import { Button } from '../ui/parts.js'
import { branchesOf, timeLimits } from './policy-words.js'

/** The settings of the policy that are no rules. */
export function PolicySettings({ settings, isSaving }: { readonly settings: Settings; readonly isSaving: boolean }) {
  return (
    <div className="settings">
      <label className="setting">
        <span>
          Take secrets out of results
          <span className="md t2">Keys, tokens and passwords are replaced before an agent gets to see them.</span>
        </span>
        <input type="checkbox" role="switch" checked={settings.redactSecrets} disabled={isSaving} onChange={(event) => void updatePolicy({ redactSecrets: event.target.checked })} />
      </label>
      <label className="setting">
        <span>
          Ask for commands that reach the network
          <span className="md t2">From this level of what a session has seen, whatever the rules say.</span>
        </span>
        <select
          value={settings.askForNetworkFrom ?? 'never'}
          disabled={isSaving}
          onChange={(event) => void updatePolicy({ askForNetworkFrom: sensitivities.find((level) => level === event.target.value) ?? null })}
        >
          {sensitivities.map((level) => (
            <option key={level} value={level}>
              {networkWords[level]}
            </option>
          ))}
          <option value="never">Only as each command says</option>
        </select>
      </label>
      <label className="setting">
        <span>
          Time limit of a command
          <span className="md t2">Then it is ended, with everything that it started.</span>
        </span>
        <select value={settings.commandTimeLimitMs} disabled={isSaving} onChange={(event) => void updatePolicy({ commandTimeLimitMs: Number(event.target.value) })}>
          {timeLimits(settings.commandTimeLimitMs).map(({ ms, text }) => (
            <option key={ms} value={ms}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Branches key={settings.protectedBranches.join('\n')} branches={settings.protectedBranches} isSaving={isSaving} />
    </div>
  )
}

const networkWords: Readonly<Record<Sensitivity, string>> = {
  PUBLIC: 'Always',
  INTERNAL: 'From internal content on',
  CONFIDENTIAL: 'From confidential content on',
  RESTRICTED: 'From restricted content on',
}

function Branches({ branches, isSaving }: { readonly branches: readonly string[]; readonly isSaving: boolean }) {
  const [text, setText] = useState(branches.join(', '))
  const next = branchesOf(text)
  const isChanged = next.join('\n') !== branches.join('\n')
  return (
    <form
      className="setting"
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) void updatePolicy({ protectedBranches: [...next] })
      }}
    >
      <label className="grow" htmlFor="protected-branches">
        Protected branches
        <span className="md t2">Their history is not rewritten, and in a worktree nothing is written while one is checked out. * stands for any text.</span>
      </label>
      <span className="row">
        <input id="protected-branches" type="text" value={text} disabled={isSaving} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        {isChanged && (
          <Button size="small" look="primary" type="submit">
            Save
          </Button>
        )}
      </span>
    </form>
  )
}
