import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../base/log.js'
import { describeSession } from '../testing/describe-session.js'
import { openQwenSession } from './qwen-code.js'

const fixtures = fileURLToPath(new URL('./fixtures/qwen-code', import.meta.url))
const logs = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((file) => /chats.[^/\\]+\.jsonl$/.test(file))
  .map((file) => readFileSync(join(fixtures, file)))
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 300)
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
const slowestMs = 4000

/** Numbers from 0 to below 1, the same for the same seed. */
function numbers(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

type Random = () => number
const below = (random: Random, limit: number): number => Math.floor(random() * limit)
const oneOf = <Item>(random: Random, items: readonly Item[], otherwise: Item): Item => items[below(random, items.length)] ?? otherwise

const hostile = ['../../secret', '/etc/passwd', '..', '', 'a\0b', '__proto__', 'C:\\x', '\u2028', 'x'.repeat(5000), '\ud800', 'link@v1', '../../../secret@v1']
const oddValues: readonly unknown[] = [null, 0, -1, 1e308, true, [], {}, '', 'text', [[[]]], { parts: 7 }, ...hostile]

/** Puts other values into a record, at any depth. */
function disturb(random: Random, value: unknown, depth = 0): unknown {
  if (random() < 0.03 * depth) return oneOf(random, oddValues, null)
  if (Array.isArray(value)) return value.map((each) => disturb(random, each, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [random() < 0.02 ? oneOf(random, hostile, key) : key, disturb(random, each, depth + 1)])
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

function linesOf(log: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0, to = log.indexOf(10); to >= 0; from = to + 1, to = log.indexOf(10, from)) lines.push(log.subarray(from, to))
  return lines
}

/** One damaged log: whole records moved, doubled, lost and changed, bytes cut and flipped, the end torn. */
function damaged(random: Random): Buffer {
  const lines = linesOf(oneOf(random, logs, Buffer.alloc(0)))
  for (let count = below(random, 8); count >= 0 && lines.length > 0; count--) oneOf(random, changes, () => undefined)(random, lines)
  const bytes = Buffer.concat(lines.map((line) => Buffer.concat([line, Buffer.from('\n')])))
  return random() < 0.3 ? bytes.subarray(0, below(random, bytes.length + 1)) : bytes
}

/** Every backup name that a described session would have read. */
function storedNames(described: unknown): readonly string[] {
  return [...JSON.stringify(described).matchAll(/"backupName":("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1] ?? '""') as string)
}

describe('the reader of damaged logs', () => {
  it(
    `never fails, hangs, or reads beside its backups (seed ${seed}, ${rounds} rounds)`,
    async () => {
      const random = numbers(seed)
      const root = mkdtempSync(join(tmpdir(), 'overturn-fuzz-'))
      const homes = join(root, 'store', 'file-history')
      const file = join(root, 'store', 'log.jsonl')
      mkdirSync(homes, { recursive: true })
      writeFileSync(join(root, 'secret'), 'secret')
      writeFileSync(join(root, 'secret@v1'), 'secret')
      const failures: unknown[] = []
      for (let round = 0; round < rounds; round++) {
        const log = damaged(random)
        writeFileSync(file, log)
        const started = performance.now()
        try {
          const session = await openQwenSession({ file, agent: 'qwen-code', indexFile: null, backupHomes: [homes, join(root, 'store')], isFollowed: false, log: silentLog })
          if (session.id !== '' && !/[/\\\0]|^\.*$/.test(session.id) && session.id.length < 200) {
            mkdirSync(join(homes, session.id), { recursive: true })
            rmSync(join(homes, session.id, 'link@v1'), { force: true })
            symlinkSync(join(root, 'secret'), join(homes, session.id, 'link@v1'))
          }
          const described = await describeSession(session)
          for (const name of [...storedNames(described), ...hostile]) {
            const content = await session.backups.read(name)
            if (content.kind === 'bytes') failures.push({ round, read: name })
          }
          await session.rawLines([0, 1, 2, 5, 1000])
          const ids = [...session.turns, ...session.setAside.flatMap(({ turns }) => turns)].map(({ promptId }) => promptId)
          if (new Set(ids).size !== ids.length) failures.push({ round, ids })
          session.close()
        } catch (thrown) {
          const isExpected = thrown instanceof Error && 'code' in thrown && thrown.code === 'SESSION_FORMAT_UNKNOWN'
          if (!isExpected) failures.push({ round, thrown })
        }
        if (performance.now() - started > slowestMs) failures.push({ round, ms: performance.now() - started })
      }
      rmSync(root, { recursive: true })
      expect(failures).toEqual([])
    },
    600_000,
  )

  it('keeps every turn of a log whose other lines are lost or broken', async () => {
    const random = numbers(seed)
    const file = join(mkdtempSync(join(tmpdir(), 'overturn-fuzz-')), 'log.jsonl')
    const wrong: unknown[] = []
    for (let round = 0; round < 30; round++) {
      const lines = linesOf(oneOf(random, logs, Buffer.alloc(0))).filter((line) => !line.includes('"rewind"'))
      const isPrompt = (line: Buffer): boolean => line.includes('"type":"user"') && !line.includes('"subtype"')
      const kept = lines.flatMap((line) => (isPrompt(line) || random() < 0.7 ? [line] : random() < 0.5 ? [line.subarray(0, line.length >> 1)] : []))
      writeFileSync(file, Buffer.concat(kept.map((line) => Buffer.concat([line, Buffer.from('\n')]))))
      const session = await openQwenSession({ file, agent: 'qwen-code', indexFile: null, backupHomes: [], isFollowed: false, log: silentLog })
      await session.whenLoaded()
      const shown = session.turns.length + session.setAside.reduce((sum, { turns }) => sum + turns.length, 0)
      const identities = new Set(lines.filter(isPrompt).flatMap((line) => /"uuid":"([^"]+)"/.exec(line.toString())?.[1] ?? []))
      if (session.problems.every(({ kind }) => kind !== 'foreign-record') && shown !== identities.size) wrong.push({ round, shown, prompts: identities.size, problems: session.problems })
      session.close()
    }
    expect(wrong).toEqual([])
  })
})
