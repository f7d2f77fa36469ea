import type { ProblemKind, SessionProblem } from '../../shared/session.js'

const shownLines = 20

const details: Readonly<Record<ProblemKind, string>> = {
  'bad-line': 'Lines that are no JSON object. They are left out; everything else was read.',
  'torn-line': 'The last line is cut off. It may still be being written.',
  'glued-line': 'Lines that hold several records. Each record that could be read is shown.',
  'oversized-line': 'Lines above 8 MiB. They are named in the transcript but not opened.',
  'unknown-record': 'Records of a type that is not known here. They are shown as raw JSON; nothing else depends on them.',
  'missing-parent': 'A record names a parent that is not in the log. Earlier turns are shown for reading, but their files cannot be restored.',
  'parent-cycle': 'Records name each other as parents. The turns before the circle are shown for reading only.',
  'bad-snapshot': 'Prompt snapshots, or entries of one, that cannot be understood. The good ones of the same record count.',
  'bad-ledger': 'Records of what changed on the disk that cannot be understood. States that hang on them are not known.',
  'missing-backup': 'Backups that the log names but that are not in the backup folder. Those states cannot be restored.',
  'no-snapshots': 'The log holds no prompt snapshots, so files cannot be restored from it. Transcript and recorded diffs are shown.',
  'foreign-record': 'Records of another session. They are left out.',
  'hostile-path': 'Paths or backup names in snapshots that point outside of where they may. They are left out.',
}

/** Counts what was not understood in a log, by kind, with the first lines of each. */
export class ProblemTally {
  private readonly kinds = new Map<ProblemKind, { count: number; lines: number[] }>()

  /** `line` is 1-based; `null` for a problem of the whole log. */
  add(kind: ProblemKind, line: number | null, count = 1): void {
    const seen = this.kinds.get(kind) ?? { count: 0, lines: [] }
    this.kinds.set(kind, seen)
    seen.count += count
    if (line !== null && seen.lines.length < shownLines && seen.lines[seen.lines.length - 1] !== line) seen.lines.push(line)
  }

  /** How many problems of all kinds. */
  total(): number {
    let sum = 0
    for (const { count } of this.kinds.values()) sum += count
    return sum
  }

  list(): readonly SessionProblem[] {
    return [...this.kinds].map(([kind, { count, lines }]) => ({ kind, count, detail: details[kind], lines: [...lines] }))
  }

  /** Takes over counts that were listed before, in place of its own. */
  reset(problems: readonly SessionProblem[]): void {
    this.kinds.clear()
    for (const { kind, count, lines } of problems) this.kinds.set(kind, { count, lines: [...lines] })
  }
}

/** Problems from several counts as one list. */
export function joinProblems(...lists: readonly (readonly SessionProblem[])[]): readonly SessionProblem[] {
  const joined = new Map<ProblemKind, SessionProblem>()
  for (const problem of lists.flat()) {
    const other = joined.get(problem.kind)
    const lines = [...new Set([...(other?.lines ?? []), ...problem.lines])].sort((a, b) => a - b).slice(0, shownLines)
    joined.set(problem.kind, { ...problem, count: problem.count + (other?.count ?? 0), lines })
  }
  return [...joined.values()]
}
