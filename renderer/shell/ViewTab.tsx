import { Icon, type IconName } from '../ui/icons.js'

interface TabProps {
  readonly name: string
  readonly icon: IconName
  readonly isOn: boolean
  readonly keys: string
  readonly isDisabled?: boolean
  /** How much waits there; 0 is not shown. */
  readonly count?: number
  readonly onClick: () => void
}

/** One view of the window; `count` things wait there. */
export function ViewTab({ name, icon, isOn, keys, isDisabled, count = 0, onClick }: TabProps) {
  return (
    <button
      type="button"
      className={isOn ? 'tab on' : 'tab'}
      aria-current={isOn ? 'page' : undefined}
      aria-keyshortcuts={keys}
      title={`${name} (${keys})`}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} size={14} />
      <span className="tab-name">{name}</span>
      {count > 0 && (
        <span className="tab-count">
          {count > 99 ? '99+' : count}
          <span className="vh"> waiting</span>
        </span>
      )}
    </button>
  )
}
