import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { FileChange, Moment } from '../../shared/file-state.js'
import { workspacePath, type PromptId } from '../../shared/ids.js'
import { liveSession, type LiveSession } from '../testing/live-session.js'
import type { TestContent } from '../testing/temp-history.js'
import type { OpenedSession } from './opened-session.js'

let live: LiveSession
afterEach(() => live.dispose())

async function begin(files: Readonly<Record<string, TestContent>> = {}): Promise<LiveSession> {
  live = await liveSession(files)
  return live
}

function shown(changes: readonly FileChange[]): readonly string[] {
  const typing = ({ badges }: FileChange): string => (badges.some(({ kind }) => kind === 'with-typing') ? ' with-typing' : '')
  return changes.map((change) => `${change.kind} ${change.path} by ${change.cause}${change.stat ? ` +${change.stat.insertions} -${change.stat.deletions}` : ''}${typing(change)}`)
}

async function known(review: OpenedSession, moment: Moment, path: string): Promise<string> {
  const { content } = await review.contentAt(moment, workspacePath(path))
  const { state } = content
  if (state.kind === 'file') return `${(state.mode ?? 0).toString(8)} ${Buffer.from(await content.read()).toString('latin1')}`
  if (state.kind === 'link') return `link ${state.target}`
  return state.kind === 'unknown' ? `? ${state.reason}` : state.kind
}

type Reviewed = Awaited<ReturnType<LiveSession['review']>>

const start = (promptId: PromptId): Moment => ({ kind: 'start', promptId })
const end = (promptId: PromptId): Moment => ({ kind: 'end', promptId })

async function rewindTo({ review, history }: Reviewed, target: Moment): Promise<void> {
  if (target.kind === 'disk') throw new Error('That is no target.')
  await history.apply(await review.rewindTo(target, { paths: null, resolutions: {} }), null)
}

