import { describe, expect, it } from 'vitest'
import { operationId, workspacePath } from '../../shared/ids.js'
import type { FileResult, Receipt } from '../../shared/rewind.js'
import { readBackText, receiptText, receiptWords, rewindHindrance, rewindSentence } from './rewind-words.js'

function receipt(results: readonly FileResult[], action: Receipt['action'] = 'rewind'): Receipt {
  return {
    operationId: operationId('op'), action, label: 'the start of turn 4', startedAt: 0, durationMs: 41, snapshot: { files: 1, sizeBytes: 1 },
    files: results.map((result, at) => ({ path: workspacePath(`f${at}`), action: 'restore', result, reason: 'why', error: null, sha256: result === 'deleted' ? null : '9c41e07a'.padEnd(64, '0') })),
  }
}

describe('rewindSentence', () => {
  it('says how many files are written and how many are left', () => {
    expect([rewindSentence({ written: 14, left: 2 }), rewindSentence({ written: 1, left: 1 }), rewindSentence({ written: 3, left: 0 })]).toEqual([
      'Rewind 14 files, leave 2 as they are',
      'Rewind 1 file, leave 1 as it is',
      'Rewind 3 files',
    ])
  })

  it('says why nothing can be done', () => {
    expect([
      rewindHindrance({ written: 1, left: 0 }, true, 'x'),
      rewindHindrance({ written: 1, left: 0 }, false, 'x'),
      rewindHindrance({ written: 0, left: 2 }, true, 'x'),
      rewindHindrance({ written: 0, left: 0 }, true, 'the start of turn 4'),
    ]).toEqual([null, 'The preview is being made.', 'Every file is left out or needs an answer first.', 'Every file is as it was at the start of turn 4.'])
  })
})

describe('receiptWords', () => {
  it('claims that every file was read again only where none failed', () => {
    expect([receiptWords(receipt(['restored', 'deleted', 'left', 'left'])), receiptWords(receipt(['restored', 'failed'])), receiptWords(receipt(['failed']))]).toEqual([
      { title: 'Rewound 2 files to the start of turn 4', text: 'Every file was read again after the write and has the bytes of the plan. 2 files were left as they are.' },
      { title: 'Rewound 1 file to the start of turn 4', text: '1 file could not be written; the list says why. Every other file was read again after the write and has the bytes of the plan.' },
      { title: 'Rewound 0 files to the start of turn 4', text: '1 file could not be written; the list says why. Nothing was written.' },
    ])
  })

  it('names what an undo took back', () => {
    const undone = (label: string): string => receiptWords({ ...receipt(['restored']), action: 'undo', label }).title
    expect([undone('the start of turn 4'), undone('change 2 of a.ts in turn 7')]).toEqual([
      'Undid the rewind to the start of turn 4, 1 file changed back',
      'Undid the take-back of change 2 of a.ts in turn 7, 1 file changed back',
    ])
  })

  it('shows what was read back, and nothing for a file that was not written', () => {
    expect(receipt(['restored', 'deleted', 'left', 'failed']).files.map(readBackText)).toEqual(['9c41 e07a', 'absent', '', ''])
  })

  it('is copied with each file, its reason and its whole hash', () => {
    expect(receiptText(receipt(['restored', 'deleted'])).split('\n').slice(3)).toEqual([
      '',
      `Restored    f0  why  ${'9c41e07a'.padEnd(64, '0')}`,
      'Deleted     f1  why  absent',
      '',
    ])
  })
})
