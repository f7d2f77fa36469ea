import { chmodSync, statSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { approve, chosen, deskHarness, reject, statusOf, type DeskHarness, type HarnessOptions, type TestAgent } from '../testing/desk-harness.js'
import type { TestContent } from '../testing/temp-history.js'

let desk: DeskHarness
let agent: TestAgent

afterEach(() => desk.dispose())

async function open(files: Readonly<Record<string, TestContent>>, options: HarnessOptions = {}): Promise<void> {
  desk = await deskHarness(files, options)
  agent = await desk.connect()
}

const edit = (path: string, oldText: string, newText: string): Promise<ToolAnswer> => agent.call('edit_file', { path, old_text: oldText, new_text: newText })
const bytes = (text: string): TestContent => ({ bytes: Buffer.from(text, 'latin1') })

/** What is shown of a waiting edit: both sides as texts. */
async function shown(path: string): Promise<{ readonly before: unknown; readonly after: unknown }> {
  const id = desk.asked.at(-1)?.id
  if (id === undefined) throw new Error('Nothing was asked.')
  const { before, after } = await desk.desk.queue.texts(id, workspacePath(path), true)
  return { before: before.kind === 'text' ? before.text : before.kind, after: after.kind === 'text' ? after.text : after.kind }
}

describe('an approved edit', () => {
  it('is written as it was shown, and the agent gets its diff', async () => {
    await open({ 'a.txt': 'alpha\nbeta\n' })
    const call = edit('a.txt', 'beta', 'BETA')
    const asked = await desk.nextAsked()
    expect([await shown('a.txt'), desk.read('a.txt'), asked.subject]).toMatchObject([
      { before: 'alpha\nbeta\n', after: 'alpha\nBETA\n' },
      'alpha\nbeta\n',
      { kind: 'edit', files: [{ path: 'a.txt', operation: 'modify', stat: { insertions: 1, deletions: 1 }, hunks: 1 }] },
    ])
    const decided = await desk.decide(asked, approve())
    const answer = await call
    expect([desk.read('a.txt'), decided.state, answer.text]).toEqual([
      'alpha\nBETA\n',
      'applied',
      'Written and read again: a.txt (+1 -1).\n\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n alpha\n-beta\n+BETA\n',
    ])
  })

  // D01
  it.each([
    ['log("$& ok");', "log(\"done\");"],
    ['PID=$$ $1 $` \\1 \\n', 'log("done");'],
  ])('takes %s for the text that it is', async (text, anchor) => {
    await open({ a: 'log("done");\n' })
    const call = edit('a', anchor, text)
    const asked = await desk.nextAsked()
    expect((await shown('a')).after).toBe(`${text}\n`)
    await desk.decide(asked, approve())
    await call
    expect(desk.read('a')).toBe(`${text}\n`)
  })

  // D02, D05, D06
  it.each<[string, string, string, string, string]>([
    ['CRLF', 'def a():\r\n\treturn 1\r\n\r\ndef b():\r\n\treturn 2\r\n', 'def a():\n\treturn 1\n', 'def a():\n\treturn 9\n', 'def a():\r\n\treturn 9\r\n\r\ndef b():\r\n\treturn 2\r\n'],
    ['Latin-1', 'caf\xe9 = 1\n', '1', '2', 'caf\xe9 = 2\n'],
    ['Latin-1 that a detector takes for Cyrillic, with more of it', 'd\xe9j\xe0 vu = 1\n', '1', '\xfcber', 'd\xe9j\xe0 vu = \xfcber\n'],
    ['an encoding that nobody knows', 'f\x81r = 1 # K\x94ln, mostly\n', '1', '2', 'f\x81r = 2 # K\x94ln, mostly\n'],
    ['a byte order mark', '\xef\xbb\xbfCaption = "\xc5\x91"\nx=1\n', 'x=1', 'x=2', '\xef\xbb\xbfCaption = "\xc5\x91"\nx=2\n'],
    ['a byte order mark, at its first character', '\xef\xbb\xbfCaption\n', 'Caption', 'Title', '\xef\xbb\xbfTitle\n'],
    ['UTF-16', '\xff\xfea\0=\x001\0\r\0\n\0', 'a=1', 'a=2', '\xff\xfea\0=\x002\0\r\0\n\0'],
    ['no final newline', 'one\ntwo', 'two', 'zwei', 'one\nzwei'],
  ])('keeps %s', async (_what, before, oldText, newText, after) => {
    await open({ a: bytes(before) })
    const call = edit('a', oldText, newText)
    await desk.decideNext(approve())
    expect([statusOf(await call), desk.read('a')]).toEqual(['done', after])
  })

  // D03
  it('does not take its own CRLF file for changed, and write_file keeps the line ends', async () => {
    await open({ a: 'one\r\ntwo\r\n' })
    await agent.call('read_file', { path: 'a' })
    const first = edit('a', 'one', 'ONE')
    await desk.decideNext(approve())
    const second = (await first, agent.call('write_file', { path: 'a', content: 'ONE\nTWO\nthree\n' }))
    await desk.decideNext(approve())
    expect([statusOf(await first), statusOf(await second), desk.read('a')]).toEqual(['done', 'done', 'ONE\r\nTWO\r\nthree\r\n'])
  })

  // D07
  it.each([0o755, 0o600, 0o444])('keeps the mode %o, and so does its undo', async (mode) => {
    await open({ a: { text: 'one\n', mode } })
    const call = edit('a', 'one', 'two')
    const { id } = await desk.decideNext(approve())
    await call
    const after = statSync(desk.temp.at('a')).mode & 0o777
    await desk.desk.queue.undo(id)
    expect([after, statSync(desk.temp.at('a')).mode & 0o777, desk.read('a')]).toEqual([mode, mode, 'one\n'])
  })

  it('may be changed by the person, and the agent is told what it became', async () => {
    await open({ a: 'one\n' })
    const call = edit('a', 'one', 'two')
    const decided = await desk.decideNext(approve({ files: [chosen('a', { text: 'three\nfour\n' })], comment: 'Shorter, please' }))
    const answer = await call
    expect([desk.read('a'), decided.isModified, answer.text.split('\n').slice(0, 3), answer.structured['changed_by_person']]).toEqual([
      'three\nfour\n',
      true,
      ['Written and read again: a (+2 -1).', 'a: the person changed your text before it was written (2 lines).', 'The person says: Shorter, please'],
      ['a: the person changed your text before it was written (2 lines).'],
    ])
  })

  it('may be taken in part, by hunks', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
    await open({ a: `${lines.join('\n')}\n` })
    const next = lines.with(2, 'TWO').with(25, 'LATE')
    const call = agent.call('write_file', { path: 'a', content: `${next.join('\n')}\n` })
    await desk.decideNext(approve({ files: [chosen('a', { hunks: [2] })] }))
    expect([desk.read('a'), (await call).structured['changed_by_person']]).toEqual([`${lines.with(25, 'LATE').join('\n')}\n`, ['a: hunk 2 of 2 written, hunk 1 left out by the person.']])
  })

  it('may be taken without some of its files', async () => {
    await open({ a: 'one\n', b: 'one\n' })
    const call = agent.call('apply_patch', { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+two\n' })
    await desk.decideNext(approve({ files: [chosen('b', { hunks: [] })] }))
    const { structured } = await call
    expect([desk.read('a'), desk.read('b'), structured['changed_by_person'], desk.ledger().flatMap(({ changes }) => changes.map(({ path }) => path))]).toEqual(['two\n', 'one\n', ['b was left out by the person and is unchanged.'], ['a']])
  })

  it('is kept as it was written, and says of each file what was taken of it', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
    const long = `${lines.join('\n')}\n`
    await open({ a: 'one\n', b: 'one\n', c: long, d: long, e: 'one\n' })
    const twice = '@@ -3 +3 @@\n-line 2\n+TWO\n@@ -26 +26 @@\n-line 25\n+LATE\n'
    const patch = `--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n--- a/c\n+++ b/c\n${twice}--- a/d\n+++ b/d\n${twice}--- a/e\n+++ b/e\n@@ -1 +1 @@\n-one\n+two\n`
    const call = agent.call('apply_patch', { patch })
    const mine = `${lines.with(25, 'MINE').join('\n')}\n`
    const decided = await desk.decideNext(approve({ files: [chosen('a', { text: 'mine\n' }), chosen('b', { hunks: [] }), chosen('c', { hunks: [2] }), chosen('d', { hunks: [2], text: mine }), chosen('e', { hunks: [1] })] }))
    await call
    const { subject, id, revision } = desk.desk.queue.list().decided[0] ?? decided
    const files = subject.kind === 'edit' ? subject.files : []
    const texts = await Promise.all(files.map(({ path }) => desk.desk.queue.texts(id, path, false)))
    expect([files.map(({ path, operation, stat, taken }) => [path, operation, stat, taken]), texts.map((each) => [each.revision, each.before.kind === 'text' && each.before.text, each.after.kind === 'text' ? each.after.text : each.after.kind])]).toEqual([
      [
        ['a', 'modify', { insertions: 1, deletions: 1 }, { kind: 'edited', hunks: [1], of: 1 }],
        ['b', 'delete', { insertions: 0, deletions: 1 }, { kind: 'left-out' }],
        ['c', 'modify', { insertions: 1, deletions: 1 }, { kind: 'hunks', hunks: [2], of: 2 }],
        ['d', 'modify', { insertions: 1, deletions: 1 }, { kind: 'edited', hunks: [2], of: 2 }],
        ['e', 'modify', { insertions: 1, deletions: 1 }, null],
      ],
      [
        [revision, 'one\n', 'mine\n'],
        [revision, 'one\n', 'absent'],
        [revision, long, `${lines.with(25, 'LATE').join('\n')}\n`],
        [revision, long, mine],
        [revision, 'one\n', 'two\n'],
      ],
    ])
    // Who saw the proposal sees it anew.
    expect(revision).toBe(2)
  })

  it.each([
    ['a hunk that is not there', { hunks: [2] }, 'HUNK_NOT_FOUND'],
    ['no hunk at all', { hunks: [] }, 'INVALID_PARAMS'],
    ['the text that the file holds already', { text: 'caf\xe9\n' }, 'INVALID_PARAMS'],
    ['characters that its encoding lacks', { text: '\u4e2d\n' }, 'ENCODING_CANNOT'],
  ])('is not written with %s; the question stays open', async (_what, what, code) => {
    await open({ a: bytes('caf\xe9\n') })
    const call = edit('a', 'caf', 'kaf')
    const asked = await desk.nextAsked()
    await expect(desk.decide(asked, approve({ files: [chosen('a', what)] }))).rejects.toMatchObject({ code })
    expect([desk.read('a'), desk.now(asked)]).toMatchObject(['caf\xe9\n', { state: 'waiting', isModified: false, decidedBy: null }])
    await desk.decide(asked, approve())
    expect([statusOf(await call), desk.read('a')]).toEqual(['done', 'kaf\xe9\n'])
  })

  it('is not written with a file that it does not have', async () => {
    await open({ a: 'one\n' })
    void edit('a', 'one', 'two')
    await expect(desk.decideNext(approve({ files: [chosen('b', { hunks: [1] })] }))).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
    expect(desk.read('a')).toBe('one\n')
  })
})

describe('a rejected edit', () => {
  // D23
  it('leaves the file, and its reason reaches the agent', async () => {
    await open({ 'a.md': 'mine\n' })
    const call = agent.call('write_file', { path: 'a.md', content: 'theirs\n' })
    await desk.decideNext(reject('Keep it short'))
    const answer = await call
    expect([desk.read('a.md'), statusOf(answer), answer.text, desk.ledger()]).toEqual(['mine\n', 'APPROVAL_REJECTED', 'APPROVAL_REJECTED: Rejected: Keep it short. Nothing was written.', []])
  })
})

describe('a file that changed while its edit waited', () => {
  // D08
  it('keeps what the person typed; the fresh diff can be approved', async () => {
    await open({ a: 'one\ntwo\n' })
    const call = edit('a', 'one', 'ONE')
    const asked = await desk.nextAsked()
    desk.put('a', 'one\ntwo\nmine\n')
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    expect([desk.read('a'), await shown('a'), desk.now(asked)]).toMatchObject(['one\ntwo\nmine\n', { before: 'one\ntwo\nmine\n', after: 'ONE\ntwo\nmine\n' }, { state: 'stale', revision: 2 }])
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    await desk.decide(desk.now(asked), approve())
    expect([statusOf(await call), desk.read('a')]).toEqual(['done', 'ONE\ntwo\nmine\n'])
    expect(desk.ledger().map(({ cause, callId }) => [cause, callId !== null])).toEqual([['user', false], ['edit', true]])
  })

  it('ends the question where the edit does not fit any more', async () => {
    await open({ a: 'one\n' })
    const call = edit('a', 'one', 'ONE')
    const asked = await desk.nextAsked()
    desk.put('a', 'another\n')
    const decided = await desk.decide(asked, approve())
    expect([decided.state, statusOf(await call), desk.read('a')]).toEqual(['not-applied', 'FILE_CHANGED_SINCE_READ', 'another\n'])
  })

  it('is noticed also where only its mode, or that it is there, changed', async () => {
    await open({ a: { text: 'one\n', mode: 0o644 } })
    const first = edit('a', 'one', 'ONE')
    const asked = await desk.nextAsked()
    chmodSync(desk.temp.at('a'), 0o755)
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    await desk.decide(desk.now(asked), approve())
    expect([statusOf(await first), statSync(desk.temp.at('a')).mode & 0o777]).toEqual(['done', 0o755])
    const second = agent.call('write_file', { path: 'new', content: 'theirs\n' })
    const created = await desk.nextAsked()
    desk.put('new', 'mine\n')
    await expect(desk.decide(created, approve())).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    await desk.decide(desk.now(created), reject())
    expect([statusOf(await second), desk.read('new')]).toEqual(['APPROVAL_REJECTED', 'mine\n'])
  })

  it('is never left behind with part of a patch', async () => {
    await open({ a: 'one\n', b: 'one\n' })
    const call = agent.call('apply_patch', { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+two\n' })
    const asked = await desk.nextAsked()
    desk.put('b', 'mine\n')
    // Also a file that is left out must be as it was shown.
    const decided = await desk.decide(asked, approve({ files: [chosen('b', { hunks: [] })] }))
    expect([decided.state, statusOf(await call), desk.read('a'), desk.read('b')]).toEqual(['not-applied', 'FILE_CHANGED_SINCE_READ', 'one\n', 'mine\n'])
  })
})
