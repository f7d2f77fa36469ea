import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { geminiReader } from './gemini-cli.js'
import { LogReader } from './log-reader.js'
import { recordedSums } from './recorded-sums.js'

/** Lines of a recorded case, read from its log alone. */
async function statOf(name: string, agent = 'qwen-code'): Promise<unknown> {
  const home = resolve('electron/sessions/fixtures', agent, name, 'home')
  const log = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl')) ?? ''
  const reader = await LogReader.open({ file: join(home, log), indexFile: null, isKept: false, isDeep: false })
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

  it('are none where nothing was edited', async () => {
    expect(await statOf('broken-lines')).toEqual({ insertions: 0, deletions: 0, files: 0 })
  })
})
