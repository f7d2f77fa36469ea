import { lstatSync, readdirSync, realpathSync, type Dirent } from 'node:fs'
import { posix } from 'node:path'

/** So many entries are looked at for the patterns of one path. */
const mostEntries = 20_000

/**
 * Whether a path that by its text lies inside the workspace may lead out of it through a link that is there now: the one thing
 * that the text of a command cannot tell. A `..` in it, not yet taken away, that goes up from a link leads elsewhere than its text
 * says, and counts as leading outside wherever that is; so does one behind a pattern. `isAny` is the sign that stands for a name, or a part of one, which a pattern finds; each name that it may
 * find is looked at, on every level.
 *
 * Returns: false for what is not there. What cannot be looked at, or is more than can be, counts as leading outside.
 */
export function leadsOutside(root: string, path: string, isAny: string): boolean {
  const names = namesOf(path, isAny)
  if (names === null) return true
  let left = mostEntries
  const leads = (folder: string, names: readonly string[]): boolean => {
    const at = names.findIndex((name) => name.includes(isAny))
    const known = posix.join(folder, ...(at < 0 ? names : names.slice(0, at)))
    if (isOutside(root, known)) return true
    const [pattern, rest] = at < 0 ? [undefined, []] : [names[at], names.slice(at + 1)]
    if (pattern === undefined) return false
    const fits = fitting(pattern, isAny)
    for (const entry of entriesIn(known)) {
      if (--left < 0) return true
      if (!fits(entry.name)) continue
      const found = posix.join(known, entry.name)
      if (entry.isSymbolicLink() && isOutside(root, found)) return true
      // A link to a folder inside may have links in its turn.
      if (rest.length > 0 && (entry.isDirectory() || entry.isSymbolicLink()) && leads(found, rest)) return true
      // With globstar a bare pattern may stand for folders in folders.
      if (pattern.replaceAll(isAny, '') === '' && pattern.length > isAny.length && entry.isDirectory() && leads(found, [pattern, ...rest])) return true
    }
    return false
  }
  return leads(root, posix.relative(root, posix.join('/', ...names)).split('/'))
}

/** The names of a path with each `..` taken away; `null` where one goes up from what is, or may be, a link. */
function namesOf(path: string, isAny: string): readonly string[] | null {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.some((before) => before.includes(isAny)) || isLink(posix.join('/', ...names))) return null
    else names.pop()
  }
  return names
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch (thrown) {
    return !isMissing(thrown)
  }
}

function isMissing(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function fitting(pattern: string, isAny: string): (name: string) => boolean {
  const expression = new RegExp(`^${pattern.split(isAny).map((text) => text.replace(/[^\w]/g, '\\$&')).join('.*')}$`, 'su')
  return (name) => expression.test(name)
}

function isOutside(root: string, path: string): boolean {
  try {
    const real = realpathSync(path)
    return real !== root && !real.startsWith(root.endsWith('/') ? root : `${root}/`)
  } catch (thrown) {
    return !isMissing(thrown)
  }
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
