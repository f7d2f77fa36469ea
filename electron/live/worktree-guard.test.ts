import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { worktreeOf } from '../workspace/worktree.js'
import { approve, deskHarness, statusOf, type DeskHarness, type TestAgent } from '../testing/desk-harness.js'
import { makeWorktree } from './make-worktree.js'
import { isProtected } from './worktree-guard.js'

let base: string
let repository: string
let desk: DeskHarness | null

const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main']
const git = (folder: string, ...args: readonly string[]): string => execFileSync('git', [...identity, '-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'overturn-worktree-')))
  repository = join(base, 'repo')
  mkdirSync(repository)
  git(repository, 'init', '-q')
  writeFileSync(join(repository, 'a'), 'one\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-q', '-m', 'first')
  desk = null
})

afterEach(async () => {
  await desk?.dispose()
  rmSync(base, { recursive: true, force: true })
})

function linked(branch: string): string {
  const folder = join(base, branch.replaceAll('/', '-'))
  git(repository, 'worktree', 'add', '-q', '-b', branch, folder)
  return folder
}

async function agentIn(folder: string, protectedBranches?: readonly string[]): Promise<TestAgent> {
  desk = await deskHarness({}, { policy: { approvalMode: 'review-after', ...(protectedBranches ? { protectedBranches } : {}) } })
  return desk.connect({ workspace: folder })
}

let content = 0
const write = async (agent: TestAgent): Promise<unknown> => statusOf(await agent.call('write_file', { path: 'a', content: `${++content}\n` }))

describe('the worktree guard', () => {
  it('lets a session write in its linked worktree, on its own branch or none', async () => {
    const folder = linked('topic')
    const agent = await agentIn(folder)
    const first = await write(agent)
    git(folder, 'checkout', '-q', '--detach')
    expect([first, await write(agent), desk?.desk.list()[0]?.worktree]).toEqual(['done', 'done', { folder, branch: null, base: null, isProtected: false }])
  })

  it('refuses every write while the worktree is on a protected branch, also one that was approved before', async () => {
    git(repository, 'checkout', '-q', '-b', 'elsewhere')
    const folder = linked('topic')
    desk = await deskHarness()
    const agent = await desk.connect({ workspace: folder })
    const call = agent.call('write_file', { path: 'a', content: 'two\n' })
    const asked = await desk.nextAsked()
    void agent.call('run_command', { command: 'touch x' })
    const command = await desk.nextAsked()
    git(folder, 'checkout', '-q', 'main')
    for (const each of [asked, command]) await expect(desk.decide(each, approve())).rejects.toMatchObject({ code: 'WORKTREE_PROTECTED' })
    const others = [await agent.call('run_command', { command: 'touch y' }), await agent.call('run_command', { command: "sed -i 's/one/two/' a" })]
    expect([others.map((answer) => answer.isError), existsSync(join(folder, 'x')), git(folder, 'status', '--porcelain')]).toEqual([[true, true], false, ''])
    git(folder, 'checkout', '-q', 'topic')
    await desk.decide(desk.now(asked), approve())
    expect(statusOf(await call)).toBe('done')
  })

  it('takes the protected branches from the setting, with patterns', async () => {
    const folder = linked('release/1.0')
    const agent = await agentIn(folder)
    const before = await write(agent)
    await desk?.policy.update((settings) => ({ ...settings, protectedBranches: ['topic'] }))
    expect([before, await write(agent)]).toEqual(['WORKTREE_PROTECTED', 'done'])
  })

  it('refuses when another worktree, or none, is in the place of its own', async () => {
    const folder = linked('topic')
    const agent = await agentIn(folder)
    const other = linked('other')
    renameSync(folder, `${folder}-gone`)
    const gone = await write(agent)
    renameSync(other, folder)
    const replaced = await write(agent)
    rmSync(join(folder, '.git'))
    const plain = await write(agent)
    git(folder, 'init', '-q')
    expect([gone, replaced, plain, await write(agent)]).toEqual(['WORKSPACE_MISSING', 'WORKTREE_PROTECTED', 'WORKTREE_PROTECTED', 'WORKTREE_PROTECTED'])
  })

  it('refuses when a link is in the place of its folder', async () => {
    const folder = linked('topic')
    const agent = await agentIn(folder)
    renameSync(folder, `${folder}-moved`)
    symlinkSync(`${folder}-moved`, folder)
    expect(await write(agent)).toBe('WORKSPACE_MISSING')
  })

  it('leaves a plain checkout, a submodule and a folder without git to the person', async () => {
    const plain = join(base, 'plain')
    mkdirSync(plain)
    const outer = join(base, 'outer')
    mkdirSync(outer)
    git(outer, 'init', '-q')
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', repository, 'sub')
    const ends: unknown[] = []
    desk = await deskHarness({}, { policy: { approvalMode: 'review-after' } })
    for (const workspace of [repository, join(outer, 'sub'), plain]) ends.push(await write(await desk.connect({ workspace })))
    expect([ends, worktreeOf(join(outer, 'sub'))?.isLinked, desk.desk.list().map(({ worktree }) => worktree)]).toEqual([['done', 'done', 'done'], false, [null, null, null]])
  })

  it('knows the worktree of a folder below it', async () => {
    const folder = linked('topic')
    mkdirSync(join(folder, 'sub'))
    const agent = await agentIn(join(folder, 'sub'), ['topic'])
    expect(await write(agent)).toBe('WORKTREE_PROTECTED')
  })

  it.each([
    ['main', ['main'], true],
    ['mainline', ['main'], false],
    ['release/1.0', ['release/*'], true],
    ['release', ['release/*'], false],
    ['a.b', ['a?b', 'a.b'], true],
    ['axb', ['a.b'], false],
    ['fix(1)', ['fix(*)'], true],
    ['feature/ü', ['*ü'], true],
    ['anything', ['*'], true],
    ['main', [], false],
  ])('%s fits one of %j: %s', (branch, patterns, fits) => {
    expect(isProtected(branch, patterns)).toBe(fits)
  })
})

