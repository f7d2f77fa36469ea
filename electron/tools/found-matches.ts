export interface SearchMatch {
  /** Relative to the workspace. */
  readonly path: string
  /** Whether the path has bytes that are no UTF-8, shown as U+FFFD: it cannot be opened under this name. */
  readonly isPathLossy: boolean
  /** For contents: the line, from 1, and the character in it, from 1, where the first match in it begins. */
  readonly line: number | null
  readonly column: number | null
  /** The line without its end; at most 400 characters of it around the match, with `…` where it goes on. */
  readonly text: string | null
  readonly isTextCut: boolean
}

export interface SearchResult {
  /** Sorted by path and line. When `isCut`, those that were found first. */
  readonly matches: readonly SearchMatch[]
  /** Whether there are more matches, or the search did not look everywhere. */
  readonly isCut: boolean
  /** One sentence that says why, and what to do to see more. */
  readonly cutWhy: string | null
  /** How many files were looked at; `null` when that is not known because the search was stopped. */
  readonly filesSearched: number | null
  /** Files whose lines are not shown, or not all, because they turned out to be binary after a match. */
  readonly binaryPaths: readonly string[]
  /** What one must know to read the result: what was left out and why. Sentences. */
  readonly notes: readonly string[]
}

/** Collects matches up to the limit and hands them on in batches. */
export class FoundMatches {
  private readonly matches: SearchMatch[] = []
  private handedOn = 0
  private hasMore = false
  readonly binaryPaths = new Set<string>()
  constructor(
    readonly limit: number,
    private readonly onMatches?: (matches: readonly SearchMatch[]) => void,
  ) {}

  /** Returns false when the limit is passed: this match and all others are not shown. */
  add(match: SearchMatch): boolean {
    if (this.matches.length < this.limit) this.matches.push(match)
    else this.hasMore = true
    return !this.hasMore
  }

  handOn(): void {
    if (this.handedOn === this.matches.length) return
    this.onMatches?.(this.matches.slice(this.handedOn))
    this.handedOn = this.matches.length
  }

  result(filesSearched: number | null, notes: readonly string[], stoppedWhy: string | null = null): SearchResult {
    this.handOn()
    const limitWhy = `Only the first ${this.limit.toLocaleString('en')} matches that were found are shown. Search for something more exact to see all.`
    const cutWhy = this.hasMore ? limitWhy : stoppedWhy
    const matches = this.matches.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : (a.line ?? 0) - (b.line ?? 0)))
    return { matches, isCut: cutWhy !== null, cutWhy, filesSearched: this.hasMore ? null : filesSearched, binaryPaths: [...this.binaryPaths].sort(), notes }
  }
}

export const binaryNote = 'Binary files are not searched.'

/** Says how many could not be read; nothing when all could. */
export function unreadableNote(count: number, what: 'file' | 'folder'): readonly string[] {
  return count === 0 ? [] : [`${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'} could not be read.`]
}
