import { approvalModes, type ApprovalMode } from '../../shared/approval.js'
import type { AgentSession } from '../../shared/agents.js'
import { setMode } from '../state/actions.js'
import { useStore } from '../state/store.js'
import { modeWords } from './approval-words.js'

/** The three ways in which a session's calls are decided, with a sentence each. */
export function ModeChoice({ agent }: { readonly agent: AgentSession }) {
  const isSetting = useStore((state) => state.agents.settingMode.has(agent.session))
  return <ModeRadios name={`mode-${agent.session}`} label="How it is decided" value={agent.mode} isDisabled={isSetting} onChange={(mode) => void setMode(agent.session, mode)} />
}

interface ModeRadiosProps {
  readonly name: string
  readonly label: string
  readonly value: ApprovalMode
  readonly isDisabled: boolean
  readonly onChange: (mode: ApprovalMode) => void
}

export function ModeRadios({ name, label, value, isDisabled, onChange }: ModeRadiosProps) {
  return (
    <div role="radiogroup" aria-label={label} className="mode-choice">
      {approvalModes.map((mode) => (
        <label key={mode} className="mode-option">
          <input type="radio" name={name} checked={mode === value} disabled={isDisabled} onChange={() => onChange(mode)} />
          <span>
            <span className={mode === value ? 'b' : undefined}>{modeWords[mode].name}</span>
            <span className="md t2 mode-text">{modeWords[mode].text}</span>
          </span>
        </label>
      ))}
    </div>
  )
}
