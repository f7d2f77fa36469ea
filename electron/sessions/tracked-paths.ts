import { workspacePath, type WorkspacePath } from '../../shared/ids.js'

const longestPath = 4096
const drive = /^[A-Za-z]:/
const driveRoot = /^[A-Za-z]:\//

/**
 * The path under which a log tracks a file, made safe: relative to the session's folder, or absolute where it lies outside.
 *
 * Returns: `null` for a path that no recorder writes and that could lead elsewhere: with `..`, `.` or empty names, NUL, a
 * trailing slash, a drive letter or a backslash, or the folder itself. In a log from Windows backslashes become `/`; in one of
 * another system they are letters of a name, where the files are on such a system too.
 */
export function trackedPath(recorded: string, folder: string | null): WorkspacePath | null {
  const isWindows = folder !== null && drive.test(folder)
  const path = isWindows ? recorded.replaceAll('\\', '/') : recorded
  const root = isWindows ? folder.replaceAll('\\', '/') : folder
  if (path === '' || path.length > longestPath || path.includes('\0')) return null
  if (path.includes('\\') && (process.platform === 'win32' || !root?.startsWith('/'))) return null
  const isAbsolute = path.startsWith('/') || (isWindows && driveRoot.test(path))
  if (!isAbsolute && drive.test(path)) return null
  const start = path.startsWith('/') ? 1 : 0
  if (path.slice(start).split('/').some((name) => name === '' || name === '.' || name === '..')) return null
  return path === root ? null : workspacePath(isAbsolute ? insideOf(path, root) : path)
}

/**
 * The path of a file that a tool call names: as for tracked ones, but an unusual spelling is straightened, since a model wrote it.
 * Returns: `null` where that is no path.
 */
export function calledPath(named: string, folder: string | null): WorkspacePath | null {
  const isWindows = folder !== null && drive.test(folder)
  const path = isWindows ? named.replaceAll('\\', '/') : named
  const isAbsolute = path.startsWith('/') || drive.test(path)
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') {
      if (names.pop() === undefined) return null
    } else if (name !== '' && name !== '.') {
      names.push(name)
    }
  }
  return trackedPath(`${isAbsolute && path.startsWith('/') ? '/' : ''}${names.join('/')}`, folder)
}

function insideOf(path: string, root: string | null): string {
  if (root === null) return path
  const prefix = root.endsWith('/') ? root : `${root}/`
  return path.startsWith(prefix) && path.length > prefix.length ? path.slice(prefix.length) : path
}

/** `trackedPath` for the paths of one session, which name the same files again and again. */
export function trackedPaths(folder: string | null): (recorded: string) => WorkspacePath | null {
  const known = new Map<string, WorkspacePath | null>()
  return (recorded) => {
    const before = known.get(recorded)
    if (before !== undefined) return before
    const path = trackedPath(recorded, folder)
    known.set(recorded, path)
    return path
  }
}
