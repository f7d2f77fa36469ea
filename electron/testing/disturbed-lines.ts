/** Numbers from 0 to below 1, the same for the same seed. */
export function numbers(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export type RandomNumbers = () => number
type Random = RandomNumbers
const below = (random: Random, limit: number): number => Math.floor(random() * limit)
export const oneOf = <Item>(random: Random, items: readonly Item[], otherwise: Item): Item => items[below(random, items.length)] ?? otherwise

/** Names that lead elsewhere, or are none. */
export const hostileNames: readonly string[] = ['../../secret', '/etc/passwd', '..', '', 'a\0b', '__proto__', 'C:\\x', '\u2028', 'x'.repeat(5000), '\ud800', 'link@v1', '../../../secret@v1']
const oddValues: readonly unknown[] = [null, 0, -1, 1e308, true, [], {}, '', 'text', [[[]]], { parts: 7 }, ...hostileNames]

/** Puts other values into a record, at any depth. */
function disturb(random: Random, value: unknown, depth = 0): unknown {
  if (random() < 0.03 * depth) return oneOf(random, oddValues, null)
  if (Array.isArray(value)) return value.map((each) => disturb(random, each, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [random() < 0.02 ? oneOf(random, hostileNames, key) : key, disturb(random, each, depth + 1)])
  if (random() < 0.05) entries.reverse()
  return Object.fromEntries(entries) as unknown
}

function disturbLine(random: Random, line: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(disturb(random, JSON.parse(line.toString()))))
  } catch {
    return line
  }
}

const changes: readonly ((random: Random, lines: Buffer[]) => void)[] = [
  (random, lines) => lines.splice(below(random, lines.length), 1 + below(random, 3)),
  (random, lines) => lines.splice(below(random, lines.length), 0, ...lines.splice(below(random, lines.length), 1 + below(random, 5))),
  (random, lines) => lines.push(...lines.slice(below(random, lines.length)).slice(0, 4)),
  (random, lines) => change(random, lines, (line) => line.subarray(0, below(random, line.length))),
  (random, lines) => change(random, lines, (line) => disturbLine(random, line)),
  (random, lines) => change(random, lines, (line) => disturbLine(random, line)),
  (random, lines) => change(random, lines, (line) => flip(random, line)),
  (random, lines) => change(random, lines, (line) => Buffer.concat([line, oneOf(random, lines, line)])),
  (random, lines) => change(random, lines, (line) => Buffer.concat([line, Buffer.from(oneOf(random, ['\r', ' ', '\u2028', '\u0085', '\0', '}', '{'], ''))])),
  (random, lines) => lines.splice(below(random, lines.length), 0, Buffer.from(oneOf(random, ['', '42', 'null', '[]', '{}', '{"uuid":"', '\ufeff', '"'], ''))),
  (random, lines) => lines.reverse() && change(random, lines, (line) => line),
]

function change(random: Random, lines: Buffer[], work: (line: Buffer) => Buffer): void {
  const at = below(random, lines.length)
  const line = lines[at]
  if (line) lines[at] = work(line)
}

function flip(random: Random, line: Buffer): Buffer {
  const copy = Buffer.from(line)
  if (copy.length > 0) copy[below(random, copy.length)] = below(random, 256)
  return copy
}

/** The lines of a log that have an end. */
export function linesOf(log: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0, to = log.indexOf(10); to >= 0; from = to + 1, to = log.indexOf(10, from)) lines.push(log.subarray(from, to))
  return lines
}

/** A log damaged: whole records moved, doubled, lost and changed, bytes cut and flipped, the end torn. */
export function disturbedLines(random: Random, log: Buffer): Buffer {
  const lines = linesOf(log)
  for (let count = below(random, 8); count >= 0 && lines.length > 0; count--) oneOf(random, changes, () => undefined)(random, lines)
  const bytes = Buffer.concat(lines.map((line) => Buffer.concat([line, Buffer.from('\n')])))
  return random() < 0.3 ? bytes.subarray(0, below(random, bytes.length + 1)) : bytes
}
