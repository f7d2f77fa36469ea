import type { NotKept } from './change-contents.js'
import type { FileTable } from './file-table.js'
import type { IndexLimits } from './workspace-index.js'
import type { Unseen } from './tree-look.js'

/** What a look left out and what was not kept, in sentences for people. */
export function limitSentences(
  unseen: Unseen,
  notKept: ReadonlyMap<NotKept, ReadonlySet<string>>,
  newlyFollowed: readonly string[],
  limits: IndexLimits,
  table: FileTable,
): readonly string[] {
  const sentences = allReasons.flatMap((why) => {
    const paths = notKept.get(why)
    return paths ? [`${reasons[why](limits)}: ${named([...paths].sort())}.`] : []
  })
  const unreadable = unreadableFolders(unseen, table)
  if (unreadable.length > 0) sentences.push(`These folders may not be read, and what is in them was not looked at: ${named(unreadable)}.`)
  if (unseen.unnameable.size > 0) sentences.push(`These names are no Unicode text, and their files were not looked at: ${named([...unseen.unnameable])}.`)
  if (unseen.isFull) sentences.push(`The workspace has more than ${limits.files.toLocaleString('en')} files, and those beyond were not looked at.`)
  if (newlyFollowed.length > 0) sentences.push(`These files were ignored or out of sight until now, and are followed from now on: ${named([...newlyFollowed].sort())}.`)
  return sentences
}

/** Whether a look left nothing out. */
export function isAllSeen(unseen: Unseen, table: FileTable): boolean {
  return unreadableFolders(unseen, table).length === 0 && unseen.unnameable.size === 0 && !unseen.isFull
}

export function unreadableFolders(unseen: Unseen, table: FileTable): readonly string[] {
  return [...unseen.unreadable].filter((folder) => folder.isBelow(table.root)).map((folder) => folder.path || '.')
}

const reasons: Readonly<Record<NotKept, (limits: IndexLimits) => string>> = {
  'too-large': () => 'Files above 64 MiB are not kept, so these cannot be shown or restored',
  'too-much': (limits) => `More than ${sizeText(limits.settleBytes)} changed at once, so the contents of these were not kept`,
  'not-copied': () => 'These changed before there was a copy of them, so what was in them is not known',
  'copy-too-large': (limits) => `Files above ${sizeText(limits.copyFileBytes)} are not copied in advance, so what was in these before is not known`,
  'copies-full': (limits) =>
    `Only ${limits.copyFiles.toLocaleString('en')} files or ${sizeText(limits.copyBytes)} are copied in advance, so what was in these before is not known`,
  unreadable: () => 'These cannot be read',
  'gone-from-git': () => 'git no longer has what was in these before',
  'converted-by-git': () => 'git holds these in another form, so what was in these before is not known',
  'store-failed': () => 'These could not be kept, because the data folder could not be written',
}

const allReasons: readonly NotKept[] = ['too-large', 'too-much', 'not-copied', 'copy-too-large', 'copies-full', 'unreadable', 'gone-from-git', 'converted-by-git', 'store-failed']

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes.toLocaleString('en')} bytes` : `${Math.round(bytes / 1024 / 1024)} MiB`
}

const mostNamed = 5

function named(paths: readonly string[]): string {
  const more = paths.length - mostNamed
  return paths.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en')} more` : '')
}
