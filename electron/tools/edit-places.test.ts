import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { approve, deskHarness, namesBelow, statusOf, type DeskHarness, type HarnessOptions, type TestAgent } from '../testing/desk-harness.js'
import type { TestContent } from '../testing/temp-history.js'

let desk: DeskHarness
let agent: TestAgent

afterEach(() => desk.dispose())

async function open(files: Readonly<Record<string, TestContent>>, options: HarnessOptions = {}): Promise<void> {
  desk = await deskHarness(files, options)
  agent = await desk.connect()
}

const edit = (path: string, oldText: string, newText: string): Promise<ToolAnswer> => agent.call('edit_file', { path, old_text: oldText, new_text: newText })

describe('a path that leads elsewhere', () => {
  it.each(['../x', '/etc/hosts-not', 'sub/../../x', '.git/config', 'sub/.GIT/hooks/x', 'link/x', ''])('is refused: %s', async (path) => {
    await open({ 'sub/a': 'one\n', link: { link: '/tmp' } })
    const answer = await agent.call('write_file', { path, content: 'x' })
    expect([answer.isError, desk.asked]).toEqual([true, []])
  })

  it('is refused when a folder on the way became a link before the approval', async () => {
    await open({ 'sub/a': 'one\n', 'other/a': 'one\n' })
    const call = edit('sub/a', 'one', 'two')
    const asked = await desk.nextAsked()
    renameSync(desk.temp.at('sub'), desk.temp.at('moved'))
    symlinkSync(desk.temp.at('other'), desk.temp.at('sub'))
    const decided = await desk.decide(asked, approve())
    expect([decided.state, statusOf(await call), desk.read('other/a'), desk.read('moved/a')]).toEqual(['not-applied', 'FILE_CHANGED_SINCE_READ', 'one\n', 'one\n'])
  })

  it('is refused when the file became a link, a folder or a pipe before the approval', async () => {
    await open({ a: 'one\n', b: 'one\n', target: 'one\n' })
    const calls = [edit('a', 'one', 'two'), edit('b', 'one', 'two')]
    const asked = [await desk.nextAsked(), await desk.nextAsked()] as const
    unlinkSync(desk.temp.at('a'))
    symlinkSync('target', desk.temp.at('a'))
    rmSync(desk.temp.at('b'))
    mkdirSync(desk.temp.at('b'))
    for (const each of asked) await desk.decide(each, approve())
    expect([await Promise.all(calls).then((answers) => answers.map(statusOf)), desk.read('target')]).toEqual([['FILE_CHANGED_SINCE_READ', 'FILE_CHANGED_SINCE_READ'], 'one\n'])
  })

  it('is refused when the workspace itself became a link before the approval', async () => {
    await open({ a: 'one\n' })
    const call = edit('a', 'one', 'two')
    const asked = await desk.nextAsked()
    renameSync(desk.temp.root, `${desk.temp.root}-moved`)
    symlinkSync(`${desk.temp.root}-moved`, desk.temp.root)
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' })
    expect(desk.read('a')).toBe('one\n')
    agent.close()
    expect(statusOf(await call)).toBe('AGENT_GONE')
  })

  it('may be named through a link that leads to the workspace', async () => {
    await open({ 'sub/a': 'one\n' })
    symlinkSync(desk.temp.root, `${desk.temp.root}-link`)
    const call = agent.call('edit_file', { path: `${desk.temp.root}-link/sub/a`, old_text: 'one', new_text: 'two' })
    await desk.decideNext(approve())
    expect([statusOf(await call), desk.read('sub/a')]).toEqual(['done', 'two\n'])
  })
})

