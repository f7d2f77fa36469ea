import { lastMatch, placeIn, type ReportParser, type TestFailure } from './report.js'

interface Point {
  readonly indent: number
  readonly isOk: boolean
  readonly name: string
  readonly directive: string
  /** The lines between `---` and `...` after it. */
  readonly details: string
  /** Whether it only sums up the points inside it. */
  readonly isParent: boolean
}

/** TAP of any producer, with subtests; where the end holds counts, as that of node:test does, these count. */
export const parseTap: ReportParser = (text) => {
  if (!/^TAP version \d+$/m.test(text) && !/^1\.\.\d+/m.test(text)) return null
  const points = pointsOf(text).filter(({ isParent }) => !isParent)
  if (points.length === 0) return null
  const isSkipped = ({ directive }: Point): boolean => directive !== ''
  const failed = points.filter((point) => !point.isOk && !isSkipped(point))
  const counted = (what: string): number | null => {
    const count = lastMatch(text, new RegExp(`^# ${what} (\\d+)$`, 'gm'))?.[1]
    return count === undefined ? null : Number(count)
  }
  const isFromNode = counted('cancelled') !== null && counted('pass') !== null
  return {
    runner: isFromNode ? 'node:test' : 'tap',
    passed: (isFromNode ? counted('pass') : null) ?? points.filter((point) => point.isOk && !isSkipped(point)).length,
    failed: isFromNode ? (counted('fail') ?? 0) + (counted('cancelled') ?? 0) : failed.length,
    skipped: isFromNode ? (counted('skipped') ?? 0) + (counted('todo') ?? 0) : points.filter(isSkipped).length,
    failures: failed.map(failureOf),
  }
}

function pointsOf(text: string): readonly Point[] {
  const points: Point[] = []
  const found = [...text.matchAll(/^( *)(ok|not ok)\b(?: +\d+)?(?: +- | +)?(.*?)(?: +# *(skip|todo)\b.*)?$/gim)]
  let deepest = 0
  for (const [at, match] of found.entries()) {
    const [whole, spaces = '', result = '', name = '', directive = ''] = match
    const indent = spaces.length
    const after = text.slice(match.index + whole.length, found[at + 1]?.index)
    const details = /^\s*---\n([\s\S]*?)^\s*\.\.\.$/m.exec(after)?.[1] ?? ''
    // A point sums up those that stood deeper just before it.
    points.push({ indent, isOk: result.toLowerCase() === 'ok', name, directive, details, isParent: deepest > indent || /^\s*type: '?suite/m.test(details) })
    deepest = indent
  }
  return points
}

function failureOf({ name, details }: Point): TestFailure {
  const place = placeIn(details, /(?:location|at|file): *'?(?:.*\()?([^'\n()]+?):(\d+)(?::\d+)?\)?'?$/m)
  return { name, ...place, message: messageOf(details) }
}

function messageOf(details: string): string {
  const [, indent = '', value = ''] = /^( *)(?:error|message): *(.*)$/m.exec(details) ?? []
  if (!/^[|>]/.test(value)) return value.replace(/^(['"])(.*)\1$/, '$2')
  const lines = details.slice(details.indexOf(value) + value.length + 1).split('\n')
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith(`${indent} `))
  return lines.slice(0, end < 0 ? undefined : end).map((line) => line.trim()).join('\n').trim()
}
