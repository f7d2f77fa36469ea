import { dirname } from 'node:path'
import type { SessionSummary } from '../../shared/session.js'
import type { CatalogEntry } from './log-catalog.js'

/**
 * Logs whose turns are, from the first to the last, the first ones of another log beside it: a session that was resumed or forked is
 * copied with the identities of its records. Of equal ones the older counts.
 */
export function copiedLogs(logs: readonly CatalogEntry[]): ReadonlySet<string> {
  const others = othersWith(logs)
  const copied = logs.filter((log) => {
    const last = log.counts?.trail.at(-1)
    return last !== undefined && others(log, last).some((other) => goesFurther(other, log))
  })
  return new Set(copied.map(({ file }) => file))
}

/**
 * Logs of another program that hold a session of ours, as it was exported: by its id, and nothing but turns that ours has. One that went
 * on by itself is none.
 */
export function exportedLogs(logs: readonly CatalogEntry[]): ReadonlySet<string> {
  const own = new Map(logs.flatMap((log) => (log.ends?.agent === 'overturn' && log.ends.sessionId !== null ? [[log.ends.sessionId, log.counts] as const] : [])))
  const copies = logs.filter(({ ends, counts }) => {
    const ours = ends === null || ends.agent === 'overturn' || ends.sessionId === null ? null : own.get(ends.sessionId)
    const last = counts?.trail.at(-1)
    // Of a prompt that was taken back there, ours knows nothing.
    return ours && counts && last !== undefined && counts.prompts === counts.turns && counts.turns <= ours.turns && ours.trail.includes(last)
  })
  return new Set(copies.map(({ file }) => file))
}

/** For each log that begins as another one beside it, or of the same session, does: that one, and how many turns they have in common. */
export function sharedTurns(logs: readonly CatalogEntry[]): ReadonlyMap<string, NonNullable<SessionSummary['sharedTurns']>> {
  const others = othersWith(logs)
  const shared = new Map<string, NonNullable<SessionSummary['sharedTurns']>>()
  for (const log of logs) {
    const trail = log.counts?.trail ?? []
    for (let turns = trail.length; turns > 0 && !shared.has(log.file); turns--) {
      const other = others(log, trail[turns - 1] ?? '')[0]
      if (other) shared.set(log.file, { session: other.key, turns })
    }
  }
  return shared
}

/** Finds the other logs of the same folder, or of the same session, that have a turn in common with one. */
function othersWith(logs: readonly CatalogEntry[]): (log: CatalogEntry, hash: string) => readonly CatalogEntry[] {
  const byHash = new Map<string, CatalogEntry[]>()
  for (const log of logs) {
    for (const hash of log.counts?.trail ?? []) {
      const known = byHash.get(hash)
      if (known) known.push(log)
      else byHash.set(hash, [log])
    }
  }
  return (log, hash) => (byHash.get(hash) ?? []).filter((other) => other !== log && (dirname(other.file) === dirname(log.file) || isSameSession(other, log)))
}

/** As a session of ours and what another program made of its export are. */
function isSameSession(one: CatalogEntry, other: CatalogEntry): boolean {
  return one.ends?.sessionId !== null && one.ends?.sessionId === other.ends?.sessionId
}

function goesFurther(other: CatalogEntry, log: CatalogEntry): boolean {
  const [further, turns] = [other.counts?.turns ?? 0, log.counts?.turns ?? 0]
  // What the copied session did after it was copied is in its own log only.
  const isLater = (other.ends?.lastActiveAt ?? 0) >= (log.ends?.lastActiveAt ?? 0)
  if (further !== turns) return further > turns && isLater
  return isLater && (other.ends?.lastActiveAt !== log.ends?.lastActiveAt || other.file < log.file)
}
