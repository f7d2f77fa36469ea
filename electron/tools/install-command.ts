import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import { commandText } from '../../shared/policy.js'

export const managers = ['npm', 'pnpm', 'yarn', 'bun', 'pip', 'uv', 'cargo', 'go'] as const
export type Manager = (typeof managers)[number]

/** Files that tell which manager a folder uses; the first that is there decides. */
const signs: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lockb', 'bun'],
  ['bun.lock', 'bun'],
  ['package.json', 'npm'],
  ['uv.lock', 'uv'],
  ['requirements.txt', 'pip'],
  ['pyproject.toml', 'pip'],
  ['Cargo.toml', 'cargo'],
  ['go.mod', 'go'],
]

interface Wanted {
  readonly packages: readonly string[]
  readonly manager: Manager | null
  readonly dev: boolean
}

/** The command that installs packages, each one word of it. Errors: INVALID_PARAMS (no manager is known, or a package that is an option). */
export function installCommand(root: string, { packages, manager, dev }: Wanted): string {
  const option = packages.find((name) => name.startsWith('-'))
  if (option !== undefined) throw new ReviewError('INVALID_PARAMS', `"${option}" is an option and no package. Use exec_run for such a command.`, { details: { field: 'packages' } })
  const found = manager ?? signs.find(([file]) => existsSync(join(root, file)))?.[1]
  if (!found) throw new ReviewError('INVALID_PARAMS', 'No package manager is recognised here. Name one.', { details: { field: 'manager' } })
  return commandText(wordsOf(found, packages, dev, existsSync(join(root, 'requirements.txt'))))
}

function wordsOf(manager: Manager, packages: readonly string[], dev: boolean, hasRequirements: boolean): readonly string[] {
  const none = packages.length === 0
  switch (manager) {
    case 'npm':
      return ['npm', 'install', ...(dev ? ['--save-dev'] : []), ...packages]
    case 'pnpm':
    case 'bun':
      return none ? [manager, 'install'] : [manager, 'add', ...(dev ? ['-D'] : []), ...packages]
    case 'yarn':
      return none ? ['yarn', 'install'] : ['yarn', 'add', ...(dev ? ['--dev'] : []), ...packages]
    case 'pip':
      if (!none) return ['python3', '-m', 'pip', 'install', ...packages]
      return ['python3', '-m', 'pip', 'install', ...(hasRequirements ? ['-r', 'requirements.txt'] : ['-e', '.'])]
    case 'uv':
      return none ? ['uv', 'sync'] : ['uv', 'add', ...(dev ? ['--dev'] : []), ...packages]
    case 'cargo':
      return none ? ['cargo', 'fetch'] : ['cargo', 'add', ...(dev ? ['--dev'] : []), ...packages]
    case 'go':
      return none ? ['go', 'mod', 'download'] : ['go', 'get', ...packages]
  }
}
