import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CodexLog } from '../testing/codex-log.js'
import { geminiReader } from './gemini-cli.js'
import { LogReader } from './log-reader.js'
import { recordedSums } from './recorded-sums.js'

/** Lines of a recorded case, read from its log alone, as it is or changed. */
async function statOf(name: string, agent = 'qwen-code', change: ((text: string) => string) | null = null): Promise<unknown> {
  const home = resolve('electron/sessions/fixtures', agent, name, 'home')
  const log = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((file) => /[0-9a-f]{12}\.jsonl$/.test(file)) ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'overturn-sums-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (change) writeFileSync(join(folder, 'log.jsonl'), change(readFileSync(join(home, log), 'utf8')))
  const reader = await LogReader.open({ file: change ? join(folder, 'log.jsonl') : join(home, log), indexFile: null, isKept: false, isDeep: false })
  try {
    await reader.load()
    const { stat, files } = await recordedSums(reader, async () => undefined)
    return stat && { ...stat, files }
  } finally {
    reader.close()
  }
}

describe('the recorded lines of a session', () => {
  it('are those of the live branch: what was set aside does not count', async () => {
    // The set-aside turn of this case adds 5 lines and removes 2.
    expect(await statOf('shop')).toEqual({ insertions: 75, deletions: 10, files: 9 })
  })

  it('are those of the patches that Codex applied, and not told where no record counts them', async () => {
    expect([await statOf('exec-basic', 'codex'), await statOf('legacy-0.80', 'codex')]).toEqual([{ insertions: 14, deletions: 6, files: 5 }, null])
  })

  it('are those that Gemini CLI counted for the edits that it made', async () => {
    const chats = resolve('electron/sessions/fixtures/gemini-cli/print-basic/home/.gemini/tmp/shop-app-gm/chats')
    const file = join(chats, readdirSync(chats).find((name) => name.endsWith('.jsonl')) ?? '')
    expect((await geminiReader.others?.look(file))?.counts).toMatchObject({ stat: { insertions: 11, deletions: 3 }, files: 5 })
  })

  it('have those of the agents that a session of Gemini CLI started', async () => {
    const chats = resolve('electron/sessions/fixtures/gemini-cli/print-subagents/home/.gemini/tmp')
    const name = readdirSync(chats, { recursive: true, encoding: 'utf8' }).find((file) => /session-[^/\\]*\.jsonl$/.test(file)) ?? ''
    const log = await geminiReader.others?.look(join(chats, name))
    expect(log?.counts).toMatchObject({ stat: { insertions: 6, deletions: 5 }, files: 4 })
  })

  it.each<readonly [string, string]>([['tui-basic', 'claude-code'], ['exec-basic', 'codex'], ['small-edits', 'qwen-code']])('count an edit once, though its record stands there twice: %s', async (name, agent) => {
    const twice = (text: string): string => text.replace(/.+\n/g, '$&$&')
    expect(await statOf(name, agent, twice)).toEqual(await statOf(name, agent))
  })

  it('count a patch of Codex once, though two events tell of it', async () => {
    const change = { '/home/dev/app/a.ts': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: null } }
    const log = new CodexLog('/home/dev/app', Date.parse('2026-03-01T10:00:00Z'))
    log.prompt('t1')
    log.item({ type: 'FileChange', id: 'c1', changes: change, status: 'completed' })
    log.add('event_msg', { type: 'patch_apply_end', call_id: 'c1', success: true, changes: change })
    expect(await statOf('exec-basic', 'codex', () => log.text())).toEqual({ insertions: 1, deletions: 1, files: 1 })
  })

  it('are none where nothing was edited', async () => {
    expect(await statOf('broken-lines')).toEqual({ insertions: 0, deletions: 0, files: 0 })
  })
})
