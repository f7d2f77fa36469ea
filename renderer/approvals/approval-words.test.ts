import { describe, expect, it } from 'vitest'
import type { Approval, ApprovalFile, TakenPart } from '../../shared/approval.js'
import { scriptedApprovals } from '../testing/scripted-approvals.js'
import { fileNote, outcomeIcon, outcomeText } from './approval-words.js'

const leftOut: TakenPart = { kind: 'left-out' }
const hunks = (taken: readonly number[], of: number): TakenPart => ({ kind: 'hunks', hunks: taken, of })
const edited = (taken: readonly number[], of: number): TakenPart => ({ kind: 'edited', hunks: taken, of })

async function written(parts: readonly (TakenPart | null)[]): Promise<Approval> {
  const list = await scriptedApprovals({ hasAgents: true, extra: false, lines: null, isScattered: false }, () => undefined)['approval.list']?.({}, { signal: new AbortController().signal, progress: () => undefined })
  const applied = list?.decided.find(({ id }) => id === 'd1')
  const file = applied?.subject.kind === 'edit' ? applied.subject.files[0] : undefined
  if (!applied || !file) throw new Error('The script has no written edit.')
  return { ...applied, subject: { kind: 'edit', sed: null, files: parts.map((taken): ApprovalFile => ({ ...file, taken })) } }
}

describe('the outcome of an edit', () => {
  it.each([
    [[null], 'approved, written', 'check'],
    [[hunks([1, 3], 4)], 'approved, hunks 1 and 3', 'check'],
    [[hunks([1, 2, 4], 4)], 'approved, hunks 1, 2 and 4', 'check'],
    [[hunks([2], 2)], 'approved, hunk 2', 'check'],
    [[edited([1], 1)], 'approved as edited', 'pencil'],
    [[edited([1], 1), leftOut, null], 'approved as edited', 'pencil'],
    [[null, leftOut, null], 'approved, 2 of 3 files', 'check'],
    [[null, hunks([1], 2)], 'approved, some hunks left out', 'check'],
  ] as const)('of which %j was written is "%s"', async (parts, text, icon) => {
    const approval = await written(parts)
    expect([outcomeText(approval), outcomeIcon(approval)]).toEqual([text, icon])
  })

  it('stands at each file that was not written as proposed', async () => {
    const { subject } = await written([leftOut, hunks([1, 3], 4), hunks([1], 2), edited([1, 2], 2), edited([2], 2), null])
    expect(subject.kind === 'edit' && subject.files.map(fileNote)).toEqual(['left out', 'hunks 1, 3 of 4 written', 'hunk 1 of 2 written', 'written as you changed it', 'hunk 2 of 2 written as you changed it', '1 hunk'])
  })
})
