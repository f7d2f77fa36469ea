import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath } from '../../shared/ids.js'
import { silentLog } from '../base/log.js'
import { openDataFolder } from '../base/settings.js'
import { sha256Of } from '../workspace/text-files.js'
import { openWorkspace } from '../workspace/workspace.js'
import { openBackupStore, type BackupStore } from './backup-store.js'
import { openWorkspaceIndex, type DiskChanges, type IndexLimits, type WorkspaceIndex } from './workspace-index.js'

const queueFile = '/proc/sys/fs/inotify/max_queued_events'
const watching: Partial<IndexLimits> = { wholeLookFiles: 0 }
const queueLength = existsSync(queueFile) ? Number(readFileSync(queueFile, 'utf8')) : 0

class TempIndex {
  readonly folder = mkdtempSync(join(tmpdir(), 'overturn-index-'))
  readonly root = join(this.folder, 'ws')
  #store: BackupStore | null = null
  #index: WorkspaceIndex | null = null

  constructor(files: Readonly<Record<string, string>>) {
    mkdirSync(this.root)
    openDataFolder(join(this.folder, 'data'))
    this.write(files)
  }

  at(path: string): string {
    return join(this.root, path)
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(this.at(path)), { recursive: true })
      writeFileSync(this.at(path), text)
    }
  }

  git(...args: readonly string[]): void {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], { cwd: this.root })
  }

  commitAll(): void {
    this.git('init', '-q')
    this.git('add', '-A')
    this.git('commit', '-qm', 'base')
  }

  /** Stages everything later than it was written, so that git's index alone says that it is clean. */
  async stageClean(): Promise<void> {
    await untilPast(60)
    this.git('add', '-A')
    await untilPast(60)
    this.git('update-index', '--refresh', '--force-write-index')
  }

  async open(limits: Partial<IndexLimits> = watching, onHint?: () => void, isWatching = true): Promise<WorkspaceIndex> {
    this.#store = await openBackupStore(join(this.folder, 'data'))
    const workspace = await openWorkspace(this.root)
    this.#index = await openWorkspaceIndex({ workspace, store: this.#store, dataFolder: join(this.folder, 'data'), log: silentLog, limits, onHint, isWatching })
    await this.#index.whenCopied()
    return this.#index
  }

  /** Each change as `before => after`. */
  async settled(): Promise<Record<string, string>> {
    return this.shown(await this.index().settle())
  }

  async shown({ changes }: DiskChanges): Promise<Record<string, string>> {
    const shown: Record<string, string> = {}
    for (const { path, before, after } of changes) shown[path] = `${await this.#show(before)} => ${await this.#show(after)}`
    return shown
  }

  async #show(state: FileState): Promise<string> {
    if (state.kind === 'unknown') return `unknown ${state.reason}`
    if (state.kind === 'link') return `link ${state.target}`
    if (state.kind !== 'file') return state.kind
    const bytes = await this.#store?.readBlob(state.sha256)
    return `${(state.mode ?? 0).toString(8)} ${Buffer.from(bytes ?? []).toString('latin1')}`
  }

  index(): WorkspaceIndex {
    if (!this.#index) throw new Error('open first')
    return this.#index
  }

  store(): BackupStore {
    if (!this.#store) throw new Error('open first')
    return this.#store
  }

  async dispose(): Promise<void> {
    await this.#index?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const opened: TempIndex[] = []
function temp(files: Readonly<Record<string, string>> = {}): TempIndex {
  const index = new TempIndex(files)
  opened.push(index)
  return index
}
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose()
})

describe('empty folders', () => {
  it.each([['watched', watching], ['looked at', {}]] as const)('are noted where they come or go, and as gone where they were noted before: %s', async (_how, limits) => {
    const ws = temp({ 'a/x': 'x\n', 'full/y': 'y\n' })
    mkdirSync(ws.at('was/empty'), { recursive: true })
    await ws.open(limits)
    mkdirSync(ws.at('made/deep'), { recursive: true })
    mkdirSync(ws.at('a/new'))
    rmSync(ws.at('was/empty'), { recursive: true })
    rmSync(ws.at('full'), { recursive: true })
    const first = await ws.settled()
    ws.write({ 'a/new/z': 'z\n', 'later/q': 'q\n' })
    const second = await ws.settled()
    rmSync(ws.at('a/new'), { recursive: true })
    renameSync(ws.at('made'), ws.at('moved'))
    expect([first, second, await ws.settled(), await ws.settled()]).toEqual([
      { 'a/new': 'absent => folder', 'full/y': '644 y\n => absent', 'made/deep': 'absent => folder', 'was/empty': 'folder => absent' },
      { 'a/new/z': 'absent => 644 z\n', 'later/q': 'absent => 644 q\n' },
      { 'a/new': 'folder => absent', 'a/new/z': '644 z\n => absent', 'made/deep': 'folder => absent', 'moved/deep': 'absent => folder' },
      {},
    ])
  })

  it('are not told of where they are ignored, or hold what is', async () => {
    const ws = temp({ '.gitignore': 'out/\n*.log\n', 'a/x': 'x\n' })
    ws.commitAll()
    await ws.open()
    mkdirSync(ws.at('out/deep'), { recursive: true })
    ws.write({ 'logs/a.log': 'a\n' })
    expect(await ws.settled()).toEqual({})
  })
})

describe('settle in a git repository', () => {
  it('knows what clean files were from git alone', async () => {
    const ws = temp({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c/d.txt': 'three\n', 'run.sh': 'x\n' })
    symlinkSync('a.txt', ws.at('link'))
    ws.commitAll()
    const index = await ws.open()
    expect([index.facts().copies.files, index.facts().watch.kind, index.facts().isInGit]).toEqual([0, 'watching', true])
    appendFileSync(ws.at('a.txt'), 'more\n')
    rmSync(ws.at('b.txt'))
    renameSync(ws.at('c/d.txt'), ws.at('c/e.txt'))
    chmodSync(ws.at('run.sh'), 0o755)
    rmSync(ws.at('link'))
    symlinkSync('b.txt', ws.at('link'))
    expect(await ws.settled()).toEqual({
      'a.txt': '644 one\n => 644 one\nmore\n',
      'b.txt': '644 two\n => absent',
      'c/d.txt': '644 three\n => absent',
      'c/e.txt': 'absent => 644 three\n',
      link: 'link a.txt => link b.txt',
      'run.sh': '644 x\n => 755 x\n',
    })
    expect(await ws.settled()).toEqual({})
  })

  it('follows thousands of untracked files of one level, less those that are ignored', async () => {
    const ws = temp({ '.gitignore': '*.log\n', 'kept.txt': 'one\n' })
    ws.commitAll()
    const many = Array.from({ length: 5_400 }, (_, n) => [`new-${n % 40}/${n}.${n % 6 === 0 ? 'log' : 'txt'}`, ''] as const)
    ws.write(Object.fromEntries(many))
    const index = await ws.open({ ...watching, copyFileBytes: -1 })
    ws.write({ 'new-1/1.txt': 'A', 'new-39/5399.txt': 'B', 'new-0/0.log': 'C' })
    expect([index.facts().files, index.facts().folders, Object.keys(await ws.settled())]).toEqual([4_502, 41, ['new-1/1.txt', 'new-39/5399.txt']])
  })

  it('copies what git does not hold: dirty and untracked files', async () => {
    const ws = temp({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    ws.commitAll()
    ws.write({ 'a.txt': 'dirty\n', 'new.txt': 'untracked\n' })
    const index = await ws.open()
    expect(index.facts().copies).toEqual({ files: 2, bytes: 16, waiting: 0, tooLarge: 0, beyondLimit: 0 })
    ws.write({ 'a.txt': 'A\n', 'b.txt': 'B\n', 'new.txt': 'N\n' })
    expect(await ws.settled()).toEqual({ 'a.txt': '644 dirty\n => 644 A\n', 'b.txt': '644 two\n => 644 B\n', 'new.txt': '644 untracked\n => 644 N\n' })
  })

  it('needs no copy of a file that equals its blob, whatever its times say', async () => {
    const ws = temp({ 'a.txt': 'one\n' })
    ws.commitAll()
    utimesSync(ws.at('a.txt'), 1, 1)
    const index = await ws.open()
    ws.write({ 'a.txt': 'A\n' })
    expect([index.facts().copies.files, await ws.settled()]).toEqual([0, { 'a.txt': '644 one\n => 644 A\n' }])
  })

  it('takes no blob for a file that git converts, other than by line ends that all are alike', async () => {
    const ws = temp({ '.gitattributes': '*.rot filter=rot\n*.crlf text eol=crlf\n', 'a.rot': 'abc\n', 'b.crlf': 'one\r\ntwo\r\n', 'c.crlf': 'one\r\ntwo\n' })
    ws.git('init', '-q')
    ws.git('config', 'filter.rot.clean', 'tr a-c x-z')
    ws.git('config', 'filter.rot.smudge', 'tr x-z a-c')
    await ws.stageClean()
    const { copies } = (await ws.open()).facts()
    ws.write({ 'a.rot': 'A\n', 'b.crlf': 'B\n', 'c.crlf': 'C\n' })
    const { changes, limits } = await ws.index().settle()
    expect([copies.files, await ws.shown({ changes, limits, isComplete: true })]).toEqual([
      1,
      { 'a.rot': '644 abc\n => 644 A\n', 'b.crlf': '644 one\r\ntwo\r\n => 644 B\n', 'c.crlf': 'unknown no-record => 644 C\n' },
    ])
    expect(limits).toEqual(['git holds these in another form, so what was in these before is not known: c.crlf.'])
  })

  it('takes a rewrite with the same bytes for no change', async () => {
    const ws = temp({ 'a.txt': 'one\n' })
    ws.commitAll()
    ws.write({ 'b.txt': 'untracked\n' })
    await ws.open()
    for (const [path, text] of [['a.txt', 'one\n'], ['b.txt', 'untracked\n']] as const) {
      rmSync(ws.at(path))
      ws.write({ [path]: text })
    }
    expect(await ws.settled()).toEqual({})
    ws.write({ 'a.txt': 'A\n' })
    expect(await ws.settled()).toEqual({ 'a.txt': '644 one\n => 644 A\n' })
  })

  it('follows what git tracks although it is ignored, and nothing else below', async () => {
    const ws = temp({ 'out/tracked.txt': 'one\n', 'node_modules/a/b.js': 'x', '.gitignore': 'out/\nnode_modules/\n' })
    ws.git('init', '-q')
    ws.git('add', '-f', '.gitignore', 'out/tracked.txt')
    const index = await ws.open()
    ws.write({ 'out/tracked.txt': 'A\n', 'out/other.txt': 'x', 'node_modules/a/b.js': 'y', 'node_modules/c/d.js': 'y' })
    expect(await ws.settled()).toEqual({ 'out/tracked.txt': '644 one\n => 644 A\n' })
    expect([index.facts().folders, index.facts().ignoredFolders]).toEqual([2, ['node_modules']])
  })

  it('follows nested repositories and submodules, and leaves what git keeps alone', async () => {
    const ws = temp({ 'nested/a.txt': 'one\n', 'sub/b.txt': 'two\n', 'c.txt': 'three\n' })
    for (const folder of ['nested', 'sub', '.']) {
      ws.git('-C', folder, 'init', '-q')
      ws.git('-C', folder, '-c', 'advice.addEmbeddedRepo=false', 'add', folder === 'nested' ? 'a.txt' : folder === 'sub' ? 'b.txt' : 'sub')
      ws.git('-C', folder, 'commit', '-qm', 'base')
    }
    const before = gitFiles(ws.root)
    await ws.open()
    ws.write({ 'nested/a.txt': 'A\n', 'sub/b.txt': 'B\n' })
    expect(await ws.settled()).toEqual({ 'nested/a.txt': '644 one\n => 644 A\n', 'sub/b.txt': '644 two\n => 644 B\n' })
    expect(gitFiles(ws.root)).toEqual(before)
  })

  it('works in a folder of a repository, by the rules above it', async () => {
    const ws = temp({ '.gitignore': '*.log\n', 'part/a.txt': 'one\n', 'part/b.log': 'x' })
    ws.commitAll()
    const workspace = await openWorkspace(ws.at('part'))
    const store = await openBackupStore(join(ws.folder, 'data'))
    const index = await openWorkspaceIndex({ workspace, store, dataFolder: join(ws.folder, 'data'), log: silentLog, limits: watching })
    await index.whenCopied()
    ws.write({ 'part/a.txt': 'A\n', 'part/b.log': 'y', 'c.txt': 'outside' })
    const { changes } = await index.settle()
    await index.close()
    const state = (text: string): FileState => ({ kind: 'file', sha256: sha256Of(Buffer.from(text)), sizeBytes: text.length, mode: 0o644 })
    expect(changes).toEqual([{ path: 'a.txt', before: state('one\n'), after: state('A\n') }])
  })

  it('runs nothing that the repository configures', async () => {
    const ws = temp({ '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'a.txt': 'one\n', 'b.txt': 'two\n' })
    ws.commitAll()
    const mark = join(ws.folder, 'was-run')
    const evil = `touch '${mark}'`
    writeFileSync(join(ws.folder, 'evil.sh'), `#!/bin/sh\n${evil}\n`, { mode: 0o755 })
    for (const [name, value] of Object.entries({
      'core.fsmonitor': join(ws.folder, 'evil.sh'),
      'core.sshCommand': evil,
      'core.pager': evil,
      'core.editor': evil,
      'diff.external': join(ws.folder, 'evil.sh'),
      'filter.evil.clean': evil,
      'filter.evil.smudge': evil,
      'filter.evil.process': evil,
      'filter.evil.required': 'true',
      'diff.evil.textconv': evil,
      'remote.origin.url': 'ssh://example.invalid/x',
      'remote.origin.promisor': 'true',
      'extensions.partialClone': 'origin',
      'core.repositoryFormatVersion': '1',
      'alias.ls-files': `!${evil}`,
      'alias.cat-file': `!${evil}`,
    })) ws.git('config', name, value)
    for (const hook of ['post-index-change', 'post-checkout', 'pre-commit']) writeFileSync(ws.at(`.git/hooks/${hook}`), `#!/bin/sh\n${evil}\n`, { mode: 0o755 })
    // Where a blob is missing, git would fetch it by a program of the repository's choice.
    rmSync(ws.at('.git/objects'), { recursive: true })
    mkdirSync(ws.at('.git/objects'))
    ws.write({ '.gitattributes': '' })
    utimesSync(ws.at('.git/index'), new Date(Date.now() + 5000), new Date(Date.now() + 5000))
    const before = gitFiles(ws.root)
    await ws.open()
    ws.write({ 'a.txt': 'A\n', 'c.txt': 'C\n' })
    rmSync(ws.at('b.txt'))
    expect(await ws.settled()).toEqual({ 'a.txt': 'unknown no-record => 644 A\n', 'b.txt': 'unknown no-record => absent', 'c.txt': 'absent => 644 C\n' })
    expect([existsSync(mark), gitFiles(ws.root)]).toEqual([false, before])
  })
})

describe('settle without git', () => {
  it('copies in advance within the limits, the newest first, and says what it has not', async () => {
    const ws = temp({ 'old.txt': 'old\n', 'new.txt': 'new\n', 'large.txt': 'large '.repeat(10) })
    utimesSync(ws.at('old.txt'), 1000, 1000)
    await ws.open({ ...watching, copyFiles: 1, copyFileBytes: 50 })
    ws.write({ 'old.txt': 'A\n', 'new.txt': 'B\n', 'large.txt': 'C\n' })
    const settled = await ws.index().settle()
    expect(await ws.shown(settled)).toEqual({
      'large.txt': 'unknown no-record => 644 C\n',
      'new.txt': '644 new\n => 644 B\n',
      'old.txt': 'unknown no-record => 644 A\n',
    })
    expect(settled.limits).toEqual([
      'Files above 50 bytes are not copied in advance, so what was in these before is not known: large.txt.',
      'Only 1 files or 256 MiB are copied in advance, so what was in these before is not known: old.txt.',
    ])
    ws.write({ 'large.txt': 'D\n' })
    expect(await ws.settled()).toEqual({ 'large.txt': '644 C\n => 644 D\n' })
  })

  it('ignores by .gitignore files, of which the nearest counts, and by the built-in names', async () => {
    const ws = temp({ '.gitignore': '*.log\n/top\n', 'src/.gitignore': '!keep.log\n', 'src/keep.log': 'one', 'src/other.log': 'x', 'src/top': 'one', 'node_modules/x.js': 'x' })
    const index = await ws.open()
    ws.write({ 'src/keep.log': 'A', 'src/other.log': 'y', 'src/top': 'A', top: 'x', 'node_modules/x.js': 'y', 'src/node_modules/y.js': 'y' })
    expect(await ws.settled()).toEqual({ 'src/keep.log': '644 one => 644 A', 'src/top': '644 one => 644 A' })
    expect([index.facts().ignoredFolders, index.facts().builtInIgnored.includes('node_modules')]).toEqual([['node_modules', 'src/node_modules'], true])
  })

  it('does not keep more than its limit of what changed', async () => {
    const ws = temp({ 'a.txt': 'one\n' })
    await ws.open({ ...watching, settleBytes: 10 })
    ws.write({ 'a.txt': 'much too long\n', 'b.txt': 'short\n' })
    expect(await ws.settled()).toEqual({ 'a.txt': '644 one\n => unknown no-record', 'b.txt': 'absent => 644 short\n' })
  })
})

describe('new ignore rules', () => {
  it.each([true, false])('bring files into sight without calling them changes (git: %s)', async (isGit) => {
    const ws = temp({ '.gitignore': '*.log\nout/\n', 'a.log': 'one\n', 'out/b.txt': 'two\n', 'c.txt': 'three\n' })
    if (isGit) ws.commitAll()
    const index = await ws.open()
    await untilPast(60)
    await index.settle()
    ws.write({ '.gitignore': '' })
    const settled = await index.settle()
    expect(await ws.shown(settled)).toEqual({ '.gitignore': '644 *.log\nout/\n => 644 ' })
    expect(settled.limits).toEqual(['These files were ignored or out of sight until now, and are followed from now on: a.log, out/b.txt.'])
    await index.whenCopied()
    ws.write({ 'a.log': 'A\n' })
    rmSync(ws.at('out/b.txt'))
    expect(await ws.settled()).toEqual({ 'a.log': '644 one\n => 644 A\n', 'out/b.txt': '644 two\n => absent' })
  })

  it('never call a file new that was ignored before', async () => {
    const ws = temp({ '.gitignore': '*.log\n', 'a.log': 'one\n' })
    await ws.open()
    ws.write({ '.gitignore': '', 'a.log': 'A\n', 'b.log': 'B\n' })
    expect(await ws.settled()).toEqual({ '.gitignore': '644 *.log\n => 644 ', 'a.log': 'unknown no-record => 644 A\n', 'b.log': 'absent => 644 B\n' })
  })

  it('hide no deletion of what was followed', async () => {
    const ws = temp({ 'secret.txt': 'one\n' })
    await ws.open()
    ws.write({ '.gitignore': 'secret.txt\n' })
    rmSync(ws.at('secret.txt'))
    expect(await ws.settled()).toEqual({ '.gitignore': 'absent => 644 secret.txt\n', 'secret.txt': '644 one\n => absent' })
  })
})

describe('settle', () => {
  it('leaves out our own writes, and finds what somebody made of them since', async () => {
    const ws = temp({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    const index = await ws.open()
    for (const path of ['a.txt', 'b.txt', 'new/c.txt']) {
      ws.write({ [path]: 'ours\n' })
      index.adopt(workspacePath(path), { kind: 'file', sha256: await ws.store().put(Buffer.from('ours\n')), sizeBytes: 5, mode: 0o644 })
    }
    ws.write({ 'b.txt': 'hers\n' })
    expect(await ws.settled()).toEqual({ 'b.txt': '644 ours\n => 644 hers\n' })
    ws.write({ 'new/c.txt': 'hers\n' })
    rmSync(ws.at('a.txt'))
    index.adopt(workspacePath('a.txt'), { kind: 'absent' })
    expect(await ws.settled()).toEqual({ 'new/c.txt': '644 ours\n => 644 hers\n' })
  })

  it.each([['watched', watching], ['looked at', {}]] as const)('misses what we made, at once and after a look, followed or not: %s', async (_how, limits) => {
    const ws = temp({ '.gitignore': 'out\n*.log\n', 'a.txt': 'one\n', 'sub/b.txt': 'one\n' })
    ws.commitAll()
    const index = await ws.open(limits)
    const all = ['new.txt', 'sub/new.txt', 'made/deep/new.txt', 'out/x', 'sub/y.log', 'swapped/z', 'turned']
    const put = async (): Promise<void> => {
      ws.write(Object.fromEntries(all.map((path) => [path, 'ours\n'])))
      for (const path of all) index.adopt(workspacePath(path), { kind: 'file', sha256: await ws.store().put(Buffer.from('ours\n')), sizeBytes: 5, mode: 0o644 })
    }
    const remove = (): void => {
      for (const path of ['new.txt', 'sub/new.txt', 'made', 'out', 'sub/y.log', 'swapped', 'turned']) rmSync(ws.at(path), { recursive: true })
      symlinkSync('sub', ws.at('swapped'))
      mkdirSync(ws.at('turned'))
    }
    const missed = { ...Object.fromEntries(all.map((path) => [path, '644 ours\n => absent'])), swapped: 'absent => link sub' }
    await put()
    remove()
    const [atOnce, then] = [await ws.settled(), await ws.settled()]
    rmSync(ws.at('swapped'))
    rmSync(ws.at('turned'), { recursive: true })
    await ws.settled()
    await put()
    const made = await ws.settled()
    remove()
    expect([atOnce, then, made, await ws.settled(), await ws.settled()]).toEqual([missed, {}, {}, missed, {}])
  })

  it('finds everything although more happened than the system tells of', async () => {
    const ws = temp({ 'a/0.txt': 'x', 'a/1.txt': 'x', 'gone/b.txt': 'one\n' })
    const index = await ws.open()
    // In turn, since equal neighbours in the queue become one.
    for (let at = 0; at < queueLength; at++) utimesSync(ws.at(at % 2 ? 'a/0.txt' : 'a/1.txt'), at, at)
    rmSync(ws.at('gone'), { recursive: true })
    ws.write({ 'gone/b.txt': 'two\n', 'new/c.txt': 'C\n' })
    expect([await ws.settled(), index.facts().watch.kind]).toEqual([{ 'gone/b.txt': '644 one\n => 644 two\n', 'new/c.txt': 'absent => 644 C\n' }, 'watching'])
    ws.write({ 'gone/b.txt': 'three\n' })
    expect(await ws.settled()).toEqual({ 'gone/b.txt': '644 two\n => 644 three\n' })
  })

  it('looks everywhere when the watch fails, and says so', async () => {
    const ws = temp({ 'a/b.txt': 'one\n' })
    const index = await ws.open()
    rmSync(join(ws.folder, 'data', 'watch'), { recursive: true })
    ws.write({ 'a/b.txt': 'two\n' })
    expect(await ws.settled()).toEqual({ 'a/b.txt': '644 one\n => 644 two\n' })
    expect(index.facts().watch).toEqual({ kind: 'off', reason: 'The system stopped telling of changes.' })
    ws.write({ 'a/b.txt': 'three\n' })
    expect(await ws.settled()).toEqual({ 'a/b.txt': '644 two\n => 644 three\n' })
  })

  it('finds in the background what the system does not tell of', async () => {
    const ws = temp({ 'a.txt': 'one\n' })
    linkSync(ws.at('a.txt'), join(ws.folder, 'elsewhere'))
    let hear = (): void => undefined
    const heard = new Promise<void>((resolve) => (hear = resolve))
    const index = await ws.open({ ...watching, sweepMs: 300 }, () => hear())
    await untilPast(300)
    writeFileSync(join(ws.folder, 'elsewhere'), 'two\n')
    expect(await ws.settled()).toEqual({})
    await heard
    expect([await ws.settled(), index.facts().watch.kind]).toEqual([{ 'a.txt': '644 one\n => 644 two\n' }, 'watching'])
  })

  it('looks at everything each time in a small workspace', async () => {
    const ws = temp({ 'a.txt': 'one\n' })
    linkSync(ws.at('a.txt'), join(ws.folder, 'elsewhere'))
    await ws.open({})
    writeFileSync(join(ws.folder, 'elsewhere'), 'two\n')
    expect(await ws.settled()).toEqual({ 'a.txt': '644 one\n => 644 two\n' })
  })

  it('goes on watching a folder that was replaced while it looked at everything', async () => {
    const ws = temp({ 'a/b/c.txt': 'one\n', 'd.txt': 'x' })
    await ws.open({ wholeLookFiles: 3 })
    for (let round = 0; round < 3; round++) {
      rmSync(ws.at('a'), { recursive: true })
      ws.write({ 'a/b/c.txt': `${round}\n` })
      await ws.settled()
    }
    ws.write({ e: '', f: '', g: '' })
    await ws.settled()
    ws.write({ 'a/b/c.txt': 'found\n' })
    expect(await ws.settled()).toEqual({ 'a/b/c.txt': '644 2\n => 644 found\n' })
  })

  it('looks again at what a cancelled call has looked at', async () => {
    const ws = temp({ 'a.txt': 'one\n' })
    const index = await ws.open()
    ws.write({ 'a.txt': 'two\n', 'new/b.txt': 'B\n' })
    const cancel = new AbortController()
    const cancelled = index.settle(cancel.signal)
    cancel.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await ws.settled()).toEqual({ 'a.txt': '644 one\n => 644 two\n', 'new/b.txt': 'absent => 644 B\n' })
  })

  it('takes a missing workspace for no change', async () => {
    const ws = temp({ 'a.txt': 'one\n' })
    const index = await ws.open()
    renameSync(ws.root, `${ws.root}-away`)
    await expect(index.settle()).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' })
    renameSync(`${ws.root}-away`, ws.root)
    ws.write({ 'a.txt': 'two\n' })
    expect(await ws.settled()).toEqual({ 'a.txt': '644 one\n => 644 two\n' })
  })

  it('does not follow more files than its limit, and says so', async () => {
    const ws = temp({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' })
    const index = await ws.open({ ...watching, files: 2 })
    const { isComplete, limits } = await index.settle()
    expect([index.facts().files, isComplete, limits]).toEqual([2, false, ['The workspace has more than 2 files, and those beyond were not looked at.']])
  })

  it('reads nothing through a link that took the place of a folder', async () => {
    const ws = temp({ 'a/b.txt': 'one\n' })
    mkdirSync(join(ws.folder, 'outside'))
    writeFileSync(join(ws.folder, 'outside', 'b.txt'), 'secret\n')
    await ws.open()
    rmSync(ws.at('a'), { recursive: true })
    symlinkSync(join(ws.folder, 'outside'), ws.at('a'))
    const changes = await ws.settled()
    expect(changes).toEqual({ a: `absent => link ${join(ws.folder, 'outside')}`, 'a/b.txt': '644 one\n => absent' })
  })
})

describe.runIf(process.getuid?.() === 0)('what may not be read', () => {
  afterEach(() => void process.seteuid?.(0))

  it('is named, hides nothing else, and is no news once it may be read', async () => {
    process.seteuid?.(65_534)
    const ws = temp({ 'locked/a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' })
    chmodSync(ws.at('locked'), 0)
    const index = await ws.open()
    expect(index.facts().unreadableFolders).toEqual(['locked'])
    ws.write({ 'b.txt': 'B\n', 'c.txt': 'C\n' })
    chmodSync(ws.at('c.txt'), 0)
    const settled = await index.settle()
    expect(await ws.shown(settled)).toEqual({ 'b.txt': '644 two\n => 644 B\n', 'c.txt': '644 three\n => unknown unreadable' })
    expect([settled.isComplete, settled.limits]).toEqual([
      false,
      ['These cannot be read: c.txt.', 'These folders may not be read, and what is in them was not looked at: locked.'],
    ])
    chmodSync(ws.at('locked'), 0o755)
    ws.write({ 'locked/a.txt': 'A\n' })
    const later = await index.settle()
    expect([await ws.shown(later), later.isComplete]).toEqual([{ 'locked/a.txt': 'unknown no-record => 644 A\n' }, true])
  })
})

/** Waits until the clock has moved on, since the index tells old from new by change times, which nobody can set. */
async function untilPast(ms: number): Promise<void> {
  const until = Date.now() + ms
  while (Date.now() <= until) await new Promise((resolve) => setImmediate(resolve))
}

/** Everything below any `.git`, with its times. */
function gitFiles(root: string): readonly string[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.split('/').includes('.git'))
  return paths.map((path) => `${path} ${lstatSync(join(root, path)).mtimeMs}`).sort()
}
