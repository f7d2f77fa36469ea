import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import type { Resolution } from '../../shared/rewind.js'
import { hashPlan, needsBytes, planFile, type FileFacts, type FilePlan } from './rewind-plan.js'
import { stateOf, type TestContent } from '../testing/temp-history.js'

const merge = { kind: 'merge' } as const
const words = { to: 'turn 4', by: 'turn 4' }
const binary = (text: string): TestContent => ({ bytes: Buffer.from(`\0${text}`) })

function bytesOf(content: TestContent): Uint8Array | null {
  if (typeof content === 'string') return Buffer.from(content)
  return content && 'bytes' in content ? content.bytes : content && 'text' in content ? Buffer.from(content.text) : null
}

interface Case {
  readonly base: TestContent
  readonly disk: TestContent
  readonly target: TestContent
  readonly turn?: string
  readonly blocked?: string
}

function facts({ base, disk, target, turn, blocked }: Case): FileFacts {
  const bytes = { base: bytesOf(base), disk: bytesOf(disk), target: bytesOf(target) }
  return { path: workspacePath('a'), base: stateOf(base), disk: stateOf(disk), target: stateOf(target), turn: turn ?? null, blocked: blocked ?? null, bytes }
}

function plan(each: Case, resolution: Resolution = merge): FilePlan {
  return planFile(facts(each), resolution, words)
}

function written({ result }: FilePlan): unknown {
  if (!result) return null
  return result.from instanceof Uint8Array ? Buffer.from(result.from).toString() : (result.from ?? result.state.kind)
}

