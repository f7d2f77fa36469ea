import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { silentLog } from '../base/log.js'
import { openQwenSession } from '../sessions/qwen-code.js'
import { liveSession, type LiveSession } from '../testing/live-session.js'
import { exportToQwen, type ExportedSession } from './qwen-export.js'

let live: LiveSession
beforeEach(async () => {
  live = await liveSession({ 'a.txt': 'one\n', 'run.sh': { text: '#!/bin/sh\n', mode: 0o755 }, 'to': { link: 'a.txt' } })
})
afterEach(() => live.dispose())

interface Line {
  readonly uuid: string
  readonly parentUuid: string | null
  readonly type: string
  readonly subtype?: string
  readonly systemPayload?: { readonly snapshots?: readonly { readonly promptId: string; readonly trackedFileBackups: Readonly<Record<string, unknown>> }[] }
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'overturn-qwen-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const exportTo = (home: string): Promise<ExportedSession> => exportToQwen({ file: live.log.file, store: live.temp.store, home, runtime: home })

const linesOf = (log: string): readonly Line[] => readFileSync(log, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Line)

const nameOf = (path: string, version: number): string => `${createHash('sha256').update(join(live.temp.root, path)).digest('hex').slice(0, 16)}@v${version}`

function treeOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => lstatSync(join(folder, name)).isFile())
  return Object.fromEntries(files.sort().map((name) => [name, `${(statSync(join(folder, name)).mode & 0o777).toString(8)} ${readFileSync(join(folder, name), 'utf8')}`]))
}

