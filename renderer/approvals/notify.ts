import { setPrefs } from '../state/prefs-actions.js'

/** What the browser says of notifications; `null` where it has none. */
export function permission(): NotificationPermission | null {
  return typeof Notification === 'undefined' ? null : Notification.permission
}

/** Asks the browser, on the person's own click. */
export async function askToNotify(): Promise<void> {
  if (permission() === 'default') await Notification.requestPermission()
  setPrefs({ notify: permission() === 'granted' })
}