describe('a session that runs under us', () => {
  it('has no empty turn when commands change files, and takes them back', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n', 'old.txt': 'move me\n' })
    const p1 = await live.turn('By python')
    await live.command("python3 - <<'EOF'\nopen('a.txt', 'w').write('two\\n')\nEOF", () => temp.put('a.txt', 'two\n'))
    const p2 = await live.turn('By cat')
    await live.command('cat > b.txt', () => temp.put('b.txt', 'new\n'))
    const p3 = await live.turn('By mv')
    await live.command('mv old.txt moved.txt', () => {
      temp.put('old.txt', null)
      temp.put('moved.txt', 'move me\n')
    })
    const reviewed = await live.review()
    const { review } = reviewed
    const lists = [await review.list({ kind: 'turn', promptId: p1 }), await review.list({ kind: 'turn', promptId: p2 }), await review.list({ kind: 'turn', promptId: p3 })]
    const [details] = await review.turns([p3])
    await rewindTo(reviewed, start(p1))
    expect([lists.map(shown), details?.files, details?.ticks.map((tick) => tick.label), temp.tree()]).toEqual([
      [['modified a.txt by command +1 -1'], ['added b.txt by command +1 -0'], ['added moved.txt by command +1 -0', 'deleted old.txt by command +0 -1']],
      2,
      ['mv old.txt moved.txt', 'moved.txt', 'old.txt'],
      { 'a.txt': '644 one\n', 'old.txt': '644 move me\n' },
    ])
  })

  it('gives back the bytes of a file that was written anew, or deleted and made again', async () => {
    const { temp } = await begin({ 'a.md': 'first\n', 'b.md': 'second\n' })
    const p1 = await live.turn('Rewrite both')
    await live.edit({ 'a.md': 'all new\n' })
    await live.command('rm b.md', () => temp.put('b.md', null))
    await live.edit({ 'b.md': 'made again\n' })
    const reviewed = await live.review()
    await rewindTo(reviewed, start(p1))
    expect(temp.tree()).toEqual({ 'a.md': '644 first\n', 'b.md': '644 second\n' })
  })

  it('knows what files were at each message and after each call', async () => {
    await begin({ 'a.txt': '0' })
    const p1 = await live.turn('first')
    const first = await live.edit({ 'a.txt': '1' })
    await live.edit({ 'a.txt': '2' })
    const p2 = await live.turn('second')
    await live.edit({ 'a.txt': '3' })
    const { review, recorded } = await live.review()
    const pages = await recorded.ledger?.pages()
    const mark = pages?.ofTurn(p1).find(({ callId }) => callId === first)
    const after = mark && (await pages?.changeOf(mark, workspacePath('a.txt')))?.after
    const bytes = after?.kind === 'file' ? Buffer.from(await live.temp.store.readBlob(after.sha256)).toString() : null
    expect([await known(review, start(p1), 'a.txt'), bytes, await known(review, start(p2), 'a.txt'), await known(review, end(p1), 'a.txt'), await known(review, end(p2), 'a.txt')]).toEqual(['644 0', '1', '644 2', '644 2', '644 3'])
  })

  it('tells what others did between turns from what the agent did, in the middle of one as well', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n', 'mine.txt': 'mine\n' })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    temp.put('a.txt', 'two\ntyped\n')
    temp.put('mine.txt', 'mine too\n')
    const p2 = await live.turn('second')
    await live.edit({ 'c.txt': 'see\n' })
    temp.put('mine.txt', 'mine again\n')
    await live.command('true', () => undefined)
    const p3 = await live.turn('third')
    await live.edit({ 'a.txt': 'three\n' })
    const { review } = await live.review()
    const between = [await review.list({ kind: 'by-user', after: p1 }), await review.list({ kind: 'by-user', after: p2 })]
    const turns = [await review.list({ kind: 'turn', promptId: p1 }), await review.list({ kind: 'turn', promptId: p2 }), await review.list({ kind: 'turn', promptId: p3 })]
    expect([between.map(shown), turns.map(shown), shown(await review.list({ kind: 'session' })), (await review.turns([p1]))[0]?.byUser]).toEqual([
      [['modified a.txt by user +1 -0', 'modified mine.txt by user +1 -1'], ['modified mine.txt by user +1 -1']],
      [['modified a.txt by edit +1 -1'], ['added c.txt by edit +1 -0'], ['modified a.txt by edit +1 -2']],
      ['modified a.txt by edit +1 -1 with-typing', 'added c.txt by edit +1 -0', 'modified mine.txt by user +1 -1'],
      { files: 2, stat: { insertions: 2, deletions: 1 } },
    ])
  })

  it('leaves what only a person changed as it is in a rewind, unless that person chooses', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n', 'mine.txt': 'mine\n' })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    temp.put('mine.txt', 'mine too\n')
    await live.turn('second')
    await live.edit({ 'a.txt': 'three\n' })
    const reviewed = await live.review()
    const { review } = reviewed
    await rewindTo(reviewed, start(p1))
    const left = temp.tree()
    const all = await review.rewindTo({ kind: 'start', promptId: p1 }, { paths: null, resolutions: { 'mine.txt': { kind: 'old' } } })
    await reviewed.history.apply(all, null)
    expect([left, temp.tree()]).toEqual([
      { 'a.txt': '644 one\n', 'mine.txt': '644 mine too\n' },
      { 'a.txt': '644 one\n', 'mine.txt': '644 mine\n' },
    ])
  })

  it('keeps what a person typed in a turn before the agent changed the same file', async () => {
    const lines = (second: string, eighth: string): string => ['1', second, '3', '4', '5', '6', '7', eighth, '9', ''].join('\n')
    const { temp } = await begin({ 't.txt': 'old\n', 'v.txt': lines('2', '8') })
    const p1 = await live.turn('first')
    await live.edit({ 't.txt': 'new\n' })
    temp.put('u.txt', 'mine 1\nmine 2\n')
    temp.put('v.txt', lines('USER', '8'))
    temp.put('w.txt', 'notes\n')
    temp.put('x.txt', 'precious\n')
    temp.put('z.txt', 'precious too\n')
    await live.edit({ 'u.txt': 'agent\nmine 2\n' })
    await live.edit({ 'v.txt': lines('USER', 'AGENT') })
    await live.command('echo agent >> w.txt', () => temp.put('w.txt', 'notes\nagent\n'))
    await live.command('rm x.txt', () => temp.put('x.txt', null))
    await live.edit({ 'z.txt': 'agent\n' })
    const after = temp.tree()
    const reviewed = await live.review()
    const { review, history } = reviewed
    const turn = shown(await review.list({ kind: 'turn', promptId: p1 }))
    const request = await review.takeBackOf(p1, workspacePath('v.txt'), 1)
    const plan = await history.previewTakeBack(request)
    const { files } = await history.preview(await review.rewindTo({ kind: 'start', promptId: p1 }, { paths: null, resolutions: {} }))
    await rewindTo(reviewed, start(p1))
    const back = temp.tree()
    await history.undo(null)
    expect([turn, [plan.hunks, plan.stat], files.map(({ path, action, reason }) => `${path}: ${action}, ${reason}`), back, temp.tree()]).toEqual([
      ['modified t.txt by edit +1 -1', 'modified u.txt by edit +1 -1', 'modified v.txt by edit +1 -1', 'modified w.txt by command +1 -0', 'deleted x.txt by command +0 -1', 'modified z.txt by edit +1 -1'],
      [1, { insertions: 1, deletions: 1 }],
      [
        't.txt: restore, Back to turn 1',
        'u.txt: restore, Back to turn 1, with what you changed in between',
        'v.txt: restore, Back to turn 1, with what you changed in between',
        'w.txt: restore, Back to turn 1, with what you changed in between',
        'x.txt: recreate, Deleted in turn 1, comes back as it was',
        'z.txt: restore, Back to turn 1, with what you changed in between',
      ],
      { 't.txt': '644 old\n', 'u.txt': '644 mine 1\nmine 2\n', 'v.txt': `644 ${lines('USER', '8')}`, 'w.txt': '644 notes\n', 'x.txt': '644 precious\n', 'z.txt': '644 precious too\n' },
      after,
    ])
  })

  it('keeps what a person typed between two edits of a file, and asks where it is on the agent\'s lines', async () => {
    const text = (first: string, last: string): string => `${first}\n\nmiddle\n\n${last}\n`
    const { temp } = await begin({ 'a.txt': text('one', 'end'), 'b.txt': text('one', 'end') })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': text('AGENT', 'end'), 'b.txt': text('AGENT', 'end'), 'new.txt': 'agent\n' })
    temp.put('a.txt', text('AGENT', 'USER'))
    temp.put('b.txt', text('USER', 'end'))
    temp.put('new.txt', 'agent\nuser\n')
    await live.edit({ 'a.txt': `top\n${text('AGENT', 'USER')}`, 'b.txt': text('USER', 'AGENT'), 'new.txt': 'top\nagent\nuser\n' })
    const reviewed = await live.review()
    const turn = shown(await reviewed.review.list({ kind: 'turn', promptId: p1 }))
    const { files } = await reviewed.history.preview(await reviewed.review.rewindTo({ kind: 'start', promptId: p1 }, { paths: null, resolutions: {} }))
    await rewindTo(reviewed, start(p1))
    expect([turn, files.map(({ path, action, reason }) => `${path}: ${action}, ${reason}`), temp.tree()]).toEqual([
      ['modified a.txt by edit +2 -1', 'modified b.txt by edit +2 -2 with-typing', 'added new.txt by edit +3 -0 with-typing'],
      [
        'a.txt: restore, Back to turn 1, with what you changed in between',
        'b.txt: conflict, You and turn 1 both changed line 1. Stays as it is until you choose',
        'new.txt: conflict, Created in turn 1, and you changed it since. Stays as it is until you choose',
      ],
      { 'a.txt': `644 ${text('one', 'USER')}`, 'b.txt': `644 ${text('USER', 'AGENT')}`, 'new.txt': '644 top\nagent\nuser\n' },
    ])
  })

  it('takes what a person typed out of a range of turns, and says where it is in a comparison', async () => {
    const text = (...lines: readonly string[]): string => `${lines.join('\n\n')}\n`
    const { temp } = await begin({ 'a.txt': text('one', 'two', 'three', 'four'), 'b.txt': 'one\n' })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': text('AGENT', 'two', 'three', 'four') })
    temp.put('a.txt', text('AGENT', 'USER', 'three', 'four'))
    await live.edit({ 'a.txt': text('AGENT', 'USER', 'AGENT', 'four'), 'b.txt': 'two\n' })
    temp.put('a.txt', text('AGENT', 'USER', 'AGENT', 'USER'))
    const p2 = await live.turn('second')
    await live.edit({ 'a.txt': text('AGENT', 'AGENT', 'USER', 'AGENT', 'USER'), 'b.txt': 'three\n' })
    const { review } = await live.review()
    const lists = [{ kind: 'session' }, { kind: 'range', from: p1, to: p2 }, { kind: 'to-disk', promptId: p1 }, { kind: 'to-disk', promptId: p2 }, { kind: 'user-in-turn', promptId: p1 }] as const
    temp.put('b.txt', 'three\nUSER\n')
    const own = ['modified a.txt by edit +4 -2', 'modified b.txt by edit +1 -1']
    expect([await Promise.all(lists.map(async (scope) => shown(await review.list(scope)))), (await review.turns([p1, p2])).map(({ byUser, byUserInside }) => [byUser?.files, byUserInside])]).toEqual([
      [
        own,
        own,
        ['modified a.txt by edit +6 -4 with-typing', 'modified b.txt by edit +2 -1 with-typing'],
        ['modified a.txt by edit +2 -0', 'modified b.txt by edit +2 -1 with-typing'],
        ['modified a.txt by user +1 -1'],
      ],
      [[1, { files: 1, stat: { insertions: 1, deletions: 1 } }], [undefined, null]],
    ])
  })

  it('keeps what a person typed between two turns that both change the file', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n\nmiddle\n\nend\n' })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': 'AGENT\n\nmiddle\n\nend\n' })
    temp.put('a.txt', 'AGENT\n\nmiddle\n\nUSER\n')
    temp.put('mine.txt', 'mine\n')
    await live.turn('second')
    await live.edit({ 'mine.txt': 'agent\n' })
    await rewindTo(await live.review(), start(p1))
    expect(temp.tree()).toEqual({ 'a.txt': '644 one\n\nmiddle\n\nUSER\n', 'mine.txt': '644 mine\n' })
  })

  it('keeps what was typed after the last turn, merged into what a rewind brings back', async () => {
    const { temp } = await begin({ 'a.txt': 'original\n\nmiddle\n\n' })
    const p1 = await live.turn('Add a line')
    await live.edit({ 'a.txt': 'original\n\nmiddle\n\nrobot\n' })
    temp.put('a.txt', 'changed\n\nmiddle\n\nrobot\n')
    const reviewed = await live.review()
    const { review } = reviewed
    const since = shown(await review.list({ kind: 'by-user', after: p1 }))
    await rewindTo(reviewed, start(p1))
    expect([since, temp.tree()]).toEqual([['modified a.txt by user +1 -1'], { 'a.txt': '644 changed\n\nmiddle\n\n' }])
  })

  it('brings back binary files, modes and links exactly', async () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256))
    const { temp } = await begin({ 'blob.bin': { bytes }, 'run.sh': { text: '#!/bin/sh\n', mode: 0o755 }, 'empty': '', 'to': { link: 'run.sh' } })
    const before = temp.tree()
    const p1 = await live.turn('Break everything')
    await live.edit({ 'blob.bin': { bytes: Buffer.from([0, 255, 1]) } })
    await live.command('chmod 644 run.sh; ln -sfn empty to; rm empty', () => {
      chmodSync(temp.at('run.sh'), 0o644)
      rmSync(temp.at('to'))
      symlinkSync('empty', temp.at('to'))
      rmSync(temp.at('empty'))
    })
    const reviewed = await live.review()
    const { review } = reviewed
    const changes = shown(await review.list({ kind: 'turn', promptId: p1 }))
    await rewindTo(reviewed, start(p1))
    expect([changes, temp.tree()]).toEqual([
      ['modified blob.bin by edit', 'deleted empty by command +0 -0', 'mode run.sh by command +0 -0', 'modified to by command'],
      before,
    ])
  })

  it('takes empty folders that commands made away, brings back those that they removed, and undoes that', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n', 'old/x.txt': 'x\n' })
    mkdirSync(temp.at('was/empty'), { recursive: true })
    await live.turn('Before')
    await live.command('true', () => undefined)
    const p1 = await live.turn('Folders')
    await live.command('mkdir -p made/deep out full && rmdir was/empty && rm -r old', () => {
      for (const folder of ['made/deep', 'out', 'full']) mkdirSync(temp.at(folder), { recursive: true })
      rmSync(temp.at('was/empty'), { recursive: true })
      rmSync(temp.at('old'), { recursive: true })
    })
    await live.command('echo > full/y.txt', () => temp.put('full/y.txt', 'y\n'))
    temp.put('out/mine.txt', 'mine\n')
    const left = temp.tree()
    const reviewed = await live.review()
    const turn = shown(await reviewed.review.list({ kind: 'turn', promptId: p1 }))
    await rewindTo(reviewed, start(p1))
    const back = temp.tree()
    await reviewed.history.undo(null)
    expect([turn, back, temp.tree()]).toEqual([
      ['added full by command', 'added full/y.txt by command +1 -0', 'added made/deep by command', 'deleted old/x.txt by command +0 -1', 'added out by command', 'deleted was/empty by command'],
      { 'a.txt': '644 one\n', 'old/x.txt': '644 x\n', 'out/mine.txt': '644 mine\n', 'was/empty/': '755' },
      left,
    ])
  })

  it('shows what was refused, each file of a patch by itself, and what was not looked at', async () => {
    await begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    const p1 = await live.turn('Try')
    await live.refuse('apply_patch', { patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** End Patch' }, 'Not these.')
    await live.refuse('edit_file', { path: 'c.txt', old_text: 'x', new_text: 'y' }, 'APPROVAL_REJECTED: Nor this.')
    await live.log.ledger({ promptId: p1, isBeforeTurn: false, callId: null, cause: 'command', at: 1, changes: [], limits: ['build/ was not looked at: it holds too much.'] })
    const { review } = await live.review()
    const refused = (await review.list({ kind: 'turn', promptId: p1 })).map(({ path, kind, badges }) => [path, kind, badges])
    expect([refused, (await review.turns([p1]))[0]?.limits]).toEqual([
      [
        ['a.txt', 'refused', [{ kind: 'refused', reason: 'Not these.' }]],
        ['b.txt', 'refused', [{ kind: 'refused', reason: 'Not these.' }]],
        ['c.txt', 'refused', [{ kind: 'refused', reason: 'Nor this.' }]],
      ],
      ['build/ was not looked at: it holds too much.'],
    ])
  })

  it('shows no change, known or unknown, of an edit that waits for its answer', async () => {
    await begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    const p1 = await live.turn('Ask first')
    await live.edit({ 'b.txt': 'TWO\n' })
    await live.log.call({ callId: 'waiting', name: 'edit_file', args: { path: 'a.txt', old_text: 'one', new_text: '1' }, request: null, at: 1 })
    const { review } = await live.review()
    expect([shown(await review.list({ kind: 'turn', promptId: p1 })), (await review.turns([p1]))[0]?.files]).toEqual([['modified b.txt by edit +1 -1'], 1])
  })

  it('does not claim a moment between two looks that do not fit together, nor bytes that are gone', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
    await live.turn('first')
    await live.command('a', () => temp.put('a.txt', 'two\n'))
    const p2 = await live.turn('second')
    const path = workspacePath('a.txt')
    const gone = { kind: 'file', sha256: 'c'.repeat(64), sizeBytes: 3, mode: 0o644 } as const
    await live.log.ledger({ promptId: p2, isBeforeTurn: false, callId: null, cause: 'command', at: 1, limits: [], changes: [{ path, before: gone, after: gone }, { path: workspacePath('b.txt'), before: gone, after: { kind: 'absent' } }] })
    const { review } = await live.review()
    expect([await known(review, start(p2), 'a.txt'), await known(review, start(p2), 'b.txt'), await known(review, end(p2), 'a.txt')]).toEqual(['? records-disagree', '? backup-missing', '? backup-missing'])
  })

  it('goes on after a restart on the same chain, its first backups known', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n' })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    await live.restart()
    const p2 = await live.turn('second')
    await live.edit({ 'a.txt': 'three\n', 'b.txt': 'b\n' })
    const { review, recorded } = await live.review()
    const problems = recorded.problems
    const turns = recorded.turns.map(({ promptId }) => promptId)
    const changes = shown(await review.list({ kind: 'turn', promptId: p2 }))
    await live.files.rewind(p1)
    expect([problems, turns, changes, temp.tree()]).toEqual([[], [p1, p2], ['modified a.txt by edit +1 -1', 'added b.txt by edit +1 -0'], { 'a.txt': '644 one\n' }])
  })

  it('has a mark on the rail for each file of a patch, and notes under their own names', async () => {
    await begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    const p1 = await live.turn('Patch both')
    await live.edit({ 'a.txt': 'ONE\n', 'b.txt': 'TWO\nmore\n' })
    await live.log.note('decision', { state: 'applied' })
    const { review } = await live.review()
    const [details] = await review.turns([p1])
    const others = (await review.transcript(p1)).flatMap((entry) => (entry.kind === 'other' ? [entry.label] : []))
    expect([details?.ticks, details?.unknown, others]).toEqual([
      [
        { kind: 'change', cause: 'edit', removed: 1, added: 1, label: 'a.txt' },
        { kind: 'change', cause: 'edit', removed: 1, added: 2, label: 'b.txt' },
      ],
      0,
      ['decision'],
    ])
  })

  it('shows what is added while it is open, and reads only that', async () => {
    await begin({ 'a.txt': 'one\n' })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    const { review, recorded } = await live.review()
    const before = await recorded.ledger?.pages()
    const first = shown(await review.list({ kind: 'turn', promptId: p1 }))
    await live.edit({ 'b.txt': 'b\n' })
    const p2 = await live.turn('second')
    await live.command('more', () => live.temp.put('a.txt', 'three\n'))
    await recorded.whenLoaded()
    const after = await recorded.ledger?.pages()
    const lists = [shown(await review.list({ kind: 'turn', promptId: p1 })), shown(await review.list({ kind: 'turn', promptId: p2 }))]
    expect([first, lists, before?.ofTurn(p1)[0]?.paths === after?.ofTurn(p1)[0]?.paths]).toEqual([
      ['modified a.txt by edit +1 -1'],
      [['modified a.txt by edit +1 -1', 'added b.txt by edit +1 -0'], ['modified a.txt by command +1 -1']],
      true,
    ])
  })

  it('tells a rewind of ours between two turns from typing, and goes back across it', async () => {
    const { temp } = await begin({ 'a.txt': 'one\n' })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    const first = await live.review()
    await rewindTo(first, start(p1))
    const p2 = promptAfter(p1)
    live.turns.push(p2)
    await live.log.prompt('second', p2, Date.now())
    await live.settle('rewind', true)
    await live.files.makeSnapshot(p2)
    await live.edit({ 'b.txt': 'b\n' })
    const reviewed = await live.review()
    const { review } = reviewed
    const between = shown(await review.list({ kind: 'by-user', after: p1 }))
    await rewindTo(reviewed, end(p1))
    expect([between, temp.tree()]).toEqual([[], { 'a.txt': '644 two\n' }])
  })

  it('keeps what was typed before a rewind that merged it, when the agent changes the file again', async () => {
    const text = (third: string, seventh: string, ...more: readonly string[]): string => `${['1', '2', third, '4', '5', '6', seventh, '8', '9', ...more].join('\n')}\n`
    const { temp } = await begin({ 'f.txt': text('3', '7') })
    const p1 = await live.turn('first')
    await live.edit({ 'f.txt': text('AGENT', '7') })
    temp.put('f.txt', text('AGENT', '7', 'typed'))
    await rewindTo(await live.review(), start(p1))
    const p2 = await live.turn('second')
    await live.edit({ 'f.txt': text('3', 'AGENT', 'typed') })
    const reviewed = await live.review()
    const { review } = reviewed
    const lists = [{ kind: 'turn', promptId: p1 }, { kind: 'by-user', after: p1 }, { kind: 'turn', promptId: p2 }, { kind: 'session' }] as const
    const seen = await Promise.all(lists.map(async (scope) => shown(await review.list(scope))))
    await rewindTo(reviewed, start(p1))
    expect([seen, temp.tree()]).toEqual([
      [['modified f.txt by edit +1 -1'], ['modified f.txt by user +1 -0'], ['modified f.txt by edit +1 -1'], ['modified f.txt by edit +1 -1']],
      { 'f.txt': `644 ${text('3', '7', 'typed')}` },
    ])
  })

  it('takes nothing of the agent for typing when a rewind from before its last change is undone', async () => {
    const text = (third: string, seventh: string): string => `${['1', '2', third, '4', '5', '6', seventh, '8', '9'].join('\n')}\n`
    const { temp } = await begin({ 'f.txt': text('3', '7') })
    const p1 = await live.turn('first')
    await live.edit({ 'f.txt': text('AGENT', '7') })
    await rewindTo(await live.review(), start(p1))
    const p2 = await live.turn('second')
    await live.edit({ 'f.txt': text('3', 'AGENT') })
    const { history } = await live.review()
    await history.undo(null)
    const undone = temp.tree()
    const reviewed = await live.review()
    const typed = shown(await reviewed.review.list({ kind: 'by-user', after: p2 }))
    await rewindTo(reviewed, start(p2))
    expect([undone, typed, temp.tree()]).toEqual([{ 'f.txt': `644 ${text('AGENT', 'AGENT')}` }, [], { 'f.txt': `644 ${text('3', '7')}` }])
  })

  it('does not bring back what a person gave up in a rewind, and keeps the text that was put there', async () => {
    const text = (third: string, ...more: readonly string[]): string => `${['1', '2', third, '4', '5', '6', ...more].join('\n')}\n`
    const { temp } = await begin({ 'a.txt': text('3'), 'b.txt': text('3') })
    const p1 = await live.turn('first')
    await live.edit({ 'a.txt': text('AGENT'), 'b.txt': text('AGENT') })
    for (const path of ['a.txt', 'b.txt']) temp.put(path, text('TYPED', 'mine'))
    const first = await live.review()
    const resolutions = { [workspacePath('a.txt')]: { kind: 'old' }, [workspacePath('b.txt')]: { kind: 'text', text: text('3', 'mine too') } } as const
    await first.history.apply(await first.review.rewindTo({ kind: 'start', promptId: p1 }, { paths: null, resolutions }), null)
    const back = temp.tree()
    await live.turn('second')
    await live.edit({ 'a.txt': `AGENT\n${text('3')}`, 'b.txt': `AGENT\n${text('3', 'mine too')}` })
    await rewindTo(await live.review(), start(p1))
    expect([back, temp.tree()]).toEqual([{ 'a.txt': `644 ${text('3')}`, 'b.txt': `644 ${text('3', 'mine too')}` }, back])
  })

  it('is found in, mapped and marked as any other', async () => {
    await begin({ 'a.txt': 'one\n' })
    const p1 = await live.turn('Change the thing')
    await live.command('make things', () => writeFileSync(live.temp.at('made.txt'), 'made\n'))
    const { review } = await live.review()
    const hits = await review.find('made', 10)
    const [change] = await review.list({ kind: 'turn', promptId: p1 })
    await review.mark({ kind: 'turn', promptId: p1 }, workspacePath('made.txt'), change?.contentKey ?? '', true)
    const marked = (await review.list({ kind: 'turn', promptId: p1 })).map((each) => each.review)
    const map = await review.map()
    expect([hits.map((hit) => hit.kind), marked, map.files.map(({ path, cells }) => [path, cells.map(({ kind, cause }) => `${kind} ${cause}`)]), await review.list({ kind: 'since-reviewed' })]).toEqual([
      ['file'],
      ['reviewed'],
      [['made.txt', ['added command']]],
      [],
    ])
  })
})

function promptAfter(promptId: PromptId): PromptId {
  return promptId.replace(/\d+$/, (count) => String(Number(count) + 1)) as PromptId
}
