import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ReviewError } from '../../shared/errors.js'

/** Facts that go with a log line; anything that JSON can hold. */
export type LogFacts = Readonly<Record<string, unknown>>

/** Our own log. Never throws: what cannot be logged is lost, not the work. */
export interface Log {
  info(event: string, facts?: LogFacts): void
  warn(event: string, facts?: LogFacts): void
  /** With the cause chain and stack of what was thrown; these never leave this machine. */
  error(event: string, thrown: unknown, facts?: LogFacts): void
}

const maxLineBytes = 16_384

/**
 * The log `log.jsonl` in the data folder, one JSON object a line: `at`, `level`, `event`, `facts`, `error`.
 *
 * Shape: at half of `maxBytes` the file becomes `log.old.jsonl` and a new one begins, so both together stay below it.
 */
export function openLog(folder: string, options: { readonly maxBytes?: number; readonly now?: () => number } = {}): Log {
  const { maxBytes = 8_000_000, now = Date.now } = options
  const file = join(folder, 'log.jsonl')

  const write = (level: 'info' | 'warn' | 'error', event: string, facts: LogFacts | undefined, thrown?: unknown): void => {
    try {
      const at = now()
      const error = thrown === undefined ? undefined : describe(thrown)
      let line = JSON.stringify({ at, level, event, facts, error })
      if (line.length > maxLineBytes) line = JSON.stringify({ at, level, event, cut: line.slice(0, maxLineBytes / 2) })
      if (sizeOf(file) + line.length >= maxBytes / 2) renameSync(file, join(folder, 'log.old.jsonl'))
      appendFileSync(file, `${line}\n`, { mode: 0o600 })
    } catch {
      // The folder is gone, full or read-only, or a fact is no JSON: there is no better place to say so.
    }
  }

  return {
    info: (event, facts) => write('info', event, facts),
    warn: (event, facts) => write('warn', event, facts),
    error: (event, thrown, facts) => write('error', event, facts, thrown),
  }
}

/** A log that keeps nothing, for code that runs without a data folder. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function describe(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return String(thrown)
  const code = thrown instanceof ReviewError ? thrown.code : undefined
  const cause = thrown.cause === undefined || depth >= 4 ? undefined : describe(thrown.cause, depth + 1)
  return { name: thrown.name, code, message: thrown.message, stack: depth === 0 ? thrown.stack : undefined, cause }
}
