import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { AgentName } from '../../shared/session.js'
import type { Environment, SessionReader, Surroundings } from './session-reader.js'

/** A place where logs are looked for. */
export interface SessionPlace {
  /** `added` by a person; the others are known. */
  readonly kind: AgentName | 'sample' | 'added'
  /** A folder, or one log. Absolute. */
  readonly location: string
  /** What of it is looked through; the place itself, or some folders in it. */
  readonly folders: readonly string[]
}

/** The places of all agents, their environment variables honoured, and ours. */
export function usualPlaces(readers: readonly SessionReader[], { environment, home, dataFolder }: Surroundings): readonly SessionPlace[] {
  const agents = readers.flatMap(({ agent, homes, logFolders }) => homes(environment, home).flatMap(logFolders).map((folder) => placeAt(agent, folder)))
  return [...agents, placeAt('overturn', ownSessions(dataFolder)), placeAt('sample', join(dataFolder, 'sample'))]
}

function placeAt(kind: SessionPlace['kind'], location: string): SessionPlace {
  return { kind, location, folders: [location] }
}

/**
 * Where qwen-code keeps things: backups below `home`, logs below `runtime`.
 * Source: qwen-code keeps logs below `$QWEN_RUNTIME_DIR`, else its home; its home is `$QWEN_HOME`, else `~/.qwen`.
 */
export function qwenFolders(environment: Environment, home: string): { readonly home: string; readonly runtime: string } {
  const runtime = environment['QWEN_RUNTIME_DIR']
  const own = qwenHome(environment, home)
  return { home: own, runtime: runtime ? expand(runtime, home) : own }
}

/** Where the sessions that run under us keep their logs. */
export function ownSessions(dataFolder: string): string {
  return join(dataFolder, 'sessions')
}

/** What a person may name, as the place to walk: of a home folder, or of an agent's own, only where the agents keep logs. */
export function addedPlace(readers: readonly SessionReader[], location: string, dataFolder: string): SessionPlace {
  const kind = location.startsWith(join(dataFolder, 'sample') + sep) ? 'sample' : 'added'
  const isAgents = readers.some(({ homeName }) => basename(location) === homeName)
  const homes = readers.flatMap((reader) => {
    const agentHome = basename(location) === reader.homeName ? location : join(location, reader.homeName)
    return (isAgents ? agentHome === location : existsSync(agentHome)) ? [{ reader, agentHome }] : []
  })
  const [only, second] = homes
  if (!only) return { kind, location, folders: [location] }
  const folders = homes.flatMap(({ reader, agentHome }) => {
    const logs = reader.logFolders(agentHome).filter((folder) => existsSync(folder))
    return logs.length > 0 ? logs : [agentHome]
  })
  return { kind, location: second ? location : only.agentHome, folders: [...new Set(folders)] }
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

/** The base of the store that a log lies in: `<base>/projects/<id>/…`; `null` where it lies in none. */
export function storeOf(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === 'projects') return dirname(folder)
  }
  return null
}

function qwenHome(environment: Environment, home: string): string {
  const named = environment['QWEN_HOME']
  return named ? expand(named, home) : join(home, '.qwen')
}

/** A path from an environment variable, made absolute; `~` is this user's home. */
export function expand(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(path)
}
