/** One test that failed, or a file of tests that could not be run. */
export interface TestFailure {
  readonly name: string
  /** As the runner prints it. */
  readonly file: string | null
  /** Where it failed, from 1. */
  readonly line: number | null
  readonly message: string
}

export interface TestResults {
  /** `vitest`, `pytest`, … */
  readonly runner: string
  /** `null` where the runner prints no such count. */
  readonly passed: number | null
  /** With files that could not be run. */
  readonly failed: number
  /** With those that are yet to be written or known to fail. */
  readonly skipped: number | null
  readonly failures: readonly TestFailure[]
}

/** The results in the output of one runner, both streams together and without colours; `null` for any other output. */
export type ReportParser = (text: string) => TestResults | null

/** The last match of a pattern, for summaries that stand at the end. */
export function lastMatch(text: string, pattern: RegExp): RegExpMatchArray | null {
  return [...text.matchAll(pattern)].at(-1) ?? null
}

/** The number before a word, as in `2 failed`; 0 when the word is not there. */
export function countBefore(text: string, word: string): number {
  return Number(new RegExp(`(\\d+) ${word}\\b`).exec(text)?.[1] ?? 0)
}

/** The number after a label, as in `Failures: 2`; 0 when the label is not there. */
export function countAfter(text: string, label: string): number {
  return Number(new RegExp(`\\b${label}[:=] *(\\d+)`).exec(text)?.[1] ?? 0)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export interface Block {
  /** The match of the line that opens it. */
  readonly opening: RegExpMatchArray
  /** All lines up to the next opening. */
  readonly body: string
}

/** Cuts a text at the lines that fit `opening` (with flags `gm`); what stands before the first is dropped. */
export function blocks(text: string, opening: RegExp): readonly Block[] {
  const openings = [...text.matchAll(opening)]
  return openings.map((match, at) => ({ opening: match, body: text.slice(match.index + match[0].length, openings[at + 1]?.index) }))
}

/** A file and line in the first match of a pattern with two groups. */
export function placeIn(text: string, pattern: RegExp): { readonly file: string | null; readonly line: number | null } {
  const [, file, line] = pattern.exec(text) ?? []
  return { file: file ?? null, line: line === undefined ? null : Number(line) }
}

/** What stands before the first line that fits, without the blanks around it and the indentation of its first line. */
export function messageBefore(text: string, end: RegExp | null = null): string {
  const at = end ? text.search(end) : -1
  const lines = (at < 0 ? text : text.slice(0, at)).replace(/^(?:[ \t]*\n)+/, '').trimEnd().split('\n')
  const indent = /^\s*/.exec(lines[0] ?? '')?.[0] ?? ''
  return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n')
}
