import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import type { FileState } from '../../shared/file-state.js'
import { silentLog } from '../base/log.js'
import { openDataFolder } from '../base/settings.js'
import { Random } from '../testing/random.js'
import { openWorkspace } from '../workspace/workspace.js'
import { openBackupStore, type BackupStore } from './backup-store.js'
import { openWorkspaceIndex, type WorkspaceIndex } from './workspace-index.js'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const rounds = Number(process.env['ROUNDS'] ?? 50)

const folders = ['', 'src', 'src/deep', 'Größe', 'a b', 'build', 'lib/x/y']
const names = ['one.ts', 'two.md', 'with "quote".txt', 'tab\there', '-dash', 'ü -> ö', 'line\nbreak', 'made.log', ':(top)x']

/** The tree as it truly is, read without any of the code under test: `f<mode> <bytes>` or `l <target>`. */
type Truth = ReadonlyMap<string, string>

function truthOf(root: string, isIgnored: (path: string) => boolean, folder = '', truth = new Map<string, string>()): Truth {
  for (const name of readdirSync(join(root, folder))) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (name === '.git' || isIgnored(path)) continue
    const stats = lstatSync(join(root, path))
    if (stats.isDirectory()) truthOf(root, isIgnored, path, truth)
    else if (stats.isSymbolicLink()) truth.set(path, `l ${readlinkSync(join(root, path))}`)
    else truth.set(path, `f${(stats.mode & 0o777).toString(8)} ${readFileSync(join(root, path), 'latin1')}`)
  }
  return truth
}

async function shown(store: BackupStore, state: FileState): Promise<string> {
  if (state.kind === 'absent') return 'absent'
  if (state.kind === 'link') return `l ${state.target}`
  if (state.kind !== 'file') return JSON.stringify(state)
  const bytes = Buffer.from(await store.readBlob(state.sha256))
  return `f${(state.mode ?? 0).toString(8)} ${bytes.toString('latin1')}`
}

class Dice extends Random {
  #serial = 0
  text(): string {
    return `content ${this.chance(50) ? this.below(5) : ++this.#serial}\n`.repeat(1 + this.below(4))
  }
}

/** One thing that a shell command may do. */
function act(dice: Dice, root: string): void {
  const pick = (): string => {
    const folder = dice.pick(folders)
    return join(root, folder, dice.pick(names))
  }
  const path = pick()
  const isParentUsable = (file: string): boolean => {
    try {
      mkdirSync(dirname(file), { recursive: true })
      return true
    } catch {
      return false
    }
  }
  if (!isParentUsable(path)) return
  const there = lstatSync(path, { throwIfNoEntry: false })
  switch (dice.below(12)) {
    case 0:
    case 1:
    case 2:
      if (!there?.isDirectory() && !there?.isSymbolicLink()) writeFileSync(path, dice.text())
      return
    case 3:
      // The same length, and the old time: what a check of size and time does not see.
      if (there?.isFile()) {
        const bytes = readFileSync(path)
        if (bytes[0] !== undefined) bytes[0] ^= 1
        writeFileSync(path, bytes)
        utimesSync(path, there.atime, there.mtime)
      }
      return
    case 4:
      rmSync(path, { recursive: true, force: true })
      return
    case 5: {
      const to = pick()
      if (there && isParentUsable(to) && !to.startsWith(`${path}/`) && !lstatSync(to, { throwIfNoEntry: false })?.isDirectory() && !there.isDirectory()) renameSync(path, to)
      return
    }
    case 6:
      if (there?.isFile()) chmodSync(path, dice.pick([0o644, 0o755, 0o600]))
      return
    case 7:
      rmSync(path, { recursive: true, force: true })
      symlinkSync(dice.pick(['nowhere', '.', 'src/one.ts', '/etc']), path)
      return
    case 8: {
      // A folder becomes a file, or a file a folder.
      rmSync(path, { recursive: true, force: true })
      mkdirSync(join(path, 'inner'), { recursive: true })
      writeFileSync(join(path, 'inner', 'f'), dice.text())
      return
    }
    case 9: {
      const folder = join(root, dice.pick(folders.slice(1)))
      if (existsSync(folder) && statSync(folder).isDirectory()) {
        const other = join(root, `moved-${dice.below(3)}`)
        rmSync(other, { recursive: true, force: true })
        renameSync(folder, other)
        if (dice.chance(50)) renameSync(other, folder)
      }
      return
    }
    case 10:
      if (dice.chance(30)) rmSync(join(root, dice.pick(folders.slice(1))), { recursive: true, force: true })
      return
    case 11:
      if (there?.isFile()) {
        appendFileSync(path, 'x')
        writeFileSync(path, readFileSync(path))
      }
      return
  }
}

