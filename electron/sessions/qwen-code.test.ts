import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { promptId } from '../../shared/ids.js'
import { silentLog } from '../base/log.js'
import { describeSession } from '../testing/describe-session.js'
import { QwenLog } from '../testing/qwen-log.js'
import { openQwenSession, type QwenSessionOptions } from './qwen-code.js'
import type { RecordedSession } from './recorded-session.js'

const fixtures = fileURLToPath(new URL('./fixtures/qwen-code', import.meta.url))
const names = readdirSync(fixtures, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

function logOf(fixture: string): string {
  const found = readdirSync(join(fixtures, fixture), { recursive: true, encoding: 'utf8' }).filter((file) => /chats.[^/\\]+\.jsonl$/.test(file))
  return join(fixtures, fixture, found[0] ?? '')
}

const open = (file: string, more: Partial<QwenSessionOptions> = {}): Promise<RecordedSession> =>
  openQwenSession({ file, agent: 'qwen-code', indexFile: null, backupHomes: [], isFollowed: false, log: silentLog, ...more })

const openFixture = (name: string): Promise<RecordedSession> =>
  open(logOf(name), { backupHomes: [join(fixtures, name, 'home/.qwen/file-history')] })

function written(log: QwenLog): string {
  const file = join(mkdtempSync(join(tmpdir(), 'overturn-session-')), `${log.sessionId}.jsonl`)
  writeFileSync(file, log.text())
  return file
}

/** Resolves when the session tells of a change after which the condition holds. */
function until(session: RecordedSession, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (isSo()) resolve()
    }
    session.onChange(look)
    look()
  })
}

describe('the backups of a log that grows', () => {
  it.each(names)('are at each moment what they are for one who opens it then: %s', async (name) => {
    const lines = readFileSync(logOf(name), 'utf8').split('\n')
    const file = join(mkdtempSync(join(tmpdir(), 'overturn-session-')), 'log.jsonl')
    const step = Math.max(1, Math.floor(lines.length / 12))
    writeFileSync(file, `${lines.slice(0, 3).join('\n')}\n`)
    const growing = await open(file)
    const pairs: unknown[][] = []
    for (let at = 3; at < lines.length; at += step) {
      await growing.whenLoaded()
      const fresh = await open(file)
      await fresh.whenLoaded()
      pairs.push([Object.fromEntries(await growing.backupHistory()), Object.fromEntries(await fresh.backupHistory())])
      fresh.close()
      appendFileSync(file, `${lines.slice(at, at + step).join('\n')}\n`)
    }
    growing.close()
    expect(pairs.map(([found]) => found)).toEqual(pairs.map(([, expected]) => expected))
  })

  it('are read on from the last turn only, and anew where a record speaks of earlier ones', async () => {
    const log = new QwenLog()
    for (let n = 1; n <= 30; n++) log.turn(n, `prompt ${n}`, { 'a.ts': `a@v${n}`, 'b.ts': 'b@v1' })
    const file = written(log)
    const session = await open(file)
    await session.whenLoaded()
    const lists = async (): Promise<readonly unknown[]> => {
      await session.whenLoaded()
      const history = await session.backupHistory()
      return ['a.ts', 'b.ts'].map((path) => [...history].find(([each]) => each === path)?.[1])
    }
    const grow = (change: () => void): void => {
      const before = log.text().length
      change()
      appendFileSync(file, log.text().slice(before))
    }
    const before = await lists()
    grow(() => log.turn(31, 'prompt 31', { 'a.ts': 'a@v31', 'b.ts': 'b@v1' }))
    const grown = await lists()
    grow(() => log.snapshots([[log.promptId(2), { 'a.ts': 'a@v2', 'b.ts': 'b@v9' }]]))
    const corrected = await lists()
    session.close()
    expect([grown[1] === before[1], grown[0] === before[0], corrected[1]]).toEqual([true, false, expect.arrayContaining([expect.objectContaining({ promptId: log.promptId(2) })])])
  })
})

