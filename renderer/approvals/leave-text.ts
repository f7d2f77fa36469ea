import { flushTyping } from '../state/actions.js'

/** Takes over what was typed and puts the focus back on the list of approvals. */
export function leaveText(): void {
  flushTyping()
  focusList()
}

export function focusList(): void {
  document.querySelector<HTMLElement>('.approval-list')?.focus()
}

/** Once a field is gone that had the focus: nobody is left without a place. */
export function keepFocus(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) focusList()
  })
}
