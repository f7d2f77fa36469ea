import type { SessionSummary } from '../../shared/session.js'

/** A count for a narrow place: digits up to 9,999, then `12k`, `1.2M`. */
export function formatCount(count: number): string {
  if (count < 10_000) return String(count)
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** A whole number with groups: `10,000`. */
export function numberText(count: number): string {
  return count.toLocaleString('en-US')
}

/** A count with its noun: `1 file`, `20,000 files`. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A size in steps of 1,000: `512 bytes`, `9.1 kB`, `61 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  let value = bytes / 1000
  let step = 0
  while (value >= 999.5 && step < units.length - 1) {
    value /= 1000
    step++
  }
  return `${value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${units[step]}`
}

/** The time of day, `09:12`. */
export function clockText(at: number): string {
  const time = new Date(at)
  return `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A day without its time: `Today`, `Yesterday`, `27 Nov`, with the year where it is another one. */
export function dayText(at: number, now: number): string {
  const days = dayNumber(now) - dayNumber(at)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  const date = new Date(at)
  const year = date.getFullYear() === new Date(now).getFullYear() ? '' : ` ${date.getFullYear()}`
  return `${date.getDate()} ${months[date.getMonth()]}${year}`
}

/** When something was, as short as it is clear: the time today, else the day. */
export function whenText(at: number, now: number): string {
  return dayNumber(at) === dayNumber(now) ? clockText(at) : dayText(at, now)
}

/** When a session was written last, or that it is over: `Live`, `Ended 09:12`, `27 Nov`. */
export function sessionWhen({ isLive, end, lastActiveAt }: Pick<SessionSummary, 'isLive' | 'end' | 'lastActiveAt'>, now: number): string {
  if (isLive) return 'Live'
  const at = end?.at ?? lastActiveAt
  if (end) return at === null ? 'Ended' : `Ended ${whenText(at, now)}`
  return at === null ? 'No time recorded' : whenText(at, now)
}

/** The same in a sentence. */
export function sessionWhenSentence({ isLive, end }: Pick<SessionSummary, 'isLive' | 'end'>): string {
  if (isLive) return 'The log is still being written'
  if (end === null) return 'When the log was last written; it does not say that the session ended'
  return end.how === 'archived' ? 'The session was archived' : 'The log says that the session ended'
}

/** Days since an arbitrary one, in local time. */
export function dayNumber(at: number): number {
  const date = new Date(at)
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000)
}

/** How long something took: `340 ms`, `2.1 s`, `3 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`
  return `${Math.round(ms / 60_000)} min`
}

/** The directory part of a path, with its slash, and the name. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const cut = path.lastIndexOf('/') + 1
  return { folder: path.slice(0, cut), name: path.slice(cut) }
}

/** The last part of a folder's path, of either kind of system. */
export function folderName(folder: string): string {
  return folder.split(/[\\/]/).filter(Boolean).at(-1) ?? folder
}

/** How long something has lasted so far, in whole seconds: `12 s`, `1 min 12 s`, `2 h 5 min`. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Words in a row: `1`, `1 and 2`, `1, 2 and 3`. */
export function listText(words: readonly (string | number)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
