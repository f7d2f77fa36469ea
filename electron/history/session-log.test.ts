import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FileState } from '../../shared/file-state.js'
import { promptId, workspacePath } from '../../shared/ids.js'
import type { LedgerEntry } from '../../shared/ledger.js'
import { resumeOf } from '../live/resume-session.js'
import { openSessionLog, projectIdOf, type SessionLog, type SessionLogOptions } from './session-log.js'

const sessionId = '5e551011-0000-4000-8000-000000000001'
const at = Date.UTC(2026, 0, 5, 8)
const p1 = promptId(`${sessionId}########1`)
const p2 = promptId(`${sessionId}########2`)

function newOptions(): SessionLogOptions {
  const dataFolder = mkdtempSync(join(tmpdir(), 'overturn-log-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  return { dataFolder, sessionId, folder: '/home/dev/acme', version: '1.2.3', branch: 'main', client: { name: 'test-agent', version: '9' }, now: () => at }
}

type Line = { readonly uuid: string; readonly parentUuid: string | null; readonly [name: string]: unknown }

function linesOf(log: SessionLog): readonly Line[] {
  return readFileSync(log.file, 'utf8').trimEnd().split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })
}

function isOneChain(lines: readonly Line[]): boolean {
  return lines.every(({ parentUuid }, index) => parentUuid === (lines[index - 1]?.uuid ?? null))
}

const absent: FileState = { kind: 'absent' }

function entryOf(paths: readonly string[], part: Partial<LedgerEntry> = {}): LedgerEntry {
  const changes = paths.map((path) => ({ path: workspacePath(path), before: absent, after: { kind: 'link', target: 'x' } as const }))
  return { promptId: p1, isBeforeTurn: false, callId: 'c1', cause: 'edit', at, changes, limits: [], ...part }
}

