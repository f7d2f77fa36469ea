import { notify } from '../state/notice-actions.js'

/** Puts a text on the clipboard; says so where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    notify({ kind: 'warning', title: 'It could not be copied.', text: 'The browser does not allow it here. Select the text and copy it by hand.', action: null })
    return false
  }
}
