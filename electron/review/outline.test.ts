import { describe, expect, it } from 'vitest'
import { operationId, promptId, workspacePath } from '../../shared/ids.js'
import type { RecordedRewind, Turn } from '../../shared/session.js'
import type { Operation } from '../history/journal.js'
import type { OperationSubject } from '../history/operation.js'
import type { SetAsideBranch } from '../sessions/recorded-session.js'
import { buildOutline } from './outline.js'

const turn = (name: string, startedAt: number, index: number | null = 1): Turn => ({ promptId: promptId(name), index, prompt: `prompt ${name}`, startedAt, hasSnapshot: true })
const turns = [turn('a', 100), turn('b', 200), turn('c', 300), turn('d', 400)]

function operation(id: string, at: number, subject: OperationSubject, outcome: 'done' | 'interrupted' = 'done'): Operation {
  const file = { path: workspacePath('f'), action: 'restore', before: { kind: 'absent' }, after: { kind: 'absent' } } as const
  const receipt = { operationId: operationId(id), action: subject.kind, label: id, startedAt: at, durationMs: 1, files: [], snapshot: { files: 0, sizeBytes: 0 } }
  const intent = { id: operationId(id), subject, label: id, at, workspace: '/w', files: [file], madeFolders: [], emptiedFolders: [] }
  return { intent, action: subject.kind, end: { id: operationId(id), receipt, outcome, recovered: null }, changed: [file] }
}

const rewindTo = (name: string, kind: 'start' | 'end' = 'start'): OperationSubject => ({ kind: 'rewind', target: { kind, promptId: promptId(name) } })
const undo = (root: string): OperationSubject => ({ kind: 'undo', root: operationId(root) })
const redo = (root: string): OperationSubject => ({ kind: 'redo', root: operationId(root) })

interface Given {
  readonly operations?: readonly Operation[]
  readonly setAside?: readonly SetAsideBranch[]
  readonly rewinds?: readonly RecordedRewind[]
  readonly turns?: readonly Turn[]
}

/** Rows in short, the playhead as `|`, turns that were taken back in brackets, operations that were undone with a tilde. */
function drawn({ operations = [], setAside = [], rewinds = [], turns: given = turns }: Given): string {
  const { rows, playhead } = buildOutline({ revision: 1, turns: given, setAside, rewinds, operations })
  const words = rows.map((row) => {
    switch (row.kind) {
      case 'turn':
        return row.isTakenBack ? `(${row.promptId})` : row.promptId
      case 'set-aside':
        return `aside:${row.turns.map((each) => each.promptId).join('+')}`
      case 'agent-rewind':
        return `<${row.label}>`
      case 'operation':
        return `${row.isUndone ? '~' : ''}${row.action}:${row.operationId}`
      case 'end':
        return 'end'
    }
  })
  return [...words.slice(0, playhead), '|', ...words.slice(playhead)].join(' ')
}

describe('buildOutline', () => {
  it('ends with the cap, the disk behind it', () => {
    expect(drawn({})).toBe('a b c d end |')
  })

  it('folds what the agent set aside, and its rewind, after the turn that stayed', () => {
    const setAside = [{ after: promptId('b'), turns: [turn('x', 210, null), turn('y', 220, null)] }]
    const rewinds = [{ at: 230, droppedFrom: promptId('x'), dropped: [promptId('x'), promptId('y')], after: promptId('b') }]
    expect(drawn({ setAside, rewinds })).toBe('a b aside:x+y <The agent went back to the end of turn 2, 2 turns set aside> c d end |')
  })

  it('places a rewind that itself was set aside at the branch that holds it', () => {
    const setAside = [{ after: null, turns: [turn('x', 10, null), turn('y', 20, null)] }]
    const rewinds = [{ at: 15, droppedFrom: promptId('y'), dropped: [promptId('y')], after: promptId('x') }]
    expect(drawn({ setAside, rewinds })).toBe('aside:x+y <The agent went back to the start, 1 turn set aside> a b c d end |')
  })

  it('moves the playhead to where our rewind went, and strikes the turns that it took back', () => {
    expect(drawn({ operations: [operation('r', 500, rewindTo('c'))] })).toBe('a b | (c) (d) end rewind:r')
    expect(drawn({ operations: [operation('r', 500, rewindTo('b', 'end'))] })).toBe('a b | (c) (d) end rewind:r')
    expect(drawn({ operations: [operation('r', 500, rewindTo('d', 'end'))] })).toBe('a b c d end rewind:r |')
  })

  it('puts the playhead back when the rewind is undone, and again when it is redone', () => {
    const undone = [operation('r', 500, rewindTo('c')), operation('u', 510, undo('r'))]
    expect(drawn({ operations: undone })).toBe('a b c d end ~rewind:r undo:u |')
    expect(drawn({ operations: [...undone, operation('v', 520, redo('r'))] })).toBe('a b | (c) (d) end rewind:r ~undo:u redo:v')
  })

  it('leaves an interrupted rewind out of account', () => {
    expect(drawn({ operations: [operation('r', 500, rewindTo('b'), 'interrupted')] })).toBe('a b c d end rewind:r |')
  })

  it('keeps turns taken back when the agent goes on after the rewind, with the disk at the end', () => {
    expect(drawn({ operations: [operation('r', 250, rewindTo('b'))] })).toBe('a (b) rewind:r c d end |')
  })

  it('takes nothing back that a later rewind has brought back', () => {
    const operations = [operation('r', 500, rewindTo('b')), operation('s', 510, rewindTo('d'))]
    expect(drawn({ operations })).toBe('a b c | (d) end rewind:r rewind:s')
  })

  it('leaves taken back what the target of a later rewind had taken back', () => {
    const operations = [operation('r', 250, rewindTo('a')), operation('s', 510, rewindTo('d'))]
    expect(drawn({ operations })).toBe('(a) (b) rewind:r c | (d) end rewind:s')
  })

  it('has only the cap where there are no turns', () => {
    expect(drawn({ turns: [] })).toBe('end |')
  })
})
