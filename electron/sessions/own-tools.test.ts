import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { promptId } from '../../shared/ids.js'
import type { ToolCall } from '../../shared/session.js'
import { silentLog } from '../base/log.js'
import type { ResultDisplay } from '../history/call-display.js'
import { openSessionLog } from '../history/session-log.js'
import { pathsInPatch } from './own-tools.js'
import { openQwenSession } from './qwen-code.js'

const sessionId = '5e551011-0000-4000-8000-000000000001'
const p1 = promptId(`${sessionId}########1`)

/** A call as it is read from the log that it was written to. */
async function read(name: string, args: unknown, status: 'done' | 'failed' | 'refused', display: ResultDisplay): Promise<ToolCall | undefined> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'overturn-tools-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  const log = await openSessionLog({ dataFolder, sessionId, folder: '/home/dev/acme', version: '1', branch: null, client: { name: 'a', version: null }, now: () => 2_000 })
  await log.prompt('Do it', p1, 1_000)
  await log.call({ callId: 'c1', name, args, request: null, at: 1_500 })
  await log.result({ callId: 'c1', name, status, text: 'The answer.', display, durationMs: 40, at: 2_000 })
  const session = await openQwenSession({ file: log.file, agent: 'overturn', indexFile: null, backupHomes: [], isFollowed: false, log: silentLog })
  const entries = await session.readTurn(p1)
  session.close()
  return entries.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))[0]
}

const none: ResultDisplay = { kind: 'none' }

describe('a call of our tools, read from the log', () => {
  it('is an edit with its two texts', async () => {
    const display: ResultDisplay = { kind: 'edit', path: 'src/a.ts', before: 'one\nx\n', after: 'two\nx\n', diff: '-one\n+two\n' }
    expect(await read('edit_file', { path: 'src/a.ts', old_text: 'one', new_text: 'two' }, 'done', display)).toMatchObject({
      kind: 'edit',
      status: 'done',
      startedAt: 1_500,
      durationMs: 40,
      output: 'The answer.',
      edit: { path: 'src/a.ts', change: { kind: 'replace', oldText: 'one', newText: 'two', all: false }, before: { text: 'one\nx\n', isWhole: true }, after: { text: 'two\nx\n', isWhole: true }, isNewFile: false },
    })
  })

  it('tells what a person made of the proposal', async () => {
    const display: ResultDisplay = { kind: 'edit', path: 'a.ts', before: 'one\n', after: 'mine\n', diff: '' }
    expect((await read('edit_file', { path: 'a.ts', old_text: 'one', new_text: 'two' }, 'done', display))?.edit?.change).toEqual({ kind: 'write', content: 'mine\n' })
  })

  it('is a new file, a deleted one, one in part', async () => {
    const text = 'y'.repeat(20_000)
    const made = await read('write_file', { path: 'a.ts', content: 'new\n' }, 'done', { kind: 'edit', path: 'a.ts', before: null, after: 'new\n', diff: '' })
    const gone = await read('apply_patch', { patch: '*** Delete File: a.ts' }, 'done', { kind: 'edit', path: 'a.ts', before: 'old\n', after: null, diff: '' })
    const big = await read('exec_write', { path: 'a.ts', content: text }, 'done', { kind: 'edit', path: 'a.ts', before: '', after: text, diff: '' })
    expect([made?.edit?.isNewFile, made?.edit?.change, gone?.edit?.isNewFile, gone?.edit?.change, gone?.edit?.after, big?.edit?.after?.isWhole, big?.edit?.change]).toEqual([
      true,
      { kind: 'write', content: 'new\n' },
      false,
      { kind: 'delete' },
      null,
      false,
      { kind: 'write', content: text },
    ])
  })

  it('is a command with its exit code, or one that a simulated sed stood for', async () => {
    const command: ResultDisplay = { kind: 'command', command: 'npm install left', directory: '/home/dev/acme', exitCode: 3, signal: 'SIGKILL', outcome: 'timed-out', output: 'out', isCut: false }
    const install = await read('exec_install', { packages: ['left'] }, 'done', command)
    const sed = await read('run_command', { command: 'sed -i s/a/b/ a.ts' }, 'done', { kind: 'edit', path: 'a.ts', before: 'a\n', after: 'b\n', diff: '' })
    expect([install?.kind, install?.command, sed?.edit?.change]).toEqual(['command', { text: 'npm install left', exitCode: 3, directory: '/home/dev/acme' }, { kind: 'sed', command: 'sed -i s/a/b/ a.ts' }])
  })

  it('names the file of a patch that was refused, but of several none', async () => {
    const one = await read('apply_patch', { patch: '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n' }, 'refused', none)
    const two = await read('apply_patch', { patch: '*** Update File: a\n*** Update File: b\n' }, 'failed', none)
    expect([one?.status, one?.edit?.path, two?.status, two?.edit]).toEqual(['refused', 'src/a.ts', 'failed', null])
  })
})

describe('the paths of a patch', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['unified', '--- a/x.ts\t2026-01-01\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n', ['x.ts']],
    ['made and deleted', '--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+a\n--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', ['new.ts', 'old.ts']],
    ['a removed line that looks like a header', '--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n--- a comment\n context\n', ['x.sql']],
    ['a rename of git', 'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n', ['x', 'y']],
    ['begin patch', '*** Begin Patch\n*** Add File: a b.md\n+x\n*** Update File: c.ts\n*** Move to: d.ts\n*** Delete File: e\n*** End Patch', ['a b.md', 'c.ts', 'd.ts', 'e']],
    ['no patch', 'hello\n', []],
  ])('are found: %s', (_name, patch, paths) => {
    expect(pathsInPatch(patch)).toEqual(paths)
  })
})
