import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { sha256Of } from '../workspace/text-files.js'
import { pathsOf, resultsOf, rewindOf, tempHistory, type TempHistory } from '../testing/temp-history.js'

let temp: TempHistory
beforeEach(async () => {
  temp = await tempHistory()
})
afterEach(() => temp.dispose())

describe('rewind', () => {
  it('restores, deletes, recreates and merges, and says so', async () => {
    temp.put('edited.ts', 'new\n')
    temp.put('made.ts', 'made\n')
    temp.put('typed.ts', 'robot\nm\nx\ny\nmine\n')
    const receipt = await temp.rewind({
      'edited.ts': { base: 'new\n', target: { text: 'old\n', mode: 0o755 } },
      'made.ts': { base: 'made\n', target: null, turn: 'turn 6' },
      'gone.ts': { base: 'x\n', target: { text: 'gone\n', mode: 0o600 } },
      'typed.ts': { base: 'robot\nm\nx\ny\n', target: 'old\nm\nx\ny\n' },
      'same.ts': { base: null, target: null },
    })
    expect([temp.tree(), resultsOf(receipt), receipt.snapshot, receipt.label]).toEqual([
      { 'edited.ts': '755 old\n', 'gone.ts': '600 gone\n', 'typed.ts': '644 old\nm\nx\ny\nmine\n' },
      { 'edited.ts': 'restore restored', 'gone.ts': 'recreate recreated', 'made.ts': 'delete deleted', 'same.ts': 'unchanged unchanged', 'typed.ts': 'merge merged' },
      { files: 4, sizeBytes: 26 },
      'the start of turn 4',
    ])
    expect(receipt.files.find((file) => file.path === 'edited.ts')?.sha256).toBe(sha256Of(Buffer.from('old\n')))
  })

  it('leaves a file in conflict, an unknown one and a binary one that somebody changed, and names them', async () => {
    temp.put('conflict.ts', 'mine\n')
    temp.put('unknown.csv', 'x\n')
    temp.put('logo.png', { bytes: Buffer.from('\0mine') })
    const before = temp.tree()
    const receipt = await temp.rewind({
      'conflict.ts': { base: 'robot\n', target: 'old\n' },
      'unknown.csv': { base: 'x\n', target: { unknown: 'backup-missing' } },
      'logo.png': { base: { bytes: Buffer.from('\0robot') }, target: { bytes: Buffer.from('\0old') } },
    })
    expect([temp.tree(), resultsOf(receipt), receipt.files.map((file) => file.reason)]).toEqual([
      before,
      { 'conflict.ts': 'conflict left', 'logo.png': 'conflict left', 'unknown.csv': 'cannot left' },
      [
        'You and turn 4 both changed line 1. Not chosen, so your file is untouched',
        'You changed it since, and it is no text that could be merged. Not chosen, so your file is untouched',
        'Its backup is gone. The file on the disk is untouched',
      ],
    ])
  })

  it('restores binary bytes exactly, an empty file and one with NUL included', async () => {
    const random = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256))
    temp.put('blob.bin', { bytes: Buffer.from('twelve bytes') })
    temp.put('empty', 'x')
    await temp.rewind({ 'blob.bin': { base: { bytes: Buffer.from('twelve bytes') }, target: { bytes: random } }, empty: { base: 'x', target: '' } })
    expect([sha256Of(readFileSync(temp.at('blob.bin'))), readFileSync(temp.at('empty')).length]).toEqual([sha256Of(random), 0])
  })

  it('restores links as links, and writes and deletes nothing behind one', async () => {
    temp.put('precious', 'precious')
    temp.put('became-file', 'robot')
    temp.put('became-link', { link: 'precious' })
    temp.put('made-link', { link: 'precious' })
    await temp.rewind({
      'became-file': { base: 'robot', target: { link: '../elsewhere' } },
      'became-link': { base: { link: 'precious' }, target: 'file' },
      'made-link': { base: { link: 'precious' }, target: null },
    })
    expect(temp.tree()).toEqual({ 'became-file': 'link ../elsewhere', 'became-link': '644 file', precious: '644 precious' })
  })

  it('makes missing folders, and takes away those that it emptied, but none that holds something', async () => {
    temp.put('x/y/z.ts', 'robot')
    temp.put('x/mine.txt', 'mine')
    temp.put('p/q/r.ts', 'robot')
    const receipt = await temp.rewind({
      'x/y/z.ts': { base: 'robot', target: null },
      'p/q/r.ts': { base: 'robot', target: null },
      'deep/er/a.ts': { base: null, target: 'old' },
    })
    expect([temp.tree(), readdirSync(temp.root).sort(), receipt.files.find((file) => file.path === 'p/q/r.ts')?.reason]).toEqual([
      { 'deep/er/a.ts': '644 old', 'x/mine.txt': '644 mine' },
      ['deep', 'x'],
      'Kept in history, 5 bytes. The empty folder went too',
    ])
  })

  it('keeps an emptied folder that held a file at the target', async () => {
    temp.put('kept/made.ts', 'robot')
    await temp.rewind({
      'kept/made.ts': { base: 'robot', target: null },
      'kept/lost.ts': { base: null, target: { unknown: 'backup-missing' } },
      'kept/old.ts': { base: { unknown: 'no-record' }, target: 'old' },
    })
    expect(temp.tree()).toEqual({ 'kept/old.ts': '644 old' })
  })

  it('touches nothing outside, below .git, behind a link, or where a folder stands', async () => {
    writeFileSync(join(temp.root, '../outside'), 'outside')
    mkdirSync(temp.at('.git/hooks'), { recursive: true })
    temp.put('real/a', 'a')
    symlinkSync('real', temp.at('alias'))
    mkdirSync(temp.at('now-folder'))
    const receipt = await temp.rewind({
      '../outside': { base: 'outside', target: null },
      '/etc/hostname': { base: null, target: 'x' },
      '.git/hooks/pre-commit': { base: null, target: 'evil' },
      'sub/.git/config': { base: null, target: 'evil' },
      'alias/a': { base: 'a', target: null },
      'now-folder': { base: 'x', target: 'x' },
    })
    expect([Object.values(resultsOf(receipt)), readdirSync(temp.at('.git/hooks')), existsSync(join(temp.root, '../outside')), existsSync(temp.at('real/a')), existsSync(temp.at('sub'))]).toEqual([
      Array(6).fill('cannot left'),
      [],
      true,
      true,
      false,
    ])
  })

  it('touches no file that is as it should be', async () => {
    temp.put('same', 'same')
    const before = lstatSync(temp.at('same'))
    await temp.rewind({ same: { base: 'x', target: 'same' } })
    const after = lstatSync(temp.at('same'))
    expect([after.ino, after.ctimeMs]).toEqual([before.ino, before.ctimeMs])
  })

  it('changes a mode without writing the file anew', async () => {
    temp.put('run.sh', { text: 'x', mode: 0o644 })
    const before = lstatSync(temp.at('run.sh')).ino
    const receipt = await temp.rewind({ 'run.sh': { base: 'x', target: { text: 'x', mode: 0o755 } } })
    expect([lstatSync(temp.at('run.sh')).ino, temp.tree(), resultsOf(receipt)]).toEqual([before, { 'run.sh': '755 x' }, { 'run.sh': 'restore restored' }])
  })

  it('leaves a file whose bytes from elsewhere do not match their hash', async () => {
    temp.put('a', 'robot')
    const rewind = rewindOf({ a: { base: 'robot', target: 'old' } })
    const files = rewind.files.map((file) => ({ ...file, target: { ...file.target, read: () => Promise.resolve(Buffer.from('other')) } }))
    const receipt = await temp.history.apply({ ...rewind, files }, null)
    expect([temp.tree(), resultsOf(receipt)]).toEqual([{ a: '644 robot' }, { a: 'restore failed BACKUP_DAMAGED' }])
  })

  it('does the chosen files only, with the chosen answers', async () => {
    temp.put('a', 'robot')
    temp.put('b', 'mine')
    temp.put('c', 'mine')
    temp.put('d', 'mine')
    const cases = { a: { base: 'robot', target: 'old' }, b: { base: 'robot', target: 'old' }, c: { base: 'robot', target: 'old' }, d: { base: 'robot', target: 'old' } }
    const choices = { paths: pathsOf('b', 'c', 'd'), resolutions: { b: { kind: 'old' }, c: { kind: 'keep' }, d: { kind: 'text', text: 'both\n' } } } as const
    const receipt = await temp.history.apply(rewindOf(cases, choices), null)
    expect([temp.tree(), resultsOf(receipt)]).toEqual([
      { a: '644 robot', b: '644 old', c: '644 mine', d: '644 both\n' },
      { b: 'restore restored', c: 'unchanged left', d: 'merge merged' },
    ])
  })

  it('refuses a choice that is none of its files', async () => {
    const rewind = rewindOf({ a: { base: null, target: null } }, { paths: pathsOf('b'), resolutions: {} })
    await expect(temp.history.preview(rewind)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })
})

