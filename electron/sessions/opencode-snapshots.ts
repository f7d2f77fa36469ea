import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openGitObjects, type GitObjects } from './git-objects.js'
import type { SessionFacts } from './opencode-records.js'
import { SnapshotStates } from './opencode-states.js'

const plainName = /^[A-Za-z0-9_-]{1,200}$/
const largestText = 1 << 20

export interface OpenedSnapshots {
  readonly objects: GitObjects
  readonly states: SnapshotStates
}

/**
 * The repository in which opencode keeps whole trees of a session's files; `null` where there is none. Only ever read.
 *
 * Source: opencode 1.18.33 has one for each project and working folder, at `snapshot/<project>/<SHA-1 of the folder>`, older ones one
 * for a project; the folder is its `core.worktree`.
 */
export function openSnapshots(store: string, { projectId, folder }: SessionFacts, workspace: string | null): OpenedSnapshots | null {
  if (!plainName.test(projectId) || folder === null) return null
  const project = join(store, 'snapshot', projectId)
  const found = repositoriesIn(project)
    .flatMap((gitFolder) => {
      const root = textOf(join(gitFolder, 'config')).match(/^\s*worktree\s*=\s*"?(.+?)"?\s*$/m)?.[1] ?? null
      const below = root === null ? null : belowOf(root, folder)
      return root === null || below === null ? [] : [{ gitFolder, root, below }]
    })
    .sort((one, two) => two.root.length - one.root.length || Number(two.gitFolder.endsWith(sha1(two.root))) - Number(one.gitFolder.endsWith(sha1(one.root))))[0]
  if (!found) return null
  const { gitFolder, below } = found
  const objects = openGitObjects({ gitFolder, alternates: alternatesOf(workspace, below) })
  const ownAttributes = textOf(join(gitFolder, 'info', 'attributes'))
  return { objects, states: new SnapshotStates({ objects, below, folder, workspace, ownAttributes }) }
}

function repositoriesIn(project: string): readonly string[] {
  try {
    const inside = readdirSync(project, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    return [project, ...inside.map(({ name }) => join(project, name))].filter((folder) => statSync(join(folder, 'HEAD'), { throwIfNoEntry: false })?.isFile())
  } catch {
    return []
  }
}

/** How a folder is called from a root above it; `null` where it lies elsewhere. */
function belowOf(root: string, folder: string): string | null {
  const [above, inside] = [withSlashes(root), withSlashes(folder)]
  if (inside === above) return ''
  return inside.startsWith(`${above}/`) ? inside.slice(above.length + 1) : null
}

function withSlashes(path: string): string {
  const plain = /^[A-Za-z]:/.test(path) ? path.replaceAll('\\', '/') : path
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain
}

/** Snapshots share objects with the project's own repository, which may have moved since. */
function alternatesOf(workspace: string | null, below: string): readonly string[] {
  if (workspace === null) return []
  const root = join(workspace, ...(below === '' ? [] : below.split('/').map(() => '..')))
  const objects = join(root, '.git', 'objects')
  return statSync(objects, { throwIfNoEntry: false })?.isDirectory() ? [objects] : []
}

function textOf(file: string): string {
  try {
    return statSync(file).size <= largestText ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
