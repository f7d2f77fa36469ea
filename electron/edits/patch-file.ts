import type { HunkLine } from '../../shared/changes.js'
import type { Candidate } from './near-places.js'

/** One file of a patch: what happens to it, and how to get its new content from the old one. */
export interface PatchFile {
  readonly op: 'create' | 'modify' | 'delete' | 'rename' | 'copy'
  /** As the patch writes it, without git's `a/` and `b/`; not checked: it may be absolute or lead out with `..`. */
  readonly path: string
  /** Where a renamed or copied file comes from; else null. */
  readonly from: string | null
  /** Git's modes, such as 0o100755; null where the patch says nothing. Equal modes are no change. */
  readonly oldMode: number | null
  readonly newMode: number | null
  /** Whether the change is one of bytes: it is `applyBinaryPatch` that takes it. */
  readonly isBinary: boolean
  readonly content: PatchContent
}

export type PatchContent =
  /** Stays as it is; what is created or deleted is empty. */
  | { readonly kind: 'same' }
  /** Whatever the deleted file holds. */
  | { readonly kind: 'any' }
  | { readonly kind: 'hunks'; readonly form: PatchForm; readonly hunks: readonly PatchHunk[]; readonly oldHash: string | null }
  | {
      readonly kind: 'binary'
      readonly forward: BinaryBlock
      readonly backward: BinaryBlock | null
      /** Git's hashes of the contents, perhaps shortened; null where the patch has none. */
      readonly oldHash: string | null
      readonly newHash: string | null
    }
  /** The patch only says that the bytes differ. */
  | { readonly kind: 'left-out' }

export type PatchForm = 'unified' | 'begin-patch'

/** Lines to be found and what becomes of them. */
export interface PatchHunk {
  /** 1-based line of the patch where it begins. */
  readonly patchLine: number
  /** 0-based line where its old lines should stand; null where the patch says none, or its counts are wrong. */
  readonly start: number | null
  /** Lines of the file that stand above it, the outermost first. */
  readonly anchors: readonly string[]
  /** With line ends; a line without is the last of its file. */
  readonly lines: readonly HunkLine[]
  /** How many of them are kept or removed. */
  readonly oldCount: number
  /** Whether its old lines end the file. */
  readonly isAtEnd: boolean
}

/** Bytes as they stand in a binary patch: deflated, and `size` bytes long when inflated. */
export interface BinaryBlock {
  readonly kind: 'literal' | 'delta'
  readonly size: number
  readonly deflated: Uint8Array
}

/** Why a file of a patch was left alone, in words for a model. */
export interface PatchRefusal {
  readonly kind: 'refused'
  readonly message: string
  /** 1-based: which hunk of the file; null where it is the whole. */
  readonly hunk: number | null
  /** 1-based: the first line of the file that differs from the hunk; null where none can be named. */
  readonly line: number | null
  readonly candidates: readonly Candidate[]
}

/** What is wrong with a patch, and in which of its lines. Never leaves the room: `parsePatchText` returns it as a value. */
export class PatchFault extends Error {
  readonly line: number

  constructor(reason: string, line: number, options: { readonly cause?: unknown } = {}) {
    super(reason, options)
    this.line = line
  }
}
