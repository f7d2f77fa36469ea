import { readdirSync, realpathSync } from 'node:fs'
import { posix } from 'node:path'

const mostEntries = 2_000

/**
 * Whether a path inside the workspace leads out of it through a link that is there now: the one thing that the text of a
 * command cannot tell. `isAny` tells the sign that stands for a name which a pattern finds.
 *
 * Returns: false for what is not there. What cannot be looked at counts as leading outside.
 */
export function leadsOutside(root: string, path: string, isAny: string): boolean {
  const names = posix.relative(root, path).split('/')
  const at = names.findIndex((name) => name.includes(isAny))
  const known = at < 0 ? path : posix.join(root, ...names.slice(0, at))
  if (isOutside(root, known)) return true
  if (at < 0) return false
  // A pattern may find any link of the folder; deeper ones are found by name only.
  return linksIn(known).some((link) => isOutside(root, link))
}

function isOutside(root: string, path: string): boolean {
  try {
    const real = realpathSync(path)
    return real !== root && !real.startsWith(root.endsWith('/') ? root : `${root}/`)
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}

function linksIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .slice(0, mostEntries)
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => posix.join(folder, name))
  } catch {
    return []
  }
}
