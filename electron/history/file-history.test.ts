import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import { foldSnapshots } from '../../shared/snapshot.js'
import { silentLog } from '../base/log.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { parseBackupName } from './backup-store.js'
import { openFileHistory, type FileHistory } from './file-history.js'
import { createSnapshotLog, loadSnapshotLog } from './snapshot-log.js'
import { resultsOf, tempHistory, type TempHistory, type TestContent } from '../testing/temp-history.js'

let temp: TempHistory
let log = ''
let files: FileHistory
beforeEach(async () => {
  temp = await tempHistory()
  log = join(temp.data, 'session.jsonl')
  files = await open()
})
afterEach(() => temp.dispose())

async function open(earlier: Parameters<typeof openFileHistory>[0]['earlier'] = []): Promise<FileHistory> {
  const record = createSnapshotLog(log, { sessionId: 's', folder: temp.root, version: '1', branch: 'main' }, null)
  return openFileHistory({ workspace: temp.workspace, store: temp.store, disk: createDiskStates(), history: temp.history, record, log: silentLog, earlier })
}

/** One edit as the tool runtime will do it. */
async function edit(path: string, content: TestContent): Promise<void> {
  await files.trackEdit(workspacePath(path))
  temp.put(path, content)
  await files.recordWritten(workspacePath(path))
}

interface LogLine {
  readonly uuid: string
  readonly parentUuid: string | null
  readonly subtype: string
  readonly systemPayload: { readonly snapshots?: readonly { readonly promptId: string; readonly trackedFileBackups: Readonly<Record<string, unknown>>; readonly isStart?: boolean }[] }
}

function lines(): LogLine[] {
  return readFileSync(log, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as LogLine)
}

function lastRecord(): readonly [subtype: string, paths: number] {
  const last = JSON.parse(readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '') as LogLine
  return [last.subtype, Object.keys(last.systemPayload.snapshots?.[0]?.trackedFileBackups ?? {}).length]
}

