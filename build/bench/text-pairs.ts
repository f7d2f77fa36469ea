// Texts before and after, from a small edit to a complete rewrite.

import { codeLine, codeLines, pick, randomFrom, type Random } from './generated-text.js'

export interface TextPair {
  readonly name: string
  readonly before: string
  readonly after: string
  /** Lines of the text before. */
  readonly lines: number
  /** Whether every line is another one, which is what other engines fall over. */
  readonly isRewrite: boolean
}

/** All pairs with up to so many lines. */
export function textPairs(mostLines: number): readonly TextPair[] {
  const random = randomFrom(5)
  return [1_000, 10_000, 100_000].filter((lines) => lines <= mostLines).flatMap((count) => pairsOf(count, random))
}

function pairsOf(count: number, random: Random): TextPair[] {
  const pairs: TextPair[] = []
  const size = `${count / 1000}k lines`
  const add = (what: string, before: readonly string[], after: readonly string[], isRewrite = false): void => {
    pairs.push({ name: `${size}, ${what}`, before: textOf(before), after: textOf(after), lines: count, isRewrite })
  }
  const lines = codeLines(random, count)
  const anyLine = (from: Random): string => `${codeLine(from)} // ${Math.floor(from() * 1e6)}`
  add('10 changes', lines, withChanges(lines, 10, anyLine))
  add('10% changed', lines, withChanges(lines, count / 10, anyLine))
  add('each changed a little', lines, lines.map((line, at) => `${line} // ${at % 7}`), true)
  add('all different', lines, codeLines(randomFrom(77), count).map((line, at) => `${line}#${at}`), true)
  if (count > 10_000) return pairs

  add('two halves swapped', lines, [...lines.slice(count / 2), ...lines.slice(0, count / 2)])
  const few: readonly [string, ...string[]] = ['{', ...Array.from({ length: 400 }, (_, at) => `  "status": "value ${at}",`)]
  const repeated = Array.from({ length: count }, () => pick(random, few))
  add('all repeated, 10% changed', repeated, withChanges(repeated, count / 10, (from) => pick(from, few)))
  if (count > 1_000) return pairs

  const long = Array.from({ length: 40 }, (_, at) => `${codeLines(random, 60).join(' ')} ${at}`)
  const changed = long.map((line) => line.replaceAll('const', 'let'))
  return [...pairs, { name: '40 lines of 3 KB, words changed', before: textOf(long), after: textOf(changed), lines: 40, isRewrite: false }]
}

/** Replaces, adds and removes so many lines. */
function withChanges(lines: readonly string[], count: number, newLine: (random: Random) => string): string[] {
  const random = randomFrom(9)
  const changed = [...lines]
  for (let each = 0; each < count; each++) {
    const at = Math.floor(random() * changed.length)
    const choice = random()
    changed.splice(at, choice < 0.4 || choice >= 0.7 ? 1 : 0, ...(choice < 0.7 ? [newLine(random)] : []))
  }
  return changed
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