describe('a patch', () => {
  // D13
  it('over several files is all or nothing, and says for each why not', async () => {
    await open({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n', 'exists.txt': 'original\n' })
    const hunk = (name: string, from: string): string => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-${from}\n+two\n`
    const bad = await agent.call('apply_patch', { patch: hunk('a.txt', 'one') + hunk('b.txt', 'other') + hunk('c.txt', 'one') })
    const added = await agent.call('apply_patch', { patch: '*** Begin Patch\n*** Add File: exists.txt\n+replacement\n*** End Patch\n' })
    expect([statusOf(bad), bad.text, statusOf(added), desk.asked, desk.temp.tree()]).toEqual([
      'PATCH_NOT_APPLICABLE',
      expect.stringMatching(/b\.txt.*The other 2 would fit/s),
      'PATCH_NOT_APPLICABLE',
      [],
      { 'a.txt': '644 one\n', 'b.txt': '644 one\n', 'c.txt': '644 one\n', 'exists.txt': '644 original\n' },
    ])
  })

  // D23
  it('that deletes, makes and renames is one question, and its undo brings all back', async () => {
    await open({ 'gone.md': 'gone\n', 'old.md': 'old\n', 'mode.sh': 'x\n' })
    const before = desk.temp.tree()
    const patch = [
      'diff --git a/gone.md b/gone.md\ndeleted file mode 100644\n--- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n',
      'diff --git a/x/y/new.md b/x/y/new.md\nnew file mode 100644\n--- /dev/null\n+++ b/x/y/new.md\n@@ -0,0 +1 @@\n+new\n',
      'diff --git a/old.md b/moved.md\nsimilarity index 100%\nrename from old.md\nrename to moved.md\n',
      'diff --git a/mode.sh b/mode.sh\nold mode 100644\nnew mode 100755\n',
    ].join('')
    const call = agent.call('apply_patch', { patch })
    const { id, subject } = await desk.decideNext(approve())
    expect([statusOf(await call), subject.kind === 'edit' && subject.files.map(({ path, operation }) => `${operation} ${path}`), desk.temp.tree()]).toEqual([
      'done',
      ['delete gone.md', 'create x/y/new.md', 'rename moved.md', 'mode mode.sh'],
      { 'mode.sh': '755 x\n', 'moved.md': '644 old\n', 'x/y/new.md': '644 new\n' },
    ])
    await desk.desk.queue.undo(id)
    expect(desk.temp.tree()).toEqual(before)
  })

  it('of a mode is another question than one of another mode', async () => {
    await open({ 'a.sh': { text: 'x\n', mode: 0o644 }, 'b.sh': { text: 'x\n', mode: 0o755 } })
    const patch = (name: string, from: string, to: string): Promise<ToolAnswer> => agent.call('apply_patch', { patch: `diff --git a/${name} b/${name}\nold mode ${from}\nnew mode ${to}\n` })
    const calls = [patch('a.sh', '100644', '100755'), patch('b.sh', '100755', '100644')]
    const asked = [await desk.nextAsked(), await desk.nextAsked()]
    for (const each of asked) await desk.decide(each, approve())
    expect((await Promise.all(calls)).map(statusOf)).toEqual(['done', 'done'])
  })
})

describe('an undo', () => {
  it('refuses where the file was changed after the edit', async () => {
    await open({ a: 'one\n' })
    const call = edit('a', 'one', 'two')
    const { id } = await desk.decideNext(approve())
    await call
    desk.put('a', 'two\nmine\n')
    await expect(desk.desk.queue.undo(id)).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    expect(desk.read('a')).toBe('two\nmine\n')
  })

  it('keeps a folder that the edit made where somebody put a file into it', async () => {
    await open({})
    const call = agent.call('write_file', { path: 'x/y/new', content: 'new\n' })
    const { id } = await desk.decideNext(approve())
    await call
    desk.put('x/mine', 'mine\n')
    await desk.desk.queue.undo(id)
    expect(desk.temp.tree()).toEqual({ 'x/mine': '644 mine\n' })
  })

  it('works after the agent has gone, and tells an agent that is there', async () => {
    await open({ a: 'one\n', b: 'one\n' })
    const first = edit('a', 'one', 'two')
    const undone = await desk.decideNext(approve())
    await first
    await desk.desk.queue.undo(undone.id)
    const second = edit('b', 'one', 'two')
    const kept = await desk.decideNext(approve())
    expect((await second).text).toMatch(/^\[The person undid your edit of a\./)
    agent.close()
    await desk.desk.queue.undo(kept.id)
    expect([desk.read('a'), desk.read('b'), desk.ledger().map(({ cause }) => cause)]).toEqual(['one\n', 'one\n', ['edit', 'user', 'edit', 'user']])
  })
})

describe('what an edit leaves', () => {
  it('is in the ledger with its bytes before and after, and nowhere else', async () => {
    await open({ a: 'one\n' })
    const call = edit('a', 'one', 'two')
    await desk.decideNext(approve())
    await call
    const [entry] = desk.ledger()
    const [change] = entry?.changes ?? []
    const text = async (side: 'before' | 'after'): Promise<string> => {
      const state = change?.[side]
      return state?.kind === 'file' ? Buffer.from(await desk.temp.store.readBlob(state.sha256)).toString() : ''
    }
    expect([await text('before'), await text('after'), desk.temp.tree(), namesBelow(`${desk.temp.data}/edits`), desk.errors]).toEqual(['one\n', 'two\n', { a: '644 two\n' }, [], []])
  })
})