describe('planFile', () => {
  it.each<[string, Case, string, unknown, string]>([
    ['the same bytes', { base: 'x', disk: 'a', target: 'a' }, 'unchanged', null, 'Nothing to do, it is the same'],
    ['the agent\'s bytes', { base: 'b', disk: 'b', target: 'a' }, 'restore', 'target', 'Back to turn 4'],
    ['a file that the agent made', { base: 'b', disk: 'b', target: null, turn: 'turn 6' }, 'delete', 'absent', 'Created in turn 6'],
    ['a file that is gone', { base: 'b', disk: null, target: 'a', turn: 'turn 7' }, 'recreate', 'target', 'Deleted in turn 7, comes back as it was'],
    ['a file that is gone, of an unknown base', { base: { unknown: 'no-record' }, disk: null, target: 'a' }, 'recreate', 'target', 'Deleted since, comes back as it was'],
    ['typing elsewhere in the file', { base: 'r\nm\nx\ny\n', disk: 'r\nm\nx\ny\nmine\n', target: 'old\nm\nx\ny\n' }, 'merge', 'old\nm\nx\ny\nmine\n', 'Back to turn 4, your line stays'],
    ['typing in the same line', { base: 'a\nb\n', disk: 'a\nmine\n', target: 'a\nold\n' }, 'conflict', null, 'You and turn 4 both changed line 2. Stays as it is until you choose'],
    ['the same typing as the target', { base: 'a\nb\nc\n', disk: 'old\nb\nc\n', target: 'old\nb\nc\n' }, 'unchanged', null, 'Nothing to do, it is the same'],
    ['typing in a file that the agent left alone', { base: 'a', disk: 'mine', target: 'a' }, 'unchanged', null, 'Only you changed it since, so it stays'],
    ['typing over an unknown base', { base: { unknown: 'no-record' }, disk: 'b', target: 'a' }, 'conflict', null, "Cannot tell your typing from the agent's. Stays as it is until you choose"],
    ['typing in a file that did not exist then', { base: 'b', disk: 'mine', target: null, turn: 'turn 6' }, 'conflict', null, 'Created in turn 6, and you changed it since. Stays as it is until you choose'],
    ['a file of the user where the agent left none', { base: null, disk: 'mine', target: null }, 'unchanged', null, 'Only you changed it since, so it stays'],
    ['changed binary bytes', { base: binary('b'), disk: binary('mine'), target: binary('a') }, 'conflict', null, 'You changed it since, and it is no text that could be merged. Stays as it is until you choose'],
    ['unchanged binary bytes', { base: binary('b'), disk: binary('b'), target: binary('a') }, 'restore', 'target', 'Back to turn 4'],
    ['a link that the agent left', { base: { link: 'x' }, disk: { link: 'x' }, target: { link: 'y' } }, 'restore', 'link', 'Back to turn 4'],
    ['a link in the place of a file', { base: 'b', disk: 'b', target: { link: 'y' } }, 'restore', 'link', 'Back to turn 4'],
    ['a link that somebody changed', { base: 'b', disk: { link: 'mine' }, target: 'a' }, 'conflict', null, 'You changed it since, and a link cannot be merged. Stays as it is until you choose'],
    ['another mode', { base: 'a', disk: { text: 'a', mode: 0o644 }, target: { text: 'a', mode: 0o755 } }, 'restore', 'disk', 'Mode back to 755'],
    ['a mode that only the user changed', { base: { text: 'a', mode: 0o644 }, disk: { text: 'a', mode: 0o755 }, target: { text: 'a', mode: 0o644 } }, 'unchanged', null, 'Only you changed it since, so it stays'],
    ['an unknown mode', { base: 'a', disk: { text: 'a', mode: 0o644 }, target: 'a' }, 'unchanged', null, 'Nothing to do, it is the same'],
    ['an unknown target', { base: 'b', disk: 'b', target: { unknown: 'changed-by-command' }, turn: 'turn 7' }, 'cannot', null, 'A shell command changed it in turn 7 before we had a copy'],
    ['a backup that is gone', { base: 'b', disk: 'b', target: { unknown: 'backup-missing' } }, 'cannot', null, 'Its backup is gone'],
    ['a disk that cannot be read', { base: 'b', disk: { unknown: 'unreadable' }, target: 'a' }, 'cannot', null, 'The file on the disk cannot be read'],
    ['a path that may not be touched', { base: 'b', disk: 'b', target: 'a', blocked: 'a is reached through a link' }, 'cannot', null, 'a is reached through a link'],
  ])('plans %s', (_, each, action, result, reason) => {
    const planned = plan(each)
    expect([planned.action, written(planned), planned.reason]).toEqual([action, result, reason])
  })

  it('never writes where a folder stands now', () => {
    const disk = { kind: 'folder' } as const
    const back = planFile({ ...facts({ base: 'b', disk: 'b', target: 'a' }), disk }, { kind: 'old' }, words)
    const gone = planFile({ ...facts({ base: 'b', disk: 'b', target: null }), disk }, { kind: 'old' }, words)
    expect([back.action, back.result, gone.action, gone.result]).toEqual(['cannot', null, 'unchanged', null])
  })

  it('does not touch what is too large to be kept', () => {
    const huge = { kind: 'file', sha256: 'f'.repeat(64), sizeBytes: 65 * 1024 * 1024, mode: null } as const
    expect(planFile({ ...facts({ base: 'b', disk: 'b', target: null }), disk: huge, base: huge }, merge, words).action).toBe('cannot')
  })

  it.each<[string, number | null, number | null, number, string]>([
    ['takes the target\'s mode where the base\'s is not known', null, 0o600, 0o600, 'Back to turn 4'],
    ['keeps the file\'s mode where the target\'s is not known', null, null, 0o755, 'Back to turn 4'],
    ['takes the target\'s mode where the agent changed it', 0o755, 0o600, 0o600, 'Back to turn 4'],
    ['takes the target\'s mode where both changed it', 0o644, 0o600, 0o600, 'Back to turn 4'],
    ['keeps the mode that only the user changed', 0o644, 0o644, 0o755, 'Back to turn 4, your mode 755 stays'],
  ])('%s', (_, base, target, expected, reason) => {
    const of = (text: string, mode: number | null): TestContent => (mode === null ? text : { text, mode })
    const planned = plan({ base: of('b', base), disk: { text: 'b', mode: 0o755 }, target: of('a', target) })
    expect([planned.result?.state, planned.reason]).toMatchObject([{ mode: expected }, reason])
  })

  it('merges into a file with the mode that only the user changed, and takes it back where the user chooses the old file', () => {
    const each: Case = { base: { text: 'r\nm\nx\n', mode: 0o644 }, disk: { text: 'r\nm\nmine\n', mode: 0o755 }, target: { text: 'old\nm\nx\n', mode: 0o644 } }
    expect([plan(each), plan(each, { kind: 'old' })].map(({ result }) => result?.state)).toMatchObject([{ mode: 0o755 }, { mode: 0o644 }])
  })

  it.each<[string, Case, Resolution, string, unknown, number]>([
    ['keep, in a conflict', { base: 'b', disk: 'mine', target: 'a' }, { kind: 'keep' }, 'unchanged', null, 1],
    ['keep, without one', { base: 'b', disk: 'b', target: 'a' }, { kind: 'keep' }, 'unchanged', null, 0],
    ['old, in a conflict', { base: 'b', disk: 'mine', target: 'a' }, { kind: 'old' }, 'restore', 'target', 1],
    ['old, over an unknown base', { base: { unknown: 'no-record' }, disk: 'b', target: null }, { kind: 'old' }, 'delete', 'absent', 1],
    ['old, where only the user changed it', { base: 'a', disk: 'mine', target: 'a' }, { kind: 'old' }, 'restore', 'target', 0],
    ['a text', { base: 'b', disk: 'mine', target: 'a' }, { kind: 'text', text: 'both\n' }, 'merge', 'both\n', 0],
    ['a text, in the line ends of the file', { base: 'b\r\n', disk: 'mine\r\n', target: 'a\r\n' }, { kind: 'text', text: 'both\n' }, 'merge', 'both\r\n', 0],
    ['a text that the file holds already', { base: 'b', disk: 'mine', target: 'a' }, { kind: 'text', text: 'mine' }, 'unchanged', null, 0],
    ['old, for an unknown target', { base: 'b', disk: 'b', target: { unknown: 'no-record' } }, { kind: 'old' }, 'cannot', null, 0],
  ])('does as chosen: %s', (_, each, resolution, action, result, conflicts) => {
    const planned = plan(each, resolution)
    expect([planned.action, written(planned), planned.conflicts]).toEqual([action, result, conflicts])
  })

  it('asks for bytes only where hashes do not decide', () => {
    const needs = (each: Case, resolution: Resolution = merge): boolean => needsBytes(facts(each), resolution)
    expect([
      needs({ base: 'b', disk: 'mine', target: 'a' }),
      needs({ base: 'b', disk: 'b', target: 'a' }),
      needs({ base: 'b', disk: 'mine', target: null }),
      needs({ base: 'b', disk: 'b', target: 'a' }, { kind: 'text', text: '' }),
    ]).toEqual([true, false, false, true])
  })
})

describe('hashPlan', () => {
  const usual: Case = { base: 'b', disk: { text: 'b', mode: 0o644 }, target: { text: 'a', mode: 0o644 } }

  it('does not depend on the order of the files', () => {
    const one = planFile(facts(usual), merge, words)
    const two = planFile({ ...facts(usual), path: workspacePath('b') }, merge, words)
    expect(hashPlan([one, two])).toBe(hashPlan([two, one]))
  })

  it.each<[string, Case, Resolution]>([
    ['the bytes on the disk', { ...usual, disk: { text: 'c', mode: 0o644 } }, merge],
    ['the mode on the disk', { ...usual, disk: { text: 'b', mode: 0o600 } }, merge],
    ['the target', { ...usual, target: { text: 'c', mode: 0o644 } }, merge],
    ['the target\'s mode', { ...usual, target: { text: 'a', mode: 0o600 } }, merge],
    ['the choice', usual, { kind: 'old' }],
    ['the typed text', usual, { kind: 'text', text: 'x' }],
    ['the base, where it decides', { ...usual, base: 'x' }, merge],
  ])('depends on %s', (_, each, resolution) => {
    expect(hashPlan([plan(each, resolution)])).not.toBe(hashPlan([plan(usual)]))
  })
})
