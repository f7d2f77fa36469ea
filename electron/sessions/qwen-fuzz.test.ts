import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../base/log.js'
import { describeSession } from '../testing/describe-session.js'
import { disturbedLines, hostileNames, linesOf, numbers, oneOf } from '../testing/disturbed-lines.js'
import { openQwenSession } from './qwen-code.js'

const fixtures = fileURLToPath(new URL('./fixtures/qwen-code', import.meta.url))
const logs = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((file) => /chats.[^/\\]+\.jsonl$/.test(file))
  .map((file) => readFileSync(join(fixtures, file)))
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 300)
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
const slowestMs = 4000

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
        const log = disturbedLines(random, oneOf(random, logs, Buffer.alloc(0)))
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
          for (const name of [...storedNames(described), ...hostileNames]) {
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
