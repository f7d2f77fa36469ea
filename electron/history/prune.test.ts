import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import { silentLog } from '../base/log.js'
import { openReviewMarks } from '../review/review-marks.js'
import { sha256Of } from '../workspace/text-files.js'
import { liveSession, type LiveSession } from '../testing/live-session.js'
import { tempHistory, testSession, type TempHistory } from '../testing/temp-history.js'
import { rowHeadBytes } from './backup-row.js'
import { openBackupStore } from './backup-store.js'
import { pruneHistory, type Pruned } from './prune.js'
import { openSessionLog, type SessionLog } from './session-log.js'

const dayMs = 24 * 3_600_000

/** As if all of it had been written long ago, so that nothing is too young to go. */
function makeOld(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) makeOld(path)
    else utimesSync(path, new Date(0), new Date(0))
  }
}

async function prune(data: string, limitBytes: number, maxAgeMs: number | null = null): Promise<Pruned> {
  makeOld(join(data, 'backups'))
  return pruneHistory({ dataFolder: data, store: await openBackupStore(data), limitBytes, maxAgeMs, log: silentLog })
}

async function newLive(files: Readonly<Record<string, string>>): Promise<LiveSession> {
  const live = await liveSession(files)
  onTestFinished(() => live.dispose())
  return live
}

async function newTemp(): Promise<TempHistory> {
  const temp = await tempHistory()
  onTestFinished(() => temp.dispose())
  return temp
}

/** A session that only its log tells of, last active some days ago, with one file in its ledger. */
async function oldSession({ data, store }: TempHistory, number: number, days: number): Promise<{ readonly log: SessionLog; readonly sha256: string }> {
  const sessionId = `5e551011-0000-4000-8000-${String(number).padStart(12, '0')}`
  const log = await openSessionLog({ dataFolder: data, sessionId, folder: '/home/dev/acme', version: '1', branch: null, client: { name: 'a', version: null } })
  const sha256 = await store.put(Buffer.alloc(300_000, number))
  const after = { kind: 'file', sha256, sizeBytes: 300_000, mode: 0o644 } as const
  await log.ledger({ promptId: promptId('p'), isBeforeTurn: false, callId: null, cause: 'command', at: 1, changes: [{ path: workspacePath('a'), before: { kind: 'absent' }, after }], limits: [] })
  const at = new Date(Date.now() - days * dayMs)
  utimesSync(log.file, at, at)
  return { log, sha256 }
}

describe('pruneHistory', () => {
  it('frees what nothing names; undo, redo and a running session still work', async () => {
    const live = await newLive({ a: 'first', tracked: 'one', by: 'before' })
    const { temp } = live
    const p1 = await live.turn('Begin')
    await live.edit({ tracked: 'two' })
    await live.command('sed', () => temp.put('by', 'after'))
    await temp.rewind({ a: { base: 'first', target: 'x'.repeat(5_000) } })
    await temp.history.undo(null)
    await temp.rewind({ a: { base: 'first', target: 'second' } })
    await temp.rewind({ a: { base: 'second', target: 'third' } })
    await temp.history.undo(null)

    const within = await prune(temp.data, 1_000_000)
    const pruned = await prune(temp.data, 0)
    const history = await temp.reopen()
    await history.redo(null)
    const redone = temp.tree()['a']
    await history.undo(null)
    await history.undo(null)
    const { review, history: reviewed } = await live.review()
    await reviewed.apply(await review.rewindTo({ kind: 'start', promptId: p1 }, { paths: null, resolutions: {} }), null)
    expect([within, pruned.freedBytes > 5_000, pruned.givenUp, redone, temp.tree()]).toEqual([
      { freedBytes: 0, sizeBytes: expect.any(Number) as number, givenUp: [] },
      true,
      [],
      '644 third',
      { a: '644 first', tracked: '644 one', by: '644 before' },
    ])
  })

  it('takes the backups of the oldest sessions first, as many as must, and none of the last day', async () => {
    const temp = await newTemp()
    const sessions = [await oldSession(temp, 1, 0), await oldSession(temp, 2, 3), await oldSession(temp, 3, 5), await oldSession(temp, 4, 9)]
    const kept = async (): Promise<readonly boolean[]> => {
      const store = await openBackupStore(temp.data)
      return Promise.all(sessions.map(({ sha256 }) => store.has(sha256)))
    }
    const two = await prune(temp.data, 750_000)
    const afterTwo = await kept()
    const none = await prune(temp.data, 0)
    expect([two, afterTwo, none.givenUp.length, await kept(), sessions.every(({ log }) => existsSync(log.file))]).toEqual([
      { freedBytes: 600_000, sizeBytes: 600_000, givenUp: [sessions[3]?.log.file, sessions[2]?.log.file] },
      [true, true, false, false],
      3,
      [true, false, false, false],
      true,
    ])
  })

  it('lets go of sessions above the age, though there is room', async () => {
    const temp = await newTemp()
    const [young, old] = [await oldSession(temp, 1, 10), await oldSession(temp, 2, 40)]
    const pruned = await prune(temp.data, 1_000_000, 30 * dayMs)
    const store = await openBackupStore(temp.data)
    expect([pruned.freedBytes, pruned.givenUp, await store.has(young.sha256), await store.has(old.sha256)]).toEqual([300_000, [old.log.file], true, false])
  })

  it('keeps what a mark of the reader is put on, and what an edit under way needs', async () => {
    const temp = await newTemp()
    const bytes = Buffer.from('marked')
    await temp.store.put(bytes)
    const marks = await openReviewMarks(temp.data, testSession)
    const state = { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode: 0o644 } as const
    await marks.mark({ scope: { kind: 'session' }, path: workspacePath('a'), contentKey: 'k', after: state, markedAt: 1 })
    const edited = await temp.store.put(Buffer.from('edited'))
    mkdirSync(join(temp.data, 'edits'))
    writeFileSync(join(temp.data, 'edits', 'e1.json'), JSON.stringify({ files: [{ before: { kind: 'file', sha256: edited } }] }))
    await temp.store.put(Buffer.from('nobody needs this'))
    const { freedBytes } = await prune(temp.data, 0)
    expect([freedBytes, await temp.store.has(state.sha256), await temp.store.has(edited)]).toEqual([17 + rowHeadBytes, true, true])
  })
})
