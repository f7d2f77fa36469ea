import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import type { Workspace } from '../workspace/workspace.js'

/**
 * A path as an agent names it (relative, `./` before it, or absolute inside the workspace) as a path of the workspace; empty for
 * the workspace itself. The workspace may be named through a link that leads to it. Says nothing of links below it: whoever
 * touches the disk resolves the path.
 * Errors: OUTSIDE_WORKSPACE.
 */
export function inWorkspace({ root }: Workspace, path: string): string {
  const inside = isAbsolute(path) ? belowRoot(root, path) : path
  const names = inside?.split(sep === '\\' ? /[\\/]/ : '/').filter((name) => name !== '' && name !== '.')
  if (!names || names.includes('..')) {
    throw new ReviewError('OUTSIDE_WORKSPACE', `${path.slice(0, 200)} lies outside the workspace. Name a path inside it.`, { details: { why: 'outside' } })
  }
  return names.join('/')
}

/** `null` for a path that leads elsewhere. */
function belowRoot(root: string, path: string): string | null {
  if (isBelow(root, path)) return relative(root, path)
  if (realOf(path) === root) return ''
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = realOf(folder)
    if (real !== null) {
      const whole = join(real, relative(folder, path))
      return isBelow(root, whole) ? relative(root, whole) : null
    }
    if (dirname(folder) === folder) return null
  }
}

/** Whether a path is a folder itself or lies below it, by their texts; both absolute. */
export function isBelow(root: string, path: string): boolean {
  const below = relative(root, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** The real path; `null` for what is not there. */
export function realOf(folder: string): string | null {
  try {
    return realpathSync(folder)
  } catch {
    return null
  }
}