describe('a session exported to qwen-code', () => {
  it('lies where it looks, byte for byte: whole snapshots, its names for backups, their modes', async () => {
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    await live.edit({ 'run.sh': { text: '#!/bin/bash\n', mode: 0o755 } })
    const p2 = await live.turn('second')
    await live.edit({ 'a.txt': 'three\n', 'b.txt': 'b\n' })
    await live.log.note('mode', { mode: 'ask' })
    const home = newHome()
    const done = await exportTo(home)
    const { sessionId } = live.log
    const lines = linesOf(done.log)
    const log = `projects/${live.temp.root.replace(/[^A-Za-z0-9]/g, '-')}/chats/${sessionId}.jsonl`
    const folder = `file-history/${sessionId}`
    const { [log]: text, ...backups } = treeOf(home)
    const file = (path: string, version: number): unknown => ({ backupFileName: nameOf(path, version), version, backupTime: expect.stringMatching(/Z$/) as string })
    const absent = { backupFileName: null, version: 1, backupTime: expect.stringMatching(/Z$/) as string }
    expect([
      done,
      backups,
      text?.startsWith('600 {"uuid":"'),
      text?.includes('overturn_'),
      lines.every(({ parentUuid }, at) => parentUuid === (lines[at - 1]?.uuid ?? null)),
      lines.map(({ type, subtype }) => subtype ?? type),
      lines.flatMap(({ systemPayload }) => (systemPayload?.snapshots ?? []).map(({ promptId, trackedFileBackups }) => [promptId, trackedFileBackups])),
    ]).toEqual([
      { log: join(home, log), records: 13, backups: 4, withoutBackup: [], wasThere: false },
      {
        [`${folder}/${nameOf('a.txt', 1)}`]: '644 one\n',
        [`${folder}/${nameOf('a.txt', 2)}`]: '644 two\n',
        [`${folder}/${nameOf('run.sh', 1)}`]: '755 #!/bin/sh\n',
        [`${folder}/${nameOf('run.sh', 2)}`]: '755 #!/bin/bash\n',
      },
      true,
      false,
      true,
      ['user', 'file_history_snapshot', 'assistant', 'file_history_snapshot', 'tool_result', 'assistant', 'file_history_snapshot', 'tool_result', 'user', 'file_history_snapshot', 'assistant', 'file_history_snapshot', 'tool_result'],
      [
        // What was first touched later is named from the start on: nothing had changed it before.
        [p1, { 'a.txt': file('a.txt', 1), 'run.sh': file('run.sh', 1), 'b.txt': absent }],
        [p1, { 'a.txt': file('a.txt', 1), 'run.sh': file('run.sh', 1), 'b.txt': absent }],
        [p1, { 'a.txt': file('a.txt', 1), 'run.sh': file('run.sh', 1), 'b.txt': absent }],
        [p2, { 'a.txt': file('a.txt', 2), 'run.sh': file('run.sh', 2), 'b.txt': absent }],
        [p2, { 'a.txt': file('a.txt', 2), 'run.sh': file('run.sh', 2), 'b.txt': absent }],
      ],
    ])
  })

  it('is the same session to a reader of qwen-code logs, above 64 files too', async () => {
    const paths = Array.from({ length: 70 }, (_, at) => `many/${at}.txt`)
    await live.turn('Many')
    await live.edit(Object.fromEntries(paths.map((path) => [path, `${path}\n`])))
    await live.turn('A few')
    await live.edit({ 'many/3.txt': 'again\n', 'a.txt': 'two\n' })
    const p3 = await live.turn('None')
    const home = newHome()
    const { log, withoutBackup } = await exportTo(home)
    const session = await openQwenSession({ file: log, agent: 'qwen-code', indexFile: null, backupHomes: [join(home, 'file-history')], isFollowed: false, log: silentLog })
    await session.whenLoaded()
    const snapshot = await session.snapshotOf(p3)
    const third = snapshot?.backups.get(workspacePath('many/3.txt'))
    const content = third?.kind === 'stored' ? await session.backups.read(third.backupName) : null
    session.close()
    const snapshots = linesOf(log).filter(({ subtype }) => subtype === 'file_history_snapshot')
    expect([session.turns.length, session.problems, session.ledger, snapshot?.backups.size, content?.kind === 'bytes' ? Buffer.from(content.bytes).toString() : null, withoutBackup, snapshots.length < 80]).toEqual([3, [], null, 71, 'again\n', [], true])
  })

  it('does not claim for an earlier turn what somebody changed before the first copy, and has backups older than any file', async () => {
    const p1 = await live.turn('first')
    await live.command('sh', () => live.temp.put('a.txt', 'by a command\n'))
    await live.edit({ 'a.txt': 'two\n', 'run.sh': null })
    const home = newHome()
    const { log } = await exportTo(home)
    const [first] = linesOf(log).flatMap(({ systemPayload }) => systemPayload?.snapshots ?? [])
    const folder = join(home, 'file-history', live.log.sessionId)
    expect([first?.promptId, Object.keys(first?.trackedFileBackups ?? {}), readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs)]).toEqual([p1, ['run.sh'], [0, 0]])
  })

  it('says which files it cannot give back: links, and bytes that are gone', async () => {
    await live.turn('first')
    await live.edit({ to: 'a file now\n', 'a.txt': 'two\n' })
    rmSync(join(live.temp.data, 'backups'), { recursive: true })
    const home = newHome()
    const { withoutBackup, log } = await exportTo(home)
    const last = linesOf(log).findLast(({ systemPayload }) => systemPayload?.snapshots)?.systemPayload?.snapshots?.[0]?.trackedFileBackups
    expect([withoutBackup, last]).toEqual([['a.txt', 'to'], { 'a.txt': expect.objectContaining({ backupFileName: null, failed: true }) as unknown, to: expect.objectContaining({ failed: true }) as unknown }])
  })

  it('changes nothing where it lies already, and refuses to mix with another', async () => {
    await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    const home = newHome()
    const first = await exportTo(home)
    const before = treeOf(home)
    const again = await exportTo(home)
    const same = treeOf(home)
    await live.turn('second')
    await expect(exportTo(home)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    rmSync(first.log)
    writeFileSync(join(home, 'file-history', live.log.sessionId, 'another@v1'), '')
    await expect(exportTo(home)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    expect([again.wasThere, same, existsSync(first.log)]).toEqual([true, before, false])
  })

  it('is refused for a log that another program wrote', async () => {
    const home = newHome()
    const file = join(home, 'foreign.jsonl')
    writeFileSync(file, '{"uuid":"a","parentUuid":null,"type":"user"}\n')
    chmodSync(file, 0o600)
    await expect(exportToQwen({ file, store: live.temp.store, home, runtime: home })).rejects.toMatchObject({ code: 'SESSION_FORMAT_UNKNOWN' })
  })
})
