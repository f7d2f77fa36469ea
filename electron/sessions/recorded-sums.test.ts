import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogReader } from './log-reader.js'
import { recordedSums } from './recorded-sums.js'

/** Lines of a recorded case, read from its log alone. */
async function statOf(name: string): Promise<unknown> {
  const home = resolve('electron/sessions/fixtures/qwen-code', name, 'home')
  const log = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl')) ?? ''
  const reader = await LogReader.open({ file: join(home, log), indexFile: null, isKept: false, isDeep: false })
  try {
    await reader.load()
    return (await recordedSums(reader, async () => undefined)).stat
  } finally {
    reader.close()
  }
}

describe('the recorded lines of a session', () => {
  it('are those of the live branch: what was set aside does not count', async () => {
    // The set-aside turn of this case adds 5 lines and removes 2.
    expect(await statOf('shop')).toEqual({ insertions: 75, deletions: 10 })
  })

  it('are none where nothing was edited', async () => {
    expect(await statOf('broken-lines')).toEqual({ insertions: 0, deletions: 0 })
  })
})
