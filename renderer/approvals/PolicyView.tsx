import { useEffect } from 'react'
import type { PolicyState } from '../../shared/contract.js'
import { loadPolicy, setView, updatePolicy } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Button, ErrorState, LoadingState } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { ModeRadios } from './ModeChoice.js'
import { deniedAlways } from './policy-words.js'
import { PolicyRules } from './PolicyRules.js'
import { PolicySettings } from './PolicySettings.js'
import './policy.css'

/** What is asked, allowed and denied: the person's rules, and the settings in force. */
export function PolicyView() {
  const policy = useStore((state) => state.agents.policy)
  const value = valueOf(policy)
  useEffect(() => void loadPolicy(), [])
  return (
    <section className="pane paper policy scroll" aria-label="Policy">
      <div className="policy-wrap">
        <header className="policy-head">
          <div className="grow">
            <h1>Policy</h1>
            <p className="t2">Decided below the model: nothing that an agent writes can change it. What the check cannot understand asks; a check that fails refuses.</p>
          </div>
          <Button size="small" icon="back" keys="Escape" onClick={() => setView('approvals')}>
            Approvals
          </Button>
        </header>
        {policy.kind === 'error' && <ErrorState error={policy.error} onRetry={() => void loadPolicy()} />}
        {!value && policy.kind !== 'error' && <LoadingState label="Reading the policy" />}
        {value && policy.kind !== 'error' && <Content policy={value} />}
      </div>
    </section>
  )
}

function Content({ policy }: { readonly policy: PolicyState }) {
  const { settings, file, problem } = policy
  const isSaving = useStore((state) => state.agents.isSavingPolicy)
  return (
    <>
      {problem && (
        <div className="question-notice warn framed" role="alert">
          <Icon name="conflict" />
          <span>
            <b className="b">The policy file has a mistake{problem.line === null ? '' : ` in line ${problem.line}`}.</b> {visibleText(problem.message)}{' '}
            <span className="t2">The last good settings stay in force. Mend the file; this notice goes by itself.</span>
          </span>
        </div>
      )}
      <p className="md t2 policy-file">
        <Icon name="file" size={14} />
        <span>One readable file holds all of it:</span> <code className="mono">{visibleText(file)}</code>
      </p>

      <h2>Your rules</h2>
      <PolicyRules rules={settings.rules} />

      <h2>New sessions</h2>
      <ModeRadios name="default-mode" label="How new sessions are decided" value={settings.approvalMode} isDisabled={isSaving} onChange={(approvalMode) => void updatePolicy({ approvalMode })} />

      <h2>Settings</h2>
      <PolicySettings settings={settings} isSaving={isSaving} />

      <h2>Denied, always</h2>
      <ul className="denied">
        {deniedAlways.map((text) => (
          <li key={text} className="md">
            <Icon name="cross" size={14} />
            {text}
          </li>
        ))}
      </ul>
    </>
  )
}
