import type { Finding } from './findings.js'
import type { Ground } from './places.js'
import type { Field } from './shell-fields.js'

/** What a command reads from its standard input. */
export interface Input {
  /** Its exact text, where the line tells it. */
  readonly text: string | null
  /** Whether it comes from another command, a file or a text in the line. */
  readonly isGiven: boolean
  /** Whether it comes, at whatever distance, from a program that downloads. */
  readonly isDownload: boolean
}

export const noInput: Input = { text: null, isGiven: false, isDownload: false }

/** One simple command with all that its judge may want to know. */
export interface Call {
  /** The program's name without its folder. */
  readonly name: string
  /** The words behind the name. */
  readonly words: readonly Field[]
  readonly ground: Ground
  readonly input: Input
  /** Whether a substitution in its words downloads something. */
  readonly hasDownload: boolean
  /** The branches that may be checked out when it runs; `null` for one that is not known. */
  readonly branches: readonly (string | null)[]
  readonly isProtected: (branch: string) => boolean
}

/** What a command runs in turn; in the same shell what it leaves behind counts for the commands after it. */
export type Inner =
  | { readonly kind: 'words'; readonly words: readonly Field[]; readonly input?: Input; readonly isSameShell?: boolean }
  /** A script for a shell; `isKnown` unless parts of it are decided by expansions. */
  | { readonly kind: 'script'; readonly text: string; readonly isKnown: boolean; readonly input?: Input; readonly isSameShell?: boolean }

export interface Outcome {
  readonly findings: readonly Finding[]
  readonly inner?: readonly Inner[]
  /** How the command itself is shown where `inner` shows the rest of its words: so many words. */
  readonly ownWords?: number
}

/** Judges the commands of one or several names. */
export type Judge = (call: Call) => Outcome

/** An outcome without anything inside. */
export function outcome(...findings: readonly Finding[]): Outcome {
  return { findings }
}

/** The same judge for several names, which stand apart by blanks. */
export function named(names: string, judge: Judge): readonly (readonly [string, Judge])[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => [name, judge])
}
