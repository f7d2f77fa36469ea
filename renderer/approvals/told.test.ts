import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import type { Approval, ApprovalFile } from '../../shared/approval.js'
import { freshDraft, withTicks, withTyped, type FileDraft } from '../state/approval-draft.js'
import type { Draft } from '../state/approvals-slice.js'
import { scriptedApprovals } from '../testing/scripted-approvals.js'
import { ownChangeText, ownCountText, toldText } from './told.js'

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('')
const before = lines(60)
const after = before.replace('line 5\n', 'five\n').replace('line 25\n', 'line 25\nnew a\nnew b\n').replace('line 50\n', '')
const made = freshDraft(1, before, after)

const file = (path: string, part: Partial<ApprovalFile> = {}): ApprovalFile => ({
  path: workspacePath(path), from: null, operation: 'modify', stat: null, hunks: 3, badges: [], note: null, taken: null, ...part,
})

async function asked(files: readonly ApprovalFile[]): Promise<Approval> {
  const list = await scriptedApprovals({ hasAgents: true, extra: false, lines: null, isScattered: false }, () => undefined)['approval.list']?.({}, { signal: new AbortController().signal, progress: () => undefined })
  const first = list?.waiting[0]
  if (!first) throw new Error('The script asks nothing.')
  return { ...first, subject: { kind: 'edit', files, sed: null } }
}

const draftOf = (files: Readonly<Record<string, FileDraft>>, leftOut: readonly string[] = []): Draft => ({
  files: new Map(Object.entries(files).map(([path, one]) => [workspacePath(path), one])),
  leftOut: new Set(leftOut.map(workspacePath)),
})

describe('what the agent is told of one file', () => {
  it('names what was written, changed and left out', async () => {
    const approval = await asked([file('a.ts')])
    const own = withTyped(made, after.replace('new a', 'own a'))
    const say = (one: FileDraft): string | null => toldText(approval, draftOf({ 'a.ts': one }))
    expect([
      say(made),
      say(withTicks(made, [3], false)),
      say(withTicks(own, [3], false)),
      say(withTyped(made, after.replace('new a\nnew b', 'own a\nown b').replace('line 40', 'own 40'))),
      say(withTicks(made, [1, 2, 3], false)),
    ]).toEqual([
      'The agent is told: all 3 hunks were written.',
      'The agent is told: hunks 1 and 2 were written, hunk 3 was left out.',
      'The agent is told: hunks 1 and 2 were written, line 26 was changed by you, hunk 3 was left out.',
      'The agent is told: hunks 1, 2 and 3 were written, lines 26–27 and 42 were changed by you.',
      'Nothing is ticked. Tick what is to be written, or reject it with a reason.',
    ])
  })

  it('says the kind of change where there are no hunks', async () => {
    const say = async (part: Partial<ApprovalFile>): Promise<string | null> => toldText(await asked([file('a.ts', { hunks: 0, ...part })]), draftOf({}))
    expect(await Promise.all([say({ operation: 'create' }), say({ operation: 'delete' }), say({ operation: 'mode' }), say({ operation: 'rename' })])).toEqual([
      'The agent is told: the file was created.',
      'The agent is told: the file was deleted.',
      'The agent is told: the mode was changed.',
      'The agent is told: the file was renamed.',
    ])
  })
})

describe('what the agent is told of a patch', () => {
  it('counts files, and goes into those that were not taken whole', async () => {
    const approval = await asked([file('a.ts'), file('b.png', { hunks: 0 }), file('c.ts')])
    expect([
      toldText(approval, draftOf({})),
      toldText(approval, draftOf({}, ['b.png'])),
      toldText(approval, draftOf({ 'a.ts': withTicks(made, [2], false) }, ['b.png'])),
      toldText(approval, draftOf({}, ['a.ts', 'b.png', 'c.ts'])),
    ]).toEqual([
      'The agent is told: all 3 files were written.',
      'The agent is told: 2 of 3 files were written, b.png was left out.',
      'The agent is told: 2 of 3 files were written, b.png was left out; in a.ts hunks 1 and 3 were written, hunk 2 was left out.',
      'Nothing is ticked. Tick what is to be written, or reject it with a reason.',
    ])
  })

  it('lets no path hide a character', async () => {
    expect(toldText(await asked([file('a.ts'), file('\u202Egpj.sh')]), draftOf({}, ['\u202Egpj.sh']))).toContain('‹U+202E›gpj.sh was left out')
  })
})

describe('what the person changed', () => {
  it('is named over its hunk, and counted in the list', () => {
    const own = withTyped(made, after.replace('new a\nnew b', 'own a\nown b').replace('line 40', 'own 40'))
    expect([ownChangeText(own, [0]), ownChangeText(own, []), ownCountText(draftOf({ 'a.ts': own })), ownCountText(draftOf({ 'a.ts': made }))]).toEqual([
      'You changed lines 26–27',
      null,
      'you changed 3 lines',
      null,
    ])
  })

  it('is said of lines that were taken out', () => {
    expect(ownChangeText(withTyped(made, after.replace('new a\n', '')), [0])).toBe('You took lines out')
  })
})
