import type { WorkspacePath } from '../../shared/ids.js'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { blobNameOf, GitFailed, openGitRepository, type GitRepository } from '../history/git-repository.js'
import { readBytes } from '../workspace/text-files.js'
import { openWorkspace, type Workspace } from '../workspace/workspace.js'

/** Files above this size are not looked at to prove states. */
const largestBytes = 16 << 20

/** A file as it lies in the workspace now; `bytes` is `null` where there is none. Times in milliseconds, as exact as the system has them. */
export interface DiskLook {
  readonly bytes: Buffer | null
  readonly modifiedAtMs: number
  readonly createdAtMs: number
}

/** What beside the log can prove states: the files of the workspace now, and the objects of its repository. Only ever reads. */
export interface Evidence {
  /** `null` where the path cannot be looked at, or is no plain file. */
  disk(path: WorkspacePath, signal?: AbortSignal): Promise<DiskLook | null>
  /** What these files were in a commit, `null` for one that was not there; empty where the commit is not here. */
  committed(commit: string, paths: readonly WorkspacePath[], signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, Buffer | null>>
  /** Those of these files that git keeps byte for byte. */
  keptAsTheyAre(paths: readonly WorkspacePath[], signal?: AbortSignal): Promise<ReadonlySet<WorkspacePath>>
  /** Which of these contents some commit, or what was once added, has exactly. */
  everKept(contents: readonly Buffer[], signal?: AbortSignal): Promise<ReadonlySet<Buffer>>
}

const none: Evidence = {
  disk: async () => null,
  committed: async () => new Map(),
  keptAsTheyAre: async () => new Set(),
  everKept: async () => new Set(),
}

/** Evidence of the folder of a session on this computer; of none where there is no folder. */
export async function openEvidence(folder: string | null, signal?: AbortSignal): Promise<Evidence> {
  const workspace = folder === null ? null : await openWorkspace(folder).catch(() => null)
  throwIfAborted(signal)
  if (!workspace) return none
  const git = await openGitRepository(workspace.root, signal)
  return { ...none, ...(git ? ofGit(git) : {}), disk: (path) => lookAtDisk(workspace, path) }
}

async function lookAtDisk(workspace: Workspace, path: WorkspacePath): Promise<DiskLook | null> {
  try {
    const place = workspace.resolveInside(path)
    if (!place.stats) return { bytes: null, modifiedAtMs: 0, createdAtMs: 0 }
    if (!place.stats.isFile()) return null
    const { bytes, stats } = await readBytes(place, path, largestBytes)
    return { bytes: Buffer.from(bytes), modifiedAtMs: stats.mtimeMs, createdAtMs: stats.birthtimeMs }
  } catch (thrown) {
    if (thrown instanceof ReviewError) return null
    throw thrown
  }
}

function ofGit(git: GitRepository): Omit<Evidence, 'disk'> {
  return {
    committed: (commit, paths, signal) =>
      orElse(new Map<WorkspacePath, Buffer | null>(), async () => {
        const safe = paths.filter(isPlain)
        const names = await git.blobsAt(commit, safe, signal)
        if (!names) return new Map()
        const blobs = new Map<string, Buffer>()
        const keep = async (name: string, bytes: Uint8Array): Promise<void> => void (bytes.length <= largestBytes && blobs.set(name, Buffer.from(bytes)))
        await git.readBlobs([...new Set(names.values())], keep, signal)
        const found = new Map<WorkspacePath, Buffer | null>()
        for (const path of safe) {
          const name = names.get(path)
          const bytes = name === undefined ? null : blobs.get(name)
          // A blob that is missing tells nothing.
          if (bytes !== undefined) found.set(path, bytes)
        }
        return found
      }),
    keptAsTheyAre: (paths, signal) =>
      orElse(new Set<WorkspacePath>(), async () => {
        const kept = await git.keptAsTheyAre(paths.filter(isPlain), signal)
        return new Set(paths.filter((path) => kept.has(path)))
      }),
    everKept: (contents, signal) =>
      orElse(new Set<Buffer>(), async () => {
        // The repository has one of two hashes; names in the other one are not found.
        const byName = new Map(contents.flatMap((bytes) => [40, 64].map((length) => [blobNameOf(bytes, '0'.repeat(length)), bytes] as const)))
        const found = new Set<Buffer>()
        await git.readBlobs([...byName.keys()], async (name) => {
          const bytes = byName.get(name)
          if (bytes) found.add(bytes)
        }, signal)
        return found
      }),
  }
}

/** A name that git lists as it is. */
function isPlain(path: WorkspacePath): boolean {
  return path !== '' && !path.startsWith('/') && !/^[A-Za-z]:/.test(path) && !path.includes('\0') && !path.split('/').includes('..')
}

async function orElse<Value>(otherwise: Value, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask()
  } catch (thrown) {
    if (thrown instanceof GitFailed) return otherwise
    throw thrown
  }
}
