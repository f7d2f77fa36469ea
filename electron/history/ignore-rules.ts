import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import type { Log } from '../base/log.js'
import { breathe } from '../base/pool.js'
import { GitFailed, type GitRepository } from './git-repository.js'

/** Which files are not followed. */
export interface IgnoreRules {
  /** The ignored ones; asked from the top down, so the folders above a path are known not to be ignored. */
  ignored(paths: readonly { readonly path: string; readonly isFolder: boolean }[], signal?: AbortSignal): Promise<ReadonlySet<string>>
}

/** Without git, these hold what tools put there and can make again. */
export const builtInIgnored = ['node_modules', '.venv', '__pycache__', 'target', 'dist', '.cache'] as const

const maxRuleBytes = 1024 * 1024
const pathsAtATime = 500

/** git's own rules; those of `plain` while git does not answer, rather than all or nothing. */
export function gitIgnoreRules(repository: GitRepository, plain: IgnoreRules, log: Log): IgnoreRules {
  return {
    ignored: async (paths, signal) => {
      try {
        return await repository.ignored(paths.map(({ path }) => path), signal)
      } catch (thrown) {
        if (!(thrown instanceof GitFailed)) throw thrown
        log.error('history.git-ignore-rules', thrown)
        return plain.ignored(paths, signal)
      }
    },
  }
}

/** `.gitignore` files, of which the nearest that says something counts, and the built-in names. */
export function plainIgnoreRules(root: string): IgnoreRules {
  return {
    ignored: async (paths) => {
      const ignored = new Set<string>()
      const rules = new Map<string, Ignore | null>()
      const rulesIn = (folder: string): Ignore | null => {
        const known = rules.get(folder)
        if (known !== undefined) return known
        const read = readRules(join(root, folder, '.gitignore'))
        rules.set(folder, read)
        return read
      }
      for (const [at, { path, isFolder }] of paths.entries()) {
        if (at % pathsAtATime === pathsAtATime - 1) await breathe()
        if (isFolder && builtIn.has(path.slice(path.lastIndexOf('/') + 1))) ignored.add(path)
        else if (isIgnored(path, isFolder, rulesIn)) ignored.add(path)
      }
      return ignored
    },
  }
}

const builtIn: ReadonlySet<string> = new Set(builtInIgnored)

function isIgnored(path: string, isFolder: boolean, rulesIn: (folder: string) => Ignore | null): boolean {
  for (let slash = path.lastIndexOf('/'); ; slash = path.lastIndexOf('/', slash - 1)) {
    const verdict = rulesIn(slash < 0 ? '' : path.slice(0, slash))?.test(path.slice(slash + 1) + (isFolder ? '/' : ''))
    if (verdict?.ignored) return true
    if (verdict?.unignored || slash < 0) return false
  }
}

function readRules(file: string): Ignore | null {
  try {
    const stats = statSync(file)
    return stats.isFile() && stats.size <= maxRuleBytes ? ignore({ ignorecase: false }).add(readFileSync(file, 'utf8')) : null
  } catch {
    // Rules that cannot be read hide nothing.
    return null
  }
}