describe('file history', () => {
  it('records whole snapshots in the shape that readers of qwen-code logs know', async () => {
    await files.makeSnapshot(promptId('p1'))
    await edit('a.ts', 'one')
    await files.makeSnapshot(promptId('p2'))
    const [first, second, third] = lines()
    const { uuid, ...rest } = second ?? { uuid: '' }
    expect([first?.parentUuid, third?.parentUuid, rest]).toEqual([
      null,
      uuid,
      {
        parentUuid: first?.uuid,
        sessionId: 's',
        timestamp: expect.stringMatching(/Z$/) as string,
        type: 'system',
        provenance: 'system',
        cwd: temp.root,
        version: '1',
        gitBranch: 'main',
        subtype: 'file_history_snapshot',
        systemPayload: {
          snapshots: [
            {
              promptId: 'p1',
              timestamp: expect.stringMatching(/Z$/) as string,
              trackedFileBackups: { 'a.ts': { backupFileName: null, version: 1, backupTime: expect.stringMatching(/Z$/) as string } },
            },
          ],
        },
      },
    ])
    const entry = third?.systemPayload.snapshots?.[0]?.trackedFileBackups['a.ts'] as { backupFileName: string; version: number }
    expect([parseBackupName(entry.backupFileName)?.rest, entry.version]).toEqual([{ mode: 0o644 }, 2])
  })

  it('goes back to the start of any prompt, with files first touched later, modes, links and binary bytes', async () => {
    temp.put('a.ts', { text: 'one', mode: 0o755 })
    temp.put('link', { link: 'a.ts' })
    temp.put('b.bin', { bytes: Buffer.from([0, 255]) })
    const trees = [temp.tree()]
    await files.makeSnapshot(promptId('p1'))
    await edit('a.ts', 'two')
    trees.push(temp.tree())
    await files.makeSnapshot(promptId('p2'))
    await edit('new/c.ts', 'three')
    await edit('b.bin', { bytes: Buffer.from([1]) })
    await edit('link', 'a file')
    trees.push(temp.tree())
    await files.makeSnapshot(promptId('p3'))
    await edit('a.ts', null)
    const seen = []
    for (const id of ['p3', 'p2', 'p1'] as const) {
      await files.rewind(promptId(id))
      seen.push(temp.tree())
    }
    expect(seen).toEqual([trees[2], trees[1], trees[0]])
    for (let n = 0; n < 3; n++) await temp.history.undo(null)
    expect(temp.tree()).toEqual({ 'b.bin': `644 ${String.fromCharCode(1)}`, link: '644 a file', 'new/c.ts': '644 three' })
  })

  it('brings back a file that was written from scratch, or deleted and made again', async () => {
    temp.put('a.md', 'original a')
    temp.put('b.md', 'original b')
    await files.makeSnapshot(promptId('p1'))
    await edit('a.md', 'rewritten')
    await edit('b.md', null)
    await edit('b.md', 'made again')
    await files.rewind(promptId('p1'))
    expect(temp.tree()).toEqual({ 'a.md': '644 original a', 'b.md': '644 original b' })
  })

  it('keeps what somebody typed after the agent, and asks where it is in the way', async () => {
    temp.put('example.txt', 'original\nx\ny\nz\n')
    temp.put('clash.txt', 'old\n')
    await files.makeSnapshot(promptId('p1'))
    await edit('example.txt', 'original\nx\ny\nz\nrobot\n')
    await edit('clash.txt', 'robot\n')
    temp.put('example.txt', 'changed\nx\ny\nz\nrobot\n')
    temp.put('clash.txt', 'mine\n')
    const receipt = await files.rewind(promptId('p1'))
    expect([temp.tree(), resultsOf(receipt)]).toEqual([
      { 'clash.txt': '644 mine\n', 'example.txt': '644 changed\nx\ny\nz\n' },
      { 'clash.txt': 'conflict left', 'example.txt': 'merge merged' },
    ])
  })

  it('notices an edit from outside between prompts, of the same size and with an old time', async () => {
    temp.put('a', 'aaa')
    await files.makeSnapshot(promptId('p1'))
    await edit('a', 'bbb')
    temp.put('a', 'ccc')
    await files.makeSnapshot(promptId('p2'))
    await edit('a', 'ddd')
    await files.rewind(promptId('p2'))
    expect(temp.tree()).toEqual({ a: '644 ccc' })
  })

  it('notices a folder that became a link between prompts, where the same name is another file', async () => {
    temp.put('src/a', 'aaa')
    temp.put('other/a', 'bbb')
    await files.makeSnapshot(promptId('p1'))
    await edit('src/a', 'ccc')
    await files.makeSnapshot(promptId('p2'))
    renameSync(temp.at('src'), temp.at('moved'))
    symlinkSync('other', temp.at('src'))
    await files.makeSnapshot(promptId('p3'))
    await files.settled()
    const backups = lines().map((line) => line.systemPayload.snapshots?.[0]?.trackedFileBackups['src/a'])
    expect(backups.at(-1)).toMatchObject({ failed: true, failedBecause: 'OUTSIDE_WORKSPACE' })
  })

  it('backs a file up once in a prompt, also for two calls at the same time', async () => {
    temp.put('a', 'one')
    await files.makeSnapshot(promptId('p1'))
    await Promise.all([edit('a', 'two'), files.trackEdit(workspacePath('a')), files.trackEdit(workspacePath('a'))])
    await edit('a', 'three')
    const before = lines().length
    await files.rewind(promptId('p1'))
    expect([temp.tree(), before]).toEqual([{ a: '644 one' }, 2])
  })

  it('records a failed backup as failed, does the others, and heals it with the next good one of the same prompt', async () => {
    for (const name of ['a', 'b', 'c', 'd']) temp.put(name, 'one')
    temp.put('real/e', 'one')
    temp.put('alias', { link: 'real' })
    await files.makeSnapshot(promptId('p1'))
    for (const name of ['a', 'b', 'c', 'd', 'alias/e']) await files.trackEdit(workspacePath(name))
    const failed = lines().at(-1)?.systemPayload.snapshots?.[0]?.trackedFileBackups['alias/e']
    for (const name of ['a', 'b', 'c', 'd']) temp.put(name, 'two')
    const first = await files.rewind(promptId('p1'))
    temp.put('alias', null)
    temp.put('alias/e', 'one')
    await files.trackEdit(workspacePath('alias/e'))
    temp.put('alias/e', 'two')
    const second = await files.rewind(promptId('p1'))
    expect([failed, resultsOf(first), resultsOf(second)['alias/e'], temp.tree()['alias/e']]).toEqual([
      { backupFileName: null, version: 1, backupTime: expect.any(String) as string, failed: true, failedBecause: 'OUTSIDE_WORKSPACE' },
      { a: 'restore restored', 'alias/e': 'cannot left', b: 'restore restored', c: 'restore restored', d: 'restore restored' },
      'restore restored',
      '644 one',
    ])
  })

  it.skipIf(process.getuid?.() === 0)('names the permission that made a backup fail', async () => {
    temp.put('a', 'one')
    chmodSync(temp.at('a'), 0)
    await files.makeSnapshot(promptId('p1'))
    await files.trackEdit(workspacePath('a'))
    expect(lines().at(-1)?.systemPayload.snapshots?.[0]?.trackedFileBackups['a']).toMatchObject({ failed: true, failedBecause: 'PERMISSION_DENIED' })
  })

  it('does not take what the agent wrote for the state before, once a backup had failed', async () => {
    temp.put('real/a', 'one')
    temp.put('alias', { link: 'real' })
    await files.makeSnapshot(promptId('p1'))
    await files.trackEdit(workspacePath('alias/a'))
    temp.put('alias', null)
    temp.put('alias/a', 'two')
    await files.recordWritten(workspacePath('alias/a'))
    await files.trackEdit(workspacePath('alias/a'))
    const receipt = await files.rewind(promptId('p1'))
    expect(resultsOf(receipt)).toEqual({ 'alias/a': 'cannot left' })
  })

  it('does not stop an edit when nothing can be stored', async () => {
    rmSync(join(temp.data, 'backups'), { recursive: true })
    writeFileSync(join(temp.data, 'backups'), 'in the way')
    temp.put('a', 'one')
    await files.makeSnapshot(promptId('p1'))
    await edit('a', 'two')
    expect(resultsOf(await files.rewind(promptId('p1')))).toEqual({ a: 'cannot left' })
  })

  it('deletes nothing when the backups are gone', async () => {
    temp.put('a', 'one')
    await files.makeSnapshot(promptId('p1'))
    await edit('a', 'two')
    for (const name of readdirSync(join(temp.data, 'backups/packs'))) rmSync(join(temp.data, 'backups/packs', name))
    const receipt = await files.rewind(promptId('p1'))
    expect([resultsOf(receipt), temp.tree()]).toEqual([{ a: 'restore failed BACKUP_MISSING' }, { a: '644 two' }])
  })

  it('refuses a prompt that it does not know', async () => {
    await expect(files.rewind(promptId('nope'))).rejects.toMatchObject({ code: 'TURN_NOT_FOUND' })
  })
})