interface Setting {
  readonly name: string
  readonly isGit: boolean
  readonly isWatching: boolean
  readonly wholeLookFiles: number
}

const settings: readonly Setting[] = [
  { name: 'git, watching', isGit: true, isWatching: true, wholeLookFiles: 0 },
  { name: 'git, looking at all', isGit: true, isWatching: false, wholeLookFiles: 0 },
  { name: 'no git, watching', isGit: false, isWatching: true, wholeLookFiles: 0 },
  { name: 'no git, looking at all', isGit: false, isWatching: true, wholeLookFiles: 1000 },
]

/** Returns how many rounds it has compared. */
async function play(dice: Dice, setting: Setting): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-index-'))
  const root = join(folder, 'ws')
  let index: WorkspaceIndex | null = null
  try {
    mkdirSync(root)
    openDataFolder(join(folder, 'data'))
    writeFileSync(join(root, '.gitignore'), '*.log\nbuild/\n')
    for (let at = 0; at < 40; at++) act(dice, root)
    if (setting.isGit) {
      execFileSync('git', ['init', '-q'], { cwd: root })
      execFileSync('git', ['add', '-A'], { cwd: root })
      for (let at = 0; at < 5; at++) act(dice, root)
    }
    const workspace = await openWorkspace(root)
    const store = await openBackupStore(join(folder, 'data'))
    index = await openWorkspaceIndex({
      workspace,
      store,
      dataFolder: join(folder, 'data'),
      log: silentLog,
      isWatching: setting.isWatching,
      limits: { wholeLookFiles: setting.wholeLookFiles, sweepMs: dice.pick([0, 60_000]) },
    })
    await index.whenCopied()
    const isIgnored = (path: string): boolean => path.endsWith('.log') || (path.split('/').includes('build') && lstatSync(join(root, path)).isDirectory())
    let before = truthOf(root, isIgnored)
    for (let round = 0; round < rounds; round++) {
      const own = new Map<string, string>()
      for (let at = dice.below(8); at > 0; at--) act(dice, root)
      if (dice.chance(20)) {
        const path = `own/${dice.below(3)}.txt`
        mkdirSync(join(root, 'own'), { recursive: true })
        writeFileSync(join(root, path), dice.text())
        const bytes = readFileSync(join(root, path))
        const mode = lstatSync(join(root, path)).mode & 0o777
        index.adopt(workspacePath(path), { kind: 'file', sha256: await store.put(bytes), sizeBytes: bytes.length, mode })
        own.set(path, `f${mode.toString(8)} ${bytes.toString('latin1')}`)
        if (dice.chance(30)) writeFileSync(join(root, path), dice.text())
      }
      if (dice.chance(10)) {
        const aborted = AbortSignal.timeout(dice.below(4))
        await index.settle(aborted).then(
          () => {
            before = truthOf(root, isIgnored)
            own.clear()
          },
          (thrown: unknown) => expect(thrown).toMatchObject({ code: 'CANCELLED' }),
        )
      }
      const now = truthOf(root, isIgnored)
      const { changes, isComplete, limits } = await index.settle()
      const got = new Map<string, string>()
      // Folders by themselves are no part of the truth below: what is told of one must be so now.
      const isFolder = (path: string): boolean => lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true
      const [folders, others] = [changes.filter(({ before: was, after }) => was.kind === 'folder' || after.kind === 'folder'), changes.filter(({ before: was, after }) => was.kind !== 'folder' && after.kind !== 'folder')]
      expect(folders.filter(({ path, after }) => isFolder(path) !== (after.kind === 'folder'))).toEqual([])
      for (const { path, before: was, after } of others) got.set(path, `${await shown(store, was)} => ${await shown(store, after)}`)
      const wanted = new Map<string, string>()
      const base = new Map([...before, ...own])
      for (const path of [...new Set([...base.keys(), ...now.keys()])].sort()) {
        const was = base.get(path) ?? 'absent'
        const is = now.get(path) ?? 'absent'
        if (was !== is) wanted.set(path, `${was} => ${is}`)
      }
      expect({ round, got: Object.fromEntries([...got].sort()), isComplete, limits }).toEqual({ round, got: Object.fromEntries([...wanted].sort()), isComplete: true, limits: [] })
      before = now
    }
    return rounds
  } finally {
    await index?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('settle, after any chain of changes', () => {
  afterAll(() => process.stdout.write(`workspace-index-random: SEED=${seed}, ${settings.length} x ${rounds} rounds\n`))

  it.each(settings.map((setting, at) => [setting.name, setting, at] as const))('finds exactly what is true (%s)', { timeout: 120_000 }, async (_, setting, at) => {
    expect(await play(new Dice(seed + at), setting)).toBe(rounds)
  })
})