describe('a recorded session', () => {
  it.each(names)('is read as expected: %s', async (name) => {
    const session = await openFixture(name)
    const found = await describeSession(session)
    session.close()
    const expectedFile = join(fixtures, name, 'expected.json')
    if (process.env['WRITE_EXPECTED'] === '1') writeFileSync(expectedFile, `${JSON.stringify(found, null, 2)}\n`)
    expect(found).toEqual(JSON.parse(readFileSync(expectedFile, 'utf8')))
  })

  it.each(['small-edits', 'sed-delete-user-edit'])('has the turns and the bytes of the truth: %s', async (name) => {
    const truth = JSON.parse(readFileSync(join(fixtures, name, 'truth.json'), 'utf8')) as {
      readonly prompts: readonly {
        readonly promptId: string
        readonly text: string
        readonly files: Readonly<Record<string, { readonly sha256: string }>>
      }[]
    }
    const session = await openFixture(name)
    await session.whenLoaded()
    const wrong: string[] = []
    for (const { promptId: id, files } of truth.prompts) {
      const snapshot = await session.snapshotOf(promptId(id))
      for (const [path, backup] of snapshot?.backups ?? []) {
        const content = backup.kind === 'stored' ? await session.backups.read(backup.backupName) : null
        const sha256 = content?.kind === 'bytes' ? createHash('sha256').update(content.bytes).digest('hex') : undefined
        if (sha256 !== files[path]?.sha256) wrong.push(`${id} ${path}`)
      }
    }
    expect([session.turns.map((turn) => [turn.promptId, turn.prompt]), wrong]).toEqual([truth.prompts.map((each) => [each.promptId, each.text]), []])
  })

  it('is called as its file where the records that name it are too long', async () => {
    const log = new QwenLog()
    log.user('x'.repeat(17 << 20))
    const session = await open(written(log))
    expect(session.id).toBe(log.sessionId)
    session.close()
  })

  it('shows its newest prompts and its folder before the whole log was read', async () => {
    const log = new QwenLog()
    for (let n = 1; n <= 30; n++) log.turn(n, `prompt ${n}`, {})
    const session = await open(written(log))
    const early = [session.id, session.folder, session.loading !== null, session.newestPrompts.length, session.newestPrompts[0]?.prompt]
    await session.whenLoaded()
    expect([early, session.loading, session.newestPrompts, session.turns.length]).toEqual([
      [log.sessionId, log.folder, true, 20, 'prompt 30'],
      null,
      [],
      30,
    ])
  })

  it('shows first turns while a big log is still read', async () => {
    const log = new QwenLog()
    for (let n = 1; n <= 20; n++) {
      log.turn(n, `prompt ${n}`, {})
      log.reply('x'.repeat(1_000_000))
    }
    const session = await open(written(log))
    await until(session, () => session.turns.length > 0)
    const early = [session.loading !== null, session.turns.length > 0 && session.turns.length < 20]
    await session.whenLoaded()
    expect([early, session.turns.length]).toEqual([[true, true], 20])
  })

  it('follows a log that grows', async () => {
    const log = new QwenLog()
    log.turn(1, 'first', {})
    const file = written(log)
    const session = await open(file, { isFollowed: true })
    await session.whenLoaded()
    const before = log.text().length
    log.turn(2, 'second', {})
    appendFileSync(file, log.text().slice(before))
    await until(session, () => session.turns.length === 2)
    const { prompt, promptId: id } = session.turns[1] ?? { prompt: '', promptId: promptId('') }
    expect([prompt, (await session.readTurn(id)).length]).toEqual(['second', 3])
    session.close()
  })

  it('reports a broken line of a big log when it is read', async () => {
    const log = new QwenLog()
    log.turn(1, 'first', {})
    for (let n = 2; n <= 6; n++) {
      log.turn(n, `prompt ${n}`, {})
      log.reply('x'.repeat(1_000_000))
    }
    const at = log.lines.findIndex((line) => line.includes('Done with 1.'))
    log.lines[at] = log.lines[at]?.replace('Done', 'Do\u0001ne') ?? ''
    const session = await open(written(log))
    await session.whenLoaded()
    const before = session.problems
    const transcript = await session.readTurn(session.turns[0]?.promptId ?? promptId(''))
    await session.readTurn(session.turns[0]?.promptId ?? promptId(''))
    const last = transcript[transcript.length - 1]
    expect([before, session.problems.map(({ kind, count, lines }) => [kind, count, lines]), last?.kind === 'other' && last.label]).toEqual([
      [],
      [['bad-line', 1, [5]]],
      'unreadable line',
    ])
  })

  it('calls the last call without result running, earlier ones failed', async () => {
    const log = new QwenLog()
    log.user('first')
    log.call('c1', 'run_shell_command', { command: 'a' })
    log.user('second')
    log.call('c2', 'run_shell_command', { command: 'b' })
    const session = await open(written(log))
    await session.whenLoaded()
    const statuses: string[] = []
    for (const turn of session.turns) {
      for (const entry of await session.readTurn(turn.promptId)) if (entry.kind === 'call') statuses.push(entry.call.status)
    }
    expect(statuses).toEqual(['failed', 'running'])
  })

  it('gives whole outputs on demand, of subagents too', async () => {
    const long = 'é'.repeat(200_000)
    const log = new QwenLog()
    log.user('first')
    log.call('c1', 'run_shell_command', { command: 'a' })
    log.result('c1', 'run_shell_command', long)
    const session = await open(written(log))
    await session.whenLoaded()
    const id = session.turns[0]?.promptId ?? promptId('')
    const cut = (await session.readTurn(id)).find((entry) => entry.kind === 'call')
    const shown = cut?.kind === 'call' ? [cut.call.output.length, cut.call.isOutputCut] : null
    const tools = await openFixture('tools')
    await tools.whenLoaded()
    const inner = await tools.readOutput(tools.turns[0]?.promptId ?? promptId(''), 'in1')
    expect([shown, (await session.readOutput(id, 'c1')) === long, inner]).toEqual([[65_536, true], true, 'a.ts\nExit Code: 0\n'])
    await expect(session.readOutput(id, 'none')).rejects.toMatchObject({ code: 'CONTENT_UNKNOWN' })
    await expect(session.readTurn(promptId('none'))).rejects.toMatchObject({ code: 'TURN_NOT_FOUND' })
  })

  it('gives raw lines by number, also of broken ones, each cut', async () => {
    const file = written(new QwenLog())
    const first = new QwenLog()
    first.user('x'.repeat(20_000))
    writeFileSync(file, `${first.text()}\r\nbroken "line"\r\n${JSON.stringify({ a: 1 })}${JSON.stringify({ b: 2 })}\nlast`)
    const session = await open(file)
    await session.whenLoaded()
    const raw = await session.rawLines([4, 3, 1, 5, 0, 99, 2])
    expect(raw.map(({ line, raw: text, isCut }) => [line, line === 1 ? text.length : text, isCut])).toEqual([
      [4, '{"a":1}{"b":2}', false],
      [3, 'broken "line"', false],
      [1, 16_384, true],
      [5, 'last', false],
      [2, '', false],
    ])
  })

  it('reads a session with many tracked files and turns without holding their snapshots', async () => {
    const log = new QwenLog()
    const files = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`src/file-${at}.ts`, `${String(at).padStart(16, '0')}@v1`]))
    for (let n = 1; n <= 300; n++) {
      if (n % 50 === 0) files[`src/file-${n / 50}.ts`] = `${String(n).padStart(16, '0')}@v2`
      log.user(`prompt ${n}`)
      log.snapshot(n, files)
      log.reply('done')
    }
    const session = await open(written(log))
    const history = await session.backupHistory()
    const entries = [...history.values()].flat()
    expect([history.size, entries.length, history.get('src/file-3.ts' as never)?.map(({ promptId: id }) => id)]).toEqual([
      200,
      206,
      [log.promptId(1), log.promptId(150)],
    ])
  })

  it('stops waiting when it is told to, and leaves the work to others', async () => {
    const log = new QwenLog()
    for (let n = 1; n <= 50; n++) log.turn(n, `prompt ${n}`, { 'a.ts': 'aaaaaaaaaaaaaaaa@v1' })
    const session = await open(written(log))
    const abort = new AbortController()
    const stopped = session.backupHistory(abort.signal)
    const other = session.backupHistory()
    abort.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' })
    expect((await other).size).toBe(1)
  })
})
