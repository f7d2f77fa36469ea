import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { Progress } from '../../shared/rpc.js'
import { makeDataFolder, replaceDataFile } from '../base/data-files.js'
import { baseFile, worktreeOf } from '../workspace/worktree.js'

export interface MadeWorktree {
  /** Absolute. */
  readonly folder: string
  readonly branch: string
  /** Commit that the branch begins at. */
  readonly base: string
}

const run = promisify(execFile)
/** A repository's own hooks and helpers are somebody's code: none of them runs for this. */
const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false']

/**
 * Makes a worktree of a workspace's repository in the data folder, on a new branch from what is checked out there.
 * Errors: INVALID_PARAMS (no git, no commit yet, a branch name that git does not take or that is there already), CANCELLED.
 */
export async function makeWorktree(
  dataFolder: string,
  workspace: string,
  branch: string | null,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (progress: Progress) => void },
): Promise<MadeWorktree> {
  const repository = worktreeOf(workspace)
  if (!repository) throw new ReviewError('INVALID_PARAMS', 'This folder is not in a git repository, so it has no worktrees. Work in the folder itself.', { details: { field: 'workspace' } })
  progress({ done: 0, total: null, label: 'Making the worktree' })
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('git', [...quiet, '-C', repository.root, ...args], { signal, timeout: 120_000, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' } })
    return stdout.trim()
  }
  const parent = join(dataFolder, 'worktrees')
  makeDataFolder(parent)
  const name = basename(repository.root).replace(/[^\w.-]+/g, '-') || 'repository'
  let number = 1
  while (existsSync(join(parent, `${name}-${number}`))) number++
  const folder = join(parent, `${name}-${number}`)
  const wanted = branch ?? `overturn/${name}-${number}`
  const refuse = (why: string, cause?: unknown): ReviewError => new ReviewError('INVALID_PARAMS', `git could not make the worktree: ${why}. Nothing was changed.`, { details: { field: 'branch' }, cause })
  if (wanted.includes('\0')) throw refuse('a branch name cannot hold a NUL')
  try {
    // Only a plain name: git itself would take "@{-1}" for another branch.
    await git('check-ref-format', `refs/heads/${wanted}`).catch((thrown: unknown) => {
      throw saidBy(thrown) === null ? thrown : refuse('it does not take this name for a branch', thrown)
    })
    const base = await git('rev-parse', '--verify', 'HEAD')
    await git('worktree', 'add', '-b', wanted, '--', folder, base)
    await replaceDataFile(baseFile(folder), `${base}\n`)
    return { folder, branch: wanted, base }
  } catch (thrown) {
    throwIfAborted(signal)
    if (thrown instanceof ReviewError) throw thrown
    throw refuse(saidBy(thrown) ?? 'git is not installed', thrown)
  }
}

/** The last line that git said; `null` where it was not git that failed. */
function saidBy(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('stderr' in thrown) || !('code' in thrown) || typeof thrown.code !== 'number') return null
  return String(thrown.stderr).trim().split('\n').at(-1)?.replace(/[\p{Cc}\p{Cf}]/gu, ' ') ?? ''
}
