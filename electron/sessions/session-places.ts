import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** A place where logs are looked for. */
export interface SessionPlace {
  /** `added` by a person; the others are known. */
  readonly kind: 'qwen-code' | 'overturn' | 'sample' | 'added'
  /** A folder, or one log. Absolute. */
  readonly location: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The places of qwen-code (its environment variables honoured) and ours.
 * Source: qwen-code keeps logs below `$QWEN_RUNTIME_DIR`, else its home; its home is `$QWEN_HOME`, else `~/.qwen`.
 */
export function usualPlaces(environment: Environment, home: string, dataFolder: string): readonly SessionPlace[] {
  const runtime = environment['QWEN_RUNTIME_DIR']
  const bases = [...(runtime ? [expand(runtime, home)] : []), qwenHome(environment, home)]
  return [
    ...bases.map((base) => ({ kind: 'qwen-code', location: join(base, 'projects') }) as const),
    { kind: 'overturn', location: join(dataFolder, 'sessions') },
    { kind: 'sample', location: join(dataFolder, 'sample') },
  ]
}

/** What a person may name, as the place to walk: of a home folder only what qwen-code keeps there. */
export function addedPlace(location: string, dataFolder: string): SessionPlace {
  const inner = join(location, '.qwen')
  const isSample = location.startsWith(join(dataFolder, 'sample') + sep)
  return { kind: isSample ? 'sample' : 'added', location: basename(location) !== '.qwen' && existsSync(inner) ? inner : location }
}

/**
 * Folders in which the backups of a log may lie, nearest first: beside its own store (so that a copied store opens too), in this
 * user's home, in our data folder.
 */
export function backupHomes(file: string, environment: Environment, home: string, dataFolder: string): readonly string[] {
  const base = storeOf(file) ?? dirname(file)
  const homes = [join(base, 'file-history'), join(dirname(base), 'file-history'), join(qwenHome(environment, home), 'file-history'), join(dataFolder, 'file-history')]
  return [...new Set(homes)]
}

/** Stores that an agent has written on this computer itself. */
export function ownBackupHomes(environment: Environment, home: string, dataFolder: string): readonly string[] {
  return [join(qwenHome(environment, home), 'file-history'), join(dataFolder, 'file-history')]
}

/** The base of the store that a log lies in: `<base>/projects/<id>/chats/…`. */
function storeOf(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === 'projects') return dirname(folder)
  }
  return null
}

function qwenHome(environment: Environment, home: string): string {
  const named = environment['QWEN_HOME']
  return named ? expand(named, home) : join(home, '.qwen')
}

function expand(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(path)
}
