import type { ButtonHTMLAttributes, ReactNode } from 'react'
import type { DiffStat } from '../../shared/changes.js'
import { usageText, usageWords, type Usage } from '../../shared/usage.js'
import { churnCells } from './churn-cells.js'
import { Icon, type IconName } from './icons.js'
import { keyNames } from './key-names.js'
import { formatCount } from './words.js'

export * from './states.js'

/** A key, or keys pressed together, as printed on the control that does the same. */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span className="keys" aria-hidden="true">
      {keyNames(keys).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'danger' | 'quiet'
  readonly size?: 'small' | 'big'
  readonly icon?: IconName
  /** The key that does the same, written as in the table of commands. */
  readonly keys?: string | null
  /** Says why it cannot be pressed now; the button stays reachable, so that the reason can be read. */
  readonly disabledReason?: string | null
}

const looks = { primary: 'p', danger: 'd', quiet: 'g' } as const
const sizes = { small: 'sml', big: 'big' } as const

export function Button({ look, size, icon, keys, disabledReason, children, onClick, className, ...rest }: ButtonProps) {
  const classes = ['btn', look && looks[look], size && sizes[size], className].filter(Boolean).join(' ')
  return (
    <button
      type="button"
      className={classes}
      aria-disabled={disabledReason ? true : undefined}
      aria-keyshortcuts={keys ? ariaKeys(keys) : undefined}
      title={disabledReason ?? undefined}
      onClick={disabledReason ? undefined : onClick}
      {...rest}
    >
      {icon && <Icon name={icon} size={size === 'small' ? 14 : 16} />}
      {children}
      {keys && <Kbd keys={keys} />}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName
  /** Accessible name, also shown as tooltip together with the key. */
  readonly label: string
  readonly keys?: string | null
  readonly isOn?: boolean
}

export function IconButton({ icon, label, keys, isOn, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`ib${isOn ? ' on' : ''}${className ? ` ${className}` : ''}`}
      aria-label={label}
      aria-pressed={isOn}
      aria-keyshortcuts={keys ? ariaKeys(keys) : undefined}
      title={keys ? `${label} (${keyNames(keys).join(' ')})` : label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}

interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: ReactNode; readonly title?: string }[]
  readonly onChange: (value: Value) => void
}

/** A switch of few words; the arrow keys move inside it. */
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  const step = (delta: number): void => {
    const at = options.findIndex((option) => option.value === value)
    const next = options[(at + delta + options.length) % options.length]
    if (next) onChange(next.value)
  }
  return (
    <div
      className="seg"
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') step(1)
        else if (event.key === 'ArrowLeft') step(-1)
        else return
        event.preventDefault()
        const group = event.currentTarget
        requestAnimationFrame(() => group.querySelector<HTMLElement>('[aria-checked=true]')?.focus())
      }}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          title={option.title}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

interface TickProps {
  readonly label: string
  readonly checked: boolean | 'mixed'
  readonly disabled?: boolean
  readonly tabIndex?: number
  readonly onChange: (checked: boolean) => void
}

/** A box to tick. A click on it does not choose the row that it stands in. */
export function Tick({ label, checked, disabled, tabIndex, onChange }: TickProps) {
  return (
    <button
      type="button"
      role="checkbox"
      className="chk"
      aria-label={label}
      aria-checked={checked}
      disabled={disabled}
      tabIndex={tabIndex}
      title={label}
      onClick={(event) => {
        event.stopPropagation()
        onChange(checked !== true)
      }}
    />
  )
}

type BadgeLook = 'con' | 'unk' | 'del' | 'add' | 'acc'

export function Badge({ look, title, children }: { readonly look?: BadgeLook; readonly title?: string; readonly children: ReactNode }) {
  return (
    <span className={look ? `bdg ${look}` : 'bdg'} title={title}>
      {children}
    </span>
  )
}

/** Lines added and removed; a side that is zero is left out. */
export function Stat({ stat }: { readonly stat: DiffStat }) {
  return (
    <span className="num">
      {stat.insertions > 0 && <span className="add">+{formatCount(stat.insertions)}</span>}
      {stat.insertions > 0 && stat.deletions > 0 && ' '}
      {stat.deletions > 0 && <span className="del">−{formatCount(stat.deletions)}</span>}
    </span>
  )
}

/** Tokens, or where only that is known the cost, in few words; all that was recorded on hover. Nothing where nothing was. */
export function UsageText({ usage }: { readonly usage: Usage | null }) {
  const words = usageText(usage)
  if (usage === null || words === null) return null
  return (
    <span className="num usage" title={usageWords(usage).join('\n')}>
      {words}
    </span>
  )
}

/** Five cells: the share of added and removed lines, more of them filled the more lines changed. `null` is hatched: not known. */
export function ChurnBars({ stat }: { readonly stat: DiffStat | null }) {
  return (
    <span className="bars" aria-hidden="true">
      {churnCells(stat).map((cell, at) => (
        <i key={at} className={cell} />
      ))}
    </span>
  )
}

export function StatusLetter({ letter, title }: { readonly letter: 'A' | 'M' | 'D' | '?' | 'X' | 'C'; readonly title: string }) {
  const look = letter === '?' ? 'U' : letter
  return (
    <span className={`st ${look}`} role="img" aria-label={title} title={title}>
      {letter === 'X' ? <Icon name="cross" size={14} /> : letter}
    </span>
  )
}

function ariaKeys(keys: string): string {
  return keys.replace('Mod+', 'Control+')
}
