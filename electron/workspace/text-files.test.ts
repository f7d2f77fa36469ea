import { type Stats, chmodSync, chownSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hardLimitBytes } from './text-decoding.js'
import { asideOf, deleteFile, isUntouched, makeParents, parentsOf, putContent, readBytes, removeEmptyFolder, setMode, sha256Of, stateAt } from './text-files.js'
import { openWorkspace, type Workspace } from './workspace.js'

const isRoot = process.getuid?.() === 0
let root = ''
let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace(mkdtempSync(join(tmpdir(), 'files-')))
  root = workspace.root
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (path: string): string => join(root, path)
const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8')
const mode = (path: string): number => lstatSync(at(path)).mode & 0o777

async function put(path: string, text: string, newMode: number | null = null): Promise<void> {
  const place = workspace.resolveInside(path)
  await putContent(place, path, { kind: 'bytes', bytes: bytes(text), mode: newMode }, at('aside.tmp'), place.stats)
}

describe('stateAt', () => {
  it('tells files, links, folders and nothing apart', async () => {
    writeFileSync(at('a'), 'one')
    chmodSync(at('a'), 0o640)
    symlinkSync('nowhere', at('link'))
    mkdirSync(at('folder'))
    const states = await Promise.all(['a', 'link', 'folder', 'gone'].map((path) => stateAt(workspace.resolveInside(path))))
    expect(states).toEqual([
      { kind: 'file', sha256: sha256Of(bytes('one')), sizeBytes: 3, mode: 0o640 },
      { kind: 'link', target: 'nowhere' },
      { kind: 'folder' },
      { kind: 'absent' },
    ])
  })

  it('hashes a file that is too large to be read whole', async () => {
    writeFileSync(at('large'), '')
    truncateSync(at('large'), hardLimitBytes + 1)
    expect(await stateAt(workspace.resolveInside('large'))).toMatchObject({ kind: 'file', sizeBytes: hardLimitBytes + 1 })
  })

  it.skipIf(isRoot)('says unknown, never absent, for what it may not read', async () => {
    writeFileSync(at('a'), 'one')
    chmodSync(at('a'), 0)
    expect(await stateAt(workspace.resolveInside('a'))).toEqual({ kind: 'unknown', reason: 'unreadable' })
  })

  it('says unknown when a pipe or folder took the place after the look', async () => {
    writeFileSync(at('a'), 'one')
    const place = workspace.resolveInside('a')
    rmSync(at('a'))
    mkdirSync(at('a'))
    expect(await stateAt(place)).toEqual({ kind: 'unknown', reason: 'unreadable' })
  })

  it('stops when its signal has fired', async () => {
    writeFileSync(at('a'), 'one')
    await expect(stateAt(workspace.resolveInside('a'), AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

describe('readBytes', () => {
  it('reads small and large files whole', async () => {
    const large = Buffer.alloc(5_000_000, 'abc')
    writeFileSync(at('large'), large)
    writeFileSync(at('empty'), '')
    const read = async (path: string): Promise<string> => sha256Of((await readBytes(workspace.resolveInside(path), path)).bytes)
    expect([await read('large'), await read('empty')]).toEqual([sha256Of(large), sha256Of(bytes(''))])
  })

  it('refuses what is beyond the limit, gone, or a link', async () => {
    writeFileSync(at('a'), 'one')
    const place = workspace.resolveInside('a')
    await expect(readBytes(place, 'a', 2)).rejects.toMatchObject({ code: 'FILE_OVERSIZED', details: { sizeBytes: 3 } })
    rmSync(at('a'))
    await expect(readBytes(place, 'a')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    symlinkSync('/etc/passwd', at('a'))
    await expect(readBytes(place, 'a')).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  })
})

describe('putContent', () => {
  it('replaces the file, keeps its mode or sets the given one, and leaves nothing aside', async () => {
    writeFileSync(at('build.sh'), 'old')
    chmodSync(at('build.sh'), 0o755)
    writeFileSync(at('secret'), 'old')
    chmodSync(at('secret'), 0o644)
    await put('build.sh', 'new')
    await put('secret', 'new', 0o600)
    await put('fresh', 'new', 0o666)
    expect([readFileSync(at('build.sh'), 'utf8'), mode('build.sh'), mode('secret'), mode('fresh'), readdirSync(root).sort()]).toEqual([
      'new',
      0o755,
      0o600,
      0o666,
      ['build.sh', 'fresh', 'secret'],
    ])
  })

  it('replaces a link by a file, a file by a link, and never writes through one', async () => {
    writeFileSync(at('precious'), 'precious')
    symlinkSync('precious', at('a'))
    writeFileSync(at('b'), 'file')
    await put('a', 'new')
    const place = workspace.resolveInside('b')
    await putContent(place, 'b', { kind: 'link', target: '../elsewhere' }, at('aside.tmp'), place.stats)
    expect([readFileSync(at('precious'), 'utf8'), lstatSync(at('a')).isFile(), readlinkSync(at('b'))]).toEqual(['precious', true, '../elsewhere'])
  })

  it('leaves a file that changed since the look, a new one in an empty place too', async () => {
    writeFileSync(at('a'), 'seen')
    const [seen, empty] = [workspace.resolveInside('a'), workspace.resolveInside('b')]
    writeFileSync(at('a'), 'typed')
    writeFileSync(at('b'), 'typed')
    const content = { kind: 'bytes', bytes: bytes('new'), mode: null } as const
    await expect(putContent(seen, 'a', content, at('aside.tmp'), seen.stats)).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    await expect(putContent(empty, 'b', content, at('aside.tmp'), empty.stats)).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8'), readdirSync(root).sort()]).toEqual(['typed', 'typed', ['a', 'b']])
  })

  it('does not take over a file that already stands aside', async () => {
    writeFileSync(at('aside.tmp'), "somebody's")
    await expect(put('a', 'new')).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
    expect(readFileSync(at('aside.tmp'), 'utf8')).toBe("somebody's")
  })

  it('leaves other hard links with the old bytes', async () => {
    writeFileSync(at('a'), 'old')
    linkSync(at('a'), at('twin'))
    await put('a', 'new')
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('twin'), 'utf8')]).toEqual(['new', 'old'])
  })

  it.runIf(isRoot)('keeps the owner as root, and gives a new file the owner of its folder', async () => {
    mkdirSync(at('theirs'))
    chownSync(at('theirs'), 1234, 1235)
    writeFileSync(at('theirs/a'), 'old')
    chownSync(at('theirs/a'), 1236, 1237)
    await put('theirs/a', 'new')
    await put('theirs/b', 'new')
    await makeParents(workspace, 'theirs/new/c', () => null)
    const owners = ['theirs/a', 'theirs/b', 'theirs/new'].map((path) => [lstatSync(at(path)).uid, lstatSync(at(path)).gid])
    expect(owners).toEqual([[1236, 1237], [1234, 1235], [1234, 1235]])
  })
})

describe('deleting, modes and folders', () => {
  it('deletes and changes modes only while nothing changed', async () => {
    writeFileSync(at('a'), 'a')
    writeFileSync(at('b'), 'b')
    const [a, b] = [workspace.resolveInside('a'), workspace.resolveInside('b')]
    await setMode(a, 'a', 0o700, a.stats)
    const after = mode('a')
    writeFileSync(at('b'), 'bb')
    await expect(deleteFile(b, 'b', b.stats, asideOf(b, 'op', 0))).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    await expect(setMode(b, 'b', 0, b.stats)).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    const again = workspace.resolveInside('a')
    await deleteFile(again, 'a', again.stats, asideOf(again, 'op', 0))
    expect([after, readdirSync(root)]).toEqual([0o700, ['b']])
  })

  it('makes missing folders with the mode that they had, and removes only empty ones', async () => {
    const place = await makeParents(workspace, 'x/y/z.ts', (folder) => (folder === 'x' ? 0o700 : null))
    expect([place.folder, mode('x'), lstatSync(at('x/y')).isDirectory()]).toEqual([at('x/y'), 0o700, true])
    writeFileSync(at('x/mine'), '')
    expect(await Promise.all(['x/y', 'x'].map((path) => removeEmptyFolder(workspace.resolveInside(path), path)))).toEqual([true, false])
  })

  it('makes no folder through a link', async () => {
    mkdirSync(at('real'))
    symlinkSync('real', at('alias'))
    await expect(makeParents(workspace, 'alias/new/a', () => null)).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE' })
    expect(readdirSync(at('real'))).toEqual([])
  })

  it('lists the folders above a path, innermost first', () => {
    expect([parentsOf('a/b/c'), parentsOf('a')]).toEqual([['a/b', 'a'], []])
  })
})

describe('isUntouched', () => {
  it('sees a write, a replacement, a mode, a coming and a going', () => {
    writeFileSync(at('a'), 'a')
    const look = (): Stats => lstatSync(at('a'))
    const before = look()
    const same = isUntouched(before, look())
    chmodSync(at('a'), 0o600)
    const touched = look()
    expect([same, isUntouched(before, touched), isUntouched(null, touched), isUntouched(touched, null), isUntouched(null, null)]).toEqual([true, false, false, false, true])
  })
})
