import type { Progress } from '../../shared/rpc.js'
import type { SessionSummary } from '../../shared/session.js'
import type { CommandLine } from './arguments.js'
import type { Opened } from '../review/workbench.js'
import type { Search } from '../search/search.js'

/** What the commands work with. */
export interface CommandWorld {
  /** Every session found, newest first. */
  readonly sessions: () => Promise<readonly SessionSummary[]>
  /**
   * Opens the session that a person named by id or log file; the whole log is read when it resolves.
   * Errors: SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN.
   */
  readonly open: (name: string) => Promise<Opened>
  /** Questions about all sessions at once. */
  readonly search: Pick<Search, 'find' | 'why'>
  readonly out: (text: string | Uint8Array) => void
  /** For what a person should know beside the result: what to do next. */
  readonly note: (text: string) => void
  /** How far a long work is; shown while it lasts. */
  readonly progress: (now: Progress) => void
  readonly signal: AbortSignal
}

/** The watch of a work that only counts. */
export function watchOf({ signal, progress }: CommandWorld, label: string): { readonly signal: AbortSignal; readonly onProgress: (done: number, total: number) => void } {
  return { signal, onProgress: (done, total) => progress({ done, total, label }) }
}

/** 0 done, 1 refused or partly failed, 2 not understood, or a turn that is not there. */
export type ExitCode = 0 | 1 | 2

export type Command = (line: CommandLine, world: CommandWorld) => Promise<ExitCode>