describe('rewind, against a changing world', () => {
  it('writes nothing when a file has changed since the preview', async () => {
    temp.put('a', 'robot')
    temp.put('b', 'robot')
    const rewind = rewindOf({ a: { base: 'robot', target: 'old' }, b: { base: 'robot', target: 'old' } })
    const { planHash } = await temp.history.preview(rewind)
    temp.put('b', 'typed')
    await expect(temp.history.apply(rewind, planHash)).rejects.toMatchObject({ code: 'REWIND_PLAN_STALE' })
    expect([temp.tree(), temp.history.journal.operations()]).toEqual([{ a: '644 robot', b: '644 typed' }, []])
  })

  it('goes through when nothing has changed since the preview', async () => {
    temp.put('a', 'robot')
    const rewind = rewindOf({ a: { base: 'robot', target: 'old' } })
    const { planHash } = await temp.history.preview(rewind)
    await temp.history.apply(rewind, planHash)
    expect(temp.tree()).toEqual({ a: '644 old' })
  })

  it('leaves a file that is typed in between the plan and the write, and does the others', async () => {
    temp.put('a', 'robot')
    temp.put('b', 'robot')
    const rewind = rewindOf({ a: { base: 'robot', target: 'old' }, b: { base: 'robot', target: 'old' } })
    // The coming bytes are asked for after the plan: the moment in which somebody saves.
    const files = rewind.files.map((file) => ({
      ...file,
      target: {
        ...file.target,
        read: () => {
          if (file.path === 'a') writeFileSync(temp.at('a'), 'typed')
          return file.target.read()
        },
      },
    }))
    const receipt = await temp.history.apply({ ...rewind, files }, null)
    expect([temp.tree(), resultsOf(receipt), temp.history.journal.operations()[0]?.end?.outcome]).toEqual([
      { a: '644 typed', b: '644 old' },
      { a: 'restore failed FILE_CHANGED_SINCE_READ', b: 'restore restored' },
      'partly',
    ])
  })

  it('puts back what it has written when it is cancelled in the middle', async () => {
    const names = [...Array(60).keys()].map((n) => `f${String(n).padStart(2, '0')}`)
    for (const name of names) temp.put(name, 'robot')
    temp.put('made/x', 'robot')
    const before = temp.tree()
    const cases = Object.fromEntries(names.map((name) => [name, { base: 'robot', target: 'old' }]))
    const abort = new AbortController()
    const progress = ({ label, done }: { label: string; done: number }): void => {
      if (label === 'Writing files' && done === 20) abort.abort()
    }
    const work = temp.history.apply(rewindOf({ ...cases, 'made/x': { base: 'robot', target: null }, 'new/y': { base: null, target: 'old' } }), null, { signal: abort.signal, progress })
    await expect(work).rejects.toMatchObject({ code: 'CANCELLED', message: 'Cancelled. Every file is as it was before.' })
    expect([temp.tree(), temp.history.journal.operations().map((each) => each.end?.outcome), temp.history.journal.undoStack()]).toEqual([before, ['interrupted'], []])
  })

  it('does nothing at all when it is cancelled before the first write', async () => {
    temp.put('a', 'robot')
    await expect(temp.history.apply(rewindOf({ a: { base: 'robot', target: 'old' } }), null, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect([temp.tree(), temp.history.journal.operations()]).toEqual([{ a: '644 robot' }, []])
  })

  it('runs one operation at a time on a workspace', async () => {
    temp.put('a', 'robot')
    const rewind = rewindOf({ a: { base: 'robot', target: 'old' } })
    const second = await temp.reopen()
    const results = await Promise.allSettled([temp.history.apply(rewind, null), second.apply(rewind, null)])
    expect(results.map((result) => (result.status === 'rejected' ? (result.reason as { code: string }).code : result.status)).sort()).toEqual(['REWIND_RUNNING', 'fulfilled'])
  })
})

describe('preview', () => {
  it('shows lines, badges and reasons, and writes nothing', async () => {
    temp.put('printer.ini', 'a\r\nnew\r\n')
    temp.put('logo.png', { bytes: Buffer.from('\0png') })
    temp.put('run.sh', { text: 'x\n', mode: 0o644 })
    const before = temp.tree()
    const { files, planHash } = await temp.history.preview(
      rewindOf({
        'printer.ini': { base: 'a\r\nnew\r\n', target: 'a\r\nold\r\n' },
        'logo.png': { base: { bytes: Buffer.from('\0png') }, target: null, turn: 'turn 6' },
        'run.sh': { base: 'x\n', target: { text: 'x\n', mode: 0o755 } },
        'lost.csv': { base: null, target: { unknown: 'backup-failed' } },
      }),
    )
    expect(files.map(({ path, action, reason, stat, badges }) => ({ path, action, reason, stat, badges }))).toEqual([
      { path: 'logo.png', action: 'delete', reason: 'Created in turn 6', stat: null, badges: [{ kind: 'binary', beforeBytes: 4, afterBytes: null }] },
      { path: 'lost.csv', action: 'cannot', reason: 'Its backup failed when it was made', stat: null, badges: [{ kind: 'unknown', side: 'after', reason: 'backup-failed' }] },
      {
        path: 'printer.ini',
        action: 'restore',
        reason: 'Back to turn 4, line ends stay CRLF',
        stat: { insertions: 1, deletions: 1 },
        badges: [{ kind: 'line-ends', before: 'crlf', after: 'crlf' }],
      },
      { path: 'run.sh', action: 'restore', reason: 'Mode back to 755', stat: { insertions: 0, deletions: 0 }, badges: [{ kind: 'mode', before: 0o644, after: 0o755 }] },
    ])
    expect([planHash.length, temp.tree(), temp.history.journal.operations()]).toEqual([64, before, []])
  })

  it('gives the three texts of a file, and its conflicts with their lines', async () => {
    temp.put('total.ts', 'top\na\nmine\nc\nd\ne\n')
    const cases = { 'total.ts': { base: 'a\nb\nc\nd\ne\n', target: 'a\nold\nc\nd\nE\n' } }
    expect(await temp.history.fileTexts(rewindOf(cases), workspacePath('total.ts'))).toEqual({
      path: 'total.ts',
      target: { kind: 'text', text: 'a\nold\nc\nd\nE\n', sizeBytes: 12 },
      base: { kind: 'text', text: 'a\nb\nc\nd\ne\n', sizeBytes: 10 },
      disk: { kind: 'text', text: 'top\na\nmine\nc\nd\ne\n', sizeBytes: 17 },
      result: { kind: 'text', text: 'top\na\nc\nd\nE\n', sizeBytes: 12 },
      conflicts: [{ targetLine: 2, baseLine: 2, diskLine: 3, resultLine: 3, targetText: 'old\n', baseText: 'b\n', diskText: 'mine\n' }],
    })
  })

  it('shows what a file becomes when it is deleted, recreated, or left', async () => {
    temp.put('made', 'robot')
    temp.put('mine', 'mine')
    const rewind = rewindOf({ made: { base: 'robot', target: null }, gone: { base: null, target: 'old' }, mine: { base: 'old', target: 'old' } })
    const results = await Promise.all(pathsOf('made', 'gone', 'mine').map(async (path) => (await temp.history.fileTexts(rewind, path)).result))
    expect(results).toEqual([{ kind: 'absent' }, { kind: 'text', text: 'old', sizeBytes: 3 }, null])
  })
})

describe('rewind, on a disk that refuses', () => {
  it('names a file that cannot be written and does the others', async () => {
    temp.put('open/a', 'robot')
    temp.put('shut/b', 'robot')
    chmodSync(temp.at('shut'), 0o555)
    const receipt = await temp.rewind({ 'open/a': { base: 'robot', target: 'old' }, 'shut/b': { base: 'robot', target: 'old' } })
    chmodSync(temp.at('shut'), 0o755)
    const isRoot = process.getuid?.() === 0
    expect(resultsOf(receipt)).toEqual({ 'open/a': 'restore restored', 'shut/b': isRoot ? 'restore restored' : 'restore failed PERMISSION_DENIED' })
  })

  it('writes nothing when the snapshot of now cannot be kept', async () => {
    temp.put('a', 'robot')
    rmSync(join(temp.data, 'backups/packs'), { recursive: true })
    await expect(temp.rewind({ a: { base: 'robot', target: 'old' } })).rejects.toMatchObject({ name: 'ReviewError' })
    expect(temp.tree()).toEqual({ a: '644 robot' })
  })

  it('writes nothing when the journal cannot be written', async () => {
    temp.put('a', 'robot')
    writeFileSync(join(temp.data, 'operations'), 'in the way')
    await expect(temp.rewind({ a: { base: 'robot', target: 'old' } })).rejects.toMatchObject({ name: 'ReviewError' })
    expect(temp.tree()).toEqual({ a: '644 robot' })
  })
})
