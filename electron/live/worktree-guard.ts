import { realpathSync, statSync } from 'node:fs'
import { ReviewError } from '../../shared/errors.js'
import type { WorktreeState } from '../../shared/agents.js'
import { baseOfWorktree, worktreeOf } from '../workspace/worktree.js'

/** Keeps a session in the folder, and the git worktree, that it began in. */
export interface WorktreeGuard {
  /** Errors: WORKSPACE_MISSING, WORKTREE_PROTECTED. */
  readonly assert: () => void
  /** The branch that is checked out now. */
  readonly branch: () => string | null
  /** `null` for a plain checkout, and outside git. */
  readonly state: () => WorktreeState | null
}

/**
 * Binds a session to a folder (a real path). In a linked worktree it may write while that is the same worktree and on no protected
 * branch; a plain checkout is the person's own, where the folder alone is the limit.
 */
export function createWorktreeGuard(dataFolder: string, root: string, protectedBranches: () => readonly string[]): WorktreeGuard {
  const worktree = worktreeOf(root)
  const bound = worktree?.isLinked ? worktree : null
  const branch = (): string | null => worktreeOf(root)?.branch ?? null
  return {
    assert: () => {
      if (!isSameFolder(root)) throw new ReviewError('WORKSPACE_MISSING', 'The folder of this session is gone, or another one is in its place. Connect again for a folder that is there.')
      if (!bound) return
      const now = worktreeOf(root)
      if (now?.root !== bound.root || now.gitFolder !== bound.gitFolder || !now.isLinked) {
        throw new ReviewError('WORKTREE_PROTECTED', 'This session may write only in the git worktree that it began in, and the folder is not that worktree any more. Ask the person.')
      }
      if (now.branch !== null && isProtected(now.branch, protectedBranches())) {
        throw new ReviewError('WORKTREE_PROTECTED', `The worktree is on ${now.branch}, which is protected. Switch to a branch of your own, then try again.`)
      }
    },
    branch,
    state: () => {
      if (!bound) return null
      const now = branch()
      return { folder: bound.root, branch: now, base: baseOfWorktree(dataFolder, bound.root), isProtected: now !== null && isProtected(now, protectedBranches()) }
    },
  }
}

/** Whether a name fits one of the patterns, in which `*` stands for any text. */
export function isProtected(branch: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => new RegExp(`^${pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 's').test(branch))
}

/** Whether a real path still leads to a folder without a link on its way. */
function isSameFolder(root: string): boolean {
  try {
    return realpathSync(root) === root && statSync(root).isDirectory()
  } catch {
    return false
  }
}