describe('the log of a session', () => {
  it('lies where readers of qwen-code logs look, for this user only', async () => {
    const options = newOptions()
    const log = await openSessionLog(options)
    expect([log.file, statSync(log.file).mode & 0o777, statSync(dirname(log.file)).mode & 0o777, projectIdOf('C:\\Work\\Äb', 'win32')]).toEqual([
      join(options.dataFolder, `sessions/projects/-home-dev-acme/chats/${sessionId}.jsonl`),
      0o600,
      0o700,
      'c--work--b',
    ])
  })

  it('holds records in the shape of qwen-code, and our own beside', async () => {
    const log = await openSessionLog(newOptions())
    await log.prompt('Add a cart', p1, at)
    await log.snapshot({ kind: 'whole', promptId: p1, takenAt: at, backups: new Map() })
    await log.call({ callId: 'c1', name: 'edit_file', args: { path: 'a.ts', old_text: 'one', new_text: 'two' }, request: 7, at })
    await log.ledger(entryOf(['a.ts']))
    await log.result({ callId: 'c1', name: 'edit_file', status: 'done', text: 'Changed.', display: { kind: 'edit', path: 'a.ts', before: 'one\n', after: 'two\n', diff: 'the diff' }, durationMs: 12, at })
    await log.result({ callId: 'c2', name: 'run_command', status: 'refused', text: 'Not now.', display: { kind: 'none' }, durationMs: 0, at })
    await log.reply('Done.')
    await log.note('mode', { mode: 'plan' })
    const base = { sessionId, timestamp: '2026-01-05T08:00:00.000Z', cwd: '/home/dev/acme', version: '1.2.3', gitBranch: 'main' }
    const lines = linesOf(log)
    expect([isOneChain(lines), lines.map(({ uuid: _uuid, parentUuid: _parentUuid, ...rest }) => rest)]).toEqual([
      true,
      [
        { ...base, type: 'system', provenance: 'system', subtype: 'overturn_session', systemPayload: { client: { name: 'test-agent', version: '9' }, version: '1.2.3' } },
        { ...base, type: 'user', provenance: 'real_user', message: { role: 'user', parts: [{ text: 'Add a cart' }] }, promptId: p1 },
        { ...base, type: 'system', provenance: 'system', subtype: 'file_history_snapshot', systemPayload: { snapshots: [{ promptId: p1, timestamp: base.timestamp, trackedFileBackups: {} }] } },
        { ...base, type: 'assistant', request: 7, provenance: 'assistant_output', message: { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'edit_file', args: { path: 'a.ts', old_text: 'one', new_text: 'two' } } }] } },
        { ...base, type: 'system', provenance: 'system', subtype: 'overturn_ledger', systemPayload: entryOf(['a.ts']) },
        {
          ...base,
          type: 'tool_result',
          provenance: 'tool_result',
          message: { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'edit_file', response: { output: 'Changed.' } } }] },
          toolCallResult: {
            callId: 'c1',
            status: 'success',
            executionStatus: 'success',
            resultDisplay: {
              fileDiff: 'the diff',
              fileName: 'a.ts',
              filePath: '/home/dev/acme/a.ts',
              originalContent: 'one\n',
              newContent: 'two\n',
              diffStat: { model_added_lines: 1, model_removed_lines: 1, model_added_chars: 4, model_removed_chars: 4, user_added_lines: 0, user_removed_lines: 0, user_added_chars: 0, user_removed_chars: 0 },
            },
            durationMs: 12,
          },
        },
        {
          ...base,
          type: 'tool_result',
          provenance: 'tool_result',
          message: { role: 'user', parts: [{ functionResponse: { id: 'c2', name: 'run_command', response: { error: 'Not now.' } } }] },
          toolCallResult: { callId: 'c2', status: 'cancelled', executionStatus: 'not_started', durationMs: 0 },
        },
        { ...base, type: 'assistant', provenance: 'assistant_output', message: { role: 'model', parts: [{ text: 'Done.' }] } },
        { ...base, type: 'system', provenance: 'system', subtype: 'overturn_note', systemPayload: { kind: 'mode', mode: 'plan' } },
      ],
    ])
  })

  it('stays one chain when calls overlap, after a restart, a torn line, and behind another writer', async () => {
    const options = newOptions()
    const log = await openSessionLog(options)
    await Promise.all([log.prompt('one', p1, at), log.reply('two'), log.ledger(entryOf(['a'])), log.reply('three')])
    const again = await openSessionLog(options)
    await again.reply('four')
    await log.reply('five')
    appendFileSync(log.file, '{"uuid":"torn","parentUu')
    await again.reply('six')
    const lines = linesOf(log)
    expect([lines.length, isOneChain(lines), lines.filter(({ subtype }) => subtype === 'overturn_session').length]).toEqual([8, true, 1])
  })

  it('writes no line that a reader would leave out for its length', async () => {
    const log = await openSessionLog(newOptions())
    const huge = 'x'.repeat(3_000_000)
    const display = { kind: 'edit', path: 'a', before: huge, after: `${huge}y`, diff: huge } as const
    await log.prompt(huge, p1, at)
    await log.call({ callId: 'c', name: 'write_file', args: { path: 'a', content: huge, list: [huge] }, request: null, at })
    await log.result({ callId: 'c', name: 'write_file', status: 'done', text: huge, display, durationMs: 1, at })
    await log.reply(huge)
    await log.ledger(entryOf(Array.from({ length: 5_001 }, (_, index) => `file-${index}`)))
    const lengths = readFileSync(log.file, 'utf8').split('\n').map((line) => line.length)
    const shown = linesOf(log).flatMap((line) => {
      const result: unknown = line['toolCallResult']
      return typeof result === 'object' && result !== null && 'resultDisplay' in result ? [result.resultDisplay] : []
    })
    expect([Math.max(...lengths) < 2_500_000, linesOf(log).filter(({ subtype }) => subtype === 'overturn_ledger').length, shown]).toEqual([
      true,
      3,
      [expect.objectContaining({ truncatedForSession: true, originalContentLength: 3_000_000, originalContentTruncated: true, newContentTruncated: true, fileDiffTruncated: true })],
    ])
  })

  it('fails with an error of ours where it cannot write, and goes on once it can', async () => {
    const options = newOptions()
    const log = await openSessionLog(options)
    const before = readFileSync(log.file)
    rmSync(log.file)
    rmSync(dirname(log.file), { recursive: true })
    writeFileSync(dirname(log.file), '')
    await expect(log.reply('lost')).rejects.toMatchObject({ name: 'ReviewError' })
    rmSync(dirname(log.file))
    const again = await openSessionLog(options)
    writeFileSync(log.file, before)
    await log.reply('kept')
    expect([again.file, isOneChain(linesOf(log)), linesOf(log).length]).toEqual([log.file, true, 2])
  })
})

describe('a session that goes on after a restart', () => {
  it('has its snapshots, the last promptId, and the end of the chain', async () => {
    const log = await openSessionLog(newOptions())
    const backup = { backup: { kind: 'absent', backupAt: at }, version: 1, at } as const
    await log.prompt('one', p1, at)
    await log.snapshot({ kind: 'whole', promptId: p1, takenAt: at, backups: new Map() })
    await log.snapshot({ kind: 'added', promptId: p1, takenAt: at, backups: new Map([[workspacePath('a'), backup]]) })
    await log.prompt('two', p2, at)
    await log.ledger(entryOf(['a'], { promptId: p2, isBeforeTurn: true }))
    appendFileSync(log.file, 'broken line\n{"torn')
    const resumed = await resumeOf(log.file)
    expect([resumed.snapshots.map(({ promptId, backups }) => [promptId, [...backups.keys()]]), resumed.lastPromptId, resumed.turn, [resumed.firstPrompt, resumed.lastPrompt], [...resumed.changed.keys()], resumed.skipped]).toEqual([[[p1, ['a']]], p2, 2, ['one', 'two'], ['a'], 1])
  })

  it('is empty where there is no log', async () => {
    expect(await resumeOf(join(newOptions().dataFolder, 'none.jsonl'))).toMatchObject({ client: null, snapshots: [], lastPromptId: null, turn: 0, lastAt: null, calls: [], skipped: 0 })
  })
})
