import { sep } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import type { Place, Workspace } from '../workspace/workspace.js'

/** Folders of our data that agents may work in. */
const open = ['scratch', 'worktrees']

/** Whether a path, absolute and without links, is our own data and none of a folder that agents work in. */
export function isOwnData(absolute: string, dataFolder: string): boolean {
  return isWithin(absolute, dataFolder) && !open.some((name) => isWithin(absolute, dataFolder + sep + name) && absolute !== dataFolder + sep + name)
}

/**
 * A workspace in which our own data (policy, tokens, logs, backups) is out of reach. `dataFolder` is a real path.
 * Errors: OUTSIDE_WORKSPACE for a folder inside that data.
 */
export function guardedWorkspace(workspace: Workspace, dataFolder: string): Workspace {
  if (isOwnData(workspace.root, dataFolder)) throw new ReviewError('OUTSIDE_WORKSPACE', 'This folder holds the data of Overturn itself. Choose the folder of a project.', { details: { why: 'outside' } })
  if (!isWithin(dataFolder, workspace.root)) return workspace
  const guard = (path: string, place: Place): Place => {
    if (!isOwnData(place.absolute, dataFolder)) return place
    throw new ReviewError('OUTSIDE_WORKSPACE', `${path.slice(0, 200)} belongs to Overturn itself. Leave it as it is.`, { details: { why: 'outside' } })
  }
  return {
    root: workspace.root,
    resolveInside: (path) => guard(path, workspace.resolveInside(path)),
    pass: () => {
      const resolve = workspace.pass()
      return (path) => guard(path, resolve(path))
    },
  }
}

function isWithin(absolute: string, folder: string): boolean {
  return absolute === folder || absolute.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