describe('the snapshot log', () => {
  it('grows with what changed, not with what is tracked', async () => {
    await files.makeSnapshot(promptId('p0'))
    for (let n = 0; n < 200; n++) await edit(`f${n}`, 'x')
    await files.makeSnapshot(promptId('p1'))
    const tracked = readFileSync(log).length
    for (let prompt = 2; prompt < 40; prompt++) {
      await files.makeSnapshot(promptId(`p${prompt}`))
      await edit('f0', `x${prompt}`)
    }
    const perPrompt = (readFileSync(log).length - tracked) / 38
    const kinds = lines().map((line) => (line.subtype === 'overturn_history_delta' ? (line.systemPayload.snapshots?.[0]?.isStart ? 'start' : 'added') : 'whole'))
    expect([perPrompt < 1_000, kinds.slice(0, 66).every((kind) => kind === 'whole'), new Set(kinds.slice(66))]).toEqual([true, false, new Set(['added', 'start'])])
  })

  it('has a whole record every fifty prompts, and at the end', async () => {
    await files.makeSnapshot(promptId('p0'))
    for (let n = 0; n < 70; n++) await files.trackEdit(workspacePath(`f${n}`))
    for (let prompt = 1; prompt <= 60; prompt++) await files.makeSnapshot(promptId(`p${prompt}`))
    await files.close()
    const wholes = lines().filter((line) => line.subtype === 'file_history_snapshot').map((line) => line.systemPayload.snapshots?.[0]).filter((snapshot) => Object.keys(snapshot?.trackedFileBackups ?? {}).length === 70)
    expect(wholes.map((snapshot) => snapshot?.promptId)).toEqual(['p50', 'p60'])
  })

  it('ends with a whole record, however many files are tracked, and only once', async () => {
    await files.makeSnapshot(promptId('p0'))
    await Promise.all(Array.from({ length: 600 }, (_, n) => files.trackEdit(workspacePath(`f${n}`))))
    const tracked = lastRecord()
    await files.close()
    const closed = lines().length
    await files.close()
    expect([tracked, lastRecord(), lines().length]).toEqual([['overturn_history_delta', 1], ['file_history_snapshot', 600], closed])
  })

  it('is enough to go on after a restart, and to go back to before it', async () => {
    temp.put('link', { link: 'x' })
    for (let n = 0; n < 70; n++) temp.put(`f${n}`, { text: `one ${n}`, mode: 0o600 })
    await files.makeSnapshot(promptId('p1'))
    for (let n = 0; n < 70; n++) await edit(`f${n}`, `two ${n}`)
    await edit('link', 'a file')
    const before = temp.tree()
    await files.makeSnapshot(promptId('p2'))
    await edit('f3', 'three')
    writeFileSync(log, '{"type":"user"}\n{"torn\n', { flag: 'a' })

    const { records, skipped } = await loadSnapshotLog(log)
    files = await open(foldSnapshots(records))
    await files.makeSnapshot(promptId('p3'))
    await files.settled()
    const healed = lastRecord()
    await edit('f4', 'four')
    await files.rewind(promptId('p2'), { kind: 'old' })
    const atSecond = temp.tree()
    await files.rewind(promptId('p1'), { kind: 'old' })
    expect([skipped, atSecond, temp.tree()['f69'], temp.tree()['link'], healed]).toEqual([1, before, '600 one 69', 'link x', ['file_history_snapshot', 71]])
  })

  it('skips a damaged entry and takes the good ones beside it', async () => {
    const good = { backupFileName: null, version: 1, backupTime: '2026-01-01T00:00:00.000Z' }
    const snapshot = (tracked: object): object => ({ promptId: 'p1', timestamp: '2026-01-01T00:00:00.000Z', trackedFileBackups: tracked })
    const record = (subtype: string, systemPayload: unknown): string => `${JSON.stringify({ type: 'system', subtype, systemPayload })}\n`
    writeFileSync(log, record('file_history_snapshot', { snapshots: [snapshot({ a: good, b: { version: 'x' } }), { promptId: 7 }] }) + record('file_history_snapshot', 'no') + record('overturn_history_delta', { snapshots: [snapshot({ c: good }), { ...snapshot({ d: good }), isStart: true }] }))
    const { records, skipped } = await loadSnapshotLog(log)
    expect([records.map(({ isDelta, backups }) => [isDelta, [...backups.keys()]]), skipped]).toEqual([[[false, ['a']], [true, ['c']], [false, ['d']]], 2])
  })
})
