/** A bound that a measured value must keep. */
export interface Goal {
  readonly what: string
  readonly measured: number
  readonly atMost: number
}

/** What one group of the bench found. */
export interface Report {
  /** Markdown, for the reader. */
  readonly tables: readonly string[]
  readonly goals: readonly Goal[]
}

/** How much is measured: in some minutes, or with all sizes. */
export type Size = 'small' | 'full'

/** A group of the bench; `folder` is empty and its own. */
export type Group = (size: Size, folder: string) => Promise<Report>

export function isMet({ measured, atMost }: Goal): boolean {
  return measured <= atMost
}

/** A Markdown table under a title; the first cell of each row names it. */
export function table(title: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [`### ${title}`, '', line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

function cell(value: string | number): string {
  if (typeof value === 'string') return value
  if (Number.isInteger(value)) return value.toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3)
}

/** Of several tries of the same goals, the best of each: the machine is noisy, the code is not. */
export function bestOf(tries: readonly (readonly Goal[])[]): readonly Goal[] {
  const [first = [], ...more] = tries
  return first.map((goal, at) => more.reduce((best, goals) => {
    const other = goals[at]
    return other && other.measured < best.measured ? other : best
  }, goal))
}
