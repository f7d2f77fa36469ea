import { describe, expect, it } from 'vitest'
import { promptId, workspacePath, type WorkspacePath } from '../../shared/ids.js'
import type { RecordedEdit, ToolCall, TranscriptEntry } from '../../shared/session.js'
import { TextLedger } from './text-ledger.js'

const path = workspacePath('a.ts')
const call = (own: Partial<ToolCall>): TranscriptEntry => ({
  kind: 'call',
  at: 0,
  call: { callId: 'c', name: 'x', kind: 'other', status: 'done', startedAt: 0, durationMs: null, args: '', output: '', isOutputCut: false, edit: null, command: null, seen: null, subagent: null, ...own },
})
const edit = (before: string | null, after: string, own: Partial<RecordedEdit> = {}): TranscriptEntry =>
  call({
    kind: 'edit',
    edit: {
      path,
      change: { kind: 'replace', oldText: before ?? '', newText: after, all: false },
      before: before === null ? null : { text: before, isWhole: true },
      after: { text: after, isWhole: true },
      isNewFile: false,
      diff: null,
      keepsBytes: false,
      ...own,
    },
  })
const write = (before: string, after: string): TranscriptEntry => edit(before, after, { change: { kind: 'write', content: after } })
const make = (text: string, keepsBytes = true): TranscriptEntry => edit(null, text, { isNewFile: true, keepsBytes, change: { kind: 'write', content: text } })
const read = (text: string): TranscriptEntry => call({ kind: 'read', seen: { path, text } })
const bash = (text: string): TranscriptEntry => call({ kind: 'command', command: { text, exitCode: 0, directory: null } })

/** What the ledger tells of the path, change by change: texts, `-` for absent, `?` for unknown; `^` before a first sight. */
async function told(turns: readonly (readonly TranscriptEntry[])[], disk: string | null, leftOut: readonly WorkspacePath[] = []): Promise<readonly string[]> {
  const ids = turns.map((_, at) => promptId(`p${at}`))
  const ledger = new TextLedger({
    turns: () => ids,
    readTurn: async (id) => turns[ids.indexOf(id)] ?? [],
    leftOut: async () => new Set(leftOut),
    readDisk: async () => (disk === null ? null : { bytes: Buffer.from(disk), modifiedAtMs: 0 }),
    folder: () => '/home/dev/app',
  })
  const pages = await ledger.pages()
  const lines: string[] = []
  for (const mark of pages.ofPath(path)) {
    const { before, after } = await pages.changeOf(mark, path)
    const text = async (state: typeof before): Promise<string> =>
      state.kind === 'file' ? Buffer.from((await pages.read?.(state.sha256)) ?? '').toString() : state.kind === 'absent' ? '-' : '?'
    lines.push(`${mark.isFirstSight ? '^' : ''}${mark.promptId} ${await text(before)}>${await text(after)}`)
  }
  return lines
}

describe('texts that an agent recorded', () => {
  it.each<readonly [string, readonly (readonly TranscriptEntry[])[], string | null, readonly string[]]>([
    ['are states where the disk still is what was recorded last', [[edit('a', 'b')], [edit('b', 'c')]], 'c', ['^p0 ?>a', 'p0 a>b', 'p1 b>c']],
    ['prove nothing without the disk', [[edit('a', 'b')]], null, []],
    ['prove nothing where the disk is something else', [[edit('a', 'b')]], 'x', []],
    ['prove nothing where the disk has other line ends', [[edit('a\n', 'b\n')]], 'b\r\n', []],
    ['prove nothing where the disk has a BOM', [[edit('a', 'b')]], '\ufeffb', []],
    ['are not carried over a break', [[edit('a', 'b')], [edit('x', 'c')]], 'c', ['^p0 ?>?', 'p0 ?>?', 'p1 x>c']],
    ['are carried by a read', [[edit('a', 'b'), read('b')]], 'b', ['^p0 ?>a', 'p0 a>b']],
    ['are broken by a read of something else', [[edit('a', 'b'), read('x')]], 'x', []],
    ['are not carried over a command about line ends', [[edit('a', 'b'), bash('dos2unix *')], [edit('b', 'c')]], 'c', ['^p0 ?>?', 'p0 ?>?', 'p1 b>c']],
    ['are carried over other commands', [[edit('a', 'b'), bash('npm test')], [edit('b', 'c')]], 'c', ['^p0 ?>a', 'p0 a>b', 'p1 b>c']],
    ['are not carried backwards over a file that was written whole', [[write('a', 'b')]], 'b', ['^p0 ?>?', 'p0 ?>b']],
    ['of a file that the agent made are known until it is seen last', [[make('a')], [edit('a', 'b')]], null, ['p0 ->a', 'p1 a>?']],
    ['of a file that the agent made say nothing where it changes line ends', [[make('a', false)], [edit('a', 'b')]], null, []],
    ['say nothing of the start of a turn in which a command came before', [[bash('npm i'), edit('a', 'b')]], 'b', ['^p0 ?>?', 'p0 a>b']],
    ['that were cut are none', [[edit('a', 'b', { after: { text: 'b', isWhole: false } })]], 'b', []],
    ['of a refused edit are none', [[call({ kind: 'edit', status: 'refused', edit: null }), edit('a', 'b')]], 'b', ['^p0 ?>a', 'p0 a>b']],
  ])('%s', async (_, turns, disk, expected) => {
    expect(await told(turns, disk)).toEqual(expected)
  })

  it('are left out where other records tell more', async () => {
    expect(await told([[edit('a', 'b')]], 'b', [path])).toEqual([])
  })
})
