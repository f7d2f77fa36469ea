import type { ChangeCause } from './file-state.js'
import type { PromptId, SessionKey, WorkspacePath } from './ids.js'
import type { AgentName } from './session.js'

/** Where in a session a text was found. `path`: a file that the turn touched is called so; `change`: in lines that it added or removed. */
export const searchKinds = ['prompt', 'reply', 'command', 'path', 'change'] as const
export type SearchKind = (typeof searchKinds)[number]

/** Narrows a search; `null` lets everything through. */
export interface SearchFilter {
  readonly agents: readonly AgentName[] | null
  readonly kinds: readonly SearchKind[] | null
  /** Sessions of this folder; absolute. */
  readonly workspace: string | null
  /** Turns that touched this file, or files below this folder; relative to the session's folder, or a part of a path's end. */
  readonly path: string | null
  /** Turns that began in this time; integer milliseconds. */
  readonly from: number | null
  readonly to: number | null
}

/** One place that holds the text. Texts are hostile. */
export interface SearchHit {
  readonly session: SessionKey
  readonly agent: AgentName
  readonly client: string | null
  readonly title: string
  readonly promptId: PromptId
  /** 1-based; `null` on a branch that was set aside. */
  readonly turn: number | null
  readonly at: number
  readonly kind: SearchKind
  /** Set for `path` and `change`. */
  readonly path: WorkspacePath | null
  /** 1-based hunk of the file's change in the turn; set for `change` where the contents are known. */
  readonly hunk: number | null
  readonly callId: string | null
  /** The line that holds it, at most 400 characters of it, and where the match lies in that. */
  readonly text: string
  readonly start: number
  readonly end: number
}

/** What a search found so far: newest sessions first. Asked again with `next` it goes on; `null` there: all was looked at. */
export interface SearchPage {
  readonly hits: readonly SearchHit[]
  readonly next: string | null
  readonly searchedSessions: number
  readonly sessions: number
  /** Sessions that could not be read. */
  readonly unreadable: number
}

/** Why a line stands in a file. */
export type WhyAnswer =
  | {
      readonly kind: 'written'
      readonly session: SessionKey
      readonly agent: AgentName
      readonly client: string | null
      readonly title: string
      readonly promptId: PromptId
      readonly turn: number
      readonly prompt: string
      readonly at: number
      readonly callId: string | null
      readonly cause: ChangeCause
      /** 1-based hunk of the file's change in that turn. */
      readonly hunk: number | null
      /** The line as it is, and as it stood before that turn; `null` where it is new. */
      readonly line: string
      readonly before: string | null
      /** Turns after that one that changed the file, newest first: the line passed through them. */
      readonly passed: number
    }
  /** No session wrote it, as far as the records tell: who did, and since when it is known to stand there. */
  | { readonly kind: 'not-recorded'; readonly line: string; readonly reason: string }
