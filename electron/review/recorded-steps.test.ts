import { describe, expect, it } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import { reasonBehind, stepsOf } from './recorded-steps.js'

const call = (rest: Partial<ToolCall>): ToolCall => ({
  callId: 'c', name: 'tool', kind: 'other', status: 'done', startedAt: null, durationMs: null, args: '{}', output: 'ok', isOutputCut: false, edit: null, command: null, seen: null, subagent: null, ...rest,
})
const edit = (path: string, rest: Partial<ToolCall> = {}): ToolCall =>
  call({ kind: 'edit', name: 'edit', edit: { path: workspacePath(path), change: { kind: 'write', content: 'x' }, before: null, after: null, isNewFile: false, diff: null }, ...rest })
const command = (text: string, rest: Partial<ToolCall> = {}): ToolCall => call({ kind: 'command', name: 'run', command: { text, exitCode: 0, directory: null }, ...rest })
const subagent = (...calls: readonly ToolCall[]): ToolCall => call({ kind: 'subagent', name: 'agent', subagent: { name: 'helper', calls } })
const entry = (each: ToolCall): TranscriptEntry => ({ kind: 'call', call: each, at: 1 })

/** Steps in short: `!` for sure or done. */
function shown(...entries: readonly TranscriptEntry[]): readonly string[] {
  return stepsOf(promptId('p'), entries, '/w').steps.map((step) => {
    if (step.kind === 'seen') return `seen ${step.path}`
    return step.kind === 'edit' ? `${step.cause} ${step.path}${step.isSure ? '!' : ''}` : `${step.label}${step.isDone ? '!' : ''}`
  })
}

describe('stepsOf', () => {
  it('keeps what writes, and leaves out what only reads or was refused', () => {
    expect(shown(entry(edit('a')), entry(edit('b', { status: 'refused' })), entry(command('ls')), entry(command('rm c')), entry(command('rm d', { status: 'refused' })), entry(call({ name: 'todo_write' })))).toEqual(['edit a!', 'rm c!'])
  })

  it('leaves out an edit that reports a failure, and keeps one without any result as possible', () => {
    expect(shown(entry(edit('a', { status: 'failed', output: 'no' })), entry(edit('b', { status: 'failed', output: '' })), entry(edit('c', { status: 'running', output: '' })))).toEqual(['edit b', 'edit c'])
  })

  it('takes a command that failed, or went on in the background, as one that may have done anything of it', () => {
    const background = command('rm b', { args: '{"is_background": true}' })
    expect(shown(entry(command('rm a', { status: 'failed', command: { text: 'rm a', exitCode: 1, directory: null } })), entry(background))).toEqual(['rm a', 'rm b'])
    expect(stepsOf(promptId('p'), [entry(background)], '/w').steps[0]).toMatchObject({ steps: [{ kind: 'file' }, { kind: 'unforeseen' }] })
  })

  it('takes a tool that is not known for one that can change anything', () => {
    expect(shown(entry(call({ name: 'mcp__files__move' })))).toEqual(['mcp__files__move'])
  })

  it('puts the calls of a subagent in its place, and takes one without calls for one that can change anything', () => {
    expect(shown(entry(subagent(edit('a'))), entry(edit('b')), entry(subagent()))).toEqual(['subagent a!', 'edit b!', 'agent'])
  })

  it('lets commands of subagents that ran side by side count before all of them, and as uncertain', () => {
    expect(shown(entry(subagent(edit('a'))), entry(subagent(command('rm b'))))).toEqual(['rm b', 'subagent a!', 'rm b'])
  })

  it('takes a line that cannot be read for a command before and after all others', () => {
    const lost: TranscriptEntry = { kind: 'other', label: 'unreadable line', raw: '{', at: 1 }
    expect(shown(entry(edit('a')), lost)).toEqual(['a line that cannot be read', 'edit a!', 'a line that cannot be read'])
  })

  it('says whether a command or a damaged log leaves a content unknown', () => {
    const lost: TranscriptEntry = { kind: 'other', label: 'oversized record', raw: '{', at: 1 }
    const { steps } = stepsOf(promptId('p'), [entry(command('make')), lost], '/w')
    expect(steps.flatMap((step) => (step.kind === 'command' ? [reasonBehind(step)] : []))).toEqual(['log-broken', 'changed-by-command', 'log-broken'])
  })

  it('names edits that wrote nothing, and all commands', () => {
    const { refusals, commands } = stepsOf(promptId('p'), [entry(edit('a', { status: 'refused', output: 'The user said no.\nMore.' })), entry(command('ls'))], '/w')
    expect([refusals, commands]).toEqual([[{ path: 'a', status: 'refused', reason: 'The user said no.' }], ['ls']])
  })
})
