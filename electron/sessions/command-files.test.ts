import { describe, expect, it } from 'vitest'
import { promptId } from '../../shared/ids.js'
import type { ToolCall } from '../../shared/session.js'
import { commandFiles, type CommandState } from './command-files.js'

const bare: ToolCall = { callId: 'c', name: 'Bash', kind: 'command', status: 'done', startedAt: 1000, durationMs: 50, args: '{}', output: '', isOutputCut: false, edit: null, command: null, seen: null, subagent: null }
const run = (text: string, more: Partial<ToolCall> = {}, exitCode: number | null = 0): ToolCall => ({ ...bare, command: { text, exitCode, directory: null }, ...more })
const wild: ToolCall = { ...bare, kind: 'other', name: 'mcp' }

/** What is told of `f`, change by change: turn, then texts, `-` for absent, `?` for unknown; `^` before a turn. Each turn begins at 900. */
async function told(turns: readonly (readonly ToolCall[])[], disk: { readonly text: string; readonly at: number } | null = null): Promise<readonly string[]> {
  const text = (state: CommandState): string => (state.kind === 'bytes' ? state.bytes.toString() : state.kind === 'absent' ? '-' : '?')
  const entries = await commandFiles({
    turns: turns.map((calls, at) => ({ promptId: promptId(`p${at}`), startedAt: 900, calls: calls.map((call) => ({ call, endedAt: call.startedAt === null ? null : 1050 })) })),
    folder: '/home/dev/app',
    leftOut: new Set(),
    isWild: ({ kind }) => kind === 'other',
    disk: async (path) => (path === 'f' && disk ? { bytes: Buffer.from(disk.text), modifiedAtMs: disk.at } : null),
  })
  return entries.filter(({ path }) => path === 'f').map(({ turn, isBeforeTurn, before, after }) => `${isBeforeTurn ? '^' : ''}${turn} ${text(before)}>${text(after)}`)
}

describe('files that commands alone changed', () => {
  it.each<readonly [string, readonly (readonly ToolCall[])[], readonly string[]]>([
    ['what a command wrote, until the turn ended', [[run('echo a > f')], []], ['0 ?>a\n', '^1 ?>?']],
    ['what was added to it in the same turn', [[run('echo a > f'), run('echo b >> f')]], ['0 ?>a\n', '0 a\n>a\nb\n']],
    ['nothing of what was added to something that is not known', [[run('echo b >> f')]], []],
    ['that it is gone', [[run('rm f')]], ['0 ?>-']],
    ['nothing after a command that failed, or may have', [[run('echo a > f', {}, 1), run('rm f', {}, null)]], []],
    ['nothing of one that was refused, or went on', [[run('echo a > f', { status: 'refused' }), run('echo a > f', { args: '{"run_in_background":true}' })]], []],
    ['nothing of what may not have been reached', [[run('false || echo a > f'), run('cd x; echo a > f')]], []],
    ['no more once something that can change any file came', [[run('echo a > f'), wild], []], ['0 ?>a\n', '0 a\n>?', '^1 ?>?']],
    ['no more once a command came that cannot be read', [[run('echo a > f'), run('make all-of-it')]], ['0 ?>a\n', '0 a\n>?']],
    ['nothing carried from one turn to the next', [[run('echo a > f')], [run('echo b >> f')]], ['0 ?>a\n', '^1 ?>?', '1 ?>?']],
  ])('are told by the command text: %s', async (_, turns, lines) => {
    expect(await told(turns)).toEqual(lines)
  })

  it.each<readonly [string, readonly (readonly ToolCall[])[], number, readonly string[]]>([
    ['what the last command left', [[run("sed -i 's/a/b/' f")], []], 1040, ['0 ?>disk']],
    ['and before that what came before', [[run('echo a > f')], [run("sed -i 's/a/b/' f")]], 1040, ['0 ?>a\n', '^1 ?>?', '1 ?>disk']],
    ['not when it was written after the command', [[run("sed -i 's/a/b/' f")]], 1200, []],
    ['not when it was last written before the turn, since an older file took its place', [[run("sed -i 's/a/b/' f")]], 800, []],
    ['not when a later command may have put an older file there', [[run("sed -i 's/a/b/' f")], [run('mv old f')]], 1040, []],
    ['not when something came that can do anything', [[run("sed -i 's/a/b/' f")], [wild]], 1040, []],
    ['not what a command took away', [[run('rm f')]], 1040, ['0 ?>-']],
    ['not without an end of the command', [[run("sed -i 's/a/b/' f", { startedAt: null })]], 1040, []],
    ['not when the command may not have been done', [[run("sed -i 's/a/b/' f", {}, null)]], 1040, []],
  ])('are told by the disk: %s', async (_, turns, at, lines) => {
    expect(await told(turns, { text: 'disk', at })).toEqual(lines)
  })
})
