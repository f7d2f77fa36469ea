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
  /** Filters of the repository's own settings, which did not run. */
  readonly filtersLeftOut: readonly string[]
}

const run = promisify(execFile)
/** A repository's own hooks and helpers are somebody's code: none of them runs for this, and nothing is fetched. */
const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'protocol.allow=never', '-c', 'submodule.recurse=false']
const alone = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

/**
 * Makes a worktree of a workspace's repository in the data folder, on a new branch from what is checked out there. Filters that the
 * repository's own settings bring do not run: their files are as git keeps them, and the result says so. Those of the person do.
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
  const git = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { stdout } = await run('git', [...quiet, '-C', repository.root, ...args], { signal, timeout: 120_000, env: { ...process.env, ...alone, ...environment } })
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
    await git(['check-ref-format', `refs/heads/${wanted}`]).catch((thrown: unknown) => {
      throw saidBy(thrown) === null ? thrown : refuse('it does not take this name for a branch', thrown)
    })
    const base = await git(['rev-parse', '--verify', 'HEAD'])
    const filters = await ownFilters(git)
    await git(['worktree', 'add', '-b', wanted, '--', folder, base], filters.environment)
    await replaceDataFile(baseFile(folder), `${base}\n`)
    return { folder, branch: wanted, base, filtersLeftOut: filters.leftOut }
  } catch (thrown) {
    throwIfAborted(signal)
    if (thrown instanceof ReviewError) throw thrown
    throw refuse(saidBy(thrown) ?? 'git is not installed', thrown)
  }
}

interface Filters {
  /** For git: each setting of a filter as the person's own settings have it, without those of the repository. */
  readonly environment: Readonly<Record<string, string>>
  /** Names of those that only the repository brings. */
  readonly leftOut: readonly string[]
}

/** Sees to it that programs of filters come from the person's own settings alone. Errors: those of git. */
async function ownFilters(git: (args: readonly string[]) => Promise<string>): Promise<Filters> {
  // Without such a setting git ends with 1.
  const listed = await git(['config', '--includes', '--show-scope', '--null', '--get-regexp', '^filter\\.']).catch((thrown: unknown) => {
    if (saidBy(thrown) === '') return ''
    throw thrown
  })
  const words = listed.split('\0')
  const persons = new Map<string, string>()
  const repositorys = new Set<string>()
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [key = '', ...lines] = (words[at + 1] ?? '').split('\n')
    if (words[at] === 'local' || words[at] === 'worktree') repositorys.add(key)
    else persons.set(key, lines.join('\n'))
  }
  const settings = [...repositorys].map((key) => [key, persons.get(key) ?? (key.endsWith('.required') ? 'false' : '')] as const)
  const environment = Object.fromEntries(settings.flatMap(([key, value], at) => [[`GIT_CONFIG_KEY_${at}`, key], [`GIT_CONFIG_VALUE_${at}`, value]]))
  // A process that is set to nothing keeps git from running the other form as well.
  const runs = (filter: string): boolean => persons.has(`${filter}.process`) || (persons.has(`${filter}.smudge`) && !repositorys.has(`${filter}.process`))
  const leftOut = [...new Set([...repositorys].map((key) => key.slice(0, key.lastIndexOf('.'))))].filter((filter) => !runs(filter)).map((filter) => filter.slice('filter.'.length))
  return { environment: { ...environment, GIT_CONFIG_COUNT: String(settings.length) }, leftOut }
}

/** The last line that git said; `null` where it was not git that failed. */
function saidBy(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('stderr' in thrown) || !('code' in thrown) || typeof thrown.code !== 'number') return null
  return String(thrown.stderr).trim().split('\n').at(-1)?.replace(/[\p{Cc}\p{Cf}]/gu, ' ') ?? ''
}
