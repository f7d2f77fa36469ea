import { ReviewError } from '../../shared/errors.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import { openGitRepository, type GitRepository } from '../history/git-repository.js'
import { absent, ofBytes, unknown, type Held } from './held.js'

/** The files of a commit that the disk may hold otherwise. */
export interface BaseTree {
  readonly commit: string
  /** By path: what the commit holds. Errors: CONTENT_UNKNOWN where git cannot tell. */
  differing(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, Held>>
}

/** `root` is the worktree's folder. Git is only read, and runs nothing that the repository configures. */
export function createBaseTree(root: string, commit: string): BaseTree {
  return {
    commit,
    differing: async (signal) => {
      const repository = await openGitRepository(root, signal)
      const files = await repository?.differing(commit, signal)
      if (!repository || !files) throw new ReviewError('CONTENT_UNKNOWN', 'The commit that this worktree left from is not in its repository any more. Compare with a turn instead.')
      const modes = new Map<string, number | null>()
      const held = new Map<WorkspacePath, Held>()
      const paths = new Map<string, WorkspacePath[]>()
      for (const { path, blob, mode } of files) {
        const name = workspacePath(path)
        if (blob === null) held.set(name, absent('git'))
        else {
          // A link's target and what the repository keeps elsewhere are no contents of a file.
          held.set(name, unknown('unreadable'))
          if (mode === 0o120000) continue
          modes.set(path, mode)
          paths.set(blob, [...(paths.get(blob) ?? []), name])
        }
      }
      await repository.readBlobs(
        [...paths.keys()],
        async (blob, bytes) => {
          for (const path of paths.get(blob) ?? []) held.set(path, ofBytes(bytes, modeOf(modes.get(path) ?? null), 'git', (inner) => readBlob(repository, blob, inner)))
        },
        signal,
      )
      return held
    },
  }
}

/** Git knows of one bit; which others a file had is not recorded. */
function modeOf(gitMode: number | null): number | null {
  return gitMode === null ? null : gitMode & 0o777
}

async function readBlob(repository: GitRepository, blob: string, signal?: AbortSignal): Promise<Uint8Array> {
  const found: { bytes: Uint8Array | null } = { bytes: null }
  await repository.readBlobs([blob], async (_name, bytes) => void (found.bytes = Uint8Array.from(bytes)), signal)
  if (!found.bytes) throw new ReviewError('CONTENT_UNKNOWN', 'This content is not in the repository any more.')
  return found.bytes
}
