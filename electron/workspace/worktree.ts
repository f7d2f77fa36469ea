import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The git worktree that a folder lies in, as its files say; no program is started. */
export interface Worktree {
  /** Folder with the `.git`. */
  readonly root: string
  /** Where git keeps what belongs to this worktree. Absolute. */
  readonly gitFolder: string
  /** Whether it was made by `git worktree add`; false for a repository's first one. */
  readonly isLinked: boolean
  /** `null` where HEAD names no branch. */
  readonly branch: string | null
}

/** The worktree that a folder is in; `null` outside git. `folder` is absolute. */
export function worktreeOf(folder: string): Worktree | null {
  for (let root = folder; ; root = dirname(root)) {
    const entry = join(root, '.git')
    const stats = statSync(entry, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return { root, gitFolder: entry, isLinked: false, branch: branchOf(entry) }
    const named = stats?.isFile() ? /^gitdir: (.+)$/m.exec(textOf(entry))?.[1]?.trim() : undefined
    if (named !== undefined) {
      const gitFolder = resolve(root, named)
      // A submodule has such a file too; only a linked worktree names its common folder.
      return { root, gitFolder, isLinked: statSync(join(gitFolder, 'commondir'), { throwIfNoEntry: false }) !== undefined, branch: branchOf(gitFolder) }
    }
    if (dirname(root) === root) return null
  }
}

function branchOf(gitFolder: string): string | null {
  return /^ref: refs\/heads\/(.+)$/m.exec(textOf(join(gitFolder, 'HEAD')))?.[1]?.trim() ?? null
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The commit that the branch of a worktree of ours left from; `null` for others. `folder` is the worktree's. */
export function baseOfWorktree(dataFolder: string, folder: string): string | null {
  if (dirname(folder) !== join(realPath(dataFolder), 'worktrees')) return null
  return /^[0-9a-f]{40,64}$/.exec(textOf(baseFile(folder)).trim())?.[0] ?? null
}

/** Beside a worktree of ours: holds the commit that it was made from. */
export function baseFile(folder: string): string {
  return `${folder}.base`
}