describe('a fresh worktree', () => {
  const watch = { signal: new AbortController().signal, progress: () => undefined }
  const data = (): string => join(base, 'data')

  it('is made on a new branch from what is checked out; its session says which commit that was', async () => {
    desk = await deskHarness({}, { policy: { approvalMode: 'review-after' } })
    const made = await desk.desk.makeWorktree(repository, null, watch)
    const agent = await desk.connect({ workspace: made.folder })
    expect([made, await write(agent), desk.desk.list()[0]?.worktree]).toEqual([
      { folder: join(desk.temp.data, 'worktrees', 'repo-1'), branch: 'overturn/repo-1', base: git(repository, 'rev-parse', 'HEAD'), filtersLeftOut: [] },
      'done',
      { folder: made.folder, branch: made.branch, base: made.base, isProtected: false },
    ])
    expect((await desk.desk.makeWorktree(repository, 'topic', watch)).folder).toBe(join(desk.temp.data, 'worktrees', 'repo-2'))
  })

  it('runs no hook of the repository', async () => {
    writeFileSync(join(repository, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch "${base}/ran"\n`)
    chmodSync(join(repository, '.git/hooks/post-checkout'), 0o755)
    await makeWorktree(data(), repository, 'topic', watch)
    expect(existsSync(join(base, 'ran'))).toBe(false)
  })

  it('runs no filter that the repository\'s own settings bring, and says which; the person\'s own ones run', async () => {
    const ran = (name: string): string => `sh -c 'touch "${base}/${name}"; cat'`
    const personal = join(base, 'gitconfig')
    writeFileSync(personal, `[filter "mine"]\n\tsmudge = sed s/kept/shown/\n`)
    vi.stubEnv('GIT_CONFIG_GLOBAL', personal)
    onTestFinished(() => void vi.unstubAllEnvs())
    writeFileSync(join(repository, '.gitattributes'), 'a.txt filter=theirs\nb.txt filter=x=y\nc.txt filter=mine\n')
    for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(repository, name), 'kept\n')
    git(repository, 'add', '-A')
    git(repository, 'commit', '-qm', 'filtered')
    git(repository, 'config', 'filter.theirs.smudge', ran('smudged'))
    git(repository, 'config', 'filter.theirs.required', 'true')
    git(repository, 'config', 'filter.x=y.process', ran('processed'))
    git(repository, 'config', 'filter.mine.smudge', ran('replaced'))
    const made = await makeWorktree(data(), repository, 'topic', watch)
    const texts = ['a.txt', 'b.txt', 'c.txt'].map((name) => readFileSync(join(made.folder, name), 'utf8'))
    expect([texts, made.filtersLeftOut, ['smudged', 'processed', 'replaced'].map((name) => existsSync(join(base, name)))]).toEqual([['kept\n', 'kept\n', 'shown\n'], ['theirs', 'x=y'], [false, false, false]])
  })

  it.each(['-x', '--help', '', ' ', 'a..b', 'a b', '@{-1}', 'HEAD', 'main', 'x.lock', 'a\nb', 'a\0b', '../../x', '/x', '$(touch x)', 'refs/heads/~'])('is not made on a branch %j', async (branch) => {
    const worktrees = git(repository, 'worktree', 'list')
    const end = await makeWorktree(data(), repository, branch, watch).then(() => 'made', (thrown: { readonly code: string }) => thrown.code)
    expect([end, git(repository, 'worktree', 'list'), readdirSync(base)]).toEqual(['INVALID_PARAMS', worktrees, ['data', 'repo']])
  })

  it('is not made without git, without a commit, or after a cancel; the reason is said', async () => {
    const plain = join(base, 'plain')
    mkdirSync(plain)
    await expect(makeWorktree(data(), plain, null, watch)).rejects.toThrow(/not in a git repository/)
    git(plain, 'init', '-q')
    await expect(makeWorktree(data(), plain, null, watch)).rejects.toThrow(/git could not make the worktree: .+\. Nothing was changed/)
    await expect(makeWorktree(data(), repository, 'topic', { ...watch, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
    const { PATH } = process.env
    process.env['PATH'] = join(base, 'nothing')
    try {
      await expect(makeWorktree(data(), repository, 'topic', watch)).rejects.toThrow(/git is not installed/)
    } finally {
      process.env['PATH'] = PATH
    }
    expect(git(repository, 'branch', '--list', 'topic')).toBe('')
  })
})
