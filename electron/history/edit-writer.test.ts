import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import type { LedgerChange } from '../../shared/ledger.js'
import { silentLog } from '../base/log.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { sha256Of } from '../workspace/text-files.js'
import { openWorkspace } from '../workspace/workspace.js'
import { openBackupStore } from './backup-store.js'
import { createEditWriter, recoverEdits, type EditChange, type EditNote, type RecoveredEdit, type WrittenEdit } from './edit-writer.js'

// A small file system of its own can only be mounted by root on Linux.
const base = mkdtempSync(join(tmpdir(), 'edit-writer-'))
const small = join(base, 'small')
const canMount = tryMount()
if (!canMount) process.stdout.write('edit-writer: part of it skipped, no file system can be mounted here\n')

function tryMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    mkdirSync(small)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', small], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

afterAll(() => {
  if (canMount) execFileSync('umount', [small])
  rmSync(base, { recursive: true, force: true })
})

const note: EditNote = { log: '/no/log', promptId: 'p', callId: 'c' }
let folders = 0

/** A writer over a folder, and edits by their texts: `null` deletes. */
async function writerOn(parent: string, dataParent: string, files: Readonly<Record<string, string>>) {
  const root = join(parent, `ws${++folders}`)
  const data = join(dataParent, `data${folders}`)
  for (const folder of [root, data]) mkdirSync(folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const workspace = await openWorkspace(root)
  const store = await openBackupStore(data)
  const disk = createDiskStates()
  const writer = createEditWriter({ dataFolder: data, workspace, store, disk, log: silentLog })
  const change = async (path: string, text: string | null): Promise<EditChange> => {
    const place = workspace.resolveInside(path)
    const before = await disk.lookAndKeep(place)
    const bytes = text === null ? null : Buffer.from(text)
    return { path: workspacePath(path), before, bytes, after: bytes ? { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode: null } : { kind: 'absent' } }
  }
  return {
    root,
    data,
    tree: (): Record<string, string> =>
      Object.fromEntries(readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((each) => (each.isFile() ? [[join(each.parentPath, each.name).slice(root.length + 1), readFileSync(join(each.parentPath, each.name), 'utf8').slice(0, 20)]] : []))),
    notes: (): readonly string[] => (existsSync(join(data, 'edits')) ? readdirSync(join(data, 'edits')) : []),
    plan: (edits: Readonly<Record<string, string | null>>) => Promise.all(Object.entries(edits).map(([path, text]) => change(path, text))),
    write: (changes: readonly EditChange[], settled: (changes: readonly LedgerChange[]) => Promise<void> = () => Promise.resolve()): Promise<WrittenEdit> => writer.write(note, changes, settled),
    recover: async (isNoted = false): Promise<readonly RecoveredEdit[]> => {
      const recovered: RecoveredEdit[] = []
      await recoverEdits({ dataFolder: data, store, disk: createDiskStates(), log: silentLog }, { isNoted: () => Promise.resolve(isNoted), settled: async (edit) => void recovered.push(edit) })
      return recovered
    },
  }
}

/** What an undone edit says. */
const undone = (result: WrittenEdit): unknown => (result.kind === 'undone' ? [(result.cause as { readonly code?: string }).code, result.stuck.map(({ path }) => path)] : result.kind)

describe('an edit writer', () => {
  it('writes all files of an edit, with the folders that they need, and leaves no note', async () => {
    const on = await writerOn(base, base, { a: 'one', gone: 'gone' })
    const result = await on.write(await on.plan({ a: 'two', gone: null, 'x/y/new': 'new' }))
    expect([result.kind === 'written' && result.madeFolders, on.tree(), on.notes()]).toEqual([['x', 'x/y'], { a: 'two', 'x/y/new': 'new' }, []])
  })

  it('puts everything back when a later file has changed, or the edit cannot be noted', async () => {
    const on = await writerOn(base, base, { a: 'one', b: 'one' })
    const plan = await on.plan({ a: 'two', b: 'two', 'x/new': 'new' })
    writeFileSync(join(on.root, 'b'), 'mine')
    const first = await on.write(plan)
    const second = await on.write(await on.plan({ a: 'two', 'x/new': 'new' }), () => Promise.reject(new Error('The log is full.')))
    expect([undone(first), undone(second), on.tree(), existsSync(join(on.root, 'x')), on.notes()]).toEqual([['FILE_CHANGED_SINCE_READ', []], [undefined, []], { a: 'one', b: 'mine' }, false, []])
  })

  it('writes over nothing that came to be meanwhile', async () => {
    const on = await writerOn(base, base, {})
    const plan = await on.plan({ new: 'theirs' })
    writeFileSync(join(on.root, 'new'), 'mine')
    expect([undone(await on.write(plan)), on.tree()]).toEqual([['FILE_CHANGED_SINCE_READ', []], { new: 'mine' }])
  })
})

describe('recovery', () => {
  /** An edit whose process "died" before it was noted, or after. */
  async function cutOff(): ReturnType<typeof writerOn> {
    const on = await writerOn(base, base, { a: 'one', b: 'one' })
    const plan = await on.plan({ a: 'two', b: 'two' })
    await new Promise<void>((resolve) => void on.write(plan, () => (resolve(), new Promise(() => undefined))))
    return on
  }

  it('tells of an edit that stands whole, and puts any other back', async () => {
    const whole = await cutOff()
    const half = await cutOff()
    writeFileSync(join(half.root, 'b'), 'one')
    expect([(await whole.recover()).map(({ changes }) => changes.length), whole.tree(), (await half.recover()).map(({ changes }) => changes.length), half.tree(), whole.notes(), half.notes()]).toEqual([
      [2],
      { a: 'two', b: 'two' },
      [0],
      { a: 'one', b: 'one' },
      [],
      [],
    ])
  })

  it('leaves an edit that was noted before as it is, whatever was typed since', async () => {
    const on = await cutOff()
    writeFileSync(join(on.root, 'b'), 'mine')
    expect([await on.recover(true), on.tree(), on.notes()]).toEqual([[], { a: 'two', b: 'mine' }, []])
  })

  it('leaves what somebody typed into a file of an edit that it puts back', async () => {
    const on = await cutOff()
    writeFileSync(join(on.root, 'b'), 'mine')
    await on.recover()
    expect([on.tree(), on.notes()]).toEqual([{ a: 'one', b: 'mine' }, []])
  })

  it('removes notes that were cut off or damaged, and keeps those whose folder is not here', async () => {
    const on = await cutOff()
    for (const name of ['x.json.ab12.tmp', 'torn.json']) writeFileSync(join(on.data, 'edits', name), '{"id":')
    const moved = `${on.root}-moved`
    execFileSync('mv', [on.root, moved])
    await on.recover()
    const kept = on.notes().length
    execFileSync('mv', [moved, on.root])
    await on.recover()
    expect([kept, on.notes(), on.tree()]).toEqual([1, [], { a: 'two', b: 'two' }])
  })
})

describe.runIf(canMount)('on a disk that is full, or read-only', () => {
  const large = 'y'.repeat(600_000)

  it('nothing of an edit is written, whichever of its files does not fit', async () => {
    const on = await writerOn(small, base, { a: 'one', b: 'one' })
    const result = await on.write(await on.plan({ a: 'two', b: large }))
    expect([undone(result), on.tree(), readdirSync(on.root).sort(), on.notes()]).toEqual([['DISK_FULL', []], { a: 'one', b: 'one' }, ['a', 'b'], []])
  })

  it('nothing is written where its backup does not fit', async () => {
    const on = await writerOn(base, small, { a: 'one' })
    const result = await on.write(await on.plan({ a: large }))
    expect([undone(result), on.tree(), on.notes()]).toEqual([['DISK_FULL', []], { a: 'one' }, []])
    rmSync(on.data, { recursive: true })
  })

  it('what could not be put back is named, and put back by the next start', async () => {
    const on = await writerOn(small, base, { a: 'one', b: 'one' })
    const plan = await on.plan({ a: 'two', b: 'two' })
    const result = await on.write(plan, () => {
      execFileSync('mount', ['-o', 'remount,ro', small])
      return Promise.reject(new Error('The log is gone.'))
    })
    execFileSync('mount', ['-o', 'remount,rw', small])
    const after = on.tree()
    const recovered = await on.recover()
    expect([undone(result), after, recovered.map(({ isWritten, changes }) => [isWritten, changes.length]), on.tree(), on.notes()]).toEqual([[undefined, ['a', 'b']], { a: 'two', b: 'two' }, [[false, 2]], { a: 'one', b: 'one' }, []])
  })

  it('a read-only folder is named', async () => {
    const on = await writerOn(small, base, { a: 'one' })
    const plan = await on.plan({ a: 'two' })
    execFileSync('mount', ['-o', 'remount,ro', small])
    try {
      expect([undone(await on.write(plan)), on.tree()]).toEqual([['PERMISSION_DENIED', []], { a: 'one' }])
    } finally {
      execFileSync('mount', ['-o', 'remount,rw', small])
    }
  })
})

describe('a file whose permissions are odd', () => {
  it('is written with the mode that it has', async () => {
    const on = await writerOn(base, base, { a: 'one' })
    chmodSync(join(on.root, 'a'), 0o000)
    const result = await on.write(await on.plan({ a: 'two' }))
    expect(result.kind === 'written' || undone(result)).toEqual(process.getuid?.() === 0 ? true : expect.anything())
  })
})
