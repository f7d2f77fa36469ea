import { valueOf } from '../state/loadable.js'
import { notify } from '../state/notice-actions.js'
import { getState } from '../state/store.js'
import { receiptText } from './rewind-words.js'

/** Puts the receipt on the clipboard as plain text. */
export async function copyReceipt(): Promise<void> {
  const opened = getState().rewind.receipt
  const receipt = opened && valueOf(opened.loaded)
  if (!receipt) return
  try {
    await navigator.clipboard.writeText(receiptText(receipt))
    notify({ kind: 'done', title: 'The receipt is on the clipboard.', text: '', action: null })
  } catch {
    notify({ kind: 'warning', title: 'The receipt could not be copied.', text: 'The browser does not allow it here.', action: null })
  }
}
